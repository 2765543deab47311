// The record of consent: who wanted what, since when and by which way.
import { z } from 'zod'
import { changesBySubscriber } from '../../data/preference/preference-change.ts'
import type { PreferenceChange } from '../../data/prisma/client.ts'
import { Channel, PreferenceChangeSource } from '../../data/prisma/enums.ts'
import { createdConditions, orderOfCreation, pageRequest } from '../../lib/page.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, storableText, text } from '../../lib/validation.ts'
import { contextKeysFilter } from '../context.ts'
import { query } from '../resolver/resolver.ts'

export type { PreferenceChange }

const source = z.enum(PreferenceChangeSource)
const channel = z.enum(Channel)

/** Lists the changes of a subscriber's choices. A session sees those under its own contexts. Batched. */
export const preferenceChanges = query({
  name: 'preference.listChanges',
  permission: 'preference:read',
  owner: ({ subscriberId }, { caller }) => ({
    subscriberId,
    contextKeys: caller.kind === 'session' ? caller.contextKeys : [],
  }),
  input: z.object({
    subscriberId: storableText,
    page: pageRequest,
    orderBy: orderOfCreation,
    filter: filterOf({
      source,
      sources: severalOf(source),
      channel,
      channels: severalOf(channel),
      workflowIdentifier: text(255),
      workflowIdentifiers: severalOf(text(255)),
      categoryKey: text(255),
      categoryKeys: severalOf(text(255)),
      contextKeys: contextKeysFilter,
      ...createdConditions,
    }),
  }),
  run({ load, caller }, { subscriberId, filter, ...list }) {
    const { createdAfter, createdBefore } = filter
    return load(changesBySubscriber, {
      parent: subscriberId,
      ...list,
      filter: {
        source: valuesOf(filter.source, filter.sources),
        channel: valuesOf(filter.channel, filter.channels),
        workflowIdentifier: valuesOf(filter.workflowIdentifier, filter.workflowIdentifiers),
        categoryKey: valuesOf(filter.categoryKey, filter.categoryKeys),
        contextKeys: caller.kind === 'session' ? caller.contextKeys : filter.contextKeys,
        createdAfter,
        createdBefore,
      },
    })
  },
})
