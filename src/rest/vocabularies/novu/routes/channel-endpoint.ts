// Routes of channel endpoints, with endpoint types and providers in the client's words.
import { z } from 'zod'
import {
  type ChannelEndpoint,
  channelEndpoint,
  channelEndpoints,
  createChannelEndpoint,
  updateChannelEndpoint,
} from '../../../../domain/channel-endpoint.ts'
import { providerOf } from '../../../../domain/channel/provider-id.ts'
import { integrationIdentifier } from '../../../../domain/integration.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import {
  anyEndpoint,
  channelEndpointQuery,
  channelEndpointRoutes,
  showChannelEndpoint,
} from '../../../routes/channel-endpoint.ts'
import { pageOfQuery, pageSchema, showPage } from '../../../page.ts'
import { route } from '../../../route.ts'
import { found } from '../../../views.ts'
import { reuse } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'
import { providerInWords, typeInWords, wordOfProvider, wordOfType } from '../words/names.ts'

const view = anyEndpoint
  .extend({
    type: z.string().meta({ description: "Endpoint type in the client's words. It cannot be changed." }),
    providerId: z.string().nullable().meta({ description: "Provider of the integration in the client's words." }),
  })
  .meta({ id: 'NovuChannelEndpoint', description: 'An address of a subscriber on an integration.' })

function show(row: ChannelEndpoint, scope: DoorScope): z.input<typeof view> {
  const providerId = row.providerId === null ? null : wordOfProvider(providerOf(row.providerId))
  return { ...showChannelEndpoint(row, scope), type: wordOfType(row.type), providerId }
}

const byIdentifier = z.object({
  identifier: z.string().meta({ description: 'Identifier of the channel endpoint.' }),
})

const { shape } = createChannelEndpoint.definition.input

export const novuChannelEndpointRoutes = [
  ...reuse(prefix, channelEndpointRoutes, ['DELETE /v1/channel-endpoints/{identifier}']),
  route({
    method: 'get',
    path: `${prefix}/v1/channel-endpoints`,
    summary: 'List channel endpoints',
    query: channelEndpointQuery.extend({
      providerId: providerInWords.optional().meta({ description: "Filter by provider, in the client's words." }),
    }),
    resolver: channelEndpoints,
    // The filter ignores page arguments.
    input: ({ query }) => ({ ...pageOfQuery(query), filter: query }),
    statuses: [200],
    response: pageSchema(view),
    view: (page, scope) => showPage(scope, page, (row) => show(row, scope)),
  }),
  route({
    method: 'post',
    path: `${prefix}/v1/channel-endpoints`,
    summary: 'Create a channel endpoint',
    example: {
      subscriberId: 'user-1',
      integrationIdentifier: 'acme-sms',
      context: { tenant: 'acme' },
      type: 'phone',
      endpoint: { phoneNumber: '+4915123456789' },
    },
    body: z.object({
      identifier: shape.identifier,
      subscriberId: shape.subscriberId,
      integrationIdentifier,
      connectionIdentifier: shape.connectionIdentifier,
      context: shape.context,
      createSubscriberIfMissing: shape.createSubscriberIfMissing.meta({
        description: 'True to create a subscriber that does not exist. Default: false.',
      }),
      type: typeInWords.meta({ description: "Endpoint type in the client's words." }),
      endpoint: shape.endpoint.meta({ description: 'Address: the fields of the endpoint type.' }),
    }),
    resolver: createChannelEndpoint,
    statuses: [201],
    response: view,
    view: show,
  }),
  route({
    method: 'get',
    path: `${prefix}/v1/channel-endpoints/{identifier}`,
    summary: 'Read a channel endpoint',
    params: byIdentifier,
    resolver: channelEndpoint,
    statuses: [200],
    response: view,
    view: (row, scope, { params }) => show(found(row, 'Channel endpoint', params.identifier), scope),
  }),
  route({
    method: 'patch',
    path: `${prefix}/v1/channel-endpoints/{identifier}`,
    summary: 'Update the address of a channel endpoint; fields that are absent keep their values',
    example: { endpoint: { phoneNumber: '+4915198765432' } },
    params: byIdentifier,
    body: z.object({
      // The client sends an empty object for the types that it cannot write.
      endpoint: shape.endpoint
        .refine((given) => Object.keys(given).length > 0, 'must have at least one field of the endpoint type')
        .meta({ description: 'Fields of the address to change.' }),
    }),
    resolver: updateChannelEndpoint,
    input: ({ params: { identifier }, body: { endpoint } }) => ({ identifier, endpoint, keepAbsent: true }),
    statuses: [200],
    response: view,
    view: show,
  }),
]
