// Webhook deliveries: rows, pages, and repetition.
import { Prisma, type WebhookDelivery, type WebhookMessage } from '../prisma/client.ts'
import type { WebhookDeliveryStatus } from '../prisma/enums.ts'
import { JOB_CHANNEL, webhookAnnouncement } from '../queue/job.ts'
import type { Tenant } from '../reading/loader.ts'
import { equalTo, pagesBy } from '../reading/page.ts'
import { rowBy } from '../reading/row.ts'
import { limitTo, sql } from '../statement/statement.ts'
import type { Table } from '../statement/table.ts'

const webhookDeliveryTable: Table<WebhookDelivery> = {
  name: 'webhook_deliveries',
  fields: Object.values(Prisma.WebhookDeliveryScalarFieldEnum),
}

const webhookMessageTable: Table<WebhookMessage> = {
  name: 'webhook_messages',
  fields: Object.values(Prisma.WebhookMessageScalarFieldEnum),
}

export const webhookDeliveriesById = rowBy(webhookDeliveryTable, { field: 'id', type: 'uuid' })
export const webhookMessagesById = rowBy(webhookMessageTable, { field: 'id', type: 'uuid' })

/** Selects deliveries. Undefined fields match everything. */
interface WebhookDeliveryFilter {
  readonly status?: readonly WebhookDeliveryStatus[] | undefined
  readonly type?: readonly string[] | undefined
}

export const deliveriesOfSubscriptions = pagesBy<WebhookDelivery, WebhookDeliveryFilter>(
  {
    name: 'webhook_deliveries',
    table: webhookDeliveryTable,
    where: equalTo<WebhookDeliveryFilter>({ status: '"WebhookDeliveryStatus"', type: 'text' }),
  },
  { field: 'subscriptionId', type: 'uuid' },
)

/** Queues a delivery again, with a new schedule. @returns undefined if it does not exist. */
export async function requeueDelivery(
  { db, environmentId }: Tenant,
  id: string,
  now: Date,
): Promise<Pick<WebhookDelivery, 'id'> | undefined> {
  const [queued] = await sql<Pick<WebhookDelivery, 'id'>>(db, 'webhook-delivery.requeueDelivery')`
    WITH queued AS (
      UPDATE webhook_deliveries
      SET status = 'pending', attempt_count = 0, next_attempt_at = ${now}::timestamptz, updated_at = ${now}::timestamptz
      WHERE environment_id = ${environmentId}::uuid AND id = ${id}::uuid
      RETURNING id
    )
    SELECT id, pg_notify(${JOB_CHANNEL}, ${webhookAnnouncement(environmentId)})::text FROM queued`
  return queued
}

/**
 * Deletes a portion of the messages created before a time, oldest first, with their deliveries.
 *
 * @returns the numbers of rows.
 */
export async function sweepWebhookMessages(
  { db, environmentId }: Tenant,
  { before, take }: { readonly before: Date; readonly take: number },
): Promise<{ readonly messages: number; readonly deliveries: number }> {
  const [swept] = await sql<{ messages: number; deliveries: number }>(db, 'webhook-delivery.sweepWebhookMessages')`
    WITH expired AS MATERIALIZED (
      SELECT id FROM webhook_messages
      WHERE environment_id = ${environmentId}::uuid AND created_at < ${before}::timestamptz
      ORDER BY created_at ${limitTo(take)} FOR UPDATE SKIP LOCKED
    ), deliveries AS (
      DELETE FROM webhook_deliveries
      WHERE environment_id = ${environmentId}::uuid AND message_id IN (SELECT id FROM expired) RETURNING id
    ), messages AS (
      DELETE FROM webhook_messages
      WHERE environment_id = ${environmentId}::uuid AND id IN (SELECT id FROM expired) RETURNING id
    )
    SELECT (SELECT count(*) FROM messages)::int AS messages, (SELECT count(*) FROM deliveries)::int AS deliveries`
  return swept ?? { messages: 0, deliveries: 0 }
}
