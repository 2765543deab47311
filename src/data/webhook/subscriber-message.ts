// Webhook messages about subscribers.
import { Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { webhookParts, type WebhookParts } from './webhook-message.ts'

/** Writes messages about the subscribers in `written`: about new ones, whose ids `given` has, and changed ones. */
export const subscriberMessages = (tenant: Tenant, types: readonly string[], now: Date): WebhookParts =>
  webhookParts(
    tenant,
    types,
    Prisma.sql`
      SELECT gen_random_uuid() AS id,
             CASE WHEN patches ? written.id::text THEN 'subscriber.created' ELSE 'subscriber.updated' END AS type,
             jsonb_build_object('subscriberId', "subscriberId") AS data, '{}'::text[] AS context_keys
      FROM written CROSS JOIN given`,
    now,
  )

/** A statement that updates subscribers and writes messages about them. @param update returns the changed rows. */
export function tellingUpdate(tenant: Tenant, types: readonly string[], update: Prisma.Sql, now: Date): Prisma.Sql {
  const { parts, wake } = subscriberMessages(tenant, types, now)
  // None is new, so no ids of new subscribers are given.
  return Prisma.sql`
    WITH given AS (SELECT '{}'::jsonb AS patches), written AS (${update}), ${Prisma.join([...parts])},
    woken AS MATERIALIZED (${wake})
    SELECT written.* FROM written WHERE (SELECT count(*) FROM woken) >= 0`
}
