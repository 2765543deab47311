// Trying to send: what a message consists of at the moment it is sent, and what follows from what came of it.
import { countAttempt, endStep, holdRunOf, insertAttempt } from '../data/delivery.ts'
import type { Delivery, Event, Subscriber } from '../data/prisma/client.ts'
import type { Channel } from '../data/prisma/enums.ts'
import { advanceJobs, enqueue } from '../data/queue.ts'
import { type Content, storedContent } from '../domain/content.ts'
import { loadCredentials } from '../domain/credential.ts'
import { type Endpoint, openEndpoint } from '../domain/endpoint-type.ts'
import { type ProviderId, providerOf } from '../domain/provider-id.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { asObject } from '../domain/stored-json.ts'
import { hashToken, type StoredTarget, storedTarget } from '../domain/target.ts'
import { type TriggeredWorkflow, triggeredWorkflowOf } from '../domain/triggered-workflow.ts'
import { jsonObject, type JsonObject } from '../lib/validation.ts'
import { reasons } from './decision.ts'

/** Tries before a message is given up; from the first to the last pass about four hours. */
export const MAX_ATTEMPTS = 10

/** Before the second try, in seconds. Each further one waits three times as long, and an hour at most. */
const FIRST_BACKOFF = 5
const BACKOFF_FACTOR = 3
const MAX_BACKOFF = 3600

/** Where a message goes, with everything that opens it. */
export type Target =
  | { readonly kind: 'email'; readonly address: string }
  | { readonly kind: 'phone'; readonly phoneNumber: string }
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'device'; readonly token: string }

/** A message that is about to be sent. Secrets are decrypted: it is not kept, and not logged. */
export interface Message {
  /** The same for every try. */
  readonly deliveryId: string
  readonly channel: Channel
  readonly providerId: ProviderId
  readonly content: Content
  readonly target: Target
  /** The integration's own. */
  readonly credentials: JsonObject
  readonly event: Event
  readonly workflow: TriggeredWorkflow
  readonly subscriber: Subscriber
  readonly payload: JsonObject
  readonly overrides: JsonObject
}

/** What keeps a message from being tried, for good. */
export interface Obstacle {
  readonly obstacle: string
}

/** What a stored target leads to now. Undefined when that is gone. */
async function openTarget(
  scope: EnvironmentScope,
  subscriberId: string,
  target: StoredTarget,
): Promise<Target | undefined> {
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

function opened(credentials: string): JsonObject {
  const parsed: unknown = JSON.parse(credentials)
  return jsonObject({ maxBytes: Infinity }).parse(parsed)
}

/**
 * Begins a try.
 *
 * @returns the message, or what keeps it from being sent; undefined when there is nothing to send any more, because it
 *   was sent, given up, or cancelled.
 */
export async function beginAttempt(
  scope: EnvironmentScope,
  deliveryId: string,
): Promise<Message | Obstacle | undefined> {
  const { db, environmentId, cipher, now } = scope
  const attemptCount = await countAttempt(scope, deliveryId, now())
  if (attemptCount === undefined) return undefined
  if (attemptCount > MAX_ATTEMPTS) return { obstacle: 'The gateway stopped during each try.' }
  const { stepRun, ...delivery } = await db.delivery.findUniqueOrThrow({
    where: { environmentId_id: { environmentId, id: deliveryId } },
    include: { stepRun: { include: { run: { include: { event: true, subscriber: true } } } } },
  })
  const { event, subscriber } = stepRun.run
  const integration = await db.integration.findUnique({
    where: { environmentId_identifier: { environmentId, identifier: delivery.integrationIdentifier } },
  })
  if (!integration?.active) {
    return { obstacle: `Integration "${delivery.integrationIdentifier}" was deleted, or is not active any more.` }
  }
  const target = await openTarget(scope, subscriber.subscriberId, storedTarget(delivery.target))
  if (target === undefined) return { obstacle: 'The destination was removed after the message was made.' }
  const { credentials } = integration
  return {
    deliveryId,
    channel: delivery.channel,
    providerId: providerOf(delivery.providerId),
    content: storedContent(delivery.content),
    target,
    credentials: credentials === null ? {} : opened(cipher.decrypt(credentials, environmentId)),
    event,
    workflow: triggeredWorkflowOf(event),
    subscriber,
    payload: asObject(event.payload),
    overrides: asObject(event.overrides),
  }
}

/** What came of a try. */
export interface AttemptOutcome {
  readonly startedAt: Date
  /** The status that the provider answered with, where its protocol has one. */
  readonly status: number | null
  /** The beginning of its answer, without secrets. */
  readonly answer: string | null
  /** Absent when the message arrived. */
  readonly failure?: {
    readonly reason: string
    /** Whether another try would end the same. */
    readonly permanent: boolean
    /** Seconds that the provider wants to be left alone for. */
    readonly retryAfter: number | null
  }
}

/** In seconds: longer after each try, and never the same for two messages that failed together. */
export function backoffAfter(attemptCount: number): number {
  const longest = Math.min(FIRST_BACKOFF * BACKOFF_FACTOR ** (attemptCount - 1), MAX_BACKOFF)
  return longest / 2 + (Math.random() * longest) / 2
}

/** Writes down what came of a try, and what follows: another one later, or the end of the message and of its step. */
export async function endAttempt(scope: EnvironmentScope, deliveryId: string, outcome: AttemptOutcome): Promise<void> {
  const held = await holdDelivery(scope, deliveryId)
  if (held === undefined) return
  const { failure, startedAt, status, answer } = outcome
  const endedAt = scope.now()
  await insertAttempt(scope, { deliveryId, error: failure?.reason ?? null, status, answer, startedAt, endedAt })
  // Of two tries at once, because a job ran out meanwhile, one that arrived is the truth.
  if (held.status === 'sent') return
  if (failure && !failure.permanent && held.attemptCount < MAX_ATTEMPTS) {
    const pause = Math.max(backoffAfter(held.attemptCount), Math.min(failure.retryAfter ?? 0, MAX_BACKOFF))
    const startAfter = new Date(endedAt.getTime() + pause * 1000)
    await enqueue(scope, [{ queue: 'deliver', data: { deliveryId }, startAfter }])
    return
  }
  await endDelivery(scope, held, failure?.reason)
}

/** Gives up a message when what came of its tries could not be written down, however often. */
export async function giveUpDelivery(scope: EnvironmentScope, deliveryId: string): Promise<void> {
  const held = await holdDelivery(scope, deliveryId)
  if (held?.status !== 'pending') return
  await endDelivery(scope, held, 'The gateway could not write down what came of it; its log says why.')
}

async function holdDelivery(scope: EnvironmentScope, deliveryId: string): Promise<Delivery | undefined> {
  const { db, environmentId } = scope
  const where = { environmentId_id: { environmentId, id: deliveryId } }
  const found = await db.delivery.findUnique({ where, select: { stepRunId: true } })
  if (found === null) return undefined
  await holdRunOf(scope, found.stepRunId)
  return db.delivery.findUniqueOrThrow({ where })
}

/** Ends a message, and with the last one its step: then the run goes on, if that is what it waits for. */
async function endDelivery(scope: EnvironmentScope, { id, stepRunId }: Delivery, failure: string | undefined) {
  const { db, environmentId, now } = scope
  const updatedAt = now()
  await db.delivery.update({
    where: { environmentId_id: { environmentId, id } },
    data: { status: failure === undefined ? 'sent' : 'failed', updatedAt },
  })
  const run = await endStep(scope, stepRunId, { reason: 'refused', detail: failure ?? reasons.refused }, updatedAt)
  if (run?.status === 'waiting') await enqueue(scope, advanceJobs([run.id]))
}
