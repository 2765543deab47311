// The route of the record of consent.
import { z } from 'zod'
import { Channel, PreferenceChangeSource, PreferenceScope } from '../../data/prisma/enums.ts'
import { preferenceChanges, type PreferenceChange } from '../../domain/preference/preference-change.ts'
import { cursorQuery, pageOfCursors, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { bySubscriberId, dateOf, timestamp, valuesField } from '../views.ts'

const changeView = z
  .object({
    _id: z.string(),
    scope: z.enum(PreferenceScope).meta({ description: 'Workflows that the choice is about.' }),
    workflowIdentifier: z.string().nullable().meta({ description: 'The workflow. Null for other scopes.' }),
    categoryKey: z.string().nullable().meta({ description: 'The category. Null for other scopes.' }),
    channel: z.enum(Channel).nullable().meta({ description: 'The channel. Null for all channels.' }),
    enabled: z
      .boolean()
      .nullable()
      .meta({ description: 'True for on, false for off. Null if the choice was removed.' }),
    source: z.enum(PreferenceChangeSource).meta({ description: 'How the preference was changed.' }),
    deliveryId: z.string().nullable().meta({ description: 'Id of the message that led to the change. Null for none.' }),
    contextKeys: z.array(z.string()),
    at: timestamp,
  })
  .meta({ id: 'PreferenceChange', description: 'A change of the preferences of a subscriber.' })

const showChange = (row: PreferenceChange): z.input<typeof changeView> => ({
  _id: row.id,
  scope: row.scope,
  workflowIdentifier: row.workflowIdentifier,
  categoryKey: row.categoryKey,
  channel: row.channel,
  enabled: row.enabled,
  source: row.source,
  deliveryId: row.deliveryId,
  contextKeys: row.contextKeys,
  at: row.createdAt.toISOString(),
})

export const preferenceChangeRoutes = [
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}/preferences/changes',
    summary: 'List the changes of the preferences of a subscriber, newest first',
    params: bySubscriberId,
    query: cursorQuery.extend({
      source: z.enum(PreferenceChangeSource).optional().meta({ description: 'Filter by source.' }),
      sources: valuesField(z.enum(PreferenceChangeSource), 'sources'),
      channel: z.enum(Channel).optional().meta({ description: 'Filter by channel.' }),
      channels: valuesField(z.enum(Channel), 'channels'),
      workflowIdentifier: z.string().optional().meta({ description: 'Filter by workflow. It need not exist.' }),
      workflowIdentifiers: valuesField(z.string(), 'workflows, by identifier'),
      categoryKey: z.string().optional().meta({ description: 'Filter by category. It need not exist.' }),
      categoryKeys: valuesField(z.string(), 'categories, by key'),
      contextKeys: z
        .array(z.string())
        .optional()
        .meta({ description: 'Filter by contexts. Matches changes under exactly these contexts.' }),
      createdAfter: timestamp.optional().meta({ description: 'Earliest time of the change. Inclusive.' }),
      createdBefore: timestamp.optional().meta({ description: 'Time before which it was changed. Exclusive.' }),
    }),
    resolver: preferenceChanges,
    input: ({ params, query }) => ({
      subscriberId: params.subscriberId,
      page: pageOfCursors(query),
      orderBy: { direction: 'desc' as const },
      filter: {
        source: query.source,
        sources: query.sources,
        channel: query.channel,
        channels: query.channels,
        workflowIdentifier: query.workflowIdentifier,
        workflowIdentifiers: query.workflowIdentifiers,
        categoryKey: query.categoryKey,
        categoryKeys: query.categoryKeys,
        contextKeys: query.contextKeys,
        createdAfter: dateOf(query.createdAfter),
        createdBefore: dateOf(query.createdBefore),
      },
    }),
    statuses: [200],
    response: pageSchema(changeView),
    view: (page, scope) => showPage(scope, page, showChange),
  }),
]
