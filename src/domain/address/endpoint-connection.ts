// The channel connection of an endpoint: whether the endpoint can use it, and its token.
import { z } from 'zod'
import { connectionsByIdentifier } from '../../data/channel/channel-connection.ts'
import type { ChannelConnection as Row, ChannelEndpoint } from '../../data/prisma/client.ts'
import { endpointTypes } from '../channel/endpoint-type.ts'
import type { ResolvedConnection } from '../channel/provider-directory.ts'
import { decryptOf } from '../resolver/decrypt.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

const storedTokens = z.object({ accessToken: z.string() })

/** An endpoint, as far as its connection matters. */
type Connecting = Pick<
  ChannelEndpoint,
  'type' | 'connectionIdentifier' | 'integrationIdentifier' | 'subscriberId' | 'contextKeys'
>

/** Returns why a connection cannot serve an endpoint. Undefined if it can. */
function objectionTo(connection: Row, endpoint: Connecting): string | undefined {
  const { identifier, integrationIdentifier, subscriberId, contextKeys } = connection
  const name = `The channel connection "${identifier}"`
  // Otherwise the token of one service would be sent to another.
  if (integrationIdentifier !== endpoint.integrationIdentifier) {
    return `${name} belongs to the integration "${integrationIdentifier}".`
  }
  if (subscriberId !== null && subscriberId !== endpoint.subscriberId) return `${name} belongs to another subscriber.`
  // Both are sorted.
  if (contextKeys.length > 0 && contextKeys.join() !== endpoint.contextKeys.join()) {
    return `${name} is for the contexts ${contextKeys.join(', ')}.`
  }
  return undefined
}

/**
 * Finds the connection of an endpoint, or why the endpoint cannot use it. Neither if it names none, or its type uses
 * none: nothing is read then. Batched.
 */
export async function findConnection(
  { load }: Pick<EnvironmentScope, 'load'>,
  endpoint: Connecting,
): Promise<{ readonly found?: Row; readonly objection?: string }> {
  const { connectionIdentifier, type } = endpoint
  if (connectionIdentifier === null || !endpointTypes[type].usesConnection) return {}
  const found = await load(connectionsByIdentifier, connectionIdentifier)
  if (found === null) return { objection: `The channel connection "${connectionIdentifier}" does not exist.` }
  const objection = objectionTo(found, endpoint)
  return objection === undefined ? { found } : { objection }
}

/**
 * Decrypts the connection of an endpoint. Undefined if it names none, or its type uses none. Batched.
 *
 * @throws DecryptionError that names the connection.
 */
export async function resolveConnection(
  scope: Pick<EnvironmentScope, 'load' | 'cipher' | 'environmentId'>,
  endpoint: Connecting,
): Promise<ResolvedConnection | undefined> {
  const { found, objection } = await findConnection(scope, endpoint)
  if (objection !== undefined) return { objection }
  if (found === undefined) return undefined
  const { identifier, secret, workspaceId } = found
  const tokens: unknown = JSON.parse(decryptOf(`channel connection "${identifier}"`, scope, secret))
  return { accessToken: storedTokens.parse(tokens).accessToken, workspaceId }
}
