// The worker: takes jobs off the queue for as long as the process runs, and stops without leaving one half done.
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection, Database } from '../data/database.ts'
import { isUnavailable, loggable } from '../data/failure.ts'
import { failJob, finishJob, type Job, takeJobs, WORK_CHANNEL, type Work } from '../data/queue.ts'
import { maintainQueue } from '../data/queue-tables.ts'
import type { StopListening } from '../data/listen.ts'
import { advanceRuns } from '../domain/advance.ts'
import { fanOut } from '../domain/fan-out.ts'
import { failRuns } from '../domain/run.ts'
import { createWorkspace, type Workspace } from '../domain/scope.ts'
import { deliver, type Delivering } from './deliver.ts'

export interface WorkerOptions extends Delivering {
  readonly database: Pick<Database, 'pool' | 'listen'>
  /** Transactions of runs at a time: one on the embedded database, which has one connection. */
  readonly lanes: number
}

export interface Worker {
  /** Works until it is told to stop. @throws when the database cannot be listened to. */
  start(): Promise<void>
  /** Ends what was begun, and begins nothing more. */
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
 * How long a lane that found nothing rests before it looks again, in milliseconds. It is woken earlier by new work; this
 * is for what was to start later.
 */
const IDLE = 1_000
/** How often what dead processes had taken is given back, in milliseconds. */
const MAINTENANCE = 30_000
/** After a fault, such as a database that does not answer. */
const RECOVERY = 2_000

/** What is done in one transaction together with the end of its job. */
type TransactedQueue = Exclude<keyof Work, 'deliver'>

interface Task<Name extends TransactedQueue> {
  readonly run: (workspace: Workspace, data: Work[Name]) => Promise<void>
  /** What is written down when the job failed for the last time. */
  readonly giveUp: (workspace: Workspace, data: Work[Name]) => Promise<void>
}

const tasks: { readonly [Name in TransactedQueue]: Task<Name> } = {
  // Fan-out is given up only after hours of faults; it stays in the queue as failed, where an operator finds it.
  'fan-out': { run: fanOut, giveUp: async () => {} },
  advance: {
    run: advanceRuns,
    giveUp: (workspace, { runIds }) => failRuns(workspace, runIds),
  },
}

export function createWorker(options: WorkerOptions): Worker {
  const { gateway, database, logger, lanes } = options
  const stopping = new AbortController()
  const running: Promise<void>[] = []
  let stopListening: StopListening = async () => {}
  /** Aborted when there is work, and then another one. */
  let resting = new AbortController()
  const wake = () => {
    resting.abort()
    resting = new AbortController()
  }

  /** Does a job in the transaction that took it: whatever ends the process gives it back at once. */
  async function workOne(queue: TransactedQueue, early: boolean): Promise<boolean> {
    return gateway.db.$transaction(async (db) => {
      const [job] = await takeJobs(db, queue, { count: 1, early })
      if (job === undefined) return false
      await work(db, queue, job)
      return true
    })
  }

  async function work<Name extends TransactedQueue>(db: Connection, queue: Name, job: Job<Name>): Promise<void> {
    const { run, giveUp }: Task<Name> = tasks[queue]
    const workspace = createWorkspace(gateway, job.data.environmentId, db)
    try {
      // A savepoint: what a failing job has done is undone, and that it failed is kept.
      await workspace.transaction((inner) => run(inner, job.data))
      await finishJob(db, queue, job.id)
    } catch (error) {
      if (isUnavailable(error)) throw error
      logger.error({ err: loggable(error), queue, jobId: job.id }, 'a job failed')
      if (await failJob(db, queue, job.id, 'The log has the cause under this job.')) await giveUp(workspace, job.data)
    }
  }

  /** Messages are sent outside of a transaction: a provider may take its time. */
  async function sendOne({ id, data }: Job<'deliver'>): Promise<void> {
    try {
      await deliver(options, data, ({ db }) => finishJob(db, 'deliver', id))
    } catch (error) {
      logger.error({ err: loggable(error), queue: 'deliver', jobId: id }, 'a job failed')
      // Where that fails too, the job is given back after two minutes.
      await failJob(gateway.db, 'deliver', id, 'The log has the cause under this job.').catch(() => {})
    }
  }

  /** One after the other, until nothing is there. */
  async function workAll(early: boolean): Promise<boolean> {
    let worked = false
    while (!stopping.signal.aborted && ((await workOne('fan-out', early)) || (await workOne('advance', early)))) {
      worked = true
    }
    return worked
  }

  /** Each lane of messages takes the next one when it has sent one, so that a slow provider holds up only its lane. */
  async function sendAll(early: boolean): Promise<boolean> {
    let sent = false
    const sending = new Set<Promise<void>>()
    for (;;) {
      const jobs = stopping.signal.aborted
        ? []
        : await takeJobs(gateway.db, 'deliver', { count: MESSAGES_AT_ONCE - sending.size, early })
      for (const job of jobs) {
        sent = true
        const one: Promise<void> = sendOne(job).finally(() => sending.delete(one))
        sending.add(one)
      }
      if (sending.size === 0) return sent
      if (jobs.length === 0 || sending.size === MESSAGES_AT_ONCE) await Promise.race(sending)
    }
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
      let rest = idle
      // Taken before looking: what comes meanwhile must not be slept through.
      const signal = wakes ? AbortSignal.any([stopping.signal, resting.signal]) : stopping.signal
      try {
        if (await work(false)) continue
      } catch (error) {
        logger.error({ err: loggable(error) }, 'the worker could not go on, and will try again')
        rest = RECOVERY
      }
      await pause(rest, undefined, { signal }).catch(() => {})
    }
  }

  return {
    async start() {
      stopListening = await database.listen(WORK_CHANNEL, { heard: wake, lost() {}, found: wake })
      const working = { idle: IDLE, wakes: true }
      running.push(
        ...Array.from({ length: lanes }, () => repeat(workAll, working)),
        repeat(sendAll, working),
        repeat(maintain, { idle: MAINTENANCE, wakes: false }),
      )
    },
    async stop() {
      stopping.abort()
      await Promise.all([...running, stopListening()])
    },
    async drain({ early = false } = {}) {
      while ((await workAll(early)) || (await sendAll(early)));
    },
  }
}
