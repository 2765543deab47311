// The state of a notification's buttons. It is part of the list of actions, which earlier versions keep as it is.
import { Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { sql } from '../statement/statement.ts'
import { heldMessages } from '../webhook/notification-message.ts'
import { besides } from '../webhook/webhook-message.ts'
import { announceChanged } from './feed-event.ts'
import { type Feed, heldNotifications } from './feed-filter.ts'

/** The positions of the buttons, by name. */
export const actionPositions = { primary: 0, secondary: 1 } as const
export type ActionName = keyof typeof actionPositions

interface ActionChange {
  readonly id: string
  readonly action: ActionName
  readonly now: Date
}

const at = (name: ActionName) => Prisma.sql`${actionPositions[name]}::int`

/**
 * Completes an action that the notification has, and sends a feed event. Without effect if it is completed.
 *
 * @param webhooks the type of webhook message to write. Empty for none.
 */
export async function completeAction(
  tenant: Tenant,
  feed: Feed,
  { id, action, now, webhooks }: ActionChange & { readonly webhooks: readonly string[] },
): Promise<void> {
  const open = Prisma.sql`AND NOT coalesce(child.actions -> ${at(action)} ? 'completedAt', true)`
  const more = Prisma.sql`jsonb_build_object('action', ${action}::text)`
  const { parts, written } = besides(heldMessages(tenant, webhooks, more, now))
  const path = Prisma.sql`ARRAY[${String(actionPositions[action])}, 'completedAt']::text[]`
  await sql(tenant.db, 'notification-action.completeAction')`
    WITH held AS (${heldNotifications(tenant, feed, { ids: [id] }, open)}), changed AS (
      UPDATE notifications
      SET actions = jsonb_set(actions, ${path}, to_jsonb(${now.toISOString()}::text)), updated_at = ${now}::timestamptz
      FROM held WHERE notifications.environment_id = ${tenant.environmentId}::uuid AND notifications.id = held.id
      RETURNING notifications.id
    ) ${parts} ${announceChanged(tenant, feed)} WHERE ${written}`
}

/** Makes an action open again, and sends a feed event. Without effect if it is open. */
export async function revertAction(tenant: Tenant, feed: Feed, { id, action, now }: ActionChange): Promise<void> {
  const completed = Prisma.sql`AND child.actions -> ${at(action)} ? 'completedAt'`
  const path = Prisma.sql`ARRAY[${String(actionPositions[action])}, 'completedAt']::text[]`
  await sql(tenant.db, 'notification-action.revertAction')`
    WITH held AS (${heldNotifications(tenant, feed, { ids: [id] }, completed)}), changed AS (
      UPDATE notifications SET actions = actions #- ${path}, updated_at = ${now}::timestamptz
      FROM held WHERE notifications.environment_id = ${tenant.environmentId}::uuid AND notifications.id = held.id
      RETURNING notifications.id
    ) ${announceChanged(tenant, feed)}`
}
