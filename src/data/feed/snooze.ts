// Snoozed notifications: hidden from their feed until they return.
import type { Connection } from '../connection/database.ts'
import { Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { limitTo, sql } from '../statement/statement.ts'
import { heldMessages } from '../webhook/notification-message.ts'
import { besides } from '../webhook/webhook-message.ts'
import { announceChanged, notificationAnnouncement } from './feed-event.ts'
import { type Feed, heldNotifications } from './feed-filter.ts'

/** Times of returns that a notification keeps. */
const MAX_RETURNS = 100

interface Snooze {
  readonly id: string
  readonly until: Date
  readonly now: Date
  /** The type of webhook message to write. Empty for none. */
  readonly webhooks: readonly string[]
}

/** Snoozes a notification of a feed, takes it out of the archive, and sends a feed event. */
export async function snoozeRow(tenant: Tenant, feed: Feed, { id, until, now, webhooks }: Snooze): Promise<void> {
  const more = Prisma.sql`jsonb_build_object('snoozedUntil', ${until.toISOString()}::text)`
  const { parts, written } = besides(heldMessages(tenant, webhooks, more, now))
  await sql(tenant.db, 'snooze.snoozeRow')`
    WITH held AS (${heldNotifications(tenant, feed, { ids: [id] })}), changed AS (
      UPDATE notifications
      SET snoozed_until = ${until}::timestamptz, archived_at = NULL, updated_at = ${now}::timestamptz
      FROM held WHERE notifications.environment_id = ${tenant.environmentId}::uuid AND notifications.id = held.id
      RETURNING notifications.id
    ) ${parts} ${announceChanged(tenant, feed)} WHERE ${written}`
}

/**
 * The statement by which snoozed notifications return: unread, not archived, at the top of their feeds, and with the feed
 * event of new ones. The place in a feed is `created_at`, which earlier versions order by too.
 *
 * @param held selects and locks them.
 */
function returning(tenant: Tenant, held: Prisma.Sql, now: Date, webhooks: readonly string[]): Prisma.Sql {
  const at = Prisma.sql`${now}::timestamptz`
  const { parts, written } = besides(heldMessages(tenant, webhooks, Prisma.sql`'{}'::jsonb`, now))
  return Prisma.sql`
    WITH held AS (${held}), changed AS (
      UPDATE notifications AS returned
      SET snoozed_until = NULL, read_at = NULL, archived_at = NULL, updated_at = ${at}, created_at = ${at},
          first_created_at = coalesce(first_created_at, created_at),
          delivered_at = (delivered_at || ${at})[greatest(1, cardinality(delivered_at) + 2 - ${MAX_RETURNS}::int):]
      FROM held WHERE returned.environment_id = ${tenant.environmentId}::uuid AND returned.id = held.id
      RETURNING returned.id
    ), announced AS MATERIALIZED (${notificationAnnouncement(tenant, Prisma.sql`changed`)}) ${parts}
    SELECT count(*)::int AS returned FROM changed WHERE (SELECT count(*) FROM announced) >= 0 AND ${written}`
}

/** Ends the snooze of a notification of a feed. Without effect if it is not snoozed. */
export async function unsnoozeRow(
  tenant: Tenant,
  feed: Feed,
  { id, now, webhooks }: Omit<Snooze, 'until'>,
): Promise<void> {
  const held = heldNotifications(tenant, feed, { ids: [id], filter: { snoozed: true } })
  await sql(tenant.db, 'snooze.unsnoozeRow')`${returning(tenant, held, now, webhooks)}`
}

/**
 * Returns the environments with notifications whose snooze has ended. Looks up the environments that have snoozed
 * notifications one by one in their index, so all others cost nothing.
 */
export async function environmentsWithDue(db: Connection, now: Date): Promise<string[]> {
  const next = (condition: Prisma.Sql) => Prisma.sql`
    SELECT environment_id, snoozed_until FROM notifications
    WHERE snoozed_until IS NOT NULL ${condition} ORDER BY environment_id, snoozed_until LIMIT 1`
  const found = await sql<{ id: string }>(db, 'snooze.environmentsWithDue')`
    WITH RECURSIVE first(environment_id, snoozed_until) AS (
      (${next(Prisma.empty)})
      UNION ALL
      SELECT following.* FROM first
      CROSS JOIN LATERAL (${next(Prisma.sql`AND environment_id > first.environment_id`)}) AS following
    )
    SELECT environment_id AS id FROM first WHERE snoozed_until <= ${now}::timestamptz ORDER BY environment_id`
  return found.map(({ id }) => id)
}

/**
 * Lets a portion of the due notifications of an environment return, the longest due first. Skips rows that others lock.
 *
 * @param webhooks the type of webhook message to write. Empty for none. @returns their number.
 */
export async function returnDue(tenant: Tenant, now: Date, take: number, webhooks: readonly string[]): Promise<number> {
  const held = Prisma.sql`
    SELECT child.id, child.event_id, child.subscriber_id, child.workflow_identifier, child.context_keys
    FROM notifications AS child
    WHERE child.environment_id = ${tenant.environmentId}::uuid AND child.snoozed_until <= ${now}::timestamptz
    ORDER BY child.snoozed_until ${limitTo(take)} FOR UPDATE SKIP LOCKED`
  const [counted] = await sql<{ returned: number }>(tenant.db, 'snooze.returnDue')`
    ${returning(tenant, held, now, webhooks)}`
  return counted?.returned ?? 0
}
