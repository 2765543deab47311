// The worker: executes the jobs of the queue while the process runs, and finishes those it has begun before it stops.
import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable, loggable } from '../data/database-errors.ts'
import type { Connection, Database } from '../data/database.ts'
import { foldTallies } from '../data/event.ts'
import type { StopListening } from '../data/listen.ts'
import { maintainQueue } from '../data/queue-tables.ts'
import { failJob, finishJob, type Job, takeJobs, type Work, WORK_CHANNEL } from '../data/queue.ts'
import { createEnvironmentScope, type EnvironmentScope } from '../domain/scope.ts'
import { advanceRuns } from '../engine/advance.ts'
import { giveUpDelivery } from '../engine/attempt.ts'
import { failEvent } from '../engine/event-outcome.ts'
import { fanOut } from '../engine/fan-out.ts'
import { failRuns } from '../engine/retry.ts'
import { deliver, type Delivering } from './deliver.ts'

export interface WorkerOptions extends Delivering {
  readonly database: Pick<Database, 'pool' | 'listen'>
  /** The number of jobs other than messages at the same time. 1 on the embedded database, which has one connection. */
  readonly concurrency: number
}

export interface Worker {
  /** Executes jobs until `stop`. @throws if the database cannot be listened to. */
  start(): Promise<void>
  /** Takes no more jobs, and resolves when those in progress have ended. `start` starts the worker again. */
  stop(): Promise<void>
  /**
   * Executes jobs until the queue is empty.
   *
   * @param early true to include jobs that are due later, such as a step after a delay. For tests.
   */
  drain(options?: { readonly early?: boolean }): Promise<void>
}

/** The number of messages that are sent at the same time. */
const MESSAGE_CONCURRENCY = 20

/** Milliseconds between polls of an empty queue. New jobs wake the worker at once; polling finds those that become due. */
const IDLE = 1_000
/** Milliseconds between releases of jobs that died with their process, and between additions of tallies. */
const MAINTENANCE = 30_000
/** Changes of tallies that one statement adds up. On the embedded database, every request waits for it. */
const FOLDED_AT_ONCE = 1_000
/** Milliseconds before the next poll after an error, such as a lost database connection. */
const RECOVERY = 2_000

/** The error of a failed job in the queue. */
const seeLog = 'See the log entry for this job.'

/** The queues whose jobs are executed and finished in one transaction. */
type TransactedQueue = Exclude<keyof Work, 'deliver'>

interface Task<Name extends TransactedQueue> {
  readonly run: (scope: EnvironmentScope, data: Work[Name]) => Promise<void>
  /** Records that the job failed for the last time. */
  readonly giveUp: (scope: EnvironmentScope, data: Work[Name]) => Promise<void>
}

const tasks: { readonly [Name in TransactedQueue]: Task<Name> } = {
  'fan-out': { run: fanOut, giveUp: (scope, { eventId }) => failEvent(scope, eventId, 'fan_out_failed') },
  advance: {
    run: advanceRuns,
    giveUp: (scope, { runIds }) => failRuns(scope, runIds),
  },
}

export function createWorker(options: WorkerOptions): Worker {
  const { gateway, database, logger, concurrency } = options
  let stopping = new AbortController()
  const running: Promise<void>[] = []
  let stopListening: StopListening = async () => {}
  /** Aborted and replaced when there is work. */
  let resting = new AbortController()
  const wake = () => {
    resting.abort()
    resting = new AbortController()
  }
  const awake = () => AbortSignal.any([stopping.signal, resting.signal])

  /** Executes a job in the transaction that takes it. If the process dies, the job is released at once. */
  async function workOne(queue: TransactedQueue, early: boolean): Promise<boolean> {
    if (stopping.signal.aborted) return false
    const done = await gateway.db.$transaction(async (db) => {
      const [job] = await takeJobs(db, queue, { count: 1, early })
      if (job !== undefined) await work(db, queue, job)
      return job
    })
    if (done !== undefined) gateway.counts.drop(done.data.environmentId)
    return done !== undefined
  }

  async function work<Name extends TransactedQueue>(db: Connection, queue: Name, job: Job<Name>): Promise<void> {
    const { run, giveUp }: Task<Name> = tasks[queue]
    const scope = createEnvironmentScope(gateway, job.data.environmentId, db)
    try {
      // A savepoint: a failure rolls back the job's writes, but not the record of the failure.
      await scope.transaction((inner) => run(inner, job.data))
      await finishJob(db, queue, job.id)
    } catch (error) {
      if (isUnavailable(error)) throw error
      logger.error({ err: loggable(error), queue, jobId: job.id }, 'job failed')
      if (await failJob(db, queue, job.id, seeLog)) await giveUp(scope, job.data)
    }
  }

  /** Messages are sent outside of a transaction, because providers can be slow. */
  async function sendOne({ id, data }: Job<'deliver'>): Promise<void> {
    try {
      await deliver(options, data, ({ db }) => finishJob(db, 'deliver', id))
    } catch (error) {
      logger.error({ err: loggable(error), queue: 'deliver', jobId: id }, 'job failed')
      await createEnvironmentScope(gateway, data.environmentId)
        .transaction(async (inner) => {
          if (await failJob(inner.db, 'deliver', id, seeLog)) await giveUpDelivery(inner, data.deliveryId)
        })
        // The job expires after two minutes and is then executed again.
        .catch((fault: unknown) => {
          logger.error({ err: loggable(fault), queue: 'deliver', jobId: id }, 'job failure not recorded')
        })
    }
  }

  /**
   * Alternates between a page of fan-out and a batch of runs until both queues are empty. So fan-out to a large topic does
   * not delay the runs of other events, and they do not delay its next page.
   */
  async function workAll(early: boolean): Promise<boolean> {
    for (let worked = false; ; worked = true) {
      const paged = await workOne('fan-out', early)
      const advanced = await workOne('advance', early)
      if (!paged && !advanced) return worked
    }
  }

  /** Sends messages concurrently and takes a new one for each that ends, so a slow provider delays only its own. */
  async function sendAll(early: boolean): Promise<boolean> {
    let sent = false
    const sending = new Set<Promise<void>>()
    try {
      for (;;) {
        const signal = awake()
        const free = stopping.signal.aborted ? 0 : MESSAGE_CONCURRENCY - sending.size
        const jobs = free > 0 ? await takeJobs(gateway.db, 'deliver', { count: free, early }) : []
        for (const job of jobs) {
          sent = true
          const one: Promise<void> = sendOne(job).finally(() => sending.delete(one))
          sending.add(one)
        }
        if (sending.size === 0) return sent
        if (jobs.length < free) await Promise.race([...sending, rest(IDLE, signal)])
        else await Promise.race(sending)
      }
    } finally {
      // Also if taking jobs failed: messages in progress have to end.
      await Promise.all(sending)
    }
  }

  /** Resolves after a time, or when the signal aborts. */
  async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    await pause(milliseconds, undefined, { signal }).catch(() => {})
  }

  async function maintain(): Promise<boolean> {
    await maintainQueue(database.pool)
    while (!stopping.signal.aborted && (await foldTallies(gateway.db, FOLDED_AT_ONCE)) === FOLDED_AT_ONCE);
    return false
  }

  /** Repeats `work`: at once if it found work, otherwise after `idle` milliseconds, or earlier if it is woken. */
  async function repeat(
    work: (early: boolean) => Promise<boolean>,
    { idle, wakes }: { readonly idle: number; readonly wakes: boolean },
  ): Promise<void> {
    while (!stopping.signal.aborted) {
      let length = idle
      // Taken before looking for work, so that work that arrives meanwhile ends the rest.
      const signal = wakes ? awake() : stopping.signal
      try {
        if (await work(false)) continue
      } catch (error) {
        logger.error({ err: loggable(error) }, 'worker loop failed, retrying')
        length = RECOVERY
      }
      await rest(length, signal)
    }
  }

  return {
    async start() {
      if (stopping.signal.aborted) stopping = new AbortController()
      const channel = WORK_CHANNEL
      stopListening = await database.listen(channel, {
        onMessage: wake,
        onDisconnect: () => logger.warn({ channel }, 'LISTEN connection lost, polling for jobs'),
        onReconnect() {
          logger.info({ channel }, 'LISTEN connection restored')
          wake()
        },
      })
      const working = { idle: IDLE, wakes: true }
      running.push(
        ...Array.from({ length: concurrency }, () => repeat(workAll, working)),
        repeat(sendAll, working),
        repeat(maintain, { idle: MAINTENANCE, wakes: false }),
      )
    },
    async stop() {
      stopping.abort()
      await Promise.all([...running.splice(0), stopListening()])
    },
    async drain({ early = false } = {}) {
      while ((await workAll(early)) || (await sendAll(early)));
    },
  }
}
