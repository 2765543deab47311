// Channel endpoints at the REST door.
import { z } from 'zod'
import { Channel, EndpointType } from '../../data/prisma/enums.ts'
import {
  type ChannelEndpoint,
  channelEndpoint,
  channelEndpointFields,
  channelEndpoints,
  createChannelEndpoint,
  deleteChannelEndpoint,
  updateChannelEndpoint,
} from '../../domain/channel-endpoint.ts'
import { openEndpoint } from '../../domain/endpoint-type.ts'
import { providerOf } from '../../domain/provider-id.ts'
import type { Scope } from '../../domain/scope.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { found, knownProvider, ownData, timestamp } from '../views.ts'

/** SPEC: Channel endpoint. Every field is always there. */
const channelEndpointView = z
  .object({
    identifier: z.string().meta({ description: 'Its key, unique in the environment.' }),
    channel: z.enum(Channel).nullable().meta({ description: 'What its integration delivers by.' }),
    providerId: knownProvider.nullable().meta({ description: 'Who delivers.', examples: ['twilio'] }),
    integrationIdentifier: z.string().nullable().meta({ description: 'The integration that it is registered on.' }),
    connectionIdentifier: z.string().nullable().meta({ description: 'The channel connection that it uses.' }),
    subscriberId: z.string().nullable().meta({ description: 'Whom it reaches.' }),
    contextKeys: z.array(z.string()).meta({ description: 'Each `<type>:<id>`.' }),
    type: z.enum(EndpointType).meta({ description: 'What kind of destination it is. Never changes.' }),
    endpoint: ownData.meta({ description: 'Where it leads: the fields of its type, decrypted.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ChannelEndpoint', description: 'Where a subscriber is reached through an integration.' })

function showChannelEndpoint(row: ChannelEndpoint, scope: Scope): z.input<typeof channelEndpointView> {
  const { type, ...endpoint } = openEndpoint(scope, row)
  return {
    identifier: row.identifier,
    channel: row.channel,
    providerId: row.providerId === null ? null : providerOf(row.providerId),
    integrationIdentifier: row.integrationIdentifier,
    connectionIdentifier: row.connectionIdentifier,
    subscriberId: row.subscriberId,
    contextKeys: row.contextKeys,
    type,
    endpoint,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const { input: updateInput } = updateChannelEndpoint.definition
const byIdentifier = z.object({
  identifier: z.string().meta({ description: 'The identifier of the channel endpoint.' }),
})

const { shape: fields } = channelEndpointFields

export const channelEndpointRoutes = [
  route({
    method: 'get',
    path: '/v1/channel-endpoints',
    summary: 'List channel endpoints',
    query: pageQuery.extend({
      subscriberId: fields.subscriberId.optional().meta({ description: 'Those that reach this subscriber.' }),
      contextKeys: fields.contextKeys.optional().meta({
        description: 'Those of exactly these contexts, each `<type>:<id>`, in whichever order. Empty: without context.',
      }),
      channel: fields.channel.optional().meta({ description: 'Those of this channel.' }),
      providerId: fields.providerId.optional().meta({ description: 'Those of this provider.' }),
      integrationIdentifier: fields.integrationIdentifier
        .optional()
        .meta({ description: 'Those that are registered on this integration.' }),
      connectionIdentifier: fields.connectionIdentifier
        .optional()
        .meta({ description: 'Those that use this channel connection.' }),
    }),
    resolver: channelEndpoints,
    // The filter takes its own fields, and leaves those of the page.
    input: ({ query }) => ({ ...pageOfQuery(query), filter: query }),
    statuses: [200],
    answer: pageSchema(channelEndpointView),
    view: (page, scope) => showPage(page, (row) => showChannelEndpoint(row, scope)),
  }),
  route({
    method: 'post',
    path: '/v1/channel-endpoints',
    summary: 'Register where a subscriber is reached through an integration',
    example: {
      subscriberId: 'user-1',
      integrationIdentifier: 'acme-sms',
      context: { tenant: 'acme' },
      type: 'phone',
      endpoint: { phoneNumber: '+4915123456789' },
    },
    body: createChannelEndpoint.definition.input,
    resolver: createChannelEndpoint,
    input: ({ body }) => body,
    statuses: [201],
    answer: channelEndpointView,
    view: showChannelEndpoint,
  }),
  route({
    method: 'get',
    path: '/v1/channel-endpoints/{identifier}',
    summary: 'Read a channel endpoint',
    params: byIdentifier,
    resolver: channelEndpoint,
    input: ({ params }) => params,
    statuses: [200],
    answer: channelEndpointView,
    view: (row, scope, { params }) => showChannelEndpoint(found(row, 'Channel endpoint', params.identifier), scope),
  }),
  route({
    method: 'patch',
    path: '/v1/channel-endpoints/{identifier}',
    summary: 'Replace where a channel endpoint leads; its type stays',
    example: { endpoint: { phoneNumber: '+4915198765432' } },
    params: byIdentifier,
    body: updateInput.omit({ identifier: true }),
    resolver: updateChannelEndpoint,
    input: ({ params, body }) => ({ ...body, ...params }),
    statuses: [200],
    answer: channelEndpointView,
    view: showChannelEndpoint,
  }),
  route({
    method: 'delete',
    path: '/v1/channel-endpoints/{identifier}',
    summary: 'Delete a channel endpoint',
    params: byIdentifier,
    resolver: deleteChannelEndpoint,
    input: ({ params }) => params,
    statuses: [204],
  }),
]
