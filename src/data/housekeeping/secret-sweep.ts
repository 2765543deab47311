// The removal of secret values from events that have ended, in portions. Each portion is a short transaction.
import { type Event, Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { isRepeatable } from '../repeatable-step.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'
import { type EventPlace, finished, type HeldEvent } from './sweep.ts'

interface SecretPortion {
  /** What failed at this time or later keeps its secret values, because it may be retried. */
  readonly failedBefore: Date
  /** The position after which the portion begins. */
  readonly after: EventPlace
  /** The number of events in a full portion. */
  readonly take: number
  readonly now: Date
  /** Reasons of events that can be retried. */
  readonly retryable: readonly string[]
}

/** Removes the secret values of events and of their messages. The events must be locked. */
export async function removeSecrets({ db, environmentId }: Tenant, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await sqlCount(db, 'secret-sweep.removeSecrets')`
    UPDATE deliveries SET secret_content = NULL
    WHERE environment_id = ${environmentId}::uuid AND event_id = ANY (${[...ids]}::uuid[]) AND secret_content IS NOT NULL`
  await sqlCount(db, 'secret-sweep.removeSecrets')`
    UPDATE events SET secret_payload = NULL, secrets_removed_at = ${now}::timestamptz
    WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[]) AND secret_payload IS NOT NULL`
}

/** The events with runs or messages that failed at a time or later, or with steps that a retry can repeat since then. */
async function failedSince({ db, environmentId }: Tenant, ids: readonly string[], since: Date) {
  if (ids.length === 0) return new Set<string>()
  const of = Prisma.sql`environment_id = ${environmentId}::uuid AND event_id = ANY (${[...ids]}::uuid[])
    AND status = 'failed' AND updated_at >= ${since}::timestamptz`
  const rows = await sql<{ id: string }>(db, 'secret-sweep.failedSince')`
    SELECT event_id AS id FROM workflow_runs WHERE ${of} UNION SELECT event_id FROM deliveries WHERE ${of}
    UNION SELECT given.id FROM unnest(${[...ids]}::uuid[]) AS given(id)
    CROSS JOIN LATERAL (
      SELECT FROM workflow_runs AS run
      JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.run_id = run.id
      WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = given.id
        AND ${isRepeatable} AND step.updated_at >= ${since}::timestamptz LIMIT 1
    ) AS repeatable`
  return new Set(rows.map(({ id }) => id))
}

/**
 * Removes the secret values of a portion of the events that have them, unless they are not finished or have failed recently. Skips
 * rows that others lock. Call it in a transaction that holds the sweep's lease.
 *
 * @returns the position at which the next portion begins. Undefined after the last portion.
 */
export async function sweepSecrets(tenant: Tenant, portion: SecretPortion): Promise<EventPlace | undefined> {
  const { db, environmentId } = tenant
  const { failedBefore, after, take, now, retryable } = portion
  const held = await sql<HeldEvent & Pick<Event, 'updatedAt'>>(db, 'secret-sweep.sweepSecrets')`
    SELECT id, created_at AS "createdAt", updated_at AS "updatedAt", fanned_out_at AS "fannedOutAt",
           cancelled_at AS "cancelledAt", reason
    FROM events
    WHERE environment_id = ${environmentId}::uuid AND secret_payload IS NOT NULL
      AND (created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)
    ORDER BY created_at, id ${limitTo(take)} FOR UPDATE SKIP LOCKED`
  const ended = (await finished(tenant, held)).filter(
    ({ reason, updatedAt, cancelledAt }) =>
      reason === null || cancelledAt !== null || !retryable.includes(reason) || updatedAt < failedBefore,
  )
  // A cancelled event cannot be retried.
  const retriable = ended.flatMap(({ id, cancelledAt }) => (cancelledAt === null ? [id] : []))
  const recent = await failedSince(tenant, retriable, failedBefore)
  await removeSecrets(
    tenant,
    ended.flatMap(({ id }) => (recent.has(id) ? [] : [id])),
    now,
  )
  const last = held.at(-1)
  return held.length === take && last ? { createdAt: last.createdAt, id: last.id } : undefined
}
