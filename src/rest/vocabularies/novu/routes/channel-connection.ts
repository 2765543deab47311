// Routes of channel connections, with providers in the client's words.
import { z } from 'zod'
import { type ChannelConnection, channelConnections } from '../../../../domain/workspace/channel-connection.ts'
import { providerOf } from '../../../../domain/channel/provider-id.ts'
import {
  channelConnectionQuery,
  channelConnectionRoutes,
  connectionView,
  newConnection,
  showChannelConnection,
} from '../../../routes/channel-connection.ts'
import { pageOfQuery, pageSchema, showPage } from '../../../page.ts'
import { route } from '../../../route.ts'
import { reuse, withBody, withView } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'
import { providerInWords, wordOfProvider } from '../words/names.ts'

const view = connectionView
  .extend({
    providerId: z.string().nullable().meta({ description: "Provider of the integration in the client's words." }),
  })
  .meta({ id: 'NovuChannelConnection', description: 'A workspace of a chat service with its token.' })

const show = (row: ChannelConnection): z.input<typeof view> => ({
  ...showChannelConnection(row),
  providerId: wordOfProvider(providerOf(row.providerId)),
})

/** A connection of the documented paths, in the client's words. */
function inWords(body: unknown): z.input<typeof view> {
  const shown = connectionView.parse(body)
  return { ...shown, providerId: shown.providerId === null ? null : wordOfProvider(shown.providerId) }
}

/** A shared connection has no subscriber, also if the client names one. */
function withoutOwner(given: unknown): unknown {
  const { data } = z.looseObject({ connectionMode: z.literal('shared'), subscriberId: z.unknown() }).safeParse(given)
  if (data === undefined) return given
  const { subscriberId: _subscriberId, ...body } = data
  return body
}

export const novuChannelConnectionRoutes = [
  ...reuse(prefix, channelConnectionRoutes, [
    'GET /v1/channel-connections/{identifier}',
    'PATCH /v1/channel-connections/{identifier}',
  ]).map((one) => withView(one, view, inWords)),
  ...reuse(prefix, channelConnectionRoutes, ['POST /v1/channel-connections']).map((one) =>
    withView(withBody(one, newConnection, withoutOwner), view, inWords),
  ),
  ...reuse(prefix, channelConnectionRoutes, ['DELETE /v1/channel-connections/{identifier}']),
  route({
    method: 'get',
    path: `${prefix}/v1/channel-connections`,
    summary: 'List channel connections',
    query: channelConnectionQuery.extend({
      providerId: providerInWords.optional().meta({ description: "Filter by provider, in the client's words." }),
    }),
    resolver: channelConnections,
    // The filter ignores page arguments.
    input: ({ query }) => ({ ...pageOfQuery(query), filter: query }),
    statuses: [200],
    response: pageSchema(view),
    view: (page, scope) => showPage(scope, page, show),
  }),
]
