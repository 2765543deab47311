// The queue of webhook deliveries: those that are pending. Taking them, and recording the results of attempts. It is not in
// the jobs: a delivery may wait for days, and many results are recorded together.
import { isNotDeleted } from '../access/environment-deletion.ts'
import type { Connection } from '../connection/database.ts'
import { Prisma } from '../prisma/client.ts'
import type { WebhookDeliveryStatus } from '../prisma/enums.ts'
import { limitTo, plannedEachTime, sql } from '../statement/statement.ts'
import type { IntegrationRooms } from './job-turns.ts'

/** The attempts of a delivery that are kept. */
const KEPT_ATTEMPTS = 20

/** An attempt, as it is stored. */
export interface StoredWebhookAttempt {
  readonly startedAt: string
  /** Milliseconds. */
  readonly duration: number
  /** Null without a response. */
  readonly status: number | null
  /** The beginning of the response. Null without one. */
  readonly answer: string | null
  /** Null if the receiver accepted the message. */
  readonly error: string | null
}

/** A delivery that was taken, with what its request consists of. It contains ciphertexts. */
export interface TakenWebhook {
  readonly environmentId: string
  readonly id: string
  readonly subscriptionId: string
  readonly messageId: string
  /** The number of attempts before this one. */
  readonly attemptCount: number
  /** The end of the lease, which tells it from the same delivery when another process has taken it since. */
  readonly heldUntil: Date
  readonly type: string
  readonly data: Prisma.JsonValue
  readonly isTest: boolean
  readonly occurredAt: Date
  readonly subscription: string
  readonly url: string
  readonly secret: string
  readonly formerSecret: string | null
  readonly includeContent: boolean
}

/** Looks up the subscriptions with pending deliveries one by one in the index of the queue. The last row has no id. */
const waiting = Prisma.sql`
  WITH RECURSIVE waiting(environment_id, subscription_id) AS (
    (
      SELECT environment_id, subscription_id FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL
      ORDER BY environment_id, subscription_id LIMIT 1
    )
    UNION ALL
    SELECT following.* FROM waiting CROSS JOIN LATERAL (
      SELECT environment_id, subscription_id FROM webhook_deliveries
      WHERE next_attempt_at IS NOT NULL
        AND (environment_id, subscription_id) > (waiting.environment_id, waiting.subscription_id)
      ORDER BY environment_id, subscription_id LIMIT 1
    ) AS following
  )
  SELECT subscription.* FROM waiting
  JOIN webhook_subscriptions AS subscription
    ON subscription.environment_id = waiting.environment_id AND subscription.id = waiting.subscription_id
  WHERE subscription.active`

/** The condition that a delivery of the `subscription` may be taken. */
const isDue = (now: Date) => Prisma.sql`
  environment_id = subscription.environment_id AND subscription_id = subscription.id
    AND next_attempt_at <= ${now}::timestamptz`

/** The condition that any active subscription has a delivery that may be taken. */
export const hasDueWebhooks = (now: Date): Prisma.Sql => Prisma.sql`EXISTS (
  SELECT FROM (${waiting}) AS subscription WHERE EXISTS (SELECT FROM webhook_deliveries WHERE ${isDue(now)}))`

export interface TakingWebhooks {
  /** The maximum number of deliveries. */
  readonly count: number
  /** The room of each subscription, by `integrationKey` with its id. */
  readonly rooms: IntegrationRooms
  /** Environments that are skipped. */
  readonly except: readonly string[]
  readonly now: Date
  /** The time after which other processes may take the deliveries again, in milliseconds. */
  readonly lease: number
}

/**
 * Takes the next deliveries, of each subscription as many as it has room for. Subscriptions with fewer open requests come
 * first. An attempt only counts once its result is recorded, so that a process that dies uses none up.
 */
export async function takeWebhooks(
  db: Connection,
  { count, rooms: { known, room }, except, now, lease }: TakingWebhooks,
): Promise<{ readonly deliveries: readonly TakenWebhook[]; readonly databaseTime: Date }> {
  const until = new Date(now.getTime() + lease)
  const rows = await sql<{ databaseTime: Date } & (Omit<TakenWebhook, 'heldUntil'> | { readonly id: null })>(
    db,
    'webhook-queue.takeWebhooks',
  )`
    ${plannedEachTime}
    WITH next AS MATERIALIZED (
      SELECT delivery.environment_id, delivery.id, subscription.identifier, subscription.url, subscription.secret,
             CASE WHEN subscription.former_secret_until > ${now}::timestamptz THEN subscription.former_secret END
               AS former_secret,
             subscription.include_content
      FROM (${waiting}) AS subscription
      CROSS JOIN LATERAL (
        VALUES (${JSON.stringify(known)}::jsonb -> (subscription.environment_id || ' ' || subscription.id))
      ) AS known(own)
      CROSS JOIN LATERAL (
        SELECT environment_id, id, next_attempt_at,
               coalesce((own -> 'open')::int, 0) + row_number() OVER (ORDER BY next_attempt_at, id) AS place
        FROM (
          SELECT environment_id, id, next_attempt_at FROM webhook_deliveries WHERE ${isDue(now)}
          ORDER BY next_attempt_at, id LIMIT coalesce((own -> 'room')::int, ${room}::int) FOR UPDATE SKIP LOCKED
        ) AS due
      ) AS delivery
      WHERE subscription.environment_id <> ALL (${[...except]}::uuid[])
        AND ${isNotDeleted(Prisma.sql`subscription.environment_id`)}
      ORDER BY place, delivery.next_attempt_at, delivery.id ${limitTo(count)}
    ), taken AS (
      UPDATE webhook_deliveries AS delivery
      SET next_attempt_at = ${until}::timestamptz
      FROM next WHERE delivery.environment_id = next.environment_id AND delivery.id = next.id
      RETURNING delivery.environment_id, delivery.id, delivery.subscription_id, delivery.message_id,
                delivery.attempt_count, next.identifier, next.url, next.secret, next.former_secret, next.include_content
    )
    SELECT clock_timestamp() AS "databaseTime", taken.environment_id AS "environmentId", taken.id,
           taken.subscription_id AS "subscriptionId", taken.message_id AS "messageId",
           taken.attempt_count AS "attemptCount", message.type, message.data, message.is_test AS "isTest",
           message.created_at AS "occurredAt", taken.identifier AS subscription, taken.url, taken.secret,
           taken.former_secret AS "formerSecret", taken.include_content AS "includeContent"
    FROM (SELECT) AS always
    LEFT JOIN (
      taken JOIN webhook_messages AS message
        ON message.environment_id = taken.environment_id AND message.id = taken.message_id
    ) ON true`
  const [first] = rows
  if (first === undefined) throw new Error('a statement that always returns a database row returned none')
  const deliveries = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, heldUntil: until }]))
  return { deliveries, databaseTime: first.databaseTime }
}

/** The result of an attempt. */
export interface WebhookResult {
  readonly environmentId: string
  readonly id: string
  readonly subscriptionId: string
  /** As the delivery was taken. A delivery that was taken or queued again since has another one, and keeps its state. */
  readonly heldUntil: Date
  readonly status: WebhookDeliveryStatus
  /** Null if the delivery has ended. */
  readonly nextAttemptAt: Date | null
  readonly attempt: StoredWebhookAttempt
  /** Why the subscription is deactivated at once. Null if it is not. */
  readonly disabledReason: string | null
}

/** A subscription that was deactivated. */
export interface DisabledSubscription {
  readonly environmentId: string
  readonly identifier: string
  readonly reason: string
}

/**
 * Records the results of attempts, of any environments, in one statement. A subscription that has only had failures since
 * `failingBefore` is deactivated.
 *
 * @param failing the reason for those. @returns the subscriptions that were deactivated.
 */
export function recordWebhookResults(
  db: Connection,
  results: readonly WebhookResult[],
  { now, failingBefore, failing }: { readonly now: Date; readonly failingBefore: Date; readonly failing: string },
): Promise<DisabledSubscription[]> {
  return sql<DisabledSubscription>(db, 'webhook-queue.recordWebhookResults')`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(results)}::jsonb) AS result(
        "environmentId" uuid, id uuid, "subscriptionId" uuid, "heldUntil" timestamptz, status "WebhookDeliveryStatus",
        "nextAttemptAt" timestamptz, attempt jsonb, "disabledReason" text)
    ), held AS MATERIALIZED (
      SELECT delivery.environment_id, delivery.id, given.status, given."nextAttemptAt", given.attempt
      FROM given JOIN webhook_deliveries AS delivery
        ON delivery.environment_id = given."environmentId" AND delivery.id = given.id
          AND delivery.next_attempt_at = given."heldUntil"
      ORDER BY delivery.environment_id, delivery.id FOR UPDATE OF delivery
    ), recorded AS (
      UPDATE webhook_deliveries AS delivery
      SET status = held.status, attempt_count = attempt_count + 1, next_attempt_at = held."nextAttemptAt", updated_at = ${now}::timestamptz,
          attempts = CASE WHEN jsonb_array_length(attempts) < ${KEPT_ATTEMPTS} THEN attempts ELSE attempts - 0 END
            || held.attempt
      FROM held WHERE delivery.environment_id = held.environment_id AND delivery.id = held.id
      RETURNING delivery.id
    ), outcome AS (
      SELECT "environmentId", "subscriptionId", bool_or(status = 'succeeded') AS succeeded,
             min(attempt ->> 'startedAt')::timestamptz AS since, max("disabledReason") AS reason
      FROM given GROUP BY "environmentId", "subscriptionId"
    ), changed AS MATERIALIZED (
      SELECT subscription.environment_id, subscription.id, outcome.*, subscription.failing_since,
             CASE WHEN subscription.active THEN coalesce(outcome.reason, CASE WHEN NOT succeeded
               AND subscription.failing_since <= ${failingBefore}::timestamptz THEN ${failing} END) END AS disabled
      FROM outcome JOIN webhook_subscriptions AS subscription
        ON subscription.environment_id = outcome."environmentId" AND subscription.id = outcome."subscriptionId"
      WHERE outcome.reason IS NOT NULL OR (subscription.failing_since IS NULL) <> succeeded
        OR subscription.failing_since <= ${failingBefore}::timestamptz
      ORDER BY subscription.environment_id, subscription.id FOR NO KEY UPDATE OF subscription
    ), noted AS (
      UPDATE webhook_subscriptions AS subscription
      SET failing_since = CASE WHEN succeeded THEN NULL ELSE coalesce(changed.failing_since, since) END
      FROM changed WHERE disabled IS NULL
        AND subscription.environment_id = changed.environment_id AND subscription.id = changed.id
    )
    UPDATE webhook_subscriptions AS subscription
    SET active = false, disabled_reason = disabled, updated_at = ${now}::timestamptz
    FROM changed WHERE disabled IS NOT NULL AND (SELECT count(*) FROM recorded) >= 0
      AND subscription.environment_id = changed.environment_id AND subscription.id = changed.id
    RETURNING subscription.environment_id AS "environmentId", subscription.identifier, disabled AS reason`
}
