// Makes one attempt to send a message through its provider, and records the result.
import type { Logger } from 'pino'
import { claimJobs, isQueued } from '../../data/queue/job-taking.ts'
import type { Job } from '../../data/queue/job.ts'
import type { EnvironmentScope, Gateway } from '../../domain/resolver/scope.ts'
import type { SendResult } from '../../domain/channel/provider-directory.ts'
import { beginAttempt, endAttempt } from '../../engine/attempt.ts'
import type { Message } from '../../engine/message.ts'
import type { AttemptResultKind } from '../../lib/metrics.ts'
import { inSpan } from '../../lib/span.ts'
import type { ProviderHealth } from './provider-health.ts'
import { failed, send, type Sender } from './send.ts'

export interface Delivering extends Sender {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly health: ProviderHealth
}

/** An attempt that was made. */
export interface Attempt {
  /** Undefined if the message could not be composed. */
  readonly message: Message | undefined
  readonly result: SendResult
  readonly startedAt: Date
  /** Milliseconds that sending took. */
  readonly took: number
}

/** The outcome of one attempt, for the metrics. */
function resultKind({ failure }: Pick<SendResult, 'failure'>, isRepeated: boolean): AttemptResultKind {
  if (failure === undefined) return 'accepted'
  return isRepeated ? 'retried' : 'failed'
}

/** Sends a message in a span, which the provider receives as its cause. */
function sendInSpan(sender: Sender, { evaluator }: EnvironmentScope, message: Message): Promise<SendResult> {
  const { channel, providerId, integration, deliveryId, eventId, traceparent } = message
  const ids = { 'event.id': eventId, 'delivery.id': deliveryId }
  const attributes = { channel, provider: providerId, integration: integration.identifier, ...ids }
  return inSpan(
    () => ({ name: 'attempt', kind: 'client', parent: traceparent, attributes }),
    async (span) => {
      const result = await send(sender, evaluator, span ? { ...message, traceparent: span.traceparent } : message)
      if (result.failure) span?.fail()
      return result
    },
  )
}

/**
 * Attempts to send the message of a job.
 *
 * @param holds says whether the job is still this process's. If not, nothing is sent.
 * @returns undefined if the message is no longer to be sent; `lost` if the job is another process's.
 */
export async function makeAttempt(
  delivering: Delivering,
  scope: EnvironmentScope,
  { data: { deliveryId } }: Job<'deliver'>,
  holds: () => boolean,
): Promise<Attempt | undefined | 'lost'> {
  const startedAt = scope.now()
  const composed = await beginAttempt(scope, deliveryId)
  if (composed === undefined) return undefined
  if ('obstacle' in composed) {
    const { obstacle, cause } = composed
    if (cause) {
      const { environmentId } = scope
      delivering.logger.error({ err: cause, environmentId, deliveryId }, 'message not sent')
    }
    return { message: undefined, result: failed(obstacle, true), startedAt, took: 0 }
  }
  if (!holds()) return 'lost'
  const start = performance.now()
  const result = await sendInSpan(delivering, scope, composed)
  return { message: composed, result, startedAt, took: performance.now() - start }
}

/**
 * Records the attempt of a job, and ends the job in the same transaction. If the process dies before that, the message is
 * sent again with the same `Idempotency-Key`.
 *
 * @param attempt undefined if there was none.
 * @param isRepeated true if this was called before and the connection was lost: the transaction may have been committed.
 */
export async function recordAttempt(
  { health }: Pick<Delivering, 'health'>,
  scope: EnvironmentScope,
  job: Job<'deliver'>,
  attempt: Attempt | undefined,
  isRepeated: boolean,
): Promise<void> {
  const willFollow = await scope.transaction(async (inner) => {
    const claimed = await claimJobs(inner.db, [job])
    const isTaken = claimed.length === 0
    if (isTaken && isRepeated && !(await isQueued(inner.db, job))) return false
    return attempt !== undefined && endAttempt(inner, job, { startedAt: attempt.startedAt, ...attempt.result }, isTaken)
  })
  if (attempt?.message === undefined) return
  const { message, result, took } = attempt
  scope.metrics.attempted(message.channel, message.providerId, resultKind(result, willFollow), took / 1000)
  if (result.failure === undefined) {
    scope.metrics.messagesSent(message.channel, (scope.now().getTime() - message.dueSince.getTime()) / 1000, 1)
  }
  health.note(scope.environmentId, message, result)
}
