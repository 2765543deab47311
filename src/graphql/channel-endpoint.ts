// Channel endpoints in the graph, and their edges to subscribers, integrations and contexts.
import {
  channelEndpoint,
  type ChannelEndpoint as ChannelEndpointRow,
  channelEndpoints,
  channelEndpointsOfIntegration,
  channelEndpointsOfSubscriber,
  createChannelEndpoint,
  deleteChannelEndpoint,
  updateChannelEndpoint,
} from '../domain/channel-endpoint.ts'
import { contextsOf } from '../domain/context.ts'
import { openEndpoint } from '../domain/endpoint-type.ts'
import { integration } from '../domain/integration.ts'
import { providerOf } from '../domain/provider-id.ts'
import { subscriber } from '../domain/subscriber.ts'
import { Channel, Provider } from './channel.ts'
import { Context, ContextInput, readContexts } from './context.ts'
import { Endpoint, EndpointInput, EndpointType, locateEndpoint, readEndpoint } from './endpoint.ts'
import { Integration } from './integration.ts'
import { builder } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { encodeNodeId } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'
import { Subscriber } from './subscriber.ts'

export const ChannelEndpoint = builder.objectRef<ChannelEndpointRow>('ChannelEndpoint')
builder.node(ChannelEndpoint, {
  description: 'Where a subscriber is reached through an integration.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => channelEndpoint(scope, { id }))),
  fields: (t) => ({
    identifier: t.exposeString('identifier', { description: 'Its key, unique in the environment.' }),
    channel: t.expose('channel', {
      type: Channel,
      nullable: true,
      description: 'What its integration delivers by. Null when it has no integration.',
    }),
    providerId: t.field({
      type: Provider,
      nullable: true,
      description: 'Who delivers. Null when it has no integration.',
      resolve: ({ providerId }) => (providerId === null ? null : providerOf(providerId)),
    }),
    integrationIdentifier: t.exposeString('integrationIdentifier', {
      nullable: true,
      description: 'The key of the integration that it is registered on. Null when there is none.',
    }),
    integration: t.field({
      type: Integration,
      nullable: true,
      description: 'The integration that it is registered on. Null when there is none.',
      resolve: ({ integrationIdentifier: identifier }, _args, { scope }) =>
        identifier === null ? null : integration(scope, { identifier }),
    }),
    connectionIdentifier: t.exposeString('connectionIdentifier', {
      nullable: true,
      description: 'The channel connection that it uses, in the words of the caller. Null when there is none.',
    }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'The subscriberId of whom it reaches. Null when it belongs to nobody.',
    }),
    subscriber: t.field({
      type: Subscriber,
      nullable: true,
      description: 'Whom it reaches. Null when it belongs to nobody.',
      resolve: ({ subscriberId }, _args, { scope }) =>
        subscriberId === null ? null : subscriber(scope, { subscriberId }),
    }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: 'The keys of the contexts that it belongs to, sorted. Empty when it belongs to none.',
    }),
    contexts: t.field({
      type: [Context],
      description: 'The contexts that it belongs to, in the order of their keys. One that was deleted is left out.',
      resolve: (row, _args, { scope }) => contextsOf(scope, row),
    }),
    type: t.expose('type', { type: EndpointType, description: 'What kind of destination it is. Never changes.' }),
    endpoint: t.field({
      type: Endpoint,
      description: 'Where it leads: the member of its type, its secrets decrypted.',
      resolve: (row, _args, { scope }) => openEndpoint(scope, row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its destination was last changed.' }),
  }),
})

const ChannelEndpointConnection = connectionOf(ChannelEndpoint, 'A page of channel endpoints.')

const ChannelEndpointFilter = builder.inputType('ChannelEndpointFilter', {
  description: 'Which channel endpoints: those that meet all that is given.',
  fields: (t) => ({
    subscriberId: t.string({ description: 'Those that reach this subscriber.' }),
    contextKeys: t.stringList({
      description:
        'Those that belong to exactly these contexts, each `<type>:<identifier>`, in whichever order. An empty list means those that belong to none.',
    }),
    channel: t.field({ type: Channel, description: 'Those of this channel.' }),
    providerId: t.field({ type: Provider, description: 'Those of this provider.' }),
    integrationIdentifier: t.string({ description: 'Those that are registered on this integration.' }),
    connectionIdentifier: t.string({ description: 'Those that use this channel connection.' }),
    type: t.field({ type: EndpointType, description: 'Those of this type.' }),
  }),
})
const ChannelEndpointOrder = orderInput('ChannelEndpoint')

builder.queryFields((t) => ({
  channelEndpoint: t.field({
    ...calls(channelEndpoint),
    type: ChannelEndpoint,
    nullable: true,
    description: 'The channel endpoint of this identifier. Null when it does not exist.',
    args: { identifier: t.arg.string({ required: true, description: 'Its key.' }) },
    resolve: (_root, args, { scope }) => channelEndpoint(scope, args),
  }),
  channelEndpoints: t.connection(
    {
      ...calls(channelEndpoints),
      type: ChannelEndpoint,
      description: 'The channel endpoints of the environment, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: ChannelEndpointFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: ChannelEndpointOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await channelEndpoints(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    ChannelEndpointConnection,
  ),
}))

builder.objectField(Subscriber, 'channelEndpoints', (t) =>
  t.connection(
    {
      type: ChannelEndpoint,
      description: 'Where the subscriber is reached, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: ChannelEndpointFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: ChannelEndpointOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async ({ subscriberId }, { filter, orderBy, ...args }, { scope }) =>
        toConnection(
          await channelEndpointsOfSubscriber(scope, { subscriberId, filter, orderBy, page: pageRequestOf(args) }),
        ),
    },
    ChannelEndpointConnection,
  ),
)

builder.objectField(Integration, 'channelEndpoints', (t) =>
  t.connection(
    {
      type: ChannelEndpoint,
      description: 'The channel endpoints that are registered on it, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: ChannelEndpointFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: ChannelEndpointOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async ({ identifier }, { filter, orderBy, ...args }, { scope }) =>
        toConnection(
          await channelEndpointsOfIntegration(scope, {
            integrationIdentifier: identifier,
            filter,
            orderBy,
            page: pageRequestOf(args),
          }),
        ),
    },
    ChannelEndpointConnection,
  ),
)

mutationField('createChannelEndpoint', {
  description:
    'Registers where a subscriber is reached through an integration. Refused when the identifier exists, and when the subscriber has a tool webhook of the same URL on the integration in the same contexts.',
  input: (t) => ({
    identifier: t.string({ description: 'Its key: 1 to 255 characters. Absent means one that is made up.' }),
    subscriberId: t.string({ required: true, description: 'Whom it reaches: a subscriber that exists.' }),
    integrationIdentifier: t.string({
      required: true,
      description: 'What it is registered on: an integration that exists, whose channel the type serves.',
    }),
    connectionIdentifier: t.string({
      description: "The channel connection that it uses, in the caller's own words: 1 to 255 characters.",
    }),
    contexts: t.field({ type: [ContextInput], description: 'What it belongs to. Absent means no context.' }),
    endpoint: t.field({ type: EndpointInput, required: true, description: 'Where it leads.' }),
  }),
  resolver: createChannelEndpoint,
  decode: ({ contexts, endpoint, ...input }) => ({
    ...input,
    ...readEndpoint(endpoint),
    context: readContexts(contexts),
  }),
  locate: (path, input) => locateEndpoint(path, input),
  payload: (t) => ({
    channelEndpoint: t.field({
      type: ChannelEndpoint,
      nullable: true,
      description: 'The new channel endpoint. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('updateChannelEndpoint', {
  description: 'Replaces where a channel endpoint leads, whole. Refused when the type is another one.',
  input: (t) => ({
    identifier: t.string({ required: true, description: 'Its key.' }),
    endpoint: t.field({ type: EndpointInput, required: true, description: 'Where it leads from now on.' }),
  }),
  resolver: updateChannelEndpoint,
  decode: ({ identifier, endpoint }) => ({ identifier, ...readEndpoint(endpoint) }),
  locate: (path, input) => locateEndpoint(path, input),
  payload: (t) => ({
    channelEndpoint: t.field({
      type: ChannelEndpoint,
      nullable: true,
      description: 'The channel endpoint as it is now. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('deleteChannelEndpoint', {
  description: 'Deletes a channel endpoint.',
  input: (t) => ({ identifier: t.string({ required: true, description: 'Its key.' }) }),
  resolver: deleteChannelEndpoint,
  decode: (input) => input,
  payload: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'The node id of what was deleted. Null when refused.',
      resolve: ({ result }) => result && encodeNodeId(ChannelEndpoint.name, result.id),
    }),
  }),
})
