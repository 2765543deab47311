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
import { integration } from '../domain/integration.ts'
import { providerOf } from '../domain/channel/provider-id.ts'
import { openEndpoint } from '../domain/stored-endpoint.ts'
import { subscriber } from '../domain/subscriber.ts'
import { Channel, Provider } from './channel.ts'
import { Context, ContextInput, readContexts } from './context.ts'
import { EndpointInput, EndpointType, EndpointUnion, locateEndpoint, readEndpoint } from './endpoint.ts'
import { Integration } from './integration.ts'
import { builder } from './schema/builder.ts'
import { connectionOf, listArgs } from './schema/connection.ts'
import { deletedId, mutationField } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { edge, edgeList, queryField, queryList } from './schema/query.ts'
import { Subscriber } from './subscriber.ts'

const ChannelEndpoint = builder.objectRef<ChannelEndpointRow>('ChannelEndpoint')
defineNode(ChannelEndpoint, {
  description: 'An address of a subscriber on an integration.',
  resolver: channelEndpoint,
  fields: (t) => ({
    identifier: t.exposeString('identifier', { description: 'The key, unique in the environment.' }),
    channel: t.expose('channel', {
      type: Channel,
      nullable: true,
      description: 'The channel of its integration. Null if it has no integration.',
    }),
    providerId: t.field({
      type: Provider,
      nullable: true,
      description: 'The provider of its integration. Null if it has no integration.',
      resolve: ({ providerId }) => (providerId === null ? null : providerOf(providerId)),
    }),
    integrationIdentifier: t.exposeString('integrationIdentifier', {
      nullable: true,
      description: 'The key of the integration it is registered on. Null if there is none.',
    }),
    integration: edge(t, {
      description: 'The integration it is registered on. Null if there is none.',
      type: Integration,
      nullable: true,
      resolver: integration,
      decode: ({ integrationIdentifier: identifier }) => (identifier === null ? null : { identifier }),
    }),
    connectionIdentifier: t.exposeString('connectionIdentifier', {
      nullable: true,
      description: "The caller's identifier of the channel connection it uses. Null if there is none.",
    }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'The subscriberId of its subscriber. Null if there is none.',
    }),
    subscriber: edge(t, {
      description: 'Its subscriber. Null if there is none.',
      type: Subscriber,
      nullable: true,
      resolver: subscriber,
      decode: ({ subscriberId }) => (subscriberId === null ? null : { subscriberId }),
    }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: 'The keys of its contexts, sorted. Empty if it has none.',
    }),
    contexts: edge(t, {
      description: 'Its contexts, sorted by key. Deleted contexts are omitted.',
      type: [Context],
      resolver: contextsOf,
      decode: ({ contextKeys }) => ({ contextKeys }),
    }),
    type: t.expose('type', { type: EndpointType, description: 'The type of destination. Never changes.' }),
    endpoint: t.field({
      type: EndpointUnion,
      nullable: true,
      description:
        'The destination, with its secrets decrypted. Null, with an error at its path, if they cannot be decrypted.',
      resolve: (row, _args, { scope }) => openEndpoint(scope, row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time the channel endpoint was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The time the destination was last changed.' }),
  }),
})

const ChannelEndpointConnection = connectionOf(ChannelEndpoint, 'A page of channel endpoints.')
const channelEndpointArgs = listArgs('ChannelEndpoint', (t) => ({
  subscriberId: t.string({ description: 'The exact subscriberId.' }),
  contextKeys: t.stringList({
    description:
      'Exactly these contexts, each `<type>:<identifier>`, in any order. An empty list matches those without contexts.',
  }),
  channel: t.field({ type: Channel, description: 'The channel.' }),
  providerId: t.field({ type: Provider, description: 'The provider.' }),
  integrationIdentifier: t.string({ description: 'The exact key of the integration.' }),
  connectionIdentifier: t.string({ description: 'The exact identifier of the channel connection.' }),
  type: t.field({ type: EndpointType, description: 'The type of destination.' }),
}))

queryField('channelEndpoint', {
  description: 'The channel endpoint with this identifier. Null if it does not exist.',
  type: ChannelEndpoint,
  nullable: true,
  args: (arg) => ({ identifier: arg.string({ required: true, description: 'The key of the channel endpoint.' }) }),
  resolver: channelEndpoint,
  decode: (_root, args) => args,
})

queryList('channelEndpoints', {
  description: 'The channel endpoints of the environment. Newest first by default.',
  connection: ChannelEndpointConnection,
  args: channelEndpointArgs,
  resolver: channelEndpoints,
  decode: (_root, args) => args,
})

builder.objectField(Subscriber, 'channelEndpoints', (t) =>
  edgeList(t, {
    description: 'The channel endpoints of the subscriber. Newest first by default.',
    connection: ChannelEndpointConnection,
    args: channelEndpointArgs,
    resolver: channelEndpointsOfSubscriber,
    decode: ({ subscriberId }, args) => ({ ...args, subscriberId }),
  }),
)

builder.objectField(Integration, 'channelEndpoints', (t) =>
  edgeList(t, {
    description: 'The channel endpoints that are registered on the integration. Newest first by default.',
    connection: ChannelEndpointConnection,
    args: channelEndpointArgs,
    resolver: channelEndpointsOfIntegration,
    decode: ({ identifier }, args) => ({ ...args, integrationIdentifier: identifier }),
  }),
)

mutationField('createChannelEndpoint', {
  description:
    'Creates a channel endpoint of a subscriber on an integration. Fails with CONFLICT if the identifier exists, or if the subscriber has a tool webhook with the same URL, integration and contexts.',
  input: (t) => ({
    identifier: t.string({ description: 'The key: 1 to 255 characters. Generated by default.' }),
    subscriberId: t.string({ required: true, description: 'The subscriberId of an existing subscriber.' }),
    integrationIdentifier: t.string({
      required: true,
      description: 'The key of an existing integration whose channel supports the type of destination.',
    }),
    connectionIdentifier: t.string({
      description: "The caller's identifier of a channel connection: 1 to 255 characters.",
    }),
    contexts: t.field({ type: [ContextInput], description: 'The contexts of the channel endpoint. None by default.' }),
    endpoint: t.field({ type: EndpointInput, required: true, description: 'The destination.' }),
  }),
  resolver: createChannelEndpoint,
  decode: ({ contexts, endpoint, ...input }) => ({
    ...input,
    ...readEndpoint(endpoint),
    context: readContexts(contexts),
  }),
  locate: (path, input) => locateEndpoint(path, input),
  payload: { channelEndpoint: ChannelEndpoint },
})

mutationField('updateChannelEndpoint', {
  description: 'Replaces the destination of a channel endpoint. Its type cannot be changed.',
  input: (t) => ({
    identifier: t.string({ required: true, description: 'The key of the channel endpoint.' }),
    endpoint: t.field({ type: EndpointInput, required: true, description: 'The new destination.' }),
  }),
  resolver: updateChannelEndpoint,
  decode: ({ identifier, endpoint }) => ({ identifier, ...readEndpoint(endpoint) }),
  locate: (path, input) => locateEndpoint(path, input),
  payload: { channelEndpoint: ChannelEndpoint },
})

mutationField('deleteChannelEndpoint', {
  description: 'Deletes a channel endpoint.',
  input: (t) => ({ identifier: t.string({ required: true, description: 'The key of the channel endpoint.' }) }),
  resolver: deleteChannelEndpoint,
  decode: (input) => input,
  payload: { deletedId: deletedId(ChannelEndpoint) },
})
