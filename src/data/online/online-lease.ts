// The online state of subscribers, and the leases of processes that have connections of them. A lease that is not renewed
// belongs to a process that died.
import type { Connection } from '../connection/database.ts'
import { Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'
import { selectList } from '../statement/table.ts'
import { type Subscriber, subscriberTable } from '../subscriber.ts'

/** A subscriber of any environment. */
export interface OnlineSubscriber {
  readonly environmentId: string
  readonly subscriberId: string
}

/** A subscriber without connections to the process any more. */
export interface EndedLease extends OnlineSubscriber {
  readonly holder: string
  /** When the process last had a connection. */
  readonly seenAt: Date
}

/** A text that names the subscriber alone. */
export const keyOfSubscriber = ({ environmentId, subscriberId }: OnlineSubscriber): string =>
  environmentId + subscriberId

/** The subscribers as the rows of a table. */
const rowsOf = (subscribers: readonly OnlineSubscriber[]) => Prisma.sql`
  unnest(${subscribers.map(({ environmentId }) => environmentId)}::uuid[],
         ${subscribers.map(({ subscriberId }) => subscriberId)}::text[])`

/**
 * Locks subscribers until the transaction ends, so that each statement after it sees what others did with their leases.
 *
 * @param skipLocked true skips those that others lock. @returns those that are locked now.
 */
async function lockAll<Lease extends OnlineSubscriber>(
  db: Connection,
  leases: readonly Lease[],
  skipLocked: boolean,
): Promise<Lease[]> {
  const rows = await sql<OnlineSubscriber>(db, 'online-lease.lockAll')`
    SELECT subscriber.environment_id AS "environmentId", subscriber.subscriber_id AS "subscriberId"
    FROM ${rowsOf(leases)} AS given(environment_id, subscriber_id)
    JOIN subscribers AS subscriber
      ON subscriber.environment_id = given.environment_id AND subscriber.subscriber_id = given.subscriber_id
    ORDER BY subscriber.environment_id, subscriber.subscriber_id
    FOR NO KEY UPDATE OF subscriber ${skipLocked ? Prisma.sql`SKIP LOCKED` : Prisma.empty}`
  const locked = new Set(rows.map(keyOfSubscriber))
  return leases.filter((lease) => locked.has(keyOfSubscriber(lease)))
}

/**
 * Writes the leases of a process, and makes their subscribers online. Call it in a transaction.
 *
 * @param areNew true if the process had no leases of these subscribers. A renewal does not lock subscribers that are
 *   online, because their rows are wide.
 */
export async function confirmLeases(
  db: Connection,
  subscribers: readonly OnlineSubscriber[],
  { holder, now, areNew }: { readonly holder: string; readonly now: Date; readonly areNew: boolean },
): Promise<void> {
  if (areNew) await lockAll(db, subscribers, false)
  const given = Prisma.sql`${rowsOf(subscribers)} AS given(environment_id, subscriber_id)`
  await sqlCount(db, 'online-lease.confirmLeases')`
    INSERT INTO online_leases (environment_id, subscriber_id, holder, seen_at)
    SELECT subscriber.environment_id, subscriber.subscriber_id, ${holder}::uuid, ${now}::timestamptz
    FROM ${given}
    JOIN subscribers AS subscriber
      ON subscriber.environment_id = given.environment_id AND subscriber.subscriber_id = given.subscriber_id
    ORDER BY 1, 2
    ON CONFLICT (environment_id, subscriber_id, holder) DO UPDATE SET seen_at = excluded.seen_at`
  await sqlCount(db, 'online-lease.confirmLeases')`
    WITH held AS MATERIALIZED (
      SELECT subscriber.environment_id, subscriber.id FROM ${given}
      JOIN subscribers AS subscriber
        ON subscriber.environment_id = given.environment_id AND subscriber.subscriber_id = given.subscriber_id
      WHERE NOT subscriber.is_online
      ORDER BY subscriber.environment_id, subscriber.subscriber_id FOR NO KEY UPDATE OF subscriber
    )
    UPDATE subscribers SET is_online = true
    FROM held WHERE subscribers.environment_id = held.environment_id AND subscribers.id = held.id`
}

/**
 * Deletes leases that have not been renewed since, and makes subscribers without another lease offline. Call it in a
 * transaction.
 *
 * @param skipLocked true leaves out subscribers that others lock. @returns the number of ended leases.
 */
export async function endLeases(db: Connection, ended: readonly EndedLease[], skipLocked: boolean): Promise<number> {
  const leases = await lockAll(db, ended, skipLocked)
  if (leases.length === 0) return 0
  const given = Prisma.sql`
    unnest(${leases.map(({ environmentId }) => environmentId)}::uuid[],
           ${leases.map(({ subscriberId }) => subscriberId)}::text[], ${leases.map(({ holder }) => holder)}::uuid[],
           ${leases.map(({ seenAt }) => seenAt)}::timestamptz[])
      AS given(environment_id, subscriber_id, holder, seen_at)`
  await sqlCount(db, 'online-lease.endLeases')`
    DELETE FROM online_leases AS lease USING ${given}
    WHERE lease.environment_id = given.environment_id AND lease.subscriber_id = given.subscriber_id
      AND lease.holder = given.holder AND lease.seen_at <= given.seen_at`
  await sqlCount(db, 'online-lease.endLeases')`
    UPDATE subscribers AS subscriber
    SET is_online = false, last_online_at = greatest(subscriber.last_online_at, latest.seen_at)
    FROM (
      SELECT environment_id, subscriber_id, max(seen_at) AS seen_at FROM ${given} GROUP BY environment_id, subscriber_id
    ) AS latest
    WHERE subscriber.environment_id = latest.environment_id AND subscriber.subscriber_id = latest.subscriber_id
      AND NOT EXISTS (
        SELECT FROM online_leases AS other
        WHERE other.environment_id = subscriber.environment_id AND other.subscriber_id = subscriber.subscriber_id
      )`
  return leases.length
}

/** Returns leases that were last renewed before a time, of all environments. */
export const staleLeases = (db: Connection, before: Date, take: number): Promise<EndedLease[]> =>
  sql<EndedLease>(db, 'online-lease.staleLeases')`
    SELECT environment_id AS "environmentId", subscriber_id AS "subscriberId", holder, seen_at AS "seenAt"
    FROM online_leases WHERE seen_at < ${before}::timestamptz
    ORDER BY environment_id, subscriber_id ${limitTo(take)}`

/**
 * Sets the online state of a subscriber. Its version and the time of its last change stay unchanged.
 *
 * @returns undefined if the subscriber does not exist.
 */
export async function writeOnlineState(
  { db, environmentId }: Tenant,
  named: { readonly subscriberId: string } | { readonly id: string },
  { isOnline, now }: { readonly isOnline: boolean; readonly now: Date },
): Promise<Subscriber | undefined> {
  const condition =
    'id' in named ? Prisma.sql`id = ${named.id}::uuid` : Prisma.sql`subscriber_id = ${named.subscriberId}`
  const [written] = await sql<Subscriber>(db, 'online-lease.writeOnlineState')`
    UPDATE subscribers AS subscriber
    SET is_online = ${isOnline}::boolean,
        last_online_at = CASE WHEN is_online AND NOT ${isOnline}::boolean THEN ${now}::timestamptz ELSE last_online_at END
    WHERE environment_id = ${environmentId}::uuid AND ${condition}
    RETURNING ${selectList(subscriberTable, 'subscriber')}`
  return written
}
