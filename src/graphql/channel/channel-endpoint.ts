// Channel endpoints in the graph, and their edges to subscribers, integrations and contexts.
import {
  channelEndpoint,
  type ChannelEndpoint as ChannelEndpointRow,
  channelEndpoints,
  channelEndpointsOfContext,
  channelEndpointsOfIntegration,
  channelEndpointsOfSubscriber,
  createChannelEndpoint,
  deleteChannelEndpoint,
  endpointObstacle,
  updateChannelEndpoint,
} from '../../domain/channel-endpoint.ts'
import { channelConnection } from '../../domain/workspace/channel-connection.ts'
import { contextsOf } from '../../domain/context.ts'
import { integration } from '../../domain/integration.ts'
import { providerOf } from '../../domain/channel/provider-id.ts'
import { openEndpoint } from '../../domain/stored-endpoint.ts'
import { subscriber } from '../../domain/subscriber.ts'
import { Channel, Provider } from '../channel.ts'
import { Context, ContextInput, readContexts } from '../context.ts'
import { EndpointInput, EndpointType, EndpointUnion, locateEndpoint, readEndpoint } from '../endpoint.ts'
import { Integration } from '../integration.ts'
import { ConnectedWorkspace } from './channel-connection.ts'
import { addressOf } from '../schema/address.ts'
import { builder } from '../schema/builder.ts'
import { byIdentifier, connectionOf, listArgs } from '../schema/connection.ts'
import { deletedId, mutationField } from '../schema/mutation.ts'
import { defineNode } from '../schema/node.ts'
import { edge, edgeList, queryField, queryList } from '../schema/query.ts'
import { Subscriber } from '../subscriber.ts'
import {
  anyOfThe,
  byDefault,
  createdAt,
  exactContexts,
  expectedVersionOf,
  identifierOf,
  incrementedVersion,
  keysIn,
  newestFirst,
  updatedAt,
} from '../schema/wording.ts'

export const ChannelEndpoint = builder.objectRef<ChannelEndpointRow>('ChannelEndpoint')
defineNode(ChannelEndpoint, {
  description: 'An address of a subscriber on an integration.',
  resolver: channelEndpoint,
  fields: (t) => ({
    identifier: t.exposeString('identifier', { description: 'The identifier, unique in the environment.' }),
    channel: t.expose('channel', {
      type: Channel,
      nullable: true,
      description: 'The channel of the integration. Null if the endpoint has no integration.',
    }),
    providerId: t.field({
      type: Provider,
      nullable: true,
      description: 'The provider of the integration. Null if the endpoint has no integration.',
      resolve: ({ providerId }) => (providerId === null ? null : providerOf(providerId)),
    }),
    integrationIdentifier: t.exposeString('integrationIdentifier', {
      nullable: true,
      description: 'The identifier of the integration of the endpoint. Null if there is none.',
    }),
    integration: edge(t, {
      description: 'The integration of the endpoint. Null if there is none.',
      type: Integration,
      nullable: true,
      resolver: integration,
      decode: ({ integrationIdentifier: identifier }) => (identifier === null ? null : { identifier }),
    }),
    connectionIdentifier: t.exposeString('connectionIdentifier', {
      nullable: true,
      description: 'The identifier of the channel connection of the endpoint. Null if there is none.',
    }),
    connection: edge(t, {
      description:
        'The channel connection with `connectionIdentifier`. Null if there is none, and if it does not exist (any more): `obstacle` says so.',
      type: ConnectedWorkspace,
      nullable: true,
      resolver: channelConnection,
      decode: ({ connectionIdentifier: identifier }) => (identifier === null ? null : { identifier }),
    }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'The subscriberId of the subscriber. Null if there is none.',
    }),
    subscriber: edge(t, {
      description: 'The subscriber. Null if there is none.',
      type: Subscriber,
      nullable: true,
      resolver: subscriber,
      decode: ({ subscriberId }) => (subscriberId === null ? null : { subscriberId }),
    }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: keysIn('channel endpoint'),
    }),
    contexts: edge(t, {
      description: 'The contexts, sorted by key. Deleted contexts are omitted.',
      type: [Context],
      resolver: contextsOf,
      decode: ({ contextKeys }) => ({ contextKeys }),
    }),
    type: t.expose('type', { type: EndpointType, description: 'The type of the destination. Never changes.' }),
    endpoint: t.field({
      type: EndpointUnion,
      nullable: true,
      description:
        'The destination, with its secrets decrypted. Null, with an error at its path, if they cannot be decrypted.',
      resolve: (row, _args, { scope }) => openEndpoint(scope, row),
    }),
    obstacle: edge(t, {
      description:
        'The reason why no message can be delivered to this endpoint: its provider is not implemented or does not deliver to endpoints of its type, or the endpoint cannot use its channel connection. Null if there is none. `Integration.problems` lists the problems of the integration.',
      type: 'String',
      nullable: true,
      resolver: endpointObstacle,
      decode: (row) => row,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('channel endpoint') }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: updatedAt('destination of the channel endpoint'),
    }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

const ChannelEndpointConnection = connectionOf(ChannelEndpoint, 'A page of channel endpoints.')
const channelEndpointArgs = listArgs(
  'ChannelEndpoint',
  (t) => ({
    subscriberId: t.string({ description: 'The exact subscriberId.' }),
    subscriberIds: t.stringList({ description: anyOfThe('subscribers, by subscriberId') }),
    contextKeys: t.stringList({ description: exactContexts('channel endpoints') }),
    channel: t.field({ type: Channel, description: 'The channel.' }),
    channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
    providerId: t.field({ type: Provider, description: 'The provider.' }),
    providerIds: t.field({ type: [Provider], description: anyOfThe('providers') }),
    integrationIdentifier: t.string({ description: 'The exact identifier of the integration.' }),
    integrationIdentifiers: t.stringList({ description: anyOfThe('integrations, by identifier') }),
    connectionIdentifier: t.string({ description: 'The exact identifier of the channel connection.' }),
    type: t.field({ type: EndpointType, description: 'The type of destination.' }),
    types: t.field({ type: [EndpointType], description: anyOfThe('types of destination') }),
  }),
  byIdentifier('IDENTIFIER', 'The identifier.'),
)

const named = addressOf(ChannelEndpoint, { identifier: identifierOf('channel endpoint') })

queryField('channelEndpoint', {
  description: 'The channel endpoint with this identifier or node id. Null if it does not exist.',
  type: ChannelEndpoint,
  nullable: true,
  args: named.args,
  resolver: channelEndpoint,
  decode: named.decode,
})

queryList('channelEndpoints', {
  description: `The channel endpoints of the environment. ${newestFirst}`,
  connection: ChannelEndpointConnection,
  args: channelEndpointArgs,
  resolver: channelEndpoints,
})

builder.objectField(Subscriber, 'channelEndpoints', (t) =>
  edgeList(t, {
    description: `The channel endpoints of the subscriber. ${newestFirst}`,
    connection: ChannelEndpointConnection,
    args: channelEndpointArgs,
    resolver: channelEndpointsOfSubscriber,
    decode: ({ subscriberId }, args) => ({ ...args, subscriberId }),
  }),
)

builder.objectField(Context, 'channelEndpoints', (t) =>
  edgeList(t, {
    description: `The channel endpoints with exactly this context. ${newestFirst}`,
    connection: ChannelEndpointConnection,
    args: channelEndpointArgs,
    resolver: channelEndpointsOfContext,
    decode: ({ key }, args) => ({ ...args, key }),
  }),
)

builder.objectField(Integration, 'channelEndpoints', (t) =>
  edgeList(t, {
    description: `The channel endpoints of the integration. ${newestFirst}`,
    connection: ChannelEndpointConnection,
    args: channelEndpointArgs,
    resolver: channelEndpointsOfIntegration,
    decode: ({ identifier }, args) => ({ ...args, integrationIdentifier: identifier }),
  }),
)

const usedIntegration = addressOf(
  Integration,
  {
    integrationIdentifier:
      'The identifier of an existing integration. Its channel must support the type of the destination.',
  },
  'integrationId',
)

mutationField('createChannelEndpoint', {
  description:
    'Creates a channel endpoint of a subscriber on an integration. Fails with `CONFLICT` if the identifier exists, or if the subscriber has a tool webhook with the same URL, integration and contexts.',
  input: (t) => ({
    identifier: t.string({
      description: `The identifier: 1 to 255 characters. ${byDefault('a generated identifier')}`,
    }),
    subscriberId: t.string({ required: true, description: 'The subscriberId of an existing subscriber.' }),
    createSubscriberIfMissing: t.boolean({
      description: `True to create a subscriber that does not exist. ${byDefault('false')}`,
    }),
    ...usedIntegration.fields(t),
    connectionIdentifier: t.string({
      description:
        'The identifier of a channel connection: 1 to 255 characters. It need not exist yet. Endpoints of workspace chats and meeting services are delivered with its token.',
    }),
    contexts: t.field({
      type: [ContextInput],
      description: `The contexts of the channel endpoint. ${byDefault('none')}`,
    }),
    endpoint: t.field({ type: EndpointInput, required: true, description: 'The destination.' }),
  }),
  resolver: createChannelEndpoint,
  decode: ({ contexts, endpoint, ...input }) => ({
    ...usedIntegration.decode(input),
    ...readEndpoint(endpoint),
    context: readContexts(contexts),
  }),
  locate: (path, input) => locateEndpoint(path, input),
  payload: { channelEndpoint: ChannelEndpoint },
})

mutationField('updateChannelEndpoint', {
  description: 'Replaces the destination of a channel endpoint. Its type cannot be changed.',
  input: (t) => ({
    ...named.fields(t),
    expectedVersion: t.int({ description: expectedVersionOf('channel endpoint') }),
    endpoint: t.field({ type: EndpointInput, required: true, description: 'The new destination.' }),
  }),
  resolver: updateChannelEndpoint,
  decode: ({ endpoint, ...given }) => ({ ...named.decode(given), ...readEndpoint(endpoint) }),
  locate: (path, input) => locateEndpoint(path, input),
  payload: { channelEndpoint: ChannelEndpoint },
})

mutationField('deleteChannelEndpoint', {
  description: 'Deletes a channel endpoint.',
  input: named.fields,
  resolver: deleteChannelEndpoint,
  decode: named.decode,
  payload: { deletedId: deletedId(ChannelEndpoint) },
})
