// A subscriber's credentials, one provider at a time: set, added to, forgotten.
import { lockSubscriber } from '../data/lock.ts'
import type { Subscriber } from '../data/prisma/client.ts'
import { writeCredentials } from '../data/subscriber.ts'
import { refuse } from '../lib/errors.ts'
import { present } from '../lib/present.ts'
import { channelCredential, credentialRow, loadCredentials } from './credential.ts'
import { mutation } from './resolver.ts'
import type { Scope } from './scope.ts'
import { requireSubscriber, subscriberId } from './subscriber.ts'

const addressed = channelCredential.extend({ subscriberId })

/** The subscriber, held until the transaction ends: what is read of its credentials may be written back. */
async function heldSubscriber(scope: Scope, subscriberId: string): Promise<Subscriber> {
  await lockSubscriber(scope, subscriberId)
  return requireSubscriber(scope, subscriberId)
}

/** Sets a provider's credentials whole. */
export const setSubscriberCredentials = mutation({
  name: 'subscriber.setCredentials',
  permission: 'subscriber:write',
  input: addressed,
  async run(scope, { subscriberId, ...given }) {
    const subscriber = await heldSubscriber(scope, subscriberId)
    await writeCredentials(scope, [credentialRow(scope, subscriberId, given)], scope.now())
    return subscriber
  },
})

/** Adds device tokens to those that are kept. A webhook URL that is given replaces the old one; null leaves it. */
export const appendSubscriberCredentials = mutation({
  name: 'subscriber.appendCredentials',
  permission: 'subscriber:write',
  input: addressed,
  async run(scope, { subscriberId, ...given }) {
    const subscriber = await heldSubscriber(scope, subscriberId)
    const kept = (await loadCredentials(scope, subscriberId)).find(
      (row) =>
        row.providerId === given.providerId && row.integrationIdentifier === (given.integrationIdentifier ?? null),
    )
    const merged = {
      webhookUrl: given.credentials.webhookUrl ?? kept?.webhookUrl,
      deviceTokens: [...(kept?.deviceTokens ?? []), ...(given.credentials.deviceTokens ?? [])],
    }
    await writeCredentials(scope, [credentialRow(scope, subscriberId, { ...given, credentials: merged })], scope.now())
    return subscriber
  },
})

/** Forgets a provider's credentials: those of one integration when it is named, of all when not. */
export const deleteSubscriberCredentials = mutation({
  name: 'subscriber.deleteCredentials',
  permission: 'subscriber:write',
  input: addressed.pick({ subscriberId: true, providerId: true, integrationIdentifier: true }),
  async run(scope, { subscriberId, providerId, integrationIdentifier }) {
    const subscriber = await heldSubscriber(scope, subscriberId)
    const { environmentId } = scope
    const { count } = await scope.db.subscriberCredential.deleteMany({
      where: { environmentId, subscriberId, providerId, ...present({ integrationIdentifier }) },
    })
    if (count === 0) {
      const of = integrationIdentifier ? `${providerId} for the integration "${integrationIdentifier}"` : providerId
      throw refuse('NOT_FOUND', `Subscriber "${subscriberId}" has no credentials of ${of}`, 'providerId', providerId)
    }
    return subscriber
  },
})
