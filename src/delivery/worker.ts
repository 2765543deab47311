// The worker: executes the jobs of the queue while the process runs, and finishes those it has begun before it stops.
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../data/clock.ts'
import { loggable } from '../data/database-errors.ts'
import type { Database } from '../data/database.ts'
import { foldTallies } from '../data/event.ts'
import { lookForJobs, NO_ENVIRONMENT, takeJobs } from '../data/job-taking.ts'
import { type Job, JOB_CHANNEL, type JobKind, readAnnouncement } from '../data/job.ts'
import type { StopListening } from '../data/listen.ts'
import { aimOf, createBatchSizes } from './batch-sizes.ts'
import { Bell } from './bell.ts'
import type { Delivering } from './deliver.ts'
import { InProgress } from './in-progress.ts'
import { sendMessage } from './message-job.ts'
import { executeJob } from './transacted-job.ts'

export interface WorkerOptions extends Delivering {
  /** Set by the statements that take jobs. */
  readonly clock: Clock
  readonly database: Pick<Database, 'listen'>
  /** The number of jobs other than messages at the same time. 1 on the embedded database, which has one connection. */
  readonly concurrency: number
  /** The time in milliseconds, from any start. Measures transactions. Defaults to `performance.now`. */
  readonly stopwatch?: (() => number) | undefined
  /** The time the transaction of a job may take, in milliseconds. Defaults to the database's. */
  readonly timeout?: number
}

export interface Worker {
  /** Executes jobs until `stop`. @throws if the database cannot be listened to. */
  start(): Promise<void>
  /** Takes no more jobs, and resolves when those in progress have ended. `start` starts the worker again. */
  stop(): Promise<void>
  /** Executes jobs until none is available. */
  drain(): Promise<void>
}

/** The number of messages that are sent at the same time. */
const MESSAGE_CONCURRENCY = 40

/** Milliseconds between looks into an empty queue. New jobs wake the worker at once; a look finds those that become due. */
const IDLE = 1_000
/** Milliseconds between additions of tallies. */
const MAINTENANCE = 30_000
/** Changes of tallies that one statement adds up. On the embedded database, every request waits for it. */
const FOLDED_AT_ONCE = 1_000
/** Milliseconds before the next look after an error, such as a lost database connection. */
const RECOVERY = 2_000

/**
 * The time after which other processes may take a job again, in milliseconds. A job other than a message is soon held by
 * the lock of its transaction, which ends with the process. A message has none: its time is longer than any provider may
 * take.
 */
const LEASE = { transacted: 2_000, deliver: 120_000 } as const satisfies Record<JobKind, number>

export function createWorker(options: WorkerOptions): Worker {
  const { gateway, clock, database, logger, concurrency, timeout } = options
  const stopwatch = options.stopwatch ?? (() => performance.now())
  let stopping = new AbortController()
  const running: Promise<void>[] = []
  let stopListening: StopListening = () => {}
  const bells = { transacted: new Bell(concurrency), deliver: new Bell(1) } as const satisfies Record<JobKind, Bell>
  const inProgress = { transacted: new InProgress(), deliver: new InProgress() } as const
  /** The environments that were served last. */
  const last = { transacted: NO_ENVIRONMENT, deliver: NO_ENVIRONMENT }
  /** The ids of the jobs other than messages in progress: under load, their transactions may begin after their lease. */
  const taken = new Set<string>()
  const sizes = createBatchSizes(aimOf(concurrency))

  /** Executes the next job that only touches the database. An environment leaves room for one job of another. */
  async function workOne(): Promise<boolean> {
    if (stopping.signal.aborted) return false
    const { jobs, last: served } = await clock.measure(() =>
      takeJobs(gateway.db, {
        kind: 'transacted',
        count: { all: 1, each: 1 },
        after: last.transacted,
        except: concurrency === 1 ? [] : inProgress.transacted.having(concurrency - 1),
        taken: [...taken],
        now: clock.now(),
        lease: LEASE.transacted,
      }),
    )
    const [job] = jobs
    if (job === undefined) return false
    last.transacted = served
    taken.add(job.id)
    inProgress.transacted.begin(job.environmentId)
    try {
      const concurrent = () => inProgress.transacted.all
      await executeJob({ gateway, logger, sizes, stopwatch, concurrent, timeout }, job)
    } finally {
      taken.delete(job.id)
      inProgress.transacted.end(job.environmentId)
    }
    return true
  }

  async function workAll(): Promise<boolean> {
    let worked = false
    while (await workOne()) worked = true
    return worked
  }

  /**
   * Takes messages. An environment may have as many in progress as there are free places, so places are always left for
   * others, however slow the providers of some are.
   */
  async function takeMessages(): Promise<readonly Job<'deliver'>[]> {
    const messages = inProgress.deliver
    const free = MESSAGE_CONCURRENCY - messages.all
    if (free === 0 || stopping.signal.aborted) return []
    const each = Math.max(1, (free - messages.mostBelow(free)) >> 1)
    const { jobs, last: served } = await clock.measure(() =>
      takeJobs(gateway.db, {
        kind: 'deliver',
        count: { all: free, each },
        after: last.deliver,
        except: messages.having(free),
        now: clock.now(),
        lease: LEASE.deliver,
      }),
    )
    last.deliver = served
    return jobs
  }

  /** Sends messages concurrently and takes new ones when some end, so a slow provider delays only its own. */
  async function sendAll(): Promise<boolean> {
    let sent = false
    const sending = new Set<Promise<void>>()
    try {
      for (;;) {
        const jobs = await takeMessages()
        for (const job of jobs) {
          sent = true
          inProgress.deliver.begin(job.environmentId)
          const one: Promise<void> = sendMessage(options, job).finally(() => {
            sending.delete(one)
            inProgress.deliver.end(job.environmentId)
          })
          sending.add(one)
        }
        if (sending.size === 0) return sent
        if (jobs.length === 0) await endOfOne(sending)
      }
    } finally {
      // Also if taking jobs failed: messages in progress have to end.
      await Promise.all(sending)
    }
  }

  /** Resolves when a message ends, or when new ones arrive. */
  async function endOfOne(sending: ReadonlySet<Promise<void>>): Promise<void> {
    const over = new AbortController()
    const rung = bells.deliver.wait(AbortSignal.any([stopping.signal, over.signal]))
    await Promise.race(stopping.signal.aborted ? sending : [...sending, rung])
    over.abort()
  }

  /** Looks for available jobs while the process is idle: those that became due, and those of processes that died. */
  async function look(): Promise<void> {
    await rest(IDLE)
    const found = await clock.measure(() => lookForJobs(gateway.db, clock.now()))
    if (found.transacted) bells.transacted.ring(concurrency)
    if (found.deliver) bells.deliver.ring()
  }

  async function maintain(): Promise<void> {
    while (!stopping.signal.aborted && (await foldTallies(gateway.db, FOLDED_AT_ONCE)) === FOLDED_AT_ONCE);
    await rest(MAINTENANCE)
  }

  /** Resolves after a time, or when the worker stops. */
  async function rest(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: stopping.signal }).catch(() => {})
  }

  /** Repeats `work` until the worker stops. */
  async function repeat(work: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await work()
      } catch (error) {
        logger.error({ err: loggable(error) }, 'worker loop failed, retrying')
        await rest(RECOVERY)
      }
    }
  }

  /** Repeats `work`: at once if it found work, otherwise when the bell rings. */
  const repeatAtBell = (work: () => Promise<boolean>, bell: Bell) =>
    repeat(async () => {
      if (!(await work())) await bell.wait(stopping.signal)
    })

  return {
    async start() {
      if (stopping.signal.aborted) stopping = new AbortController()
      const channel = JOB_CHANNEL
      stopListening = await database.listen(channel, {
        onMessage(payload) {
          const { kind, count } = readAnnouncement(payload)
          bells[kind].ring(count)
        },
        onDisconnect: () => logger.warn({ channel }, 'LISTEN connection lost, polling for jobs'),
        onReconnect() {
          logger.info({ channel }, 'LISTEN connection restored')
          bells.transacted.ring(concurrency)
          bells.deliver.ring()
        },
      })
      running.push(
        ...Array.from({ length: concurrency }, () => repeatAtBell(workAll, bells.transacted)),
        repeatAtBell(sendAll, bells.deliver),
        repeat(look),
        repeat(maintain),
      )
    },
    async stop() {
      stopping.abort()
      stopListening()
      await Promise.all(running.splice(0))
    },
    async drain() {
      while ((await workAll()) || (await sendAll()));
    },
  }
}
