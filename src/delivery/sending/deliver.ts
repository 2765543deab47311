// Makes one attempt to send a message through its provider, and records the result.
import type { Logger } from 'pino'
import { claimJobs, isQueued } from '../../data/queue/job-taking.ts'
import type { Job } from '../../data/queue/job.ts'
import { cachedSendingRules, type SendingRules } from '../../domain/access/sending.ts'
import type { EnvironmentScope, Gateway } from '../../domain/resolver/scope.ts'
import type { SendResult } from '../../domain/channel/provider-directory.ts'
import { beginAttempt, endAttempt, UNREGISTERED } from '../../engine/attempt.ts'
import type { Message } from '../../engine/message.ts'
import type { AttemptResultKind } from '../../lib/metrics.ts'
import { inSpan } from '../../lib/span.ts'
import { handlingOf } from './capture.ts'
import { recordCircuit } from './circuit.ts'
import { sendWithFiles } from './files.ts'
import type { ProviderHealth } from './provider-health.ts'
import { failed, send, type Sender } from './send.ts'

export interface Delivering extends Sender {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly health: ProviderHealth
  /** Runs the statements of one message of an environment, which may have to wait for others. */
  readonly inTurn: <Result>(environmentId: string, work: () => Promise<Result>) => Promise<Result>
}

/** An attempt that was made. */
export interface Attempt {
  /** Undefined if the message could not be composed, or its files could not be read. Then the provider was not called. */
  readonly message: Message | undefined
  readonly result: SendResult
  readonly startedAt: Date
  /** Milliseconds that sending took. */
  readonly took: number
}

/** The outcome of one attempt, for the metrics. */
function resultKind({ failure }: Pick<SendResult, 'failure'>, isRepeated: boolean): AttemptResultKind {
  if (failure === undefined) return 'accepted'
  if (failure.cause === UNREGISTERED) return 'unregistered'
  return isRepeated ? 'retried' : 'failed'
}

/** Sends a message in a span, which is passed to the provider as the parent. */
function sendInSpan(
  sender: Sender,
  { evaluator }: EnvironmentScope,
  message: Message,
  readRules: () => Promise<SendingRules>,
): Promise<SendResult> {
  const { channel, providerId, integration, deliveryId, eventId, traceparent } = message
  const ids = { 'event.id': eventId, 'delivery.id': deliveryId }
  const attributes = { channel, provider: providerId, integration: integration.identifier, ...ids }
  return inSpan(
    () => ({ name: 'attempt', kind: 'client', parent: traceparent, attributes }),
    async (span) => {
      const traced = span ? { ...message, traceparent: span.traceparent } : message
      const result = await send(sender, evaluator, traced, readRules)
      if (result.failure) span?.fail()
      return result
    },
  )
}

/**
 * Attempts to send the message of a job.
 *
 * @param holds returns false once another process may have taken the job. Then nothing is sent.
 * @returns undefined if the message must no longer be sent; `lost` if `holds` returned false.
 */
export async function makeAttempt(
  delivering: Delivering,
  scope: EnvironmentScope,
  { data: { deliveryId } }: Job<'deliver'>,
  holds: () => boolean,
): Promise<Attempt | undefined | 'lost'> {
  const startedAt = scope.now()
  const composed = await delivering.inTurn(scope.environmentId, () => beginAttempt(scope, deliveryId))
  if (composed === undefined) return undefined
  if ('obstacle' in composed) {
    const { obstacle, failureCause, cause } = composed
    if (cause) {
      const { environmentId } = scope
      delivering.logger.error(
        { err: cause, environmentId, deliveryId },
        'message not sent: secrets cannot be decrypted',
      )
    }
    return { message: undefined, result: failed(obstacle, true, failureCause), startedAt, took: 0 }
  }
  if (!holds()) return 'lost'
  const start = performance.now()
  const readRules = () => cachedSendingRules(delivering.gateway, scope.environmentId)
  const sendUnder = (rules: typeof readRules) => async (message: Message) =>
    // The wait for other files may have been long.
    holds() ? sendInSpan(delivering, scope, message, rules) : ('lost' as const)
  const rules = await readRules()
  // The files of a captured message are not fetched, because nothing leaves the gateway.
  const result =
    'captured' in handlingOf(rules, composed)
      ? await sendUnder(() => Promise.resolve(rules))(composed)
      : await sendWithFiles(scope, delivering.outbound, composed, sendUnder(readRules))
  if (result === 'lost') return result
  if ('unreadable' in result) return { message: undefined, result: result.unreadable, startedAt, took: 0 }
  return { message: composed, result, startedAt, took: performance.now() - start }
}

/**
 * Records the attempt of a job, and ends the job in the same transaction. If the process dies before that, the message
 * is sent again with the same `Idempotency-Key`.
 *
 * @param attempt undefined if no attempt was made.
 * @param isRepeated true if this was called before and the connection was lost: the transaction may have been
 *   committed.
 */
export async function recordAttempt(
  { health, inTurn }: Pick<Delivering, 'health' | 'inTurn'>,
  scope: EnvironmentScope,
  job: Job<'deliver'>,
  attempt: Attempt | undefined,
  isRepeated: boolean,
): Promise<void> {
  const record = async (inner: EnvironmentScope) => {
    const claimed = await claimJobs(inner.db, [job])
    const isTaken = claimed.length === 0
    if (isTaken && isRepeated && !(await isQueued(inner.db, job))) return false
    const follows =
      attempt !== undefined &&
      (await endAttempt(inner, job, { startedAt: attempt.startedAt, ...attempt.result }, isTaken))
    await recordCircuit(inner, health, job, attempt)
    return follows
  }
  const willFollow = await inTurn(scope.environmentId, () => scope.transaction(record))
  if (attempt?.message === undefined) return
  const { message, result, took } = attempt
  scope.metrics.attempted(message.channel, message.providerId, resultKind(result, willFollow), took / 1000)
  if (result.failure === undefined) {
    scope.metrics.messagesSent(message.channel, (scope.now().getTime() - message.dueSince.getTime()) / 1000, 1)
  }
  // Captured messages say nothing about the provider.
  if (result.isCaptured !== true) health.note(scope.environmentId, message, result)
}
