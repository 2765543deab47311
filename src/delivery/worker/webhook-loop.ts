// Sends webhook messages. They have places of their own, so that slow receivers delay no messages of the gateway, and each
// subscription has few, so that it delays no other.
import type { Clock } from '../../data/connection/clock.ts'
import { loggable } from '../../data/driver/database-errors.ts'
import { WEBHOOKS } from '../../data/queue/job.ts'
import {
  recordWebhookResults,
  takeWebhooks,
  type TakenWebhook,
  type WebhookResult,
} from '../../data/queue/webhook-queue.ts'
import { createEnvironmentScope } from '../../domain/resolver/create-scope.ts'
import { disabledReasons, FAILING_FOR, verdictOf } from '../../domain/webhook/webhook-attempt.ts'
import { Groups } from '../../lib/groups.ts'
import type { WebhookOutcome } from '../../lib/metrics.ts'
import type { Delivering } from '../sending/deliver.ts'
import { sendWebhook } from '../webhooks/webhook-request.ts'
import type { Loop } from './loop.ts'
import { MessagePlaces } from './places.ts'
import { repeatWhenWoken, type Repeating } from './repeat.ts'
import { Waker } from './waker.ts'

/** Webhook messages that a process sends at the same time, apart from those that wait for a slow receiver. */
const PLACES = 40

/**
 * Milliseconds between looks, and messages taken by each, while the process executes events and runs. They compete for the
 * same processor, and are more urgent than what others are told about them.
 */
const LOOK_INTERVAL = 500
const LOOK_COUNT = 5

/** Milliseconds by which a message may be late for that reason. Later, it is as urgent as events and runs. */
const MAX_DELAY = 30_000

/** Maximum open requests of a subscription in one process. */
const OPEN_REQUESTS = 10

/**
 * Milliseconds after which other processes may send a message again. Longer than the time limit of a request, so that it
 * need not be renewed.
 */
const LEASE = 20_000

export interface WebhookLoopOptions extends Pick<Delivering, 'gateway' | 'logger' | 'outbound'> {
  /** Set by the statements that take messages. */
  readonly clock: Clock
  /** The stopwatch: milliseconds from an arbitrary start. */
  readonly stopwatch: () => number
  /** True while the process executes transactions on events or runs. */
  readonly isBusy: () => boolean
}

/** Returns the milliseconds for which the oldest has waited. Repeated attempts wait on purpose. */
const delayOf = (deliveries: readonly TakenWebhook[], now: Date): number =>
  Math.max(
    0,
    ...deliveries.map(({ attemptCount, occurredAt }) =>
      attemptCount === 0 ? now.getTime() - occurredAt.getTime() : 0,
    ),
  )

export class WebhookLoop implements Loop {
  readonly kind = WEBHOOKS
  readonly #options: WebhookLoopOptions
  /** Called when messages can be taken: there are new ones, or a place is free. */
  readonly #waker = new Waker(1)
  readonly #places: MessagePlaces
  readonly #results = new Groups<WebhookResult, boolean>()
  readonly #sending = new Set<Promise<void>>()
  /** When messages were last taken, by the stopwatch. */
  #lookedAt = -Infinity
  /** Milliseconds by which the messages that were taken last are late. */
  #delay = 0
  /** True while a timer leads to the next look. */
  #isTimed = false

  constructor(options: WebhookLoopOptions) {
    this.#options = options
    const { stopwatch } = options
    this.#places = new MessagePlaces({
      ...{ count: PLACES, most: OPEN_REQUESTS, stopwatch },
      onFree: () => this.#waker.wake(),
    })
  }

  announce(): void {
    this.#waker.wake()
  }

  wake(): void {
    this.#waker.wake()
  }

  async run(repeating: Repeating): Promise<void> {
    await repeatWhenWoken(repeating, this.#waker, () => this.#takeSome(repeating.stopping))
    await Promise.all(this.#sending)
  }

  /** Sends messages until none is due and all have ended. @returns true if any were sent. */
  async work(stopping: AbortSignal): Promise<boolean> {
    let sent = false
    do {
      if (this.#sending.size > 0) await Promise.race(this.#sending)
      await this.#takeSome(stopping)
      sent ||= this.#sending.size > 0
    } while (this.#sending.size > 0)
    return sent
  }

  /** Takes messages and starts to send them. @returns true if there may be more for the free places. */
  async #takeSome(stopping: AbortSignal): Promise<boolean> {
    const { gateway, clock, stopwatch, isBusy } = this.#options
    const { free, full, rooms } = this.#places
    if (free === 0 || stopping.aborted) return false
    const givesWay = isBusy() && this.#delay < MAX_DELAY
    const early = givesWay ? this.#lookedAt + LOOK_INTERVAL - stopwatch() : 0
    if (early > 0) {
      this.#lookAfter(early)
      return false
    }
    this.#lookedAt = stopwatch()
    const count = givesWay ? Math.min(free, LOOK_COUNT) : free
    const { deliveries } = await clock.measure(() =>
      takeWebhooks(gateway.db, { count, rooms, except: full, now: clock.now(), lease: LEASE }),
    )
    this.#delay = delayOf(deliveries, clock.now())
    for (const delivery of deliveries) this.#send(delivery)
    return deliveries.length === count
  }

  #lookAfter(pause: number): void {
    if (this.#isTimed) return
    this.#isTimed = true
    setTimeout(() => {
      this.#isTimed = false
      this.#waker.wake()
    }, pause).unref()
  }

  #send(delivery: TakenWebhook): void {
    const { environmentId, subscriptionId } = delivery
    const place = this.#places.begin({ environmentId, integrationId: subscriptionId })
    const one = this.#attempt(delivery).then((isAnswered) => {
      this.#sending.delete(one)
      place.end(isAnswered ? 'answered' : 'strained')
    })
    this.#sending.add(one)
  }

  /** Makes one attempt and records it. Never throws. @returns false without an answer. */
  async #attempt(delivery: TakenWebhook): Promise<boolean> {
    const { gateway, outbound, logger, stopwatch } = this.#options
    const { environmentId, id, subscriptionId, heldUntil, attemptCount, subscription } = delivery
    const fields = { environmentId, subscription, webhookDeliveryId: id }
    try {
      const startedAt = gateway.now()
      const start = stopwatch()
      const response = await sendWebhook(createEnvironmentScope(gateway, environmentId), outbound, delivery)
      const duration = stopwatch() - start
      const verdict = verdictOf(response, {
        ...{ attemptCount: attemptCount + 1, startedAt, duration, now: gateway.now() },
      })
      await this.#record({ environmentId, id, subscriptionId, heldUntil, ...verdict })
      gateway.metrics.webhookAttempted(outcomes[verdict.status], duration / 1000)
      if (verdict.status === 'failed')
        logger.warn({ ...fields, reason: verdict.attempt.error }, 'webhook message failed')
      return response.status !== null
    } catch (error) {
      logger.error({ err: loggable(error), ...fields }, 'webhook result not recorded: sent again')
      return false
    }
  }

  /** Records results that arrive at the same time together. */
  #record(result: WebhookResult): Promise<boolean> {
    return this.#results.join(WEBHOOKS, result, async (results) => {
      const { gateway, logger } = this.#options
      const now = gateway.now()
      const disabled = await recordWebhookResults(gateway.db, results, {
        now,
        failingBefore: new Date(now.getTime() - FAILING_FOR),
        failing: disabledReasons.failing,
      })
      for (const { environmentId, identifier, reason } of disabled) {
        gateway.webhooks.forget(environmentId)
        gateway.metrics.webhookDisabled(reason === disabledReasons.gone ? 'gone' : 'failing')
        logger.warn({ environmentId, subscription: identifier, reason }, 'webhook subscription deactivated')
      }
      return results.map(() => true)
    })
  }
}

const outcomes = { succeeded: 'succeeded', pending: 'retried', failed: 'failed' } as const satisfies Record<
  WebhookResult['status'],
  WebhookOutcome
>
