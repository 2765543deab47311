// Sweeps: deletion of expired rows, in portions. Each portion is a short transaction.
import { tallies } from '../event.ts'
import type { Tenant } from '../reading/loader.ts'
import { type Event, Prisma } from '../prisma/client.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'
import { NIL_ID } from '../../lib/new-id.ts'

/** The position of an event in the order of creation. */
export type EventPlace = Pick<Event, 'createdAt' | 'id'>

/** The position before all events. */
export const FIRST_PLACE: EventPlace = { createdAt: new Date(0), id: NIL_ID }

/** Runs in a portion, for each event: an event with more is deleted in several portions. */
const RUNS_PER_EVENT = 2

/** The rows to sweep in one portion. */
interface EventPortion {
  /** Events created before this time have expired. */
  readonly before: Date
  /** The position after which the portion begins. */
  readonly after: EventPlace
  /** The number of events in a full portion. */
  readonly take: number
  readonly now: Date
  /** Reasons of events that can be retried. */
  readonly retryable: readonly string[]
}

interface SweptEvents {
  /** Rows deleted, by table. */
  readonly deleted: Readonly<
    Record<'events' | 'workflow_runs' | 'step_runs' | 'deliveries' | 'delivery_attempts', number>
  >
  /** The creation time of the first event of the portion. Undefined if there was none. */
  readonly oldest: Date | undefined
  /** The position at which the next portion begins. Undefined after the last portion. */
  readonly next: EventPlace | undefined
}

export type HeldEvent = Pick<Event, 'id' | 'createdAt' | 'fannedOutAt' | 'cancelledAt' | 'reason'>

/**
 * Returns the locked events that are finished, with their tallies. These are read after taking the locks, so that nothing can
 * start again.
 */
export async function finished<Held extends HeldEvent>(tenant: Tenant, held: readonly Held[]) {
  const counts = await tallies.load(
    tenant,
    held.map(({ id }) => id),
  )
  return held.flatMap((event, index) => {
    const tally = counts[index]
    const { fannedOutAt, cancelledAt, reason } = event
    if (tally === undefined || tally instanceof Error || (fannedOutAt ?? cancelledAt ?? reason) === null) return []
    return tally.runs.running + tally.runs.waiting + tally.messages.pending === 0 ? [{ ...event, tally }] : []
  })
}

/**
 * Deletes a portion of the expired events that are finished, with their runs, steps, deliveries and attempts. Skips
 * rows that others lock. Call it in a transaction that holds the sweep's lease.
 */
export async function sweepEvents(tenant: Tenant, portion: EventPortion): Promise<SweptEvents> {
  const { db, environmentId } = tenant
  const { before, after, take, now, retryable } = portion
  const held = await sql<HeldEvent>(db, 'sweep.sweepEvents')`
    SELECT id, created_at AS "createdAt", fanned_out_at AS "fannedOutAt", cancelled_at AS "cancelledAt", reason
    FROM events
    WHERE environment_id = ${environmentId}::uuid AND created_at < ${before}::timestamptz
      AND (created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)
    ORDER BY created_at, id ${limitTo(take)} FOR UPDATE SKIP LOCKED`
  const ids = (await finished(tenant, held)).map(({ id }) => id)
  const most = take * RUNS_PER_EVENT
  const runIds = ids.length === 0 ? [] : await holdEndedRuns(tenant, ids, most)
  const children = await deleteRuns(tenant, runIds)
  const events =
    ids.length === 0
      ? 0
      : await sqlCount(db, 'sweep.sweepEvents')`
          DELETE FROM events WHERE environment_id = ${environmentId}::uuid AND id = ANY (${ids}::uuid[])
            AND NOT EXISTS (
              SELECT FROM workflow_runs AS run
              WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = events.id)`
  const isFull = runIds.length === most
  if (isFull) {
    // An event that lost some of its runs must not be retried, because it would reach their subscribers again.
    await sqlCount(db, 'sweep.sweepEvents')`
      UPDATE events SET cancelled_at = ${now}::timestamptz
      WHERE environment_id = ${environmentId}::uuid AND id = ANY (${ids}::uuid[]) AND cancelled_at IS NULL
        AND reason = ANY (${[...retryable]}::text[])`
  }
  const last = held.at(-1)
  const next = isFull ? after : held.length === take && last ? { createdAt: last.createdAt, id: last.id } : undefined
  return { deleted: { ...children, events }, oldest: held[0]?.createdAt, next }
}

/** Locks runs of events. Leaves out runs whose trigger an unfinished run may still read, through a digest. */
async function holdEndedRuns({ db, environmentId }: Tenant, eventIds: readonly string[], take: number) {
  const rows = await sql<{ id: string }>(db, 'sweep.holdEndedRuns')`
    SELECT run.id FROM workflow_runs AS run
    WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = ANY (${[...eventIds]}::uuid[])
      AND NOT EXISTS (
        SELECT FROM step_runs AS member
        JOIN step_runs AS digest
          ON digest.environment_id = ${environmentId}::uuid AND digest.id = member.merged_into_id
        JOIN workflow_runs AS opener ON opener.environment_id = ${environmentId}::uuid AND opener.id = digest.run_id
        WHERE member.environment_id = ${environmentId}::uuid AND member.run_id = run.id
          AND opener.status IN ('running', 'waiting'))
    ${limitTo(take)} FOR UPDATE OF run SKIP LOCKED`
  return rows.map(({ id }) => id)
}

/**
 * Deletes runs with their steps, deliveries and attempts in one statement. A cascade deletes them one by one, and a
 * round trip for each table takes longer than the work.
 */
async function deleteRuns({ db, environmentId }: Tenant, runIds: readonly string[]) {
  const none = { workflow_runs: 0, step_runs: 0, deliveries: 0, delivery_attempts: 0 }
  if (runIds.length === 0) return none
  const ids = Prisma.sql`${[...runIds]}::uuid[]`
  const ofRuns = Prisma.sql`step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${ids})`
  const [deleted = none] = await sql<typeof none>(db, 'sweep.deleteRuns')`
    WITH attempts AS (
      DELETE FROM delivery_attempts AS attempt USING step_runs AS step
      JOIN deliveries AS delivery ON delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id
      WHERE ${ofRuns} AND attempt.environment_id = ${environmentId}::uuid AND attempt.delivery_id = delivery.id
      RETURNING attempt.number
    ), messages AS (
      DELETE FROM deliveries AS delivery USING step_runs AS step
      WHERE ${ofRuns} AND delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id
      RETURNING delivery.id
    ), steps AS (
      DELETE FROM step_runs AS step WHERE ${ofRuns} RETURNING step.id
    ), runs AS (
      DELETE FROM workflow_runs WHERE environment_id = ${environmentId}::uuid AND id = ANY (${ids}) RETURNING id
    )
    SELECT (SELECT count(*) FROM runs)::int AS workflow_runs, (SELECT count(*) FROM steps)::int AS step_runs,
           (SELECT count(*) FROM messages)::int AS deliveries,
           (SELECT count(*) FROM attempts)::int AS delivery_attempts`
  return deleted
}

/** The smallest id that a row created at a time can have. */
export const firstIdAt = (time: Date) => {
  const digits = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}

/**
 * Deletes a portion of the notifications created before a time, oldest first, by the time in their ids. Those that have
 * returned from a snooze count from then, and snoozed ones are kept. Skips rows that others lock.
 *
 * @returns their number, and the creation time of one of the oldest.
 */
export async function sweepFeed(
  { db, environmentId }: Tenant,
  { before, take }: Pick<EventPortion, 'before' | 'take'>,
): Promise<{ readonly count: number; readonly oldest: Date | undefined }> {
  const [swept] = await sql<{ count: number; oldest: Date | null }>(db, 'sweep.sweepFeed')`
    WITH swept AS (
      DELETE FROM notifications WHERE environment_id = ${environmentId}::uuid AND ctid = ANY (ARRAY(
        SELECT ctid FROM notifications
        WHERE environment_id = ${environmentId}::uuid AND id < ${firstIdAt(before)}::uuid
          AND created_at < ${before}::timestamptz AND snoozed_until IS NULL
        ORDER BY id ${limitTo(take)} FOR UPDATE SKIP LOCKED))
      RETURNING created_at
    )
    SELECT count(*)::int AS count, min(created_at) AS oldest FROM swept`
  return { count: swept?.count ?? 0, oldest: swept?.oldest ?? undefined }
}
