// Routes of channel connections.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import {
  type ChannelConnection,
  channelConnection,
  channelConnectionFields,
  channelConnections,
  connectionModes,
  createChannelConnection,
  deleteChannelConnection,
  MASKED_TOKEN,
  updateChannelConnection,
} from '../../domain/workspace/channel-connection.ts'
import { providerOf } from '../../domain/channel/provider-id.ts'
import { integrationIdentifier } from '../../domain/integration.ts'
import { dateOf, found, knownProvider, timestamp } from '../views.ts'
import { present } from '../../lib/present.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'

/** Every field is always present, but those of `workspace` and `auth`. */
export const connectionView = z
  .object({
    identifier: z.string().meta({ description: 'Key, unique in the environment.' }),
    channel: z.enum(Channel).nullable().meta({ description: 'Channel of the integration.' }),
    providerId: knownProvider.nullable().meta({ description: 'Provider of the integration.', examples: ['slack'] }),
    integrationIdentifier: z.string().nullable().meta({ description: 'Identifier of the integration.' }),
    subscriberId: z.string().nullable().meta({ description: 'Id of the subscriber. Null if it is shared.' }),
    contextKeys: z.array(z.string()).meta({ description: 'Contexts, each as `<type>:<id>`.' }),
    workspace: z
      .object({
        id: z.string().meta({ description: 'Id of the workspace at the service.' }),
        name: z.string().optional().meta({ description: 'Display name.' }),
        botUserId: z.string().optional().meta({ description: 'Id of the bot in the workspace.' }),
      })
      .meta({ description: 'Workspace.' }),
    auth: z
      .object({
        accessToken: z.string().meta({ description: `Always \`${MASKED_TOKEN}\`: a token is never returned.` }),
        expiresAt: timestamp.optional().meta({ description: 'Time the access token expires.' }),
        refreshTokenExpiresAt: timestamp.optional().meta({ description: 'Time the refresh token expires.' }),
      })
      .meta({ description: 'Tokens.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ChannelConnection', description: 'A workspace of a chat service with its token.' })

export function showChannelConnection(row: ChannelConnection): z.input<typeof connectionView> {
  return {
    identifier: row.identifier,
    channel: row.channel,
    providerId: providerOf(row.providerId),
    integrationIdentifier: row.integrationIdentifier,
    subscriberId: row.subscriberId,
    contextKeys: row.contextKeys,
    workspace: { id: row.workspaceId, ...present({ name: row.workspaceName, botUserId: row.botUserId }) },
    auth: {
      accessToken: MASKED_TOKEN,
      ...present({
        expiresAt: row.expiresAt?.toISOString(),
        refreshTokenExpiresAt: row.refreshTokenExpiresAt?.toISOString(),
      }),
    },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const { shape } = createChannelConnection.definition.input
const time = z.iso.datetime({ offset: true }).nullish()

/** The tokens, with times as text. */
const givenAuth = shape.auth
  .extend({
    accessToken: z.string().meta({ description: 'Access token, such as that of a bot. Stored encrypted.' }),
    refreshToken: z.string().nullish().meta({ description: 'Refresh token. Stored encrypted, and not used.' }),
    expiresAt: time.meta({ description: 'Time the access token expires. The gateway does not renew it.' }),
    refreshTokenExpiresAt: time.meta({ description: 'Time the refresh token expires.' }),
  })
  .meta({ description: 'Tokens.' })

const readAuth = ({ expiresAt, refreshTokenExpiresAt, ...tokens }: z.output<typeof givenAuth>) => ({
  ...tokens,
  expiresAt: dateOf(expiresAt ?? undefined),
  refreshTokenExpiresAt: dateOf(refreshTokenExpiresAt ?? undefined),
})

/** Returns new tokens. Undefined for those of a response, whose access token is not the stored one. */
const readNewAuth = (given: z.output<typeof givenAuth> | null | undefined) =>
  given && given.accessToken !== MASKED_TOKEN ? readAuth(given) : undefined

const byIdentifier = z.object({
  identifier: z.string().meta({ description: 'Identifier of the channel connection.' }),
})

const { shape: fields } = channelConnectionFields

/** Query parameters of the list. */
export const channelConnectionQuery = pageQuery.extend({
  subscriberId: fields.subscriberId.optional().meta({ description: 'Filter by subscriber.' }),
  connectionMode: fields.connectionMode.optional().meta({
    description: '`shared` for connections without a subscriber, `subscriber` for all others.',
  }),
  contextKeys: fields.contextKeys.optional().meta({
    description:
      'Filter by exactly these contexts, each as `<type>:<id>`, in any order. Empty for connections without context.',
  }),
  channel: fields.channel.optional().meta({ description: 'Filter by channel.' }),
  providerId: fields.providerId.optional().meta({ description: 'Filter by provider.' }),
  integrationIdentifier: fields.integrationIdentifier.optional().meta({ description: 'Filter by integration.' }),
})

/** The body that creates a connection. */
export const newConnection = z.object({
  identifier: shape.identifier,
  subscriberId: shape.subscriberId,
  connectionMode: z.enum(connectionModes).nullish().meta({
    description: '`subscriber` requires `subscriberId`, `shared` does not allow it. By default, it follows from it.',
  }),
  integrationIdentifier,
  context: shape.context,
  workspace: shape.workspace,
  auth: givenAuth,
})

const example = {
  subscriberId: 'user-1',
  integrationIdentifier: 'acme-slack',
  workspace: { id: 'T01', name: 'Acme' },
  auth: { accessToken: 'xoxb-1' },
}

export const channelConnectionRoutes = [
  route({
    method: 'get',
    path: '/v1/channel-connections',
    summary: 'List channel connections',
    query: channelConnectionQuery,
    resolver: channelConnections,
    // The filter ignores page arguments.
    input: ({ query }) => ({ ...pageOfQuery(query), filter: query }),
    statuses: [200],
    response: pageSchema(connectionView),
    view: (page, scope) => showPage(scope, page, showChannelConnection),
  }),
  route({
    method: 'post',
    path: '/v1/channel-connections',
    summary: 'Create a channel connection',
    example,
    body: newConnection,
    resolver: createChannelConnection,
    input: ({ body: { auth, ...body } }) => ({ ...body, auth: readAuth(auth) }),
    statuses: [201],
    version: ({ version }) => version,
    response: connectionView,
    view: showChannelConnection,
  }),
  route({
    method: 'get',
    path: '/v1/channel-connections/{identifier}',
    summary: 'Read a channel connection',
    params: byIdentifier,
    resolver: channelConnection,
    statuses: [200],
    version: (row) => row?.version,
    response: connectionView,
    view: (row, _scope, { params }) => showChannelConnection(found(row, 'Channel connection', params.identifier)),
  }),
  route({
    method: 'patch',
    path: '/v1/channel-connections/{identifier}',
    summary: 'Replace the workspace or the tokens of a channel connection; a masked access token keeps the stored ones',
    example: { auth: { accessToken: 'xoxb-2' } },
    params: byIdentifier,
    body: z.object({
      workspace: updateChannelConnection.definition.input.shape.workspace,
      auth: givenAuth.nullish(),
      expectedVersion: updateChannelConnection.definition.input.shape.expectedVersion,
    }),
    conditional: true,
    resolver: updateChannelConnection,
    input: ({ params, body: { auth, ...body }, condition }) => ({
      ...{ ...params, ...body, ...condition },
      auth: readNewAuth(auth),
    }),
    statuses: [200],
    version: ({ version }) => version,
    response: connectionView,
    view: showChannelConnection,
  }),
  route({
    method: 'delete',
    path: '/v1/channel-connections/{identifier}',
    summary: 'Delete a channel connection; messages to endpoints that name it fail from now on',
    params: byIdentifier,
    resolver: deleteChannelConnection,
    statuses: [204],
  }),
]
