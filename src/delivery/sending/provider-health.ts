// Tracks which integrations fail, so that the log reports once when a provider begins to fail and once when it
// recovers.
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { type AttemptResult, UNREGISTERED } from '../../engine/attempt.ts'
import type { Message } from '../../engine/message.ts'
import { traceIdOf } from '../../lib/trace.ts'

/** Consecutive failed attempts, for at least two subscribers, after which a provider counts as failing. */
const FAILURES = 5
/** The same for a single subscriber, whose address may be the cause. */
const FAILURES_OF_ONE = 10
/** Milliseconds after which a failure is no longer relevant. */
const RECENT = 15 * 60_000
/** Integrations whose last attempt failed. Over the limit, the least recently used one is forgotten. */
const MAX_KEPT = 10_000

interface Failures {
  readonly count: number
  /** The subscriber of the first failure. */
  readonly subscriberId: string
  /** True if several subscribers had failures. */
  readonly several: boolean
  readonly isReported: boolean
  /** The time of the last failure, in milliseconds from an arbitrary start. */
  readonly at: number
}

export interface ProviderHealth {
  /** Records the result of an attempt through a provider. */
  readonly note: (environmentId: string, message: Message, result: Pick<AttemptResult, 'status' | 'failure'>) => void
  /** True if the last attempt of this process through an integration failed. */
  readonly hasFailures: (integrationId: string) => boolean
  /** The number of integrations that count as failing and had a failed attempt in the last 15 minutes. */
  readonly failing: () => number
}

/** Keeps the failures of each integration in this process. */
export function createProviderHealth(
  logger: Pick<Logger, 'info' | 'warn'>,
  stopwatch: () => number = () => performance.now(),
): ProviderHealth {
  const failing = new LRUCache<string, Failures>({ max: MAX_KEPT })
  return {
    note(environmentId, message, { status, failure }) {
      // The provider answers as it should.
      if (failure?.cause === UNREGISTERED) return
      const { integration, channel, providerId, eventId, transactionId, subscriber, deliveryId, traceparent } = message
      const { subscriberId } = subscriber
      const before = failing.get(integration.id)
      const fields = {
        ...{ environmentId, integration: integration.identifier, channel, provider: providerId },
        ...{ eventId, transactionId, subscriberId, deliveryId },
        ...(traceparent !== null && { traceId: traceIdOf({ traceparent }) }),
      }
      if (failure === undefined) {
        failing.delete(integration.id)
        if (before?.isReported) logger.info({ ...fields, failures: before.count }, 'provider recovered')
        return
      }
      const count = (before?.count ?? 0) + 1
      const several = before !== undefined && (before.several || before.subscriberId !== subscriberId)
      const isFailing = count >= (several ? FAILURES : FAILURES_OF_ONE)
      if (isFailing && before?.isReported !== true) {
        logger.warn({ ...fields, failures: count, status, reason: failure.reason }, 'provider failing')
      }
      const first = before?.subscriberId ?? subscriberId
      failing.set(integration.id, { count, subscriberId: first, several, isReported: isFailing, at: stopwatch() })
    },
    hasFailures: (integrationId) => failing.has(integrationId),
    failing() {
      const since = stopwatch() - RECENT
      return [...failing.values()].filter(({ isReported, at }) => isReported && at > since).length
    },
  }
}
