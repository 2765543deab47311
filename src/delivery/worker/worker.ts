// The worker: executes the jobs of the queue while the process runs, and finishes those it has begun before it stops.
import type { Clock } from '../../data/connection/clock.ts'
import type { Database } from '../../data/connection/database.ts'
import { releaseEnded } from '../../domain/execution/pause.ts'
import { addUpCounts } from './added-counts.ts'
import { Alarm } from './alarm.ts'
import { Announcements } from './announcements.ts'
import { aimOf, createBatchSizes } from './batch-sizes.ts'
import type { Delivering } from '../sending/deliver.ts'
import { JobLoop } from './job-loop.ts'
import { Line } from './line.ts'
import { MESSAGE_CONCURRENCY } from './message-concurrency.ts'
import { MessageLoop } from './message-loop.ts'
import type { MessagePlaces } from './places.ts'
import { createProviderHealth } from '../sending/provider-health.ts'
import { repeat, repeatAtBell, rest, type Repeating } from './repeat.ts'

export interface WorkerOptions extends Omit<Delivering, 'health'>, Partial<Pick<Delivering, 'health'>> {
  /** Set by the statements that take jobs. */
  readonly clock: Clock
  readonly database: Pick<Database, 'listen'>
  /**
   * The number of transactions at the same time, on events and as many on runs. 1 on the embedded database, which has one
   * connection.
   */
  readonly concurrency: number
  /** The number of messages that are sent at the same time. Defaults to `MESSAGE_CONCURRENCY`. */
  readonly messageConcurrency?: number | undefined
  /** The time in milliseconds, from any start. Measures transactions and messages. Defaults to `performance.now`. */
  readonly stopwatch?: (() => number) | undefined
  /** The time the transaction of a job may take, in milliseconds. Defaults to the database's. */
  readonly timeout?: number
}

export interface Worker {
  /** The places for messages: how many are taken and free now, and the messages in flight. */
  readonly places: Pick<MessagePlaces, 'held' | 'free' | 'inFlight'>
  /** Executes jobs until `stop`. @throws if the database cannot be listened to. */
  start(): Promise<void>
  /** Takes no more jobs, and resolves when those in progress have ended. `start` starts the worker again. */
  stop(): Promise<void>
  /** Executes jobs until none is available. */
  drain(): Promise<void>
}

/** Milliseconds between additions of counts. */
const MAINTENANCE = 30_000

export function createWorker(options: WorkerOptions): Worker {
  const { gateway, clock, logger, concurrency, messageConcurrency = MESSAGE_CONCURRENCY } = options
  const stopwatch = options.stopwatch ?? (() => performance.now())
  let stopping = new AbortController()
  const running: Promise<void>[] = []
  const transacting = {
    ...{ gateway, clock, logger, concurrency, stopwatch, timeout: options.timeout },
    sizes: createBatchSizes(aimOf(concurrency)),
    concurrent: () => events.inProgress.all + runs.inProgress.all,
    isListening: (): boolean => alarm.isListening,
  }
  // Only one on events: those that arrive meanwhile share the next one, which costs less than transactions side by side.
  const events = new JobLoop({ ...transacting, kind: 'events', share: 1 })
  // Others always have room.
  const runs = new JobLoop({ ...transacting, kind: 'runs', share: Math.max(1, concurrency - 1) })
  const health = options.health ?? createProviderHealth(logger)
  const messages = new MessageLoop({ ...options, health, concurrency: messageConcurrency, stopwatch })
  const announcements = new Announcements(
    (environmentId) => events.inProgress.of(environmentId) > 0,
    () => events.bell.ring(),
  )
  const alarm: Alarm = new Alarm({
    ...options,
    bells: { events: events.bell, runs: runs.bell, messages: messages.bell },
    onEvents: (environmentId) => announcements.announce(environmentId),
  })
  /** With one connection, one transaction waits for it at a time, so that requests wait for no more than that. */
  const turns = new Line()
  const inTurn = <Result>(work: () => Promise<Result>) => (concurrency === 1 ? turns.next(work) : work())
  const workOnEvents = () =>
    inTurn(() =>
      events.work(
        stopping.signal,
        (take) => announcements.look(take),
        (environmentId) => announcements.end(environmentId),
      ),
    )
  const workOnRuns = () => inTurn(() => runs.work(stopping.signal))

  async function maintain(): Promise<void> {
    await addUpCounts(gateway.db, stopping.signal)
    await releaseEnded(gateway)
    await rest(MAINTENANCE, stopping.signal)
  }

  return {
    places: messages.places,
    async start() {
      if (stopping.signal.aborted) stopping = new AbortController()
      await alarm.start()
      const repeating: Repeating = { stopping: stopping.signal, db: gateway.db, clock, logger }
      running.push(
        ...Array.from({ length: concurrency }, () => [
          repeatAtBell(repeating, events.bell, async () => (await workOnEvents()).maybeMore),
          repeatAtBell(repeating, runs.bell, async () => (await workOnRuns()).maybeMore),
        ]).flat(),
        repeatAtBell(repeating, messages.bell, () => messages.work(stopping.signal)),
        repeat(repeating, () => alarm.look(stopping.signal)),
        repeat(repeating, maintain),
      )
    },
    async stop() {
      stopping.abort()
      alarm.stop()
      await Promise.all(running.splice(0))
    },
    async drain() {
      while ((await workOnEvents()).some || (await workOnRuns()).some || (await messages.work(stopping.signal)));
    },
  }
}
