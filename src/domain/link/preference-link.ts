// Creates links to the preference page of a subscriber, such as for an account page.
import { z } from 'zod'
import { refuse } from '../../lib/errors.ts'
import { needsIds, sealLink } from '../channel/link-token.ts'
import { linksWith } from '../channel/unsubscribe-link.ts'
import { contextInput, ensureContexts, existingContexts } from '../context.ts'
import { referenceOf } from '../resolver/reference.ts'
import { mutation } from '../resolver/resolver.ts'
import { subscriberReference } from '../subscriber-id.ts'
import { loadSubscriber } from '../subscriber.ts'

/** @throws Refusal `CONFLICT` if the gateway has no public https address. */
export const createPreferenceLink = mutation({
  name: 'preference.createLink',
  permission: 'preference:write',
  owner: null,
  // Anyone with the link can change the preferences.
  secret: true,
  input: z.object({ ...subscriberReference, context: contextInput }),
  async run(scope, { context, ...named }) {
    const { environmentId, cipher, publicUrl } = scope
    const subscriber = await loadSubscriber(scope, referenceOf({ subscriberId: named.subscriberId }, { id: named.id }))
    if (publicUrl === undefined) {
      throw refuse('CONFLICT', 'Links need a public https address: set BASE_URL to one, such as https://example.com')
    }
    const keys = await ensureContexts(scope, context)
    const contexts = needsIds(keys) ? { ids: (await existingContexts(scope, keys)).map(({ id }) => id) } : { keys }
    const about = { contexts, scope: null, channel: null, deliveryId: null }
    const token = sealLink(cipher, { environmentId, subscriberRowId: subscriber.id, ...about })
    return { url: linksWith(publicUrl, token).preferencesUrl }
  },
})
