// The message that a provider delivers: rendered content, a target and credentials, with all secrets decrypted.
// A step decides for destinations (an integration and a target). Each becomes a delivery, which stores the target without
// its secrets (domain/target.ts). An attempt resolves the target and composes the message.
import type { Channel } from '../data/prisma/enums.ts'
import { type Content, contentOf } from '../domain/content.ts'
import { loadCredentials } from '../domain/credential.ts'
import { type Endpoint, openEndpoint } from '../domain/endpoint-type.ts'
import { type ProviderId, providerOf } from '../domain/provider-id.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { asObject } from '../domain/stored-json.ts'
import { hashToken, type Target, targetOf } from '../domain/target.ts'
import { type TriggeredWorkflow, triggeredWorkflowOf } from '../domain/triggered-workflow.ts'
import { type JsonObject, jsonObject } from '../lib/validation.ts'
import { subscriberVariables } from './run-context.ts'

/** A target with its secrets, as looked up for an attempt. */
export type ResolvedTarget =
  | { readonly kind: 'email'; readonly address: string }
  | { readonly kind: 'phone'; readonly phoneNumber: string }
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'device'; readonly token: string }

/** Everything that a provider may send. It has secrets: do not store or log it. */
export interface Message {
  /** The delivery's id, the same for every attempt. Receivers get it as `Idempotency-Key`. */
  readonly deliveryId: string
  readonly channel: Channel
  readonly providerId: ProviderId
  readonly content: Content
  readonly target: ResolvedTarget
  /** The integration's credentials as stored. Each provider validates the fields that it needs. */
  readonly credentials: JsonObject
  readonly transactionId: string
  readonly workflow: Pick<TriggeredWorkflow, 'identifier' | 'name' | 'severity' | 'tags'>
  readonly subscriber: ReturnType<typeof subscriberVariables>
  readonly contextKeys: readonly string[]
  readonly payload: JsonObject
  readonly overrides: JsonObject
}

/** The reason why a message can never be sent. */
export interface Obstacle {
  readonly obstacle: string
}

/** Looks up the target's secrets. @returns undefined if the endpoint or credential no longer exists. */
async function resolveTarget(
  scope: EnvironmentScope,
  subscriberId: string,
  target: Target,
): Promise<ResolvedTarget | undefined> {
  const { db, environmentId } = scope
  switch (target.kind) {
    case 'email':
    case 'phone':
      return target
    case 'endpoint': {
      const row = await db.channelEndpoint.findUnique({
        where: { environmentId_identifier: { environmentId, identifier: target.identifier } },
      })
      return row ? { kind: 'endpoint', endpoint: openEndpoint(scope, row) } : undefined
    }
    case 'webhook':
    case 'device': {
      const { providerId, integrationIdentifier } = target.credential
      const credential = (await loadCredentials(scope, subscriberId)).find(
        (one) => one.providerId === providerId && one.integrationIdentifier === integrationIdentifier,
      )
      if (target.kind === 'webhook') {
        return credential?.webhookUrl ? { kind: 'webhook', url: credential.webhookUrl } : undefined
      }
      const token = credential?.deviceTokens.find((one) => hashToken(one) === target.tokenHash)
      return token === undefined ? undefined : { kind: 'device', token }
    }
  }
}

function parseCredentials(decrypted: string): JsonObject {
  const parsed: unknown = JSON.parse(decrypted)
  return jsonObject({ maxBytes: Infinity }).parse(parsed)
}

/** Composes the message of a delivery from the current integration and target. */
export async function composeMessage(scope: EnvironmentScope, deliveryId: string): Promise<Message | Obstacle> {
  const { db, environmentId, cipher } = scope
  const { stepRun, ...delivery } = await db.delivery.findUniqueOrThrow({
    where: { environmentId_id: { environmentId, id: deliveryId } },
    include: { stepRun: { include: { run: { include: { event: true, subscriber: true } } } } },
  })
  const { event, subscriber } = stepRun.run
  const integration = await db.integration.findUnique({
    where: { environmentId_identifier: { environmentId, identifier: delivery.integrationIdentifier } },
  })
  if (!integration?.active) {
    return { obstacle: `Integration "${delivery.integrationIdentifier}" was deleted or deactivated.` }
  }
  const target = await resolveTarget(scope, subscriber.subscriberId, targetOf(delivery.target))
  if (target === undefined) return { obstacle: 'The destination was removed after the message was created.' }
  const { identifier, name, severity, tags } = triggeredWorkflowOf(event)
  const { credentials } = integration
  return {
    deliveryId,
    channel: delivery.channel,
    providerId: providerOf(delivery.providerId),
    content: contentOf(delivery.content),
    target,
    credentials: credentials === null ? {} : parseCredentials(cipher.decrypt(credentials, environmentId)),
    transactionId: event.transactionId,
    workflow: { identifier, name, severity, tags },
    subscriber: subscriberVariables(subscriber),
    contextKeys: event.contextKeys,
    payload: asObject(event.payload),
    overrides: asObject(event.overrides),
  }
}
