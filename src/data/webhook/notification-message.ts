// Webhook messages about notifications.
import { Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { webhookParts, type WebhookParts } from './webhook-message.ts'

/** The data of a message about the row `notification`, as in the example of its type. */
const data = Prisma.sql`jsonb_build_object(
  'messageId', notification.id, 'channel', 'in_app', 'subscriberId', notification.subscriber_id,
  'workflowIdentifier', notification.workflow_identifier, 'eventId', notification.event_id,
  'transactionId', event.transaction_id, 'contextKeys', notification.context_keys)`

/** Joins the event of a `notification`. */
const withEvent = ({ environmentId }: Tenant) => Prisma.sql`
  LEFT JOIN events AS event ON event.environment_id = ${environmentId}::uuid AND event.id = notification.event_id`

/** Writes a message `message.sent` about each new notification. @param inserted the name of the part with them. */
export const sentMessages = (tenant: Tenant, inserted: Prisma.Sql, now: Date): WebhookParts =>
  webhookParts(
    tenant,
    ['message.sent'],
    Prisma.sql`
      SELECT gen_random_uuid() AS id, 'message.sent' AS type, ${data} AS data, notification.context_keys
      FROM ${inserted} AS notification ${withEvent(tenant)}`,
    now,
  )

/** The marks that a mark sets, too, if a notification does not have them. */
const impliedMarks = {
  seen: [],
  unseen: [],
  read: ['seen'],
  unread: [],
  archived: ['seen', 'read'],
  unarchived: [],
} as const

/** Writes messages about marks of the notifications in `held`, which have changed. */
export function markMessages(
  tenant: Tenant,
  mark: keyof typeof impliedMarks,
  types: readonly string[],
  now: Date,
): WebhookParts {
  const marks = [...impliedMarks[mark], mark]
  const messages = Prisma.sql`
    SELECT gen_random_uuid() AS id, 'message.' || mark AS type, ${data} AS data, notification.context_keys
    FROM held AS notification ${withEvent(tenant)}
    CROSS JOIN unnest(${marks}::text[]) AS mark
    WHERE mark = ${mark} OR (mark = 'seen' AND was_seen_at IS NULL) OR (mark = 'read' AND was_read_at IS NULL)`
  return webhookParts(tenant, types, messages, now)
}

/**
 * Writes a message of one type about each notification in `held`.
 *
 * @param types empty if nobody wants it. @param more what its data has besides, as JSON in SQL.
 * @returns undefined if nobody wants it.
 */
export const heldMessages = (
  tenant: Tenant,
  types: readonly string[],
  more: Prisma.Sql,
  now: Date,
): WebhookParts | undefined =>
  types.length === 0
    ? undefined
    : webhookParts(
        tenant,
        types,
        Prisma.sql`
          SELECT gen_random_uuid() AS id, ${types[0]}::text AS type, ${data} || ${more} AS data,
                 notification.context_keys
          FROM held AS notification ${withEvent(tenant)}`,
        now,
      )
