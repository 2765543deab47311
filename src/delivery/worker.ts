// The worker: executes the jobs of the queue while the process runs, and finishes those it has begun before it stops.
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../data/clock.ts'
import { loggable } from '../data/database-errors.ts'
import type { Database } from '../data/database.ts'
import { lookForJobs, NO_ENVIRONMENT, returnJobs, takeJobs } from '../data/job-taking.ts'
import { type Job, JOB_CHANNEL, type JobKind, jobKinds, type QueueOf, readAnnouncement } from '../data/job.ts'
import type { StopListening } from '../data/listen.ts'
import { addUpCounts } from './added-counts.ts'
import { Announcements } from './announcements.ts'
import { aimOf, createBatchSizes } from './batch-sizes.ts'
import { Bell } from './bell.ts'
import type { Delivering } from './deliver.ts'
import { InProgress } from './in-progress.ts'
import { Line } from './line.ts'
import { sendMessage } from './message-job.ts'
import { createProviderHealth } from './provider-health.ts'
import { byTransaction, executeJobs } from './transacted-job.ts'

export interface WorkerOptions extends Omit<Delivering, 'health'> {
  /** Set by the statements that take jobs. */
  readonly clock: Clock
  readonly database: Pick<Database, 'listen'>
  /**
   * The number of transactions at the same time, on events and as many on runs. 1 on the embedded database, which has one
   * connection.
   */
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
const IDLE = 1_100
/** Milliseconds between additions of counts. */
const MAINTENANCE = 30_000
/** Milliseconds before the next look after an error, such as a lost database connection. */
const RECOVERY = 2_000

/**
 * The time after which other processes may take a job again, in milliseconds. A job other than a message is soon held by
 * the lock of its transaction, which ends with the process. A message has none: its time is longer than any provider may
 * take.
 */
const LEASE = { events: 2_000, runs: 2_000, messages: 120_000 } as const satisfies Record<JobKind, number>

/**
 * Milliseconds after which a loop returns the jobs that it has taken and not begun: those of an event that failed before are
 * not executed together, and others wait for the loop.
 */
const TURN = 500

/** The number of jobs that a loop takes at once. Those of events share a transaction. */
const TAKEN_AT_ONCE = { events: 50, runs: 1 } as const

const environmentsOf = (jobs: readonly Job[]) => new Set(jobs.map(({ environmentId }) => environmentId))

export function createWorker(options: WorkerOptions): Worker {
  const { gateway, clock, database, logger, concurrency, timeout } = options
  const stopwatch = options.stopwatch ?? (() => performance.now())
  const delivering = { ...options, health: createProviderHealth(logger) }
  let stopping = new AbortController()
  const running: Promise<void>[] = []
  let stopListening: StopListening = () => {}
  const bells = {
    events: new Bell(concurrency),
    runs: new Bell(concurrency),
    messages: new Bell(1),
  } as const satisfies Record<JobKind, Bell>
  const inProgress = { events: new InProgress(), runs: new InProgress(), messages: new InProgress() } as const
  /** The environments that were served last. */
  const last: Record<JobKind, string> = { events: NO_ENVIRONMENT, runs: NO_ENVIRONMENT, messages: NO_ENVIRONMENT }
  /** The ids of the jobs other than messages in progress: under load, their transactions may begin after their lease. */
  const taken = new Set<string>()
  const sizes = createBatchSizes(aimOf(concurrency))
  const announcements = new Announcements(
    (environmentId) => inProgress.events.of(environmentId) > 0,
    () => bells.events.ring(),
  )
  /** False while announcements are missed. */
  let isListening = false
  /** One loop of a kind takes jobs at a time. Otherwise, several would take those of an environment with room for one. */
  const taking = { events: new Line(), runs: new Line() } as const
  /** With one connection, one transaction waits for it at a time, so that requests wait for no more than that. */
  const working = new Line()
  /**
   * The number of transactions of one environment at a time. Only one on events: those that arrive meanwhile share the next
   * one, which costs less than transactions side by side. Others always have room.
   */
  const share = { events: 1, runs: Math.max(1, concurrency - 1) } as const

  /** Takes the next jobs on events or runs of environments that have room, and counts their environments as in progress. */
  async function take<Kind extends 'events' | 'runs'>(kind: Kind): Promise<readonly Job<QueueOf[Kind]>[]> {
    if (stopping.signal.aborted) return []
    const { jobs, last: served } = await clock.measure(() =>
      takeJobs(gateway.db, {
        kind,
        count: { all: TAKEN_AT_ONCE[kind], each: TAKEN_AT_ONCE[kind] },
        after: last[kind],
        except: inProgress[kind].having(share[kind]),
        taken: [...taken],
        now: clock.now(),
        lease: LEASE[kind],
      }),
    )
    last[kind] = served
    for (const { id } of jobs) taken.add(id)
    for (const environmentId of environmentsOf(jobs)) inProgress[kind].begin(environmentId)
    return jobs
  }

  /** Executes the next jobs on events or runs. @returns whether there were some, and whether there may be more. */
  const workOn = (kind: 'events' | 'runs') =>
    concurrency === 1 ? working.next(() => executeNext(kind)) : executeNext(kind)

  async function executeNext(kind: 'events' | 'runs') {
    const look = { events: () => announcements.look(() => take('events')), runs: () => take('runs') }[kind]
    const jobs = await taking[kind].next<readonly Job<QueueOf['events' | 'runs']>[]>(look)
    let maybeMore = jobs.length === TAKEN_AT_ONCE[kind] || (jobs.length > 0 && !isListening)
    const concurrent = () => inProgress.events.all + inProgress.runs.all
    const executing = { gateway, logger, sizes, stopwatch, concurrent, timeout }
    const rest = byTransaction(jobs)
    const start = stopwatch()
    try {
      for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
        const returned = await executeJobs(executing, next)
        maybeMore ||= returned
        if (stopwatch() - start > TURN) break
      }
      if (rest.length > 0) {
        maybeMore = true
        await returnJobs(gateway.db, rest.flat(), { availableAt: clock.now(), counted: false })
      }
    } finally {
      for (const { id } of jobs) taken.delete(id)
      for (const environmentId of environmentsOf(jobs)) {
        inProgress[kind].end(environmentId)
        if (kind === 'events' && announcements.end(environmentId)) maybeMore = true
      }
    }
    return { some: jobs.length > 0, maybeMore }
  }

  /**
   * Takes messages. An environment may have as many in progress as there are free places, so places are always left for
   * others, however slow the providers of some are.
   */
  async function takeMessages(): Promise<readonly Job<'deliver'>[]> {
    const { messages } = inProgress
    const free = MESSAGE_CONCURRENCY - messages.all
    if (free === 0 || stopping.signal.aborted) return []
    const each = Math.max(1, (free - messages.mostBelow(free)) >> 1)
    const { jobs, last: served } = await clock.measure(() =>
      takeJobs(gateway.db, {
        kind: 'messages',
        count: { all: free, each },
        after: last.messages,
        except: messages.having(free),
        now: clock.now(),
        lease: LEASE.messages,
      }),
    )
    last.messages = served
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
          inProgress.messages.begin(job.environmentId)
          const one: Promise<void> = sendMessage(delivering, job).finally(() => {
            sending.delete(one)
            inProgress.messages.end(job.environmentId)
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
    const rung = bells.messages.wait(AbortSignal.any([stopping.signal, over.signal]))
    await Promise.race(stopping.signal.aborted ? sending : [...sending, rung])
    over.abort()
  }

  /** Looks for available jobs while the process is idle: those that became due, and those of processes that died. */
  async function look(): Promise<void> {
    await rest(IDLE)
    const { kinds } = await clock.measure(() => lookForJobs(gateway.db, clock.now()))
    for (const kind of kinds) bells[kind].ring(concurrency)
  }

  async function maintain(): Promise<void> {
    await addUpCounts(gateway.db, stopping.signal)
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

  /** Repeats `work`: at once if there may be more, otherwise when the bell rings. */
  const repeatAtBell = (work: () => Promise<boolean>, bell: Bell) =>
    repeat(async () => {
      if (!(await work())) await bell.wait(stopping.signal)
    })

  function ringAll(): void {
    for (const kind of jobKinds) bells[kind].ring(concurrency)
  }

  return {
    async start() {
      if (stopping.signal.aborted) stopping = new AbortController()
      const channel = JOB_CHANNEL
      stopListening = await database.listen(channel, {
        onMessage(payload) {
          const announced = readAnnouncement(payload)
          if (announced === undefined) {
            ringAll()
            return
          }
          const { kind, count, environmentId } = announced
          if (kind === 'events') announcements.announce(environmentId)
          else bells[kind].ring(count)
        },
        onDisconnect() {
          isListening = false
          logger.warn({ channel }, 'LISTEN connection lost, polling for jobs')
        },
        onReconnect() {
          isListening = true
          logger.info({ channel }, 'LISTEN connection restored')
          ringAll()
        },
      })
      isListening = true
      const loops = (kind: 'events' | 'runs') =>
        Array.from({ length: concurrency }, () => repeatAtBell(async () => (await workOn(kind)).maybeMore, bells[kind]))
      running.push(
        ...loops('events'),
        ...loops('runs'),
        repeatAtBell(sendAll, bells.messages),
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
      while ((await workOn('events')).some || (await workOn('runs')).some || (await sendAll()));
    },
  }
}
