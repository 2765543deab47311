// Performs the tasks of housekeeping in the background: in small portions, with pauses, so that requests go first.
import type { Logger } from 'pino'
import { loggable } from '../../data/driver/database-errors.ts'
import { holdTask, takeTask, type TaskLease } from '../../data/housekeeping/task-lease.ts'
import type { RetentionSettings } from '../../domain/access/retention.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import { TaskInterrupted, LEASE, type Pace, Portions } from './portions.ts'
import { type Deleted, type MeasuredRows, type Performance, type SweptTable, sweptTables, type Task } from './task.ts'
import { type TaskName, tasks } from './tasks.ts'

/** The results in this process, which change while tasks are performed. */
export interface HousekeepingProgress {
  /** Expired rows deleted since the process started, by table. */
  readonly deleted: Readonly<Record<SweptTable, number>>
  /** How long the oldest row in the last portion had been expired, in seconds. 0 once a sweep has ended. */
  readonly oldestExpired: Readonly<Record<MeasuredRows, number>>
  /** How often each task ended since the process started. One that had nothing to do or was interrupted does not count. */
  readonly ended: Readonly<Record<TaskName, TaskEnds>>
}

/** How often a task ended, by outcome. */
interface TaskEnds {
  finished: number
  failed: number
}

export interface HousekeepingOptions extends Pace {
  readonly gateway: Gateway
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>
  readonly retention: RetentionSettings
}

export interface Housekeeping {
  readonly progress: HousekeepingProgress
  /**
   * Performs a task now.
   *
   * @returns false if another process is performing it, it was performed a short while ago, or this process is
   *   stopping.
   */
  readonly perform: (name: TaskName) => Promise<boolean>
  /** Performs due tasks periodically, until `stop`. */
  readonly start: () => void
  /** Resolves when the database may be closed. */
  readonly stop: () => Promise<void>
}

/** Milliseconds between checks for due tasks. */
const LOOK = 5_000

const names = Object.keys(tasks) as TaskName[]
const taskOf = (name: TaskName): Task => tasks[name]
/** The tasks that a process performs one after the other. */
const short = names.filter((name) => taskOf(name).lease === undefined)

const noneDeleted = () => Object.fromEntries(sweptTables.map((table) => [table, 0])) as Record<SweptTable, number>

export function createHousekeeping({ logger, retention, ...pace }: HousekeepingOptions): Housekeeping {
  const { gateway, stopwatch } = pace
  const { db, now, newId } = gateway
  const stopping = new AbortController()
  const deleted = noneDeleted()
  const oldestExpired = { events: 0, notifications: 0 }
  const ended = Object.fromEntries(names.map((name) => [name, { finished: 0, failed: 0 }])) as Record<
    TaskName,
    TaskEnds
  >
  const portions = Object.fromEntries(
    names.map((name) => [name, new Portions(pace, tasks[name].limits, stopping.signal)]),
  ) as Record<TaskName, Portions>
  /** The work in progress, by its first task. */
  const inProgress = new Map<TaskName, Promise<void>>()
  const after = (milliseconds: number) => new Date(now().getTime() + milliseconds)

  async function perform(name: TaskName): Promise<boolean> {
    const task = taskOf(name)
    if (task.isPending && !(await task.isPending(gateway))) return true
    const lease: TaskLease | undefined = task.lease && { name, holder: newId() }
    if (lease && !(await takeTask(db, lease, now(), after(LEASE)))) return false
    const start = stopwatch()
    const own: Partial<Record<SweptTable, number>> = {}
    const measured = new Set<MeasuredRows>()
    const report = ({ rows, delay }: Deleted) => {
      for (const [table, count] of entriesOf(rows)) {
        deleted[table] += count
        own[table] = (own[table] ?? 0) + count
      }
      if (delay === undefined) return
      measured.add(delay.of)
      oldestExpired[delay.of] = delay.seconds
    }
    const portion: Performance['portion'] = (kind, work) => portions[name].run(lease, kind, work)
    try {
      await task.perform({ gateway, logger, retention, portion, report })
      if (lease && task.lease) await holdTask(db, lease, after(task.lease.pause))
    } catch (error) {
      if (error instanceof TaskInterrupted) return false
      throw error
    } finally {
      for (const kind of measured) oldestExpired[kind] = 0
    }
    ended[name].finished += 1
    const isEmpty = entriesOf(own).every(([, count]) => count === 0)
    logger[isEmpty ? 'debug' : 'info'](
      { task: name, deleted: own, milliseconds: Math.round(stopwatch() - start) },
      'housekeeping task finished',
    )
    return true
  }

  /** Performs tasks one after the other, unless the same tasks are still in progress. */
  function performEach([first, ...others]: readonly TaskName[]): void {
    if (first === undefined || inProgress.has(first)) return
    const work = async () => {
      for (const name of [first, ...others]) {
        if (stopping.signal.aborted) return
        await perform(name).catch((error: unknown) => {
          ended[name].failed += 1
          logger.warn({ err: loggable(error), task: name }, 'housekeeping task failed')
        })
      }
    }
    inProgress.set(
      first,
      work().finally(() => inProgress.delete(first)),
    )
  }

  let elapsed = 0
  function look(): void {
    elapsed += LOOK
    const due = names.filter((name) => elapsed % tasks[name].every === 0)
    performEach(due.filter((name) => short.includes(name)))
    for (const name of due) if (!short.includes(name)) performEach([name])
  }

  let timer: NodeJS.Timeout | undefined
  return {
    progress: { deleted, oldestExpired, ended },
    perform,
    start() {
      performEach(short)
      timer = setInterval(look, LOOK).unref()
    },
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await Promise.all(inProgress.values())
    },
  }
}

const entriesOf = <Key extends string>(rows: Partial<Record<Key, number>>) => Object.entries(rows) as [Key, number][]
