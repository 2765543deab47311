// Channel connections in the graph, and their edges to subscribers, integrations and contexts.
import {
  channelConnection,
  type ChannelConnection as ChannelConnectionRow,
  channelConnections,
  createChannelConnection,
  deleteChannelConnection,
  updateChannelConnection,
} from '../../domain/workspace/channel-connection.ts'
import { contextsOf } from '../../domain/context.ts'
import { integration } from '../../domain/integration.ts'
import { providerOf } from '../../domain/channel/provider-id.ts'
import { subscriber } from '../../domain/subscriber.ts'
import type { Path } from '../../lib/errors.ts'
import { Channel, Provider } from '../channel.ts'
import { Context, ContextInput, readContexts } from '../context.ts'
import { Integration } from '../integration.ts'
import { addressOf } from '../schema/address.ts'
import { builder } from '../schema/builder.ts'
import { codeEnum } from '../schema/code-enum.ts'
import { byIdentifier, connectionOf, listArgs } from '../schema/connection.ts'
import { deletedId, mutationField } from '../schema/mutation.ts'
import { defineNode } from '../schema/node.ts'
import { edge, queryField, queryList } from '../schema/query.ts'
import { Subscriber } from '../subscriber.ts'
import {
  anyOfThe,
  byDefault,
  contextsIn,
  createdAt,
  exactContexts,
  expectedVersionOf,
  identifierOf,
  incrementedVersion,
  keysIn,
  newestFirst,
  updatedAt,
} from '../schema/wording.ts'

const ChannelConnectionMode = codeEnum('ChannelConnectionMode', 'Whose messages a channel connection delivers.', {
  subscriber: 'The messages of one subscriber.',
  shared: 'The messages of all subscribers.',
})

const Workspace = builder.objectRef<ChannelConnectionRow>('ChannelConnectionWorkspace').implement({
  description: 'The workspace of a channel connection.',
  fields: (t) => ({
    externalId: t.exposeString('workspaceId', { description: 'The id of the workspace at the service.' }),
    name: t.exposeString('workspaceName', { nullable: true, description: 'The display name. Null if not set.' }),
    botUserId: t.exposeString('botUserId', {
      nullable: true,
      description: 'The id of the bot in the workspace. Null if not set.',
    }),
  }),
})

// Relay reserves type names that end with `Connection` for pages.
export const ConnectedWorkspace = builder.objectRef<ChannelConnectionRow>('ConnectedWorkspace')
defineNode(ConnectedWorkspace, {
  description:
    'A channel connection: a workspace of a chat service with its token, for one subscriber or shared. Channel endpoints that name it are delivered with the token.',
  resolver: channelConnection,
  fields: (t) => ({
    identifier: t.exposeString('identifier', { description: 'The identifier, unique in the environment.' }),
    channel: t.expose('channel', { type: Channel, description: 'The channel of the integration.' }),
    providerId: t.field({
      type: Provider,
      description: 'The provider of the integration.',
      resolve: ({ providerId }) => providerOf(providerId),
    }),
    integrationIdentifier: t.exposeString('integrationIdentifier', {
      description: 'The identifier of the integration of the channel connection.',
    }),
    integration: edge(t, {
      description: 'The integration. Null if it was just deleted.',
      type: Integration,
      nullable: true,
      resolver: integration,
      decode: ({ integrationIdentifier: identifier }) => ({ identifier }),
    }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'The subscriberId of the subscriber. Null if the channel connection is shared.',
    }),
    subscriber: edge(t, {
      description: 'The subscriber. Null if the channel connection is shared.',
      type: Subscriber,
      nullable: true,
      resolver: subscriber,
      decode: ({ subscriberId }) => (subscriberId === null ? null : { subscriberId }),
    }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: `${keysIn('channel connection')} Only endpoints with exactly these contexts can use the connection, unless there are none.`,
    }),
    contexts: edge(t, {
      description: contextsIn('channel connection'),
      type: [Context],
      resolver: contextsOf,
      decode: ({ contextKeys }) => ({ contextKeys }),
    }),
    workspace: t.field({ type: Workspace, description: 'The workspace.', resolve: (row) => row }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the access token expires. Null if not set. The gateway does not renew the token.',
    }),
    refreshTokenExpiresAt: t.expose('refreshTokenExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the refresh token expires. Null if not set.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('channel connection') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('channel connection') }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

const named = addressOf(ConnectedWorkspace, { identifier: identifierOf('channel connection') })

queryField('channelConnection', {
  description: 'The channel connection with this identifier or node id. Null if it does not exist.',
  type: ConnectedWorkspace,
  nullable: true,
  args: named.args,
  resolver: channelConnection,
  decode: named.decode,
})

queryList('channelConnections', {
  description: `The channel connections of the environment. ${newestFirst}`,
  connection: connectionOf(ConnectedWorkspace, 'A page of channel connections.'),
  args: listArgs(
    'ChannelConnection',
    (t) => ({
      subscriberId: t.string({ description: 'The exact subscriberId.' }),
      subscriberIds: t.stringList({ description: anyOfThe('subscribers, by subscriberId') }),
      connectionMode: t.field({
        type: ChannelConnectionMode,
        description: '`SHARED` matches shared connections, `SUBSCRIBER` all others.',
      }),
      contextKeys: t.stringList({ description: exactContexts('channel connections') }),
      channel: t.field({ type: Channel, description: 'The channel.' }),
      channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
      providerId: t.field({ type: Provider, description: 'The provider.' }),
      providerIds: t.field({ type: [Provider], description: anyOfThe('providers') }),
      integrationIdentifier: t.string({ description: 'The exact identifier of the integration.' }),
      integrationIdentifiers: t.stringList({ description: anyOfThe('integrations, by identifier') }),
    }),
    byIdentifier('IDENTIFIER', 'The identifier.'),
  ),
  resolver: channelConnections,
})

const WorkspaceInput = builder.inputType('ChannelConnectionWorkspaceInput', {
  description: 'The workspace of a channel connection.',
  fields: (t) => ({
    externalId: t.string({
      required: true,
      description: 'The id of the workspace at the service: 1 to 255 characters.',
    }),
    name: t.string({ description: `The display name: 1 to 255 characters. ${byDefault('none')}` }),
    botUserId: t.string({
      description: `The id of the bot in the workspace: 1 to 255 characters. ${byDefault('none')}`,
    }),
  }),
})

const allowedToken = '1 to 8192 visible ASCII characters without spaces. Stored encrypted, and never returned.'

const AuthInput = builder.inputType('ChannelConnectionAuthInput', {
  description: 'The tokens of a channel connection.',
  fields: (t) => ({
    accessToken: t.string({ required: true, description: `The access token, such as that of a bot: ${allowedToken}` }),
    refreshToken: t.string({
      description: `The refresh token: ${allowedToken} The gateway does not use it. ${byDefault('none')}`,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: `The time the access token expires. Messages are sent with it until it is replaced. ${byDefault('none')}`,
    }),
    refreshTokenExpiresAt: t.field({
      type: 'DateTime',
      description: `The time the refresh token expires. ${byDefault('none')}`,
    }),
  }),
})

const readWorkspace = ({ externalId, ...others }: typeof WorkspaceInput.$inferInput) => ({ id: externalId, ...others })

/** The path of a field of the resolver's input, in the words of the graph. */
function locate([field = '', ...rest]: Path): Path {
  if (field === 'context') return ['contexts', ...rest]
  return field === 'workspace' && rest[0] === 'id' ? [field, 'externalId'] : [field, ...rest]
}

const usedIntegration = addressOf(
  Integration,
  { integrationIdentifier: 'The identifier of an existing integration of the channel `CHAT`.' },
  'integrationId',
)

mutationField('createChannelConnection', {
  description:
    'Creates a channel connection of a subscriber, or a shared one. Fails with `CONFLICT` if the identifier exists.',
  input: (t) => ({
    identifier: t.string({
      description: `The identifier: 1 to 255 characters. ${byDefault('a generated identifier')}`,
    }),
    subscriberId: t.string({
      description: `The subscriberId of an existing subscriber, whose messages the connection delivers. ${byDefault('the connection is shared')}`,
    }),
    connectionMode: t.field({
      type: ChannelConnectionMode,
      description: `The mode. \`SUBSCRIBER\` requires \`subscriberId\`, and \`SHARED\` does not allow it. ${byDefault('follows from `subscriberId`')}`,
    }),
    ...usedIntegration.fields(t),
    contexts: t.field({
      type: [ContextInput],
      description: `The contexts of the channel connection. ${byDefault('none')}`,
    }),
    workspace: t.field({ type: WorkspaceInput, required: true, description: 'The workspace.' }),
    auth: t.field({ type: AuthInput, required: true, description: 'The tokens.' }),
  }),
  resolver: createChannelConnection,
  decode: ({ contexts, workspace, ...input }) => ({
    ...usedIntegration.decode(input),
    workspace: readWorkspace(workspace),
    context: readContexts(contexts),
  }),
  locate: (path) => locate(path),
  payload: { channelConnection: ConnectedWorkspace },
})

mutationField('updateChannelConnection', {
  description: 'Replaces the workspace of a channel connection, its tokens, or both.',
  input: (t) => ({
    ...named.fields(t),
    expectedVersion: t.int({ description: expectedVersionOf('channel connection') }),
    workspace: t.field({ type: WorkspaceInput, description: 'The new workspace. Null leaves it unchanged.' }),
    auth: t.field({ type: AuthInput, description: 'The new tokens. Null leaves them unchanged.' }),
  }),
  resolver: updateChannelConnection,
  decode: ({ workspace, ...given }) => ({ ...named.decode(given), workspace: workspace && readWorkspace(workspace) }),
  locate: (path) => locate(path),
  payload: { channelConnection: ConnectedWorkspace },
})

mutationField('deleteChannelConnection', {
  description: 'Deletes a channel connection. Messages to channel endpoints that name it fail from now on.',
  input: named.fields,
  resolver: deleteChannelConnection,
  decode: named.decode,
  payload: { deletedId: deletedId(ConnectedWorkspace) },
})
