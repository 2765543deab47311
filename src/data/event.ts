// Events: the end of their fan-out, and their tallies: counts of runs, messages and feed entries by status.
import type { Connection } from './connection/database.ts'
import type { Batch, Tenant } from './reading/loader.ts'
import { type Event, Prisma } from './prisma/client.ts'
import type { Channel, DeliveryStatus, RunStatus } from './prisma/enums.ts'
import { rowBy } from './reading/row.ts'
import { selectList, type Table } from './statement/table.ts'
import { limitTo, sql } from './statement/statement.ts'

export const eventTable: Table<Event> = {
  name: 'events',
  fields: Object.values(Prisma.EventScalarFieldEnum),
}

export const eventsById = rowBy(eventTable, { field: 'id', type: 'uuid' })
export const eventsByTransactionId = rowBy(eventTable, { field: 'transactionId' })

/** The transaction ids of events, by event id, without the payloads. */
export const transactionIdsOfEvents = rowBy<'id', Pick<Event, 'id' | 'transactionId'>>(
  { name: 'events', fields: ['id', 'transactionId'] },
  { field: 'id', type: 'uuid' },
)

export interface Tally {
  readonly runs: Readonly<Record<RunStatus, number>>
  readonly messages: Readonly<Record<DeliveryStatus, number>>
  /** Feed entries, including deleted ones. */
  readonly notifications: number
}

/** The counts of an event without runs. */
export const noRuns: Tally['runs'] = { running: 0, waiting: 0, completed: 0, failed: 0, cancelled: 0 }

/** The tallies of events, by event id. An event that has not begun has only zeros. */
export const tallies: Batch<string, Tally> = {
  async load({ db, environmentId }, ids) {
    const rows = await sql<Tally & { id: string }>(db, 'event.tallies')`
      SELECT id, jsonb_build_object('running', coalesce(sum(runs_running), 0), 'waiting', coalesce(sum(runs_waiting), 0),
               'completed', coalesce(sum(runs_completed), 0), 'failed', coalesce(sum(runs_failed), 0),
               'cancelled', coalesce(sum(runs_cancelled), 0)) AS runs,
             jsonb_build_object('pending', coalesce(sum(messages_pending), 0), 'sent', coalesce(sum(messages_sent), 0),
               'failed', coalesce(sum(messages_failed), 0), 'cancelled', coalesce(sum(messages_cancelled), 0)) AS messages,
             coalesce(sum(notifications), 0)::int AS notifications
      FROM unnest(${[...ids]}::uuid[]) AS given(id)
      LEFT JOIN LATERAL (
        SELECT runs_running, runs_waiting, runs_completed, runs_failed, runs_cancelled, messages_pending, messages_sent,
               messages_failed, messages_cancelled, notifications
        FROM event_tallies WHERE environment_id = ${environmentId}::uuid AND event_id = given.id
        UNION ALL
        SELECT runs_running, runs_waiting, runs_completed, runs_failed, runs_cancelled, messages_pending, messages_sent,
               messages_failed, messages_cancelled, notifications
        FROM event_tally_changes WHERE environment_id = ${environmentId}::uuid AND event_id = given.id
      ) AS part ON true
      GROUP BY id`
    const byId = new Map(rows.map(({ id, ...tally }) => [id, tally]))
    return ids.map((id) => {
      const tally = byId.get(id)
      if (tally === undefined) throw new Error(`no tally was read for the event "${id}"`)
      return tally
    })
  },
}

/** A channel, provider and step that at least one message of an event went through. */
export interface MessageWay {
  readonly channel: Channel
  readonly providerId: string
  readonly stepId: string
}

/** The ways of the messages of events, by event id. */
export const messageWays: Batch<string, readonly MessageWay[]> = {
  async load({ db, environmentId }, ids) {
    const rows = await sql<MessageWay & { readonly eventId: string }>(db, 'event.messageWays')`
      SELECT DISTINCT delivery.event_id AS "eventId", delivery.channel, delivery.provider_id AS "providerId",
                      step.step_id AS "stepId"
      FROM deliveries AS delivery
      JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.id = delivery.step_run_id
      WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.event_id = ANY (${[...ids]}::uuid[])`
    return ids.map((id) => rows.filter(({ eventId }) => eventId === id))
  },
}

/**
 * The common table expressions that take changes of events from a table: `taken` deletes them and returns them, and
 * `held` has their events, as far as these still exist. Environments are locked first, as their deletion does.
 *
 * @param changes the table, with a column `event_id`. @param limit the maximum number of changes to take.
 */
export const changesToFold = (changes: Prisma.Sql, limit: number): Prisma.Sql => Prisma.sql`
    taken AS (
      DELETE FROM ${changes} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${changes} ${limitTo(limit)} FOR UPDATE SKIP LOCKED))
      RETURNING *
    ), kept AS MATERIALIZED (
      SELECT id FROM environments WHERE id IN (SELECT environment_id FROM taken) ORDER BY id FOR KEY SHARE
    ), held AS (
      SELECT environment_id, id, created_at FROM events
      WHERE (environment_id, id) IN (SELECT environment_id, event_id FROM taken JOIN kept ON kept.id = environment_id)
      ORDER BY environment_id, id FOR KEY SHARE
    )`

/**
 * Adds changes to the tallies of their events, of all environments, and deletes them. Changes of deleted events are
 * only deleted. Safe in several processes at once.
 *
 * @param limit the maximum number of changes to add. @returns their number.
 */
export async function foldTallies(db: Connection, limit: number): Promise<number> {
  const [folded] = await sql<{ count: number }>(db, 'event.foldTallies')`
    WITH ${changesToFold(Prisma.sql`event_tally_changes`, limit)}, added AS (
      INSERT INTO event_tallies AS tally (environment_id, event_id, created_at, runs_running, runs_waiting, runs_completed,
                                          runs_failed, runs_cancelled, messages_pending, messages_sent, messages_failed,
                                          messages_cancelled, notifications)
      SELECT taken.environment_id, taken.event_id, max(held.created_at), sum(runs_running), sum(runs_waiting), sum(runs_completed),
             sum(runs_failed), sum(runs_cancelled), sum(messages_pending), sum(messages_sent), sum(messages_failed),
             sum(messages_cancelled), sum(notifications)
      FROM taken JOIN held ON held.environment_id = taken.environment_id AND held.id = taken.event_id
      GROUP BY taken.environment_id, taken.event_id ORDER BY taken.environment_id, taken.event_id
      ON CONFLICT (environment_id, event_id) DO UPDATE SET
        created_at = excluded.created_at,
        runs_running = tally.runs_running + excluded.runs_running,
        runs_waiting = tally.runs_waiting + excluded.runs_waiting,
        runs_completed = tally.runs_completed + excluded.runs_completed,
        runs_failed = tally.runs_failed + excluded.runs_failed,
        runs_cancelled = tally.runs_cancelled + excluded.runs_cancelled,
        messages_pending = tally.messages_pending + excluded.messages_pending,
        messages_sent = tally.messages_sent + excluded.messages_sent,
        messages_failed = tally.messages_failed + excluded.messages_failed,
        messages_cancelled = tally.messages_cancelled + excluded.messages_cancelled,
        notifications = tally.notifications + excluded.notifications
    )
    SELECT count(*)::int AS count FROM taken`
  return folded?.count ?? 0
}

/**
 * Locks events, in the order of their ids, until the transaction ends, so that only one transaction at a time fans out
 * an event.
 *
 * @returns the events by id, without those that do not exist, and whether any workflow of the environment is
 *   suspended.
 */
export async function holdEvents(
  { db, environmentId }: Tenant,
  ids: readonly string[],
): Promise<{ readonly events: ReadonlyMap<string, Event>; readonly anySuspended: boolean }> {
  const rows = await sql<Event & { readonly anySuspended: boolean }>(db, 'event.holdEvents')`
    SELECT ${selectList(eventTable, 'event')},
           EXISTS (
             SELECT FROM workflow_suspensions WHERE environment_id = ${environmentId}::uuid AND suspended_at IS NOT NULL
           ) AS "anySuspended"
    FROM events AS event
    WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[]) ORDER BY id FOR NO KEY UPDATE`
  const events = new Map(rows.map(({ anySuspended: _, ...event }) => [event.id, event]))
  return { events, anySuspended: rows.some(({ anySuspended }) => anySuspended) }
}

/** The statement that records that every recipient of these events has its run. */
export const fanOutEnd = ({ environmentId }: Tenant, ids: readonly string[], now: Date): Prisma.Sql => Prisma.sql`
  UPDATE events SET fanned_out_at = ${now}::timestamptz, updated_at = ${now}::timestamptz
  WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[])`

/** True if an event has a run. */
export async function hasRuns({ db, environmentId }: Tenant, eventId: string): Promise<boolean> {
  const run = await db.workflowRun.findFirst({ where: { environmentId, eventId }, select: { id: true } })
  return run !== null
}
