// Sweeps expired rows in the background: in small portions, with pauses, so that requests go first.
import type { Logger } from 'pino'
import { loggable } from '../data/driver/database-errors.ts'
import { recordFinished } from '../data/housekeeping/finished-task.ts'
import { sweepStatistics } from '../data/message-statistics.ts'
import {
  FIRST_PLACE,
  type HeldSweep,
  holdSweep,
  type EventPlace,
  sweepEvents,
  sweepFeed,
  type SweptEnvironment,
  sweptEnvironments,
  type SweptEvents,
  takeSweep,
} from '../data/housekeeping/sweep.ts'
import { sweepSignIns } from '../data/access/dashboard-session.ts'
import { sweepSnapshots } from '../data/workflow-snapshot.ts'
import { failureReasons } from '../domain/trigger/event-status.ts'
import { daysKept, type RetentionSettings } from '../domain/access/retention.ts'
import type { Gateway } from '../domain/resolver/scope.ts'
import { Periodic } from './periodic.ts'
import { LEASE, type Pace, Portions, SweepInterrupted } from './portions.ts'

/** Tables that rows are deleted from. */
type SweptTable =
  | keyof SweptEvents['deleted']
  | 'workflow_snapshots'
  | 'notifications'
  | 'message_statistics'
  | 'dashboard_sessions'
  | 'sign_in_codes'

/** The results of the sweeps of this process. The numbers change while the sweeps run. */
export interface SweepProgress {
  /** Rows deleted since the process started, by table. */
  readonly deleted: Readonly<Record<SweptTable, number>>
  /** For how long the oldest row that was found in the last portion had expired, in seconds. 0 when a sweep has ended. */
  readonly oldestExpired: Readonly<Record<'events' | 'notifications', number>>
}

interface SweepOptions extends Pace {
  readonly gateway: Pick<Gateway, 'db' | 'now' | 'newId' | 'counts'>
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>
  readonly retention: RetentionSettings
}

export interface Sweeps {
  readonly progress: SweepProgress
  /** Sweeps now, unless another process does or the last sweep was a short while ago. @returns false then. */
  readonly sweep: () => Promise<boolean>
  /** Sweeps periodically, until `stop`. */
  readonly start: () => void
  /** Resolves when the database may be closed. */
  readonly stop: () => Promise<void>
}

/** Milliseconds between looks whether a sweep is due. */
const LOOK = 60_000
/** Milliseconds from the end of a sweep to the next one. */
export const SWEEP_PAUSE = 10 * 60_000
/** Events or notifications in the largest portion. */
const MOST = 512
const HOUR = 3_600_000
const DAY = 24 * HOUR

const nothing = (): Record<SweptTable, number> => ({
  events: 0,
  workflow_runs: 0,
  step_runs: 0,
  deliveries: 0,
  delivery_attempts: 0,
  workflow_snapshots: 0,
  notifications: 0,
  dashboard_sessions: 0,
  sign_in_codes: 0,
  message_statistics: 0,
})

export function createSweeps({ logger, retention, ...pace }: SweepOptions): Sweeps {
  const { db, now, newId, counts } = pace.gateway
  const { stopwatch } = pace
  const deleted = nothing()
  const oldestExpired = { events: 0, notifications: 0 }
  const periodic = new Periodic(LOOK, sweep, (error) => logger.warn({ err: loggable(error) }, 'sweep failed'))
  const portions = new Portions<SweptTable | 'sign_ins'>(pace, MOST, periodic.stopping)
  const after = (milliseconds: number) => new Date(now().getTime() + milliseconds)

  async function sweepEventsOf(held: HeldSweep, environmentId: string, before: Date, add: Adder): Promise<void> {
    let place: EventPlace | undefined = FIRST_PLACE
    while (place !== undefined) {
      const from: EventPlace = place
      const swept: SweptEvents = await portions.run(held, 'events', (transaction, take) =>
        sweepEvents(
          { db: transaction, environmentId },
          { before, after: from, take, now: now(), retryable: failureReasons },
        ),
      )
      add(environmentId, swept.deleted, { events: expiredFor(swept.oldest, before) })
      place = swept.next
    }
  }

  async function sweepSnapshotsOf(held: HeldSweep, environmentId: string, before: Date, add: Adder): Promise<void> {
    let hash: string | undefined = ''
    while (hash !== undefined) {
      const from: string = hash
      const swept = await portions.run(held, 'workflow_snapshots', (transaction, take) =>
        sweepSnapshots({ db: transaction, environmentId }, { before, after: from, take }),
      )
      add(environmentId, { workflow_snapshots: swept.count }, {})
      hash = swept.next
    }
  }

  async function sweepFeedOf(held: HeldSweep, environmentId: string, before: Date, add: Adder): Promise<void> {
    for (let isFull = true; isFull;) {
      const swept = await portions.run(held, 'notifications', async (transaction, take) => {
        const { count, oldest } = await sweepFeed({ db: transaction, environmentId }, { before, take })
        return { count, oldest, isFull: count === take }
      })
      add(environmentId, { notifications: swept.count }, { notifications: expiredFor(swept.oldest, before) })
      isFull = swept.isFull
    }
  }

  async function sweepSignInsOf(held: HeldSweep, environmentId: string, add: Adder): Promise<void> {
    for (let isFull = true; isFull;) {
      const swept = await portions.run(held, 'sign_ins', async (transaction, take) => {
        const { sessions, codes } = await sweepSignIns({ db: transaction, environmentId }, { before: now(), take })
        return { sessions, codes, isFull: Math.max(sessions, codes) === take }
      })
      add(environmentId, { dashboard_sessions: swept.sessions, sign_in_codes: swept.codes }, {})
      isFull = swept.isFull
    }
  }

  /** @param before when hours and days begin that are kept. Minutes are kept for a day. */
  async function sweepStatisticsOf(held: HeldSweep, environmentId: string, before: Date, add: Adder): Promise<void> {
    const expired = { minute: after(-DAY - HOUR), hour: before, day: before }
    for (let isFull = true; isFull;) {
      const swept = await portions.run(held, 'message_statistics', async (transaction, take) => {
        const count = await sweepStatistics({ db: transaction, environmentId }, expired, take)
        return { count, isFull: count === take }
      })
      add(environmentId, { message_statistics: swept.count }, {})
      isFull = swept.isFull
    }
  }

  async function sweepEnvironment(held: HeldSweep, environment: SweptEnvironment, add: Adder): Promise<void> {
    const { id, organization } = environment
    const eventDays = daysKept(environment.retentionDays, retention.events, organization.retentionDays)
    const feedDays = daysKept(environment.feedRetentionDays, retention.feed, organization.feedRetentionDays)
    const before = eventDays === undefined ? new Date(0) : after(-eventDays * DAY)
    if (eventDays !== undefined) {
      await sweepEventsOf(held, id, before, add)
      await sweepSnapshotsOf(held, id, before, add)
    }
    await sweepStatisticsOf(held, id, before, add)
    if (feedDays !== undefined) await sweepFeedOf(held, id, after(-feedDays * DAY), add)
    await sweepSignInsOf(held, id, add)
  }

  async function sweep(): Promise<boolean> {
    const held: HeldSweep = { name: 'retention', holder: newId() }
    const start = stopwatch()
    if (!(await takeSweep(db, held, now(), after(LEASE)))) return false
    const own = nothing()
    const add: Adder = (environmentId, rows, expired) => {
      for (const [table, count] of entriesOf(rows)) {
        deleted[table] += count
        own[table] += count
      }
      Object.assign(oldestExpired, expired)
      if (entriesOf(rows).some(([, count]) => count > 0)) counts.drop(environmentId)
    }
    try {
      for await (const environment of sweptEnvironments(db)) await sweepEnvironment(held, environment, add)
      await holdSweep(db, held, after(SWEEP_PAUSE))
      await recordFinished(db, 'sweep', now())
    } catch (error) {
      if (error instanceof SweepInterrupted) return false
      throw error
    }
    Object.assign(oldestExpired, { events: 0, notifications: 0 })
    const isEmpty = entriesOf(own).every(([, count]) => count === 0)
    logger[isEmpty ? 'debug' : 'info'](
      { deleted: own, milliseconds: Math.round(stopwatch() - start) },
      'sweep finished',
    )
    return true
  }

  return {
    progress: { deleted, oldestExpired },
    sweep,
    start: () => periodic.start(),
    stop: () => periodic.stop(),
  }
}

/** Adds what a portion deleted in an environment, and for how many seconds its oldest row had expired. */
type Adder = (
  environmentId: string,
  rows: Partial<Record<SweptTable, number>>,
  expired: Partial<SweepProgress['oldestExpired']>,
) => void

const entriesOf = (rows: Partial<Record<SweptTable, number>>) => Object.entries(rows) as [SweptTable, number][]

const expiredFor = (oldest: Date | undefined, before: Date) =>
  oldest === undefined ? 0 : Math.max(0, before.getTime() - oldest.getTime()) / 1000
