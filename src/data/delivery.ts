// Deliveries and their attempts.
import { groupBatch, type Tenant } from './reading/loader.ts'
import { environmentPages, equalTo, inContexts, pagesBy } from './reading/page.ts'
import { type Delivery, type DeliveryAttempt, Prisma } from './prisma/client.ts'
import type { Channel, DeliveryStatus, RunStatus } from './prisma/enums.ts'
import { filterParts } from './reading/filter-parts.ts'
import { type CreatedWithin, createdWithin, type RowList } from './reading/row-list.ts'
import { rowBy, rowsBy, rowsWhere } from './reading/row.ts'
import { createdIn, insertRows, type Table } from './statement/table.ts'
import { sql, sqlCount } from './statement/statement.ts'

export const deliveryTable: Table<Delivery> = {
  name: 'deliveries',
  fields: Object.values(Prisma.DeliveryScalarFieldEnum),
}

const attemptTable: Table<DeliveryAttempt> = {
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
    UPDATE deliveries SET
      attempt_count = attempt_count
        + CASE WHEN least(expires_at, time_limit_at) <= ${now}::timestamptz THEN 0 ELSE 1 END,
      updated_at = ${now}::timestamptz
    WHERE environment_id = ${environmentId}::uuid AND id = ${id}::uuid AND status = 'pending'
    RETURNING attempt_count AS "attemptCount", expires_at AS "expiresAt", time_limit_at AS "timeLimitAt",
              coalesce(least(expires_at, time_limit_at) <= ${now}::timestamptz, false) AS "isLate"`
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
  readonly startedAt: Date
  readonly endedAt: Date
  /** The time from which the next attempt may be made. Null if none follows. */
  readonly nextAt: Date | null
}

/** Records an attempt. The transaction must hold a lock on the delivery. */
export async function insertAttempt({ db, environmentId }: Tenant, attempt: AttemptRow): Promise<void> {
  const { deliveryId, error, status, answer, startedAt, endedAt, nextAt } = attempt
  await sqlCount(db, 'delivery.insertAttempt')`
    INSERT INTO delivery_attempts
      (environment_id, delivery_id, number, error, status, answer, started_at, ended_at, next_at)
    SELECT ${environmentId}::uuid, ${deliveryId}::uuid, coalesce(max(number), 0) + 1, ${error}, ${status}::int,
           ${answer}, ${startedAt}::timestamptz, ${endedAt}::timestamptz, ${nextAt}::timestamptz
    FROM delivery_attempts
    WHERE environment_id = ${environmentId}::uuid AND delivery_id = ${deliveryId}::uuid`
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
    SET status = outcome.status, reason = outcome.reason, detail = outcome.detail, cause = outcome.cause,
        updated_at = ${now}::timestamptz
    FROM (
      SELECT (CASE WHEN bool_or(status = 'sent') THEN 'sent'
                   WHEN bool_and(attempt_count = 0 AND coalesce(cause, '') = 'expired') THEN 'skipped'
                   ELSE 'failed' END)::"StepStatus" AS status,
             CASE WHEN bool_or(status = 'sent') THEN NULL ELSE ${refused.reason} END AS reason,
             CASE WHEN bool_or(status = 'sent') THEN NULL ELSE ${refused.detail} END AS detail,
             CASE WHEN bool_or(status = 'sent') THEN NULL ELSE ${refused.cause} END AS cause
      FROM deliveries WHERE environment_id = ${environmentId}::uuid AND step_run_id = ${stepRunId}::uuid
      HAVING NOT bool_or(status = 'pending')
    ) AS outcome, workflow_runs AS run
    WHERE step.environment_id = ${environmentId}::uuid AND step.id = ${stepRunId}::uuid
      AND run.environment_id = step.environment_id AND run.id = step.run_id
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
    JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
    WHERE step.environment_id = ${environmentId}::uuid AND step.id = ${stepRunId}::uuid
    FOR UPDATE OF run`
}

/** A message to one destination, to insert. */
export interface NewDelivery {
  readonly id: string
  readonly stepRunId: string
  readonly eventId: string
  readonly workflowIdentifier: string
  readonly channel: Channel
  readonly providerId: string
  readonly integrationId: string
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
  /** The encrypted content. Absent if it has no secret values. */
  readonly secretContent?: string
}

/** The statement that inserts deliveries, with the subscriptions that led to them. */
export function deliveryInsert(tenant: Tenant, rows: readonly NewDelivery[], now: Date): Prisma.Sql {
  const topics = rows.map(({ topicKeys }) => ({ topicKeys }))
  return insertRows(
    deliveryTable,
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
      attemptCount: Prisma.sql`0`,
    },
    Prisma.sql`jsonb_to_recordset(${JSON.stringify(topics)}::jsonb) AS ("topicKeys" text[])`,
  )
}

/** Selects deliveries. Undefined fields match everything. */
export interface DeliveryFilter extends CreatedWithin {
  readonly status?: readonly DeliveryStatus[] | undefined
  readonly channel?: readonly Channel[] | undefined
  readonly cause?: readonly string[] | undefined
  readonly integrationIdentifier?: readonly string[] | undefined
  readonly subscriberId?: readonly string[] | undefined
  readonly workflowIdentifier?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
  /** The transaction id of the event. */
  readonly transactionId?: string | undefined
}

const equal = equalTo<Omit<DeliveryFilter, keyof CreatedWithin | 'transactionId' | 'contextKeys'>>({
  status: '"DeliveryStatus"',
  channel: '"Channel"',
  cause: 'text',
  integrationIdentifier: 'text',
  subscriberId: 'text',
  workflowIdentifier: 'text',
})

const list: RowList<Delivery, DeliveryFilter> = {
  name: 'deliveries',
  table: deliveryTable,
  where: (filter) => Prisma.sql`${equal(filter)} ${inContexts(filter, true)} ${createdWithin(filter)}`,
  parts: (filter) => filterParts(filter, ['subscriberId', 'cause', 'workflowIdentifier', 'status']),
  branches: ({ transactionId }, { environmentId }) => [
    {
      from: Prisma.sql`"deliveries" AS child`,
      where:
        transactionId === undefined
          ? Prisma.empty
          : Prisma.sql`AND child.event_id = (
              SELECT id FROM events WHERE environment_id = ${environmentId}::uuid AND transaction_id = ${transactionId}
            )`,
    },
  ],
  // With both filters, the rarer one determines the best index.
  planForValues: ({ createdAfter: _after, createdBefore: _before, ...given }) =>
    Object.values<unknown>(given).filter((value) => value !== undefined).length > 1,
}

export const deliveryPages = environmentPages<Delivery, DeliveryFilter>(list)

/** Pages of the deliveries of subscribers, by subscriberId. */
export const deliveriesBySubscriber = pagesBy<Delivery, DeliveryFilter>(list, { field: 'subscriberId' })
