// Webhook messages: the outbox. They commit together with the change that they are about.
import { Prisma } from '../prisma/client.ts'
import { JOB_CHANNEL, webhookAnnouncement } from '../queue/job.ts'
import type { Tenant } from '../reading/loader.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'
import type { JsonObject } from '../../lib/validation.ts'

/** A message to write. */
export interface NewWebhookMessage {
  readonly id: string
  readonly data: JsonObject
  /** Sorted, duplicates removed. Empty for a change without a context. */
  readonly contextKeys: readonly string[]
}

/** The condition that a `subscription` takes messages under the contexts of a `message`. */
const takesContexts = Prisma.sql`(subscription.every_context OR subscription.context_keys = message.context_keys)`

/** The ids of deliveries are random, because their number is only known to the statement. */
const newDeliveries = ({ environmentId }: Tenant, now: Date, from: Prisma.Sql) => Prisma.sql`
  INSERT INTO webhook_deliveries AS stored (environment_id, id, subscription_id, message_id, type, status,
                                            next_attempt_at, created_at, updated_at)
  SELECT ${environmentId}::uuid, gen_random_uuid(), subscription.id, message.id, message.type, 'pending',
         ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
  FROM ${from}`

/** Wakes idle workers on commit if any delivery was written. @param written a part of the statement. */
const wake = ({ environmentId }: Tenant, written: Prisma.Sql) => Prisma.sql`
  SELECT pg_notify(${JOB_CHANNEL}, ${webhookAnnouncement(environmentId)}) WHERE EXISTS (SELECT FROM ${written})`

/** Parts of a statement that writes messages about what its other parts change. */
export interface WebhookParts {
  /** Parts of the WITH clause, after the parts that `messages` reads. */
  readonly parts: readonly Prisma.Sql[]
  /** A query with one column that wakes idle workers on commit. */
  readonly wake: Prisma.Sql
}

/**
 * The parts that write messages, each with a delivery for every active subscription that wants it. A message that nobody
 * wants is not written.
 *
 * @param types the types that the messages may have. @param messages a query of rows `id`, `type`, `data` and
 *   `context_keys`. `context_keys` are sorted, and empty for a change without a context.
 */
export function webhookParts(tenant: Tenant, types: readonly string[], messages: Prisma.Sql, now: Date): WebhookParts {
  const { environmentId } = tenant
  const match = Prisma.sql`message.type = ANY (subscription.event_types) AND ${takesContexts}`
  return {
    parts: [
      Prisma.sql`webhook_subscription AS MATERIALIZED (
        SELECT id, event_types, every_context, context_keys FROM webhook_subscriptions
        WHERE environment_id = ${environmentId}::uuid AND active AND event_types && ${[...types]}::text[]
        ORDER BY id FOR KEY SHARE
      )`,
      Prisma.sql`webhook_message AS MATERIALIZED (
        SELECT * FROM (${messages}) AS message
        WHERE EXISTS (SELECT FROM webhook_subscription AS subscription WHERE ${match})
      )`,
      Prisma.sql`new_webhook_messages AS (
        INSERT INTO webhook_messages (environment_id, id, type, data, context_keys, created_at)
        SELECT ${environmentId}::uuid, id, type, data, context_keys, ${now}::timestamptz FROM webhook_message
      )`,
      Prisma.sql`new_webhook_deliveries AS (
        ${newDeliveries(tenant, now, Prisma.sql`webhook_message AS message JOIN webhook_subscription AS subscription ON ${match}`)}
        RETURNING id
      )`,
    ],
    wake: wake(tenant, Prisma.sql`new_webhook_deliveries`),
  }
}

/** The parts of messages after the other parts of a statement, and the condition on its query. Empty without messages. */
export const besides = (
  told: WebhookParts | undefined,
): { readonly parts: Prisma.Sql; readonly written: Prisma.Sql } =>
  told === undefined
    ? { parts: Prisma.empty, written: Prisma.sql`true` }
    : {
        parts: Prisma.sql`, ${Prisma.join([...told.parts])}, woken AS MATERIALIZED (${told.wake})`,
        written: Prisma.sql`(SELECT count(*) FROM woken) >= 0`,
      }

/** Writes messages of one type, as `webhookParts` does, in a statement of their own. */
export async function insertWebhookMessages(
  tenant: Tenant,
  type: string,
  messages: readonly NewWebhookMessage[],
  now: Date,
): Promise<void> {
  const given = JSON.stringify(messages.map(({ id, data, contextKeys }) => ({ id, data, context_keys: contextKeys })))
  const rows = Prisma.sql`
    SELECT id, ${type}::text AS type, data, context_keys
    FROM jsonb_to_recordset(${given}::jsonb) AS given(id uuid, data jsonb, context_keys text[])`
  const { parts, wake } = webhookParts(tenant, [type], rows, now)
  await sqlCount(tenant.db, 'webhook-message.insertWebhookMessages')`WITH ${Prisma.join([...parts])} ${wake}`
}

interface TestMessage {
  readonly subscriptionId: string
  readonly deliveryId: string
  readonly type: string
  readonly message: NewWebhookMessage
}

/** Writes a message that no change has caused, for one subscription, whatever types it wants. Call it in a transaction. */
export async function insertTestMessage(
  tenant: Tenant,
  { subscriptionId, deliveryId, type, message }: TestMessage,
  now: Date,
): Promise<void> {
  const { db, environmentId } = tenant
  const { id, data, contextKeys } = message
  await sqlCount(db, 'webhook-message.insertTestMessage')`
    INSERT INTO webhook_messages (environment_id, id, type, data, context_keys, is_test, created_at)
    VALUES (${environmentId}::uuid, ${id}::uuid, ${type}, ${JSON.stringify(data)}::jsonb, ${[...contextKeys]}::text[],
            true, ${now}::timestamptz)`
  await sqlCount(db, 'webhook-message.insertTestMessage')`
    INSERT INTO webhook_deliveries (environment_id, id, subscription_id, message_id, type, status, next_attempt_at,
                                    created_at, updated_at)
    VALUES (${environmentId}::uuid, ${deliveryId}::uuid, ${subscriptionId}::uuid, ${id}::uuid, ${type}, 'pending',
            ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz)`
  await sqlCount(db, 'webhook-message.insertTestMessage')`
    SELECT pg_notify(${JOB_CHANNEL}, ${webhookAnnouncement(environmentId)})`
}

/** Messages to send again. */
interface Replay {
  readonly subscriptionId: string
  /** The first time of their creation. Inclusive. */
  readonly from: Date
  /** The time before which they were created. */
  readonly to: Date
  /** Undefined for all types that the subscription wants. */
  readonly types: readonly string[] | undefined
}

/**
 * Queues the stored messages of a period for a subscription again, also those that it has received or that were written
 * before it existed. Tests are left out.
 *
 * @param limit the maximum number of messages, oldest first. @returns their number, and when the last of them was created.
 */
export async function replayMessages(
  tenant: Tenant,
  { subscriptionId, from, to, types }: Replay,
  limit: number,
  now: Date,
): Promise<{ readonly count: number; readonly last: Date | null }> {
  const { db, environmentId } = tenant
  const wanted = types === undefined ? Prisma.sql`subscription.event_types` : Prisma.sql`${[...types]}::text[]`
  const chosen = Prisma.sql`(
    SELECT message.id, message.type, subscription.id AS subscription_id FROM webhook_subscriptions AS subscription
    JOIN webhook_messages AS message ON message.environment_id = ${environmentId}::uuid
    WHERE subscription.environment_id = ${environmentId}::uuid AND subscription.id = ${subscriptionId}::uuid
      AND message.created_at >= ${from}::timestamptz AND message.created_at < ${to}::timestamptz
      AND message.type = ANY (${wanted}) AND NOT message.is_test AND ${takesContexts}
    ORDER BY message.created_at, message.id ${limitTo(limit)} FOR KEY SHARE OF message
  ) AS message JOIN webhook_subscriptions AS subscription
    ON subscription.environment_id = ${environmentId}::uuid AND subscription.id = message.subscription_id`
  const [replayed] = await sql<{ count: number; last: Date | null }>(db, 'webhook-message.replayMessages')`
    WITH queued AS (
      ${newDeliveries(tenant, now, chosen)}
      ON CONFLICT (environment_id, message_id, subscription_id) DO UPDATE SET
        status = 'pending', attempt_count = 0, next_attempt_at = excluded.next_attempt_at,
        updated_at = excluded.updated_at
      RETURNING message_id
    ), woken AS MATERIALIZED (${wake(tenant, Prisma.sql`queued`)})
    SELECT count(*)::int AS count, max(message.created_at) AS last
    FROM queued JOIN webhook_messages AS message
      ON message.environment_id = ${environmentId}::uuid AND message.id = queued.message_id
    WHERE (SELECT count(*) FROM woken) >= 0`
  return replayed ?? { count: 0, last: null }
}
