// The worker executes the jobs of the queue while the process runs, and finishes jobs in progress before it stops.
import type { Clock } from '../../data/connection/clock.ts'
import type { Database } from '../../data/connection/database.ts'
import { Places } from '../../lib/places.ts'
import { aimOf, createBatchSizes } from './batch-sizes.ts'
import type { Delivering } from '../sending/deliver.ts'
import { FanOutLoop } from './fan-out-loop.ts'
import { JobWatch } from './job-watch.ts'
import type { Loop } from './loop.ts'
import { MESSAGE_CONCURRENCY } from './message-concurrency.ts'
import { MessageLoop } from './message-loop.ts'
import type { MessagePlaces } from './places.ts'
import { createProviderHealth } from '../sending/provider-health.ts'
import { repeat, type Repeating } from './repeat.ts'
import { RunLoop } from './run-loop.ts'
import { SerialQueue } from './serial-queue.ts'
import type { TransactedLoopOptions } from './transacted-loop.ts'
import { WebhookLoop } from './webhook-loop.ts'

export interface WorkerOptions extends Omit<Delivering, 'health' | 'inTurn'>, Partial<Pick<Delivering, 'health'>> {
  /** Set by the statements that take jobs. */
  readonly clock: Clock
  readonly database: Pick<Database, 'listen'>
  /** True on the embedded database, which has one connection. */
  readonly embedded: boolean
  /** The number of messages that are sent at the same time. Defaults to `MESSAGE_CONCURRENCY`. */
  readonly messageConcurrency?: number | undefined
  /**
   * The stopwatch for transactions and messages: milliseconds from an arbitrary start. Defaults to `performance.now`.
   */
  readonly stopwatch?: (() => number) | undefined
  /** The time limit of a job's transaction, in milliseconds. Defaults to the database's. */
  readonly timeout?: number
}

export interface Worker {
  /** The places for messages: how many are held and free, and the number of messages in flight. */
  readonly places: Pick<MessagePlaces, 'held' | 'free' | 'inFlight'>
  /** Executes jobs until `stop`. @throws if listening to the database fails. */
  start(): Promise<void>
  /** Stops taking jobs, and resolves when the jobs in progress have ended. `start` starts the worker again. */
  stop(): Promise<void>
  /** Executes jobs until none is available. */
  drain(): Promise<void>
}

/** The maximum number of transactions on events, and of transactions on runs. */
const CONCURRENCY = { embedded: 1, server: 3 } as const

/**
 * Messages of one environment whose statements wait for the only connection of the embedded database at a time. Fan-outs
 * and other environments wait behind them.
 */
const MESSAGES_EMBEDDED = 2

export function createWorker(options: WorkerOptions): Worker {
  const { gateway, clock, logger, embedded, messageConcurrency = MESSAGE_CONCURRENCY } = options
  const stopwatch = options.stopwatch ?? (() => performance.now())
  const watch = new JobWatch(options)
  const transacted: TransactedLoopOptions = {
    ...{ gateway, clock, logger, stopwatch, timeout: options.timeout },
    concurrency: CONCURRENCY[embedded ? 'embedded' : 'server'],
    sizes: createBatchSizes(aimOf(embedded)),
    // With only one connection, at most one transaction waits for it, so that requests wait no longer than for that
    // one.
    turns: embedded ? new SerialQueue() : undefined,
    concurrent: () => fanOuts.transactions + runs.transactions,
    isListening: () => watch.isListening,
  }
  const fanOuts = new FanOutLoop(transacted)
  const runs = new RunLoop(transacted)
  const health = options.health ?? createProviderHealth(logger)
  const messageTurns = new Places(embedded ? MESSAGES_EMBEDDED : Infinity)
  const inTurn: Delivering['inTurn'] = (environmentId, work) => messageTurns.run(environmentId, work)
  const messages = new MessageLoop({ ...options, health, inTurn, concurrency: messageConcurrency, stopwatch })
  const webhooks = new WebhookLoop({
    ...{ gateway, clock, logger, stopwatch, outbound: options.outbound },
    isBusy: () => fanOuts.transactions + runs.transactions > 0,
  })
  const loops: readonly Loop[] = [fanOuts, runs, messages, webhooks]
  let stopping = new AbortController()
  const running: Promise<void>[] = []

  /** Executes the next jobs of the first loop that has any. @returns false if no loop has jobs. */
  async function work(): Promise<boolean> {
    for (const loop of loops) if (await loop.work(stopping.signal)) return true
    return false
  }

  return {
    places: messages.places,
    async start() {
      if (stopping.signal.aborted) stopping = new AbortController()
      await watch.start(loops)
      const repeating: Repeating = { stopping: stopping.signal, db: gateway.db, clock, logger }
      running.push(
        ...loops.map((loop) => loop.run(repeating)),
        repeat(repeating, () => watch.look(loops, stopping.signal)),
      )
    },
    async stop() {
      stopping.abort()
      watch.stop()
      await Promise.all(running.splice(0))
    },
    async drain() {
      while (await work());
    },
  }
}
