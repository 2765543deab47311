// Routes of channel endpoints.
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
import { endpointSchemas, endpointTypes } from '../../domain/channel/endpoint-type.ts'
import { providerOf } from '../../domain/channel/provider-id.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { integrationIdentifier } from '../../domain/integration.ts'
import { openFields } from '../../domain/stored-endpoint.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { found, knownProvider, ownData, timestamp } from '../views.ts'

/** SPEC: Channel endpoint. Every field is always present. */
export const anyEndpoint = z.object({
  identifier: z.string().meta({ description: 'Key, unique in the environment.' }),
  channel: z.enum(Channel).nullable().meta({ description: 'Channel of the integration.' }),
  providerId: knownProvider.nullable().meta({ description: 'Provider of the integration.', examples: ['twilio'] }),
  integrationIdentifier: z.string().nullable().meta({ description: 'Identifier of the integration.' }),
  connectionIdentifier: z.string().nullable().meta({ description: 'Identifier of the channel connection.' }),
  subscriberId: z.string().nullable().meta({ description: 'Id of the subscriber.' }),
  contextKeys: z.array(z.string()).meta({ description: 'Contexts, each as `<type>:<id>`.' }),
  type: z.enum(EndpointType).meta({ description: 'Endpoint type. It cannot be changed.' }),
  endpoint: ownData,
  createdAt: timestamp,
  updatedAt: timestamp,
})
type AnyEndpoint = z.input<typeof anyEndpoint>

/** The name of an endpoint type in schema names, such as `Phone`. */
const nameOf = (type: EndpointType) => type.replaceAll(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase())

const typeIs = (type: EndpointType) => z.literal(type).meta({ description: 'Endpoint type. It cannot be changed.' })

const viewOf = (type: EndpointType) => {
  const { description, fields } = endpointTypes[type]
  const schemas = Object.entries(fields).map(([name, { schema, stored, description }]) => [
    name,
    (stored?.optional() ?? schema).meta({ description }),
  ])
  return anyEndpoint
    .extend({
      type: typeIs(type),
      endpoint: z
        .object(Object.fromEntries(schemas) as Record<string, z.ZodType>)
        .meta({ description: 'Address: the fields of the endpoint type, decrypted.' }),
    })
    .meta({ id: `${nameOf(type)}Endpoint`, description })
}

const types = Object.values(EndpointType)

/** A discriminator by `type`. `schemaName` returns the name of each type's schema. */
const byType = (schemaName: (type: EndpointType) => string) => ({
  propertyName: 'type',
  mapping: Object.fromEntries(types.map((type) => [type, `#/components/schemas/${schemaName(type)}`])),
})

const channelEndpointView: z.ZodType<AnyEndpoint, AnyEndpoint> = z.union(types.map(viewOf)).meta({
  id: 'ChannelEndpoint',
  description: 'An address of a subscriber on an integration: one of the endpoint types.',
  discriminator: byType((type) => `${nameOf(type)}Endpoint`),
})

const createInput = createChannelEndpoint.definition.input
  .omit({ integrationId: true })
  .extend({ integrationIdentifier })
const updateInput = updateChannelEndpoint.definition.input.omit({ keepAbsent: true })

const addresses = types.map((type) => ({ type, address: endpointSchemas[type].meta({ id: `${nameOf(type)}Address` }) }))

/** The body that creates an endpoint, by type. The resolver validates it in two steps. */
const newEndpoint = z
  .union(
    addresses.map(({ type, address }) =>
      createInput.extend({ type: typeIs(type), endpoint: address }).meta({ id: `New${nameOf(type)}Endpoint` }),
    ),
  )
  .meta({
    id: 'NewChannelEndpoint',
    description: 'A channel endpoint to create: one of the endpoint types.',
    discriminator: byType((type) => `New${nameOf(type)}Endpoint`),
  })

/** The body that updates an endpoint. The type is optional, so the address may be of any type. */
const endpointUpdate = updateInput.omit({ identifier: true, id: true }).extend({
  endpoint: z
    .union(addresses.map(({ address }) => address))
    .meta({ description: 'The new address: all fields of the endpoint type.' }),
})

export function showChannelEndpoint(row: ChannelEndpoint, scope: DoorScope): AnyEndpoint {
  return {
    identifier: row.identifier,
    channel: row.channel,
    providerId: row.providerId === null ? null : providerOf(row.providerId),
    integrationIdentifier: row.integrationIdentifier,
    connectionIdentifier: row.connectionIdentifier,
    subscriberId: row.subscriberId,
    contextKeys: row.contextKeys,
    type: row.type,
    endpoint: openFields(scope, row),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const byIdentifier = z.object({
  identifier: z.string().meta({ description: 'Identifier of the channel endpoint.' }),
})

const { shape: fields } = channelEndpointFields

/** Query parameters of the list. */
export const channelEndpointQuery = pageQuery.extend({
  subscriberId: fields.subscriberId.optional().meta({ description: 'Filter by subscriber.' }),
  contextKeys: fields.contextKeys.optional().meta({
    description:
      'Filter by exactly these contexts, each as `<type>:<id>`, in any order. Empty for endpoints without context.',
  }),
  channel: fields.channel.optional().meta({ description: 'Filter by channel.' }),
  providerId: fields.providerId.optional().meta({ description: 'Filter by provider.' }),
  integrationIdentifier: fields.integrationIdentifier.optional().meta({ description: 'Filter by integration.' }),
  connectionIdentifier: fields.connectionIdentifier.optional().meta({ description: 'Filter by channel connection.' }),
})

export const channelEndpointRoutes = [
  route({
    method: 'get',
    path: '/v1/channel-endpoints',
    summary: 'List channel endpoints',
    query: channelEndpointQuery,
    resolver: channelEndpoints,
    // The filter ignores page arguments.
    input: ({ query }) => ({ ...pageOfQuery(query), filter: query }),
    statuses: [200],
    response: pageSchema(channelEndpointView),
    view: (page, scope) => showPage(scope, page, (row) => showChannelEndpoint(row, scope)),
  }),
  route({
    method: 'post',
    path: '/v1/channel-endpoints',
    summary: 'Create a channel endpoint',
    example: {
      subscriberId: 'user-1',
      integrationIdentifier: 'acme-sms',
      context: { tenant: 'acme' },
      type: 'phone',
      endpoint: { phoneNumber: '+4915123456789' },
    },
    body: createInput,
    documentedBody: newEndpoint,
    resolver: createChannelEndpoint,
    statuses: [201],
    response: channelEndpointView,
    view: showChannelEndpoint,
  }),
  route({
    method: 'get',
    path: '/v1/channel-endpoints/{identifier}',
    summary: 'Read a channel endpoint',
    params: byIdentifier,
    resolver: channelEndpoint,
    statuses: [200],
    version: (row) => row?.version,
    response: channelEndpointView,
    view: (row, scope, { params }) => showChannelEndpoint(found(row, 'Channel endpoint', params.identifier), scope),
  }),
  route({
    method: 'patch',
    path: '/v1/channel-endpoints/{identifier}',
    summary: 'Replace the address of a channel endpoint; its type cannot change',
    example: { endpoint: { phoneNumber: '+4915198765432' } },
    params: byIdentifier,
    body: updateInput.omit({ identifier: true, id: true }),
    documentedBody: endpointUpdate,
    conditional: true,
    resolver: updateChannelEndpoint,
    statuses: [200],
    version: ({ version }) => version,
    response: channelEndpointView,
    view: showChannelEndpoint,
  }),
  route({
    method: 'delete',
    path: '/v1/channel-endpoints/{identifier}',
    summary: 'Delete a channel endpoint',
    params: byIdentifier,
    resolver: deleteChannelEndpoint,
    statuses: [204],
  }),
]
