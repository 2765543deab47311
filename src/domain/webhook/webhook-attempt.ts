// Attempts to deliver webhook messages: their schedule, and what a response means.
import type { StoredWebhookAttempt } from '../../data/queue/webhook-queue.ts'
import type { WebhookDeliveryStatus } from '../../data/prisma/enums.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pauses after the first attempts. The attempt after the last pause is the last one. */
const PAUSES = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
] as const

/** The most by which a pause differs from the schedule, so that messages that failed together spread out. */
const SPREAD = 0.1

/** The longest pause that a receiver can ask for with `Retry-After`. */
const MAX_RETRY_AFTER = 24 * HOUR

/** Milliseconds with nothing but failures after which a subscription is deactivated. */
export const FAILING_FOR = 5 * 24 * HOUR

/** Why the gateway deactivates a subscription. */
export const disabledReasons = {
  gone: 'The receiver answered 410: it wants no more messages.',
  failing: 'Every attempt of the last 5 days failed.',
} as const

const GONE = 410

/** The result of a request. */
export interface WebhookResponse {
  /** Null without a response. */
  readonly status: number | null
  readonly answer: string | null
  /** Seconds. Null if the receiver asks for no pause. */
  readonly retryAfter: number | null
  /** Why there was no response. Null if there was one. */
  readonly error: string | null
}

/** Why a response is a failure. Null for 200 to 299. */
function errorOf({ status, error }: WebhookResponse): string | null {
  if (status === null) return error ?? 'There was no response.'
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `The receiver responded with ${status}: redirects are not followed.`
  return `The receiver responded with ${status}.`
}

/** The time of the attempt after this number of attempts. Null if there is none. */
function nextAttemptAfter(attemptCount: number, retryAfter: number | null, now: Date): Date | null {
  const pause = PAUSES[attemptCount - 1]
  if (pause === undefined) return null
  const spread = pause * (1 - SPREAD + Math.random() * 2 * SPREAD)
  const asked = Math.min((retryAfter ?? 0) * SECOND, MAX_RETRY_AFTER)
  return new Date(now.getTime() + Math.max(spread, asked))
}

/** What an attempt leads to. */
export interface WebhookVerdict {
  readonly status: WebhookDeliveryStatus
  readonly nextAttemptAt: Date | null
  readonly attempt: StoredWebhookAttempt
  /** Why the subscription is deactivated at once. Null if it is not. */
  readonly disabledReason: string | null
}

/**
 * Decides what follows an attempt.
 *
 * @param attemptCount the number of attempts, including this one. @param duration milliseconds.
 */
export function verdictOf(
  response: WebhookResponse,
  { attemptCount, startedAt, duration, now }: { attemptCount: number; startedAt: Date; duration: number; now: Date },
): WebhookVerdict {
  const { status, answer, retryAfter } = response
  const error = errorOf(response)
  const isGone = status === GONE
  const nextAttemptAt = error === null || isGone ? null : nextAttemptAfter(attemptCount, retryAfter, now)
  return {
    status: error === null ? 'succeeded' : nextAttemptAt === null ? 'failed' : 'pending',
    nextAttemptAt,
    attempt: { startedAt: startedAt.toISOString(), duration: Math.round(duration), status, answer, error },
    disabledReason: isGone ? disabledReasons.gone : null,
  }
}
