// The destination of a message with its secrets, which are read at each attempt.
import type { Integration } from '../data/prisma/client.ts'
import { storedCredentials } from '../data/subscriber-credential.ts'
import type { Subscriber } from '../data/subscriber.ts'
import { resolveConnection } from '../domain/address/endpoint-connection.ts'
import type { ResolvedTarget } from '../domain/channel/provider-directory.ts'
import { tokensOf, webhookOf } from '../domain/credential.ts'
import { hashToken, type Target } from '../domain/execution/target.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { openEndpoint } from '../domain/stored-endpoint.ts'
import { present } from '../lib/present.ts'

/**
 * The recipient and the integration of a message. Rows that changed in the meantime are used in their current state.
 */
export interface Meant {
  readonly subscriber: Subscriber
  /** Null for a message that can only be captured. */
  readonly integration: Integration | null
  readonly contextKeys: readonly string[]
}

/**
 * Looks up the target's secrets. @returns undefined if the row no longer exists, or is not the row that the message was meant for.
 */
export async function resolveTarget(
  scope: EnvironmentScope,
  target: Target,
  { subscriber, integration, contextKeys }: Meant,
): Promise<ResolvedTarget | undefined> {
  const { db, environmentId } = scope
  switch (target.kind) {
    case 'email':
      return subscriber.email ? { kind: 'email', address: subscriber.email } : undefined
    case 'phone':
      return subscriber.phone ? { kind: 'phone', phoneNumber: subscriber.phone } : undefined
    case 'endpoint': {
      const row = await db.channelEndpoint.findFirst({
        where: {
          environmentId,
          id: target.id ?? { in: [] },
          type: target.type,
          subscriberId: subscriber.subscriberId,
          ...(integration && { integrationIdentifier: integration.identifier }),
          contextKeys: { equals: [...contextKeys] },
        },
      })
      if (row === null) return undefined
      const connection = await resolveConnection(scope, row)
      return { kind: 'endpoint', endpoint: openEndpoint(scope, row), ...present({ connection }) }
    }
    case 'webhook':
    case 'device':
    case 'devices': {
      const stored = await scope.load(storedCredentials, subscriber.subscriberId)
      const row = stored.find(({ id }) => id === target.credential.id)
      if (row === undefined) return undefined
      if (target.kind === 'webhook') {
        const url = webhookOf(scope, row)
        return url ? { kind: 'webhook', url } : undefined
      }
      const tokens = tokensOf(scope, row)
      // It is unknown for which device the message was meant.
      if (target.kind === 'devices') return undefined
      const token = tokens.find((one) => hashToken(one) === target.tokenHash)
      return token === undefined ? undefined : { kind: 'device', token }
    }
    case 'deleted':
      return undefined
  }
}
