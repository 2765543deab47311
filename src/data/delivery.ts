// Deliveries and their attempts.
import { groupBatch, type Tenant } from './reading/loader.ts'
import { type Delivery, type DeliveryAttempt, Prisma } from './prisma/client.ts'
import type { Channel, RunStatus } from './prisma/enums.ts'
import type { StoredRoute } from './queue/delivery-route.ts'
import { rowBy, rowsBy, rowsWhere } from './reading/row.ts'
import { createdIn, insertRows, type Table } from './statement/table.ts'
import { addressKeyIfSuppressing } from './suppression/address-key.ts'
import { sql, sqlCount } from './statement/statement.ts'

export const deliveryTable: Table<Delivery> = {
  name: 'deliveries',
  fields: Object.values(Prisma.DeliveryScalarFieldEnum),
}

/** The same table for new rows, of which few have routes. */
const newDeliveryTable: Table<Omit<Delivery, 'routes'> & { routes: readonly StoredRoute[] | null }> = {
  name: deliveryTable.name,
  fields: deliveryTable.fields,
}

export const attemptTable: Table<DeliveryAttempt> = {
  name: 'delivery_attempts',
  fields: Object.values(Prisma.DeliveryAttemptScalarFieldEnum),
}

export const deliveriesById = rowBy(deliveryTable, { field: 'id', type: 'uuid' })

/** The deliveries of many step runs, oldest first. */
export const deliveriesIn = (tenant: Tenant, stepRunIds: readonly string[]): Promise<Delivery[]> =>
  rowsWhere(tenant, deliveryTable, { field: 'stepRunId', type: 'uuid' }, stepRunIds, ['createdAt', 'id'])

export const deliveriesByStepRun = groupBatch(deliveriesIn, ({ stepRunId }) => stepRunId)

/** The attempts of many deliveries, oldest first. */
export const attemptsIn = (tenant: Tenant, deliveryIds: readonly string[]): Promise<DeliveryAttempt[]> =>
  rowsWhere(tenant, attemptTable, { field: 'deliveryId', type: 'uuid' }, deliveryIds, ['number'])

/** The attempts of deliveries, oldest first. */
export const attemptsByDelivery = rowsBy(attemptTable, { field: 'deliveryId', type: 'uuid' }, ['number'])

/** A counted attempt. */
export interface CountedAttempt extends Pick<Delivery, 'attemptCount' | 'expiresAt' | 'timeLimitAt'> {
  /** True if the message is overdue, so that the attempt was not counted and must not be made. */
  readonly isLate: boolean
  /** The encrypted address key of the environment. Null if the environment has no suppressions. */
  readonly addressKey: string | null
}

/**
 * Counts an attempt before it is made, so that an attempt that kills the process counts too.
 *
 * @returns undefined if the delivery is no longer pending.
 */
export async function countAttempt(
  { db, environmentId }: Tenant,
  id: string,
  now: Date,
): Promise<CountedAttempt | undefined> {
  const [row] = await sql<CountedAttempt>(db, 'delivery.countAttempt')`
    WITH counted AS (
      UPDATE deliveries SET
        attempt_count = attempt_count
          + CASE WHEN least(expires_at, time_limit_at) <= ${now}::timestamptz THEN 0 ELSE 1 END,
        updated_at = ${now}::timestamptz
      WHERE environment_id = ${environmentId}::uuid AND id = ${id}::uuid AND status = 'pending'
      RETURNING attempt_count AS "attemptCount", expires_at AS "expiresAt", time_limit_at AS "timeLimitAt",
                coalesce(least(expires_at, time_limit_at) <= ${now}::timestamptz, false) AS "isLate"
    )
    SELECT counted.*, ${addressKeyIfSuppressing({ environmentId })} AS "addressKey" FROM counted`
  return row
}

/** The error of the last attempt of a delivery. Null if there was none. */
export async function lastErrorOf({ db, environmentId }: Tenant, deliveryId: string): Promise<string | null> {
  const found = await db.deliveryAttempt.findFirst({
    where: { environmentId, deliveryId },
    orderBy: { number: 'desc' },
    select: { error: true },
  })
  return found?.error ?? null
}

export interface AttemptRow {
  readonly deliveryId: string
  /** The reason for the failure; null if the message was sent. */
  readonly error: string | null
  readonly status: number | null
  readonly answer: string | null
  /** True if nothing was sent. */
  readonly isCaptured: boolean
  /** The address that the environment redirected the message to. Absent if it did not. */
  readonly redirectedTo?: string | null
  readonly startedAt: Date
  readonly endedAt: Date
  /** The time from which the next attempt may be made. Null if none follows. */
  readonly nextAt: Date | null
  /** The integration that made it and its provider, if the delivery has several. */
  readonly integrationIdentifier?: string | null
  readonly providerId?: string | null
  /** Why the next integration is tried. Absent if it is not. */
  readonly nextRouteReason?: string | null
}

/** Records an attempt. A failed one also changes its delivery. The transaction must hold a lock on the delivery. */
export async function insertAttempt({ db, environmentId }: Tenant, attempt: AttemptRow): Promise<void> {
  const { deliveryId, error, status, answer, isCaptured, startedAt, endedAt, nextAt } = attempt
  const { redirectedTo = null, integrationIdentifier = null, providerId = null, nextRouteReason = null } = attempt
  const change =
    error === null
      ? Prisma.empty
      : Prisma.sql`WITH changed AS (
          UPDATE deliveries SET updated_at = ${endedAt}::timestamptz
          WHERE environment_id = ${environmentId}::uuid AND id = ${deliveryId}::uuid
        )`
  await sqlCount(db, 'delivery.insertAttempt')`
    ${change}
    INSERT INTO delivery_attempts
      (environment_id, delivery_id, number, error, status, answer, is_captured, started_at, ended_at, next_at,
       integration_identifier, provider_id, next_route_reason, redirected_to)
    SELECT ${environmentId}::uuid, ${deliveryId}::uuid, coalesce(max(number), 0) + 1, ${error}, ${status}::int,
           ${answer}, ${isCaptured}::boolean, ${startedAt}::timestamptz, ${endedAt}::timestamptz, ${nextAt}::timestamptz,
           ${integrationIdentifier}, ${providerId}, ${nextRouteReason}, ${redirectedTo}
    FROM delivery_attempts
    WHERE environment_id = ${environmentId}::uuid AND delivery_id = ${deliveryId}::uuid`
}

/** Appends a sentence to the answer of the last attempt, unless the message was erased. */
export async function noteReport(
  { db, environmentId }: Tenant,
  deliveryId: string,
  sentence: string,
  now: Date,
): Promise<void> {
  await sqlCount(db, 'delivery.noteReport')`
    WITH changed AS (
      UPDATE deliveries SET updated_at = ${now}::timestamptz
      WHERE environment_id = ${environmentId}::uuid AND id = ${deliveryId}::uuid AND target ->> 'kind' <> 'deleted'
      RETURNING id
    )
    UPDATE delivery_attempts AS attempt SET answer = concat_ws(' ', attempt.answer, ${sentence}::text)
    FROM changed
    WHERE attempt.environment_id = ${environmentId}::uuid AND attempt.delivery_id = changed.id
      AND attempt.number = (
        SELECT max(number) FROM delivery_attempts
        WHERE environment_id = ${environmentId}::uuid AND delivery_id = ${deliveryId}::uuid
      )`
}

/**
 * Sets the outcome of a step once none of its messages is pending. It is skipped if they expired before an attempt. The transaction must hold a lock on the run, so that
 * of two messages that finish at the same time the second sees the first.
 *
 * @returns the run if the step has ended.
 */
export async function endStep(
  { db, environmentId }: Tenant,
  stepRunId: string,
  refused: { readonly reason: string; readonly detail: string; readonly cause: string | null },
  now: Date,
): Promise<{ readonly id: string; readonly status: RunStatus } | undefined> {
  const [run] = await sql<{ id: string; status: RunStatus }>(db, 'delivery.endStep')`
    UPDATE step_runs AS step
    SET status = outcome.status, reason = outcome.reason, cause = outcome.cause,
        -- What the sent message lacks stays. The detail of an earlier failure has a reason.
        detail = CASE WHEN outcome.status = 'sent' AND step.reason IS NULL THEN step.detail ELSE outcome.detail END,
        updated_at = ${now}::timestamptz
    FROM (
      SELECT (CASE WHEN bool_or(status = 'sent') THEN 'sent'
                   WHEN bool_and(attempt_count = 0 AND coalesce(cause, '') = 'expired') THEN 'skipped'
                   ELSE 'failed' END)::"StepStatus" AS status,
             CASE WHEN bool_or(status = 'sent') THEN NULL ELSE ${refused.reason} END AS reason,
             CASE WHEN bool_or(status = 'sent') THEN NULL ELSE ${refused.detail} END AS detail,
             CASE WHEN bool_or(status = 'sent') THEN NULL ELSE ${refused.cause} END AS cause
      FROM deliveries
      WHERE environment_id = ${environmentId}::uuid AND step_run_id = ${stepRunId}::uuid AND status <> 'cancelled'
      HAVING NOT bool_or(status = 'pending')
    ) AS outcome, workflow_runs AS run
    WHERE step.environment_id = ${environmentId}::uuid AND step.id = ${stepRunId}::uuid
      AND run.environment_id = ${environmentId}::uuid AND run.id = step.run_id
    RETURNING run.id, run.status`
  return run
}

/**
 * Locks the run of a step, so that its messages finish one at a time. To prevent deadlocks, every transaction locks the
 * run first, then its messages, then its steps.
 */
export async function holdRunOf({ db, environmentId }: Tenant, stepRunId: string): Promise<void> {
  await sql(db, 'delivery.holdRunOf')`
    SELECT 1 FROM step_runs AS step
    JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = step.run_id
    WHERE step.environment_id = ${environmentId}::uuid AND step.id = ${stepRunId}::uuid
    FOR UPDATE OF run`
}

/** Locks the run of a message. @returns the message as it is now. Undefined if it was deleted. */
export async function holdDelivery(tenant: Tenant, id: string): Promise<Delivery | undefined> {
  const { db, environmentId } = tenant
  await sql(db, 'delivery.holdDelivery')`
    SELECT 1 FROM deliveries AS delivery
    JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.id = delivery.step_run_id
    JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = step.run_id
    WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = ${id}::uuid
    FOR UPDATE OF run`
  const [delivery] = await rowsWhere(tenant, deliveryTable, { field: 'id', type: 'uuid' }, [id])
  return delivery
}

/** The end of a message. */
export interface DeliveryEnd extends Pick<Delivery, 'cause' | 'isCaptured' | 'providerMessageId' | 'updatedAt'> {
  readonly status: 'sent' | 'failed'
}

/** Ends a message. Secret values are removed if it was sent, because they are not needed any more. */
export async function endDelivery(
  { db, environmentId }: Tenant,
  id: string,
  { status, cause, isCaptured, providerMessageId, updatedAt }: DeliveryEnd,
): Promise<void> {
  await sqlCount(db, 'delivery.endDelivery')`
    UPDATE deliveries
    SET status = ${status}::"DeliveryStatus", cause = ${cause}, is_captured = ${isCaptured}::boolean,
        provider_message_id = ${providerMessageId}, secret_content = CASE WHEN ${status} = 'failed' THEN secret_content END, updated_at = ${updatedAt}::timestamptz
    WHERE environment_id = ${environmentId}::uuid AND id = ${id}::uuid`
}

/** A message to one destination, to insert. */
export interface NewDelivery {
  readonly id: string
  readonly stepRunId: string
  readonly eventId: string
  readonly workflowIdentifier: string
  readonly channel: Channel
  readonly providerId: string
  /** Null for a captured message without an integration. */
  readonly integrationId: string | null
  readonly integrationIdentifier: string
  readonly subscriberId: string
  /** The topics of the event. Empty if the trigger names the subscriber itself. */
  readonly topicKeys: readonly string[]
  /** The contexts of the event, under which the subscriber is subscribed to the topics. */
  readonly contextKeys: readonly string[]
  /** JSON. */
  readonly target: object
  /** JSON, with masks instead of secret values. */
  readonly content: object
  /** The limits of its time, as in the table. */
  readonly expiresAt?: Date | null
  readonly timeLimit?: number | null
  readonly timeLimitAt?: Date | null
  /** The integrations in the order in which they are tried. Absent if there is only one. */
  readonly routes?: readonly StoredRoute[]
  /** The encrypted content. Absent if it has no secret values. */
  readonly secretContent?: string
}

/** The statement that inserts deliveries, with the subscriptions that led to them. */
export function deliveryInsert(tenant: Tenant, rows: readonly NewDelivery[], now: Date): Prisma.Sql {
  const topics = rows.map(({ topicKeys }) => ({ topicKeys }))
  return insertRows(
    newDeliveryTable,
    rows.map(({ topicKeys: _topicKeys, ...row }) => row),
    {
      ...createdIn(tenant, now),
      subscriptionIds: Prisma.sql`ARRAY (
        SELECT subscription.id FROM topic_subscriptions AS subscription
        WHERE given."topicKeys" <> '{}' AND subscription.environment_id = ${tenant.environmentId}::uuid
          AND subscription.subscriber_id = given.subscriber_id AND topic_key = ANY (given."topicKeys")
          AND subscription.context_keys = given.context_keys
      )`,
      status: Prisma.sql`'pending'`,
      isCaptured: Prisma.sql`false`,
      attemptCount: Prisma.sql`0`,
    },
    Prisma.sql`jsonb_to_recordset(${JSON.stringify(topics)}::jsonb) AS ("topicKeys" text[])`,
  )
}
