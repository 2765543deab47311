// The worker: takes jobs off the queue for as long as the process runs, and stops without leaving one half done.
import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable, loggable } from '../data/database-errors.ts'
import type { Connection, Database } from '../data/database.ts'
import type { StopListening } from '../data/listen.ts'
import { maintainQueue } from '../data/queue-tables.ts'
import { failJob, finishJob, type Job, takeJobs, type Work, WORK_CHANNEL } from '../data/queue.ts'
import { createEnvironmentScope, type EnvironmentScope } from '../domain/scope.ts'
import { advanceRuns } from '../engine/advance.ts'
import { giveUpDelivery } from '../engine/attempt.ts'
import { fanOut } from '../engine/fan-out.ts'
import { failRuns } from '../engine/retry.ts'
import { deliver, type Delivering } from './deliver.ts'

export interface WorkerOptions extends Delivering {
  readonly database: Pick<Database, 'pool' | 'listen'>
  /** Transactions of runs at a time: one on the embedded database, which has one connection. */
  readonly concurrency: number
}

export interface Worker {
  /** Works until it is told to stop. @throws when the database cannot be listened to. */
  start(): Promise<void>
  /** Ends what was begun, and begins nothing more until it is started again. */
  stop(): Promise<void>
  /**
   * Works until nothing is left.
   *
   * @param early also what should start later, such as a step after a delay: for tests, which have no time to wait.
   */
  drain(options?: { readonly early?: boolean }): Promise<void>
}

/** Messages that are on their way at a time. */
const MESSAGES_AT_ONCE = 20

/**
 * How long a worker that found nothing rests before it looks again, in milliseconds. It is woken earlier by new work; this
 * is for what was to start later.
 */
const IDLE = 1_000
/** How often what dead processes had taken is given back, in milliseconds. */
const MAINTENANCE = 30_000
/** After a fault, such as a database that does not answer. */
const RECOVERY = 2_000

/** What the queue keeps of a job that failed. */
const seeLog = 'The log has the cause under this job.'

/** What is done in one transaction together with the end of its job. */
type TransactedQueue = Exclude<keyof Work, 'deliver'>

interface Task<Name extends TransactedQueue> {
  readonly run: (scope: EnvironmentScope, data: Work[Name]) => Promise<void>
  /** What is written down when the job failed for the last time. */
  readonly giveUp: (scope: EnvironmentScope, data: Work[Name]) => Promise<void>
}

const tasks: { readonly [Name in TransactedQueue]: Task<Name> } = {
  // Fan-out is given up only after hours of faults; it stays in the queue as failed, where an operator finds it.
  'fan-out': { run: fanOut, giveUp: async () => {} },
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
  /** Aborted when there is work, and then another one. */
  let resting = new AbortController()
  const wake = () => {
    resting.abort()
    resting = new AbortController()
  }
  const awake = () => AbortSignal.any([stopping.signal, resting.signal])

  /** Does a job in the transaction that took it: whatever ends the process gives it back at once. */
  async function workOne(queue: TransactedQueue, early: boolean): Promise<boolean> {
    if (stopping.signal.aborted) return false
    return gateway.db.$transaction(async (db) => {
      const [job] = await takeJobs(db, queue, { count: 1, early })
      if (job === undefined) return false
      await work(db, queue, job)
      return true
    })
  }

  async function work<Name extends TransactedQueue>(db: Connection, queue: Name, job: Job<Name>): Promise<void> {
    const { run, giveUp }: Task<Name> = tasks[queue]
    const scope = createEnvironmentScope(gateway, job.data.environmentId, db)
    try {
      // A savepoint: what a failing job has done is undone, and that it failed is kept.
      await scope.transaction((inner) => run(inner, job.data))
      await finishJob(db, queue, job.id)
    } catch (error) {
      if (isUnavailable(error)) throw error
      logger.error({ err: loggable(error), queue, jobId: job.id }, 'a job failed')
      if (await failJob(db, queue, job.id, seeLog)) await giveUp(scope, job.data)
    }
  }

  /** Messages are sent outside of a transaction: a provider may take its time. */
  async function sendOne({ id, data }: Job<'deliver'>): Promise<void> {
    try {
      await deliver(options, data, ({ db }) => finishJob(db, 'deliver', id))
    } catch (error) {
      logger.error({ err: loggable(error), queue: 'deliver', jobId: id }, 'a job failed')
      await createEnvironmentScope(gateway, data.environmentId)
        .transaction(async (inner) => {
          if (await failJob(inner.db, 'deliver', id, seeLog)) await giveUpDelivery(inner, data.deliveryId)
        })
        // Where that fails too, the job is given back after two minutes.
        .catch(() => {})
    }
  }

  /**
   * A page of some event's recipients and a portion of some event's runs in turn, until neither is there: the fan-out to a
   * large topic holds up nobody else's runs, and they do not hold up its next page.
   */
  async function workAll(early: boolean): Promise<boolean> {
    for (let worked = false; ; worked = true) {
      const paged = await workOne('fan-out', early)
      const advanced = await workOne('advance', early)
      if (!paged && !advanced) return worked
    }
  }

  /** Takes the next message when one was sent, and looks for others meanwhile: a slow provider holds up only its own. */
  async function sendAll(early: boolean): Promise<boolean> {
    let sent = false
    const sending = new Set<Promise<void>>()
    try {
      for (;;) {
        const signal = awake()
        const free = stopping.signal.aborted ? 0 : MESSAGES_AT_ONCE - sending.size
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
      // Where the database went away, what is on its way still is.
      await Promise.all(sending)
    }
  }

  async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    await pause(milliseconds, undefined, { signal }).catch(() => {})
  }

  async function maintain(): Promise<boolean> {
    await maintainQueue(database.pool)
    return false
  }

  /** Does something again at once where it found work, and otherwise after a rest, from which work may wake it. */
  async function repeat(
    work: (early: boolean) => Promise<boolean>,
    { idle, wakes }: { readonly idle: number; readonly wakes: boolean },
  ): Promise<void> {
    while (!stopping.signal.aborted) {
      let length = idle
      // Taken before looking: what comes meanwhile must not be slept through.
      const signal = wakes ? awake() : stopping.signal
      try {
        if (await work(false)) continue
      } catch (error) {
        logger.error({ err: loggable(error) }, 'the worker could not go on, and will try again')
        length = RECOVERY
      }
      await rest(length, signal)
    }
  }

  return {
    async start() {
      if (stopping.signal.aborted) stopping = new AbortController()
      stopListening = await database.listen(WORK_CHANNEL, { onMessage: wake, onDisconnect() {}, onReconnect: wake })
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
