// Marks of notifications, and their deletion.
import { Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { sql } from '../statement/statement.ts'
import { markMessages } from '../webhook/notification-message.ts'
import { besides } from '../webhook/webhook-message.ts'
import { announceChanged } from './feed-event.ts'
import { type Feed, heldNotifications, type SelectedNotifications } from './feed-filter.ts'

export const notificationMarks = ['seen', 'unseen', 'read', 'unread', 'archived', 'unarchived'] as const
export type NotificationMark = (typeof notificationMarks)[number]

/** The columns that a mark sets, and the condition for rows without the mark. Rows that have it keep its first time. */
export function assignMark(
  mark: NotificationMark,
  now: Date,
): { readonly set: Prisma.Sql; readonly missing: Prisma.Sql } {
  const at = Prisma.sql`${now}::timestamptz`
  const seen = Prisma.sql`seen_at = coalesce(seen_at, ${at})`
  const read = Prisma.sql`${seen}, read_at = coalesce(read_at, ${at})`
  switch (mark) {
    case 'seen':
      return { set: seen, missing: Prisma.sql`seen_at IS NULL` }
    case 'unseen':
      return { set: Prisma.sql`seen_at = NULL, read_at = NULL`, missing: Prisma.sql`seen_at IS NOT NULL` }
    case 'read':
      return { set: read, missing: Prisma.sql`read_at IS NULL` }
    case 'unread':
      return { set: Prisma.sql`read_at = NULL`, missing: Prisma.sql`read_at IS NOT NULL` }
    case 'archived':
      return { set: Prisma.sql`${read}, archived_at = ${at}`, missing: Prisma.sql`archived_at IS NULL` }
    case 'unarchived':
      return { set: Prisma.sql`archived_at = NULL`, missing: Prisma.sql`archived_at IS NOT NULL` }
  }
}

/**
 * Marks notifications of one feed and sends a feed event if any changed.
 *
 * `read` implies `seen`, and `archived` implies `read`. What is unseen is unread. Otherwise, removing a mark does not
 * remove the others.
 *
 * @param webhooks the types of webhook messages to write, one for each mark that a notification did not have before.
 * @returns the number of changed notifications.
 */
export async function markRows(
  tenant: Tenant,
  feed: Feed,
  selection: SelectedNotifications,
  mark: NotificationMark,
  now: Date,
  webhooks: readonly string[] = [],
): Promise<number> {
  const { set, missing } = assignMark(mark, now)
  const told = webhooks.length === 0 ? undefined : markMessages(tenant, mark, webhooks, now)
  const { parts, written } = besides(told)
  const [counted] = await sql<{ changed: number }>(tenant.db, 'notification-mark.markRows')`
    WITH held AS (${heldNotifications(tenant, feed, selection, Prisma.sql`AND ${missing}`)}), changed AS (
      UPDATE notifications SET ${set}, updated_at = ${now}::timestamptz
      FROM held WHERE notifications.environment_id = ${tenant.environmentId}::uuid AND notifications.id = held.id
      RETURNING notifications.id
    ) ${parts} ${announceChanged(tenant, feed)} WHERE ${written}`
  return counted?.changed ?? 0
}

/**
 * Deletes notifications of one feed and sends a feed event if there were any. The execution log keeps the time.
 *
 * @returns their number.
 */
export async function deleteRows(
  tenant: Tenant,
  feed: Feed,
  selection: SelectedNotifications,
  now: Date,
): Promise<number> {
  const [counted] = await sql<{ changed: number }>(tenant.db, 'notification-mark.deleteRows')`
    WITH held AS (${heldNotifications(tenant, feed, selection)}), changed AS (
      DELETE FROM notifications USING held
      WHERE notifications.environment_id = ${tenant.environmentId}::uuid AND notifications.id = held.id
      RETURNING notifications.id, notifications.step_run_id
    ), step AS (
      SELECT step_runs.id FROM changed
      JOIN step_runs ON step_runs.environment_id = ${tenant.environmentId}::uuid AND step_runs.id = changed.step_run_id
      ORDER BY step_runs.id FOR UPDATE OF step_runs
    ), noted AS (
      UPDATE step_runs SET notification_deleted_at = ${now}::timestamptz FROM step
      WHERE step_runs.environment_id = ${tenant.environmentId}::uuid AND step_runs.id = step.id
    ) ${announceChanged(tenant, feed)}`
  return counted?.changed ?? 0
}
