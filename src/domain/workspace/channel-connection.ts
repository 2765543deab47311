// Channel connections: workspaces of chat services with their tokens, each for one subscriber or shared.
import { z } from 'zod'
import {
  type ChannelConnectionFilter,
  connectionPages,
  connectionsById,
  connectionsByIdentifier,
} from '../../data/channel/channel-connection.ts'
import { isForeignKeyViolation, whenMissing, whenTaken } from '../../data/driver/database-errors.ts'
import type { ChannelConnection as Row } from '../../data/prisma/client.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { Refusal, refuse, refuseTaken } from '../../lib/errors.ts'
import { orderWithIdentifier, pageRequest, time } from '../../lib/page.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, idText, text } from '../../lib/validation.ts'
import { providerConditions, providerValues } from '../channel/provider-filter.ts'
import { providerId } from '../channel/provider-id.ts'
import { contextInput, contextKey, contextKeysFilter, ensureContexts } from '../context.ts'
import { notFound, referenceOf, rowId } from '../resolver/reference.ts'
import { atomicMutation, mutation, query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { assertVersion, expectedVersion, inVersion } from '../resolver/version.ts'
import { subscriberId } from '../subscriber-id.ts'
import { requireSubscriber } from '../subscriber.ts'
import { requireUsedIntegration, usedIntegration } from '../used-integration.ts'

/** A connection without its tokens. */
export type ChannelConnection = Omit<Row, 'secret'>

/** What responses show in place of a token. No token can have this value. */
export const MASKED_TOKEN = '********'

/** Whose messages a connection delivers. */
export const connectionModes = ['subscriber', 'shared'] as const
const connectionMode = z.enum(connectionModes)

/** The workspace that a connection is for. */
const workspace = z.object({
  id: text(255, 1),
  name: text(255, 1).nullish(),
  botUserId: text(255, 1).nullish(),
})

const token = z
  .string()
  .regex(/^[\x21-\x7e]{1,8192}$/, 'must be 1 to 8192 visible ASCII characters without spaces')
  .refine((value) => value !== MASKED_TOKEN, 'is the placeholder of a stored token: send the token itself')

const auth = z.object({
  accessToken: token,
  refreshToken: token.nullish(),
  expiresAt: time.nullish(),
  refreshTokenExpiresAt: time.nullish(),
})

type Encryption = Pick<Scope, 'cipher' | 'environmentId'>

const workspaceColumns = ({ id, name, botUserId }: z.output<typeof workspace>) => ({
  workspaceId: id,
  workspaceName: name ?? null,
  botUserId: botUserId ?? null,
})

const authColumns = (
  { cipher, environmentId }: Encryption,
  { accessToken, refreshToken, expiresAt, refreshTokenExpiresAt }: z.output<typeof auth>,
) => ({
  secret: cipher.encrypt(JSON.stringify({ accessToken, ...(refreshToken && { refreshToken }) }), environmentId),
  expiresAt: expiresAt ?? null,
  refreshTokenExpiresAt: refreshTokenExpiresAt ?? null,
})

const shown = ({ secret: _secret, ...row }: Row): ChannelConnection => row

const identifier = text(255, 1)

/** The fields of an input that name an existing channel connection. */
const named = { identifier: identifier.nullish(), id: rowId }

export const channelConnection = query({
  name: 'channelConnection.get',
  permission: 'channelConnection:read',
  input: z.object(named),
  async run({ load }, { identifier, id }) {
    const connection = referenceOf({ identifier }, { id })
    const found = await ('id' in connection
      ? load(connectionsById, connection.id)
      : load(connectionsByIdentifier, connection.identifier))
    return found && shown(found)
  },
})

/** The fields of a filter. Each is an exact match. */
export const channelConnectionFields = z.object({
  subscriberId: text(255),
  connectionMode,
  contextKeys: z.array(contextKey),
  channel: z.enum(Channel),
  providerId,
  integrationIdentifier: text(255),
})

const filter = filterOf({
  ...channelConnectionFields.shape,
  contextKeys: contextKeysFilter,
  subscriberIds: severalOf(channelConnectionFields.shape.subscriberId),
  ...providerConditions,
  integrationIdentifiers: severalOf(channelConnectionFields.shape.integrationIdentifier),
}).transform(({ contextKeys, connectionMode, ...given }): ChannelConnectionFilter => ({
  contextKeys,
  isShared: connectionMode && connectionMode === 'shared',
  subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
  ...providerValues(given),
  integrationIdentifier: valuesOf(given.integrationIdentifier, given.integrationIdentifiers),
}))

export const channelConnections = query({
  name: 'channelConnection.list',
  permission: 'channelConnection:read',
  input: z.object({ page: pageRequest, orderBy: orderWithIdentifier, filter }),
  async run({ load, environmentId }, list) {
    const found = await load(connectionPages, { parent: environmentId, ...list })
    return { ...found, rows: found.rows.map(shown) }
  },
})

const identifierTaken = (identifier: string) =>
  refuseTaken(`Channel connection "${identifier}" already exists`, 'identifier', identifier)

/** Returns the subscriber of a new connection. Null if it is shared. @throws Refusal `INVALID`, or `NOT_FOUND` */
async function ownerOf(
  scope: Scope,
  given: { readonly subscriberId?: string | null | undefined; readonly connectionMode?: string | null | undefined },
): Promise<string | null> {
  if (given.connectionMode === 'shared' && given.subscriberId) {
    throw refuse('INVALID', 'subscriberId must be absent from a shared connection', 'subscriberId')
  }
  if (given.connectionMode === 'subscriber' && !given.subscriberId) {
    const message = 'subscriberId is required for the connection of a subscriber'
    throw new Refusal('INVALID', message, { issues: [{ path: ['subscriberId'], message, reason: 'required' }] })
  }
  if (!given.subscriberId) return null
  return (await requireSubscriber(scope, { subscriberId: given.subscriberId })).subscriberId
}

/**
 * Creates a channel connection on a chat integration: of a subscriber, or shared by all if there is none. Missing
 * contexts are created.
 *
 * @throws Refusal `CONFLICT` if the identifier exists, `INVALID` if the integration has another channel.
 */
export const createChannelConnection = mutation({
  name: 'channelConnection.create',
  permission: 'channelConnection:write',
  input: z.object({
    identifier: idText(255).nullish(),
    subscriberId: subscriberId.nullish(),
    connectionMode: connectionMode.nullish(),
    ...usedIntegration,
    context: contextInput,
    workspace,
    auth,
  }),
  async run(scope, given) {
    const { db, environmentId, now, newId } = scope
    const subscriberId = await ownerOf(scope, given)
    const integration = await requireUsedIntegration(scope, given)
    if (integration.channel !== 'chat') {
      const message = `a channel connection requires an integration of the channel chat: "${integration.identifier}" has the channel ${integration.channel}`
      throw refuse('INVALID', message, 'integrationIdentifier', integration.identifier)
    }
    const id = newId()
    const identifier = given.identifier ?? `conn_${id.replaceAll('-', '')}`
    const createdAt = now()
    const contextKeys = await ensureContexts(scope, given.context)
    const created = db.channelConnection.create({
      data: {
        ...{ environmentId, id, identifier, subscriberId, contextKeys },
        channel: integration.channel,
        providerId: integration.providerId,
        integrationIdentifier: integration.identifier,
        ...workspaceColumns(given.workspace),
        ...authColumns(scope, given.auth),
        createdAt,
        updatedAt: createdAt,
      },
    })
    const row = await created.catch(whenTaken(() => identifierTaken(identifier))).catch((error: unknown) => {
      if (!isForeignKeyViolation(error)) throw error
      const owner = subscriberId === null ? '' : `Subscriber "${subscriberId}" or `
      throw refuse('NOT_FOUND', `${owner}integration "${integration.identifier}" not found`)
    })
    return shown(row)
  },
})

/** Returns the connection that an input names. @throws Refusal `INVALID` or `MALFORMED` as `referenceOf`. */
function connectionNamed({ identifier, id }: z.output<z.ZodObject<typeof named>>) {
  const connection = referenceOf({ identifier }, { id })
  return { connection, missing: () => notFound('Channel connection', connection) }
}

/**
 * Replaces the workspace, the tokens or both. What is absent stays.
 *
 * @throws Refusal `STALE` if the connection has another version than the expected one.
 */
export const updateChannelConnection = atomicMutation({
  name: 'channelConnection.update',
  permission: 'channelConnection:write',
  input: z.object({ ...named, workspace: workspace.nullish(), auth: auth.nullish(), expectedVersion }),
  async run(scope, { workspace, auth, expectedVersion, ...named }) {
    const { connection, missing } = connectionNamed(named)
    const where = { environmentId: scope.environmentId, ...connection }
    const [updated] = await scope.db.channelConnection.updateManyAndReturn({
      where: { ...where, ...inVersion(expectedVersion) },
      data: {
        ...(workspace && workspaceColumns(workspace)),
        ...(auth && authColumns(scope, auth)),
        updatedAt: scope.now(),
      },
    })
    if (updated !== undefined) return shown(updated)
    const present = await scope.db.channelConnection.findFirst({ where, select: { version: true } })
    assertVersion('The channel connection', expectedVersion, present?.version)
    throw missing()
  },
})

/** Deletes a channel connection. Messages to endpoints that name it fail from now on. */
export const deleteChannelConnection = atomicMutation({
  name: 'channelConnection.delete',
  permission: 'channelConnection:write',
  input: z.object(named),
  async run(scope, named) {
    const { connection, missing } = connectionNamed(named)
    const { db, environmentId } = scope
    const where =
      'id' in connection
        ? { environmentId_id: { environmentId, ...connection } }
        : { environmentId_identifier: { environmentId, ...connection } }
    return shown(await db.channelConnection.delete({ where }).catch(whenMissing(missing)))
  },
})
