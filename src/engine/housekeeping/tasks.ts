// The table of housekeeping: all background work of a process other than jobs.
import { deleteAnswers, KEPT_FOR } from '../../data/access/idempotency-keys.ts'
import { nextDeletedEnvironment } from '../../data/access/environment-deletion.ts'
import { foldTallies } from '../../data/event.ts'
import { storeOutcomes } from '../../data/event-outcome.ts'
import { copyColumns } from '../../data/housekeeping/copied-columns.ts'
import { foldStatistics } from '../../data/monitoring/message-statistics.ts'
import { endStaleLeases, hasStaleLeases } from '../../data/online/connected-subscribers.ts'
import { hasDueTickets } from '../../data/queue/push-ticket.ts'
import type { Connection } from '../../data/connection/database.ts'
import { sweepInboundTexts } from '../../data/suppression/inbound-text.ts'
import { sweepBouncedDays, sweepSuppressions } from '../../data/suppression/suppression.ts'
import { sweepSignatures } from '../../data/report/inbound-webhook.ts'
import { environmentsWithDue } from '../../data/feed/snooze.ts'
import { writeUnprocessed } from '../../data/unprocessed-trigger.ts'
import { repairCopies } from '../../domain/access/placement.ts'
import { SOFT_BOUNCE_PERIOD } from '../../domain/address/suppress.ts'
import { TEXTS_KEPT_FOR } from '../../domain/suppression/inbound-text.ts'
import { releaseEnded } from '../../domain/execution/pause.ts'
import { addOutcomes } from './event-end.ts'
import { returnSnoozed } from './snoozed-notifications.ts'
import { readDueReports } from './push-report.ts'
import { deleteEnvironments } from './environment-deletion.ts'
import type { Limits } from './portions.ts'
import { sweepExpired } from './retention.ts'
import { inPortions, type SweptTable, type Task } from './task.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** The limits of portions that delete rows. */
const deletion = { least: 16, first: 64, most: 512, rest: 3 } as const satisfies Limits
/** The limits of a single statement. On the embedded database, every request waits for it. */
const addition = { least: 1_000, first: 1_000, most: 1_000, rest: 0 } as const satisfies Limits

export const tasks = {
  /**
   * Deletes what has expired: events, snapshots of workflows, statistics, notifications, traces of triggers, sessions and
   * sign-in codes.
   */
  retention: {
    every: MINUTE,
    lease: { pause: 10 * MINUTE },
    limits: deletion,
    perform: sweepExpired,
  },
  /** Deletes expired idempotency keys, of all environments. */
  idempotency_keys: {
    every: MINUTE,
    lease: { pause: 10 * MINUTE },
    limits: deletion,
    perform: (performance) => {
      const { gateway, report } = performance
      const before = new Date(gateway.now().getTime() - KEPT_FOR)
      return inPortions(
        performance,
        'idempotency_keys',
        (db, take) => deleteAnswers(db, before, take),
        (count) => report({ rows: { idempotency_keys: count } }),
      )
    },
  },
  /** Deletes suppressions that have ended, soft bounces that no longer count, and inbound texts, of all environments. */
  suppressions: {
    every: MINUTE,
    lease: { pause: 10 * MINUTE },
    limits: deletion,
    async perform(performance) {
      const { gateway, report } = performance
      const now = gateway.now()
      const daysAgo = (days: number) => new Date(now.getTime() - days * DAY)
      const swept = {
        suppressions: (db, take) => sweepSuppressions(db, now, take),
        soft_bounces: (db, take) => sweepBouncedDays(db, daysAgo(SOFT_BOUNCE_PERIOD), take),
        inbound_texts: (db, take) => sweepInboundTexts(db, daysAgo(TEXTS_KEPT_FOR), take),
      } satisfies Partial<Record<SweptTable, (db: Connection, take: number) => Promise<number>>>
      await inPortions(performance, 'suppressions', swept.suppressions, (count) =>
        report({ rows: { suppressions: count } }),
      )
      await inPortions(performance, 'soft_bounces', swept.soft_bounces, (count) =>
        report({ rows: { soft_bounces: count } }),
      )
      await inPortions(performance, 'inbound_texts', swept.inbound_texts, (count) =>
        report({ rows: { inbound_texts: count } }),
      )
    },
  },
  /** Deletes the tokens of signatures that are too old to be used again, of all environments. */
  used_signatures: {
    every: MINUTE,
    lease: { pause: 10 * MINUTE },
    limits: deletion,
    perform: (performance) =>
      inPortions(
        performance,
        'used_signatures',
        (db, take) => sweepSignatures(db, performance.gateway.now(), take),
        (count) => performance.report({ rows: { used_signatures: count } }),
      ),
  },
  /** Repairs the copies of environments in a database beside the main one, if one of two writes failed. */
  environment_copies: {
    every: MINUTE,
    lease: { pause: 5 * MINUTE },
    limits: addition,
    isPending: ({ database }) => database !== null,
    async perform({ gateway, logger }) {
      const count = await repairCopies(gateway)
      if (count > 0) logger.warn({ database: gateway.database, count }, 'copies of environments repaired')
    },
  },
  /** Deletes the rows of deleted environments. */
  deletion: {
    every: 5 * SECOND,
    lease: { pause: 0 },
    limits: { ...deletion, most: 4_096 },
    isPending: async ({ db }) => (await nextDeletedEnvironment(db)) !== undefined,
    perform: deleteEnvironments,
  },
  /** Writes the traces of triggers that created no event, which wait in this process. What cannot be written is lost. */
  unprocessed_triggers: {
    every: 5 * SECOND,
    limits: addition,
    isPending: ({ triggerTraces }) => !triggerTraces.isEmpty,
    async perform({ gateway: { db, triggerTraces, counts }, logger }) {
      const { traces, dropped } = triggerTraces.take()
      if (dropped > 0) logger.warn({ count: dropped }, 'unprocessed triggers not recorded: too many at a time')
      await writeUnprocessed(db, traces)
      for (const { environmentId } of traces) counts.drop(environmentId)
    },
  },
  /** Writes the last uses of API keys, which wait in this process. */
  key_uses: {
    every: MINUTE,
    limits: addition,
    isPending: ({ keyUses }) => !keyUses.isEmpty,
    perform: ({ gateway: { db, keyUses } }) => keyUses.write(db),
  },
  /** Makes subscribers online and offline whose connections began or ended, and renews the leases of this process. */
  connected_subscribers: {
    every: 5 * SECOND,
    limits: addition,
    isPending: ({ connected }) => connected.isPending,
    perform: ({ gateway: { db, connected } }) => connected.write(db),
  },
  /** Makes subscribers offline whose connections were to a process that died. */
  lost_connections: {
    every: 30 * SECOND,
    limits: addition,
    isPending: ({ db, now }) => hasStaleLeases(db, now()),
    perform: (performance) =>
      inPortions(performance, 'online_leases', (db, take) => endStaleLeases(db, performance.gateway.now(), take)),
  },
  /** Lets snoozed notifications return to their feeds when their time has come. */
  snoozed_notifications: {
    every: 5 * SECOND,
    limits: { least: 100, first: 500, most: 2_000, rest: 0 },
    isPending: async ({ db, now }) => (await environmentsWithDue(db, now())).length > 0,
    perform: returnSnoozed,
  },
  /** Reads what providers report about push messages that they accepted. Waits for them, so it is in no transaction. */
  push_reports: {
    every: MINUTE,
    limits: addition,
    isPending: ({ db, now }) => hasDueTickets(db, now()),
    perform: readDueReports,
  },
  /** Adds the changes recorded by database triggers to the tallies of events, and to their counts by outcome. */
  event_tallies: {
    every: 30 * SECOND,
    limits: addition,
    async perform(performance) {
      await inPortions(performance, 'event_tally_changes', foldTallies)
      await inPortions(performance, 'event_outcome_changes', (db, limit) => addOutcomes(performance.gateway, db, limit))
    },
  },
  /** Adds the changes recorded by database triggers to the statistics of messages, in total and by contexts. */
  message_statistics: {
    every: 30 * SECOND,
    limits: addition,
    async perform(performance) {
      await inPortions(performance, 'message_statistics_changes', foldStatistics)
      await inPortions(performance, 'context_statistics_changes', (db, limit) => foldStatistics(db, limit, 'contexts'))
    },
  },
  /** Copies columns that lists filter by into rows of earlier versions, and stores the outcomes of their runs. */
  copied_columns: {
    every: 30 * SECOND,
    limits: addition,
    async perform(performance) {
      await inPortions(performance, 'copied_columns', copyColumns)
      await inPortions(performance, 'run_outcomes', storeOutcomes)
    },
  },
  /** Releases jobs that are still held although nothing is paused. */
  ended_pauses: {
    every: 30 * SECOND,
    limits: addition,
    perform: ({ gateway, portion }) => portion('jobs', (db) => releaseEnded({ db, now: gateway.now })),
  },
} as const satisfies Record<string, Task>

export type TaskName = keyof typeof tasks
