// Deliveries and their attempts.
import { groupBatch, type Tenant } from './reading/loader.ts'
import { environmentPages, equalTo, pagesBy } from './reading/page.ts'
import { type Delivery, type DeliveryAttempt, Prisma } from './prisma/client.ts'
import type { Channel, DeliveryStatus, RunStatus } from './prisma/enums.ts'
import { type CreatedWithin, createdWithin, type RowList } from './reading/row-list.ts'
import { rowBy, rowsBy, rowsWhere, type Table } from './reading/row.ts'

const deliveryTable: Table<Delivery> = {
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

/** The attempts of deliveries, oldest first. */
export const attemptsByDelivery = rowsBy(attemptTable, { field: 'deliveryId', type: 'uuid' }, ['number'])

/** Counts an attempt before it is made, so that one which kills the process counts too. @returns the new count. */
export async function countAttempt({ db, environmentId }: Tenant, id: string, now: Date): Promise<number | undefined> {
  const [row] = await db.$queryRaw<{ attemptCount: number }[]>`
    UPDATE deliveries SET attempt_count = attempt_count + 1, updated_at = ${now}::timestamptz
    WHERE environment_id = ${environmentId}::uuid AND id = ${id}::uuid AND status = 'pending'
    RETURNING attempt_count AS "attemptCount"`
  return row?.attemptCount
}

export interface AttemptRow {
  readonly deliveryId: string
  /** The reason for the failure; null if the message was sent. */
  readonly error: string | null
  readonly status: number | null
  readonly answer: string | null
  readonly startedAt: Date
  readonly endedAt: Date
}

/** Records an attempt. The transaction must hold a lock on the delivery. */
export async function insertAttempt({ db, environmentId }: Tenant, attempt: AttemptRow): Promise<void> {
  const { deliveryId, error, status, answer, startedAt, endedAt } = attempt
  await db.$executeRaw`
    INSERT INTO delivery_attempts (environment_id, delivery_id, number, error, status, answer, started_at, ended_at)
    SELECT ${environmentId}::uuid, ${deliveryId}::uuid, coalesce(max(number), 0) + 1, ${error}, ${status}::int,
           ${answer}, ${startedAt}::timestamptz, ${endedAt}::timestamptz
    FROM delivery_attempts
    WHERE environment_id = ${environmentId}::uuid AND delivery_id = ${deliveryId}::uuid`
}

/**
 * Sets the outcome of a step once none of its messages is pending. The transaction must hold a lock on the run, so that
 * of two messages that finish at the same time the second sees the first.
 *
 * @returns the run if the step has ended.
 */
export async function endStep(
  { db, environmentId }: Tenant,
  stepRunId: string,
  refused: { readonly reason: string; readonly detail: string },
  now: Date,
): Promise<{ readonly id: string; readonly status: RunStatus } | undefined> {
  const [run] = await db.$queryRaw<{ id: string; status: RunStatus }[]>`
    UPDATE step_runs AS step
    SET status = outcome.status, reason = outcome.reason, detail = outcome.detail, updated_at = ${now}::timestamptz
    FROM (
      SELECT (CASE WHEN bool_or(status = 'sent') THEN 'sent' ELSE 'failed' END)::"StepStatus" AS status,
             CASE WHEN bool_or(status = 'sent') THEN NULL ELSE ${refused.reason} END AS reason,
             CASE WHEN bool_or(status = 'sent') THEN NULL ELSE ${refused.detail} END AS detail
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
  await db.$queryRaw`
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
  /** JSON. */
  readonly content: object
}

/** The statement that inserts deliveries, with the subscriptions that led to them. */
export const deliveryInsert = (
  { environmentId }: Tenant,
  rows: readonly NewDelivery[],
  now: Date,
): Prisma.Sql => Prisma.sql`
  INSERT INTO deliveries (environment_id, id, step_run_id, event_id, workflow_identifier, subscriber_id, channel,
                          provider_id, integration_id, integration_identifier, subscription_ids, target, content, status,
                          attempt_count, created_at, updated_at)
  SELECT ${environmentId}::uuid, id, "stepRunId", "eventId", "workflowIdentifier", "subscriberId", channel,
         "providerId", "integrationId", "integrationIdentifier",
         ARRAY (
           SELECT subscription.id FROM topic_subscriptions AS subscription
           WHERE "topicKeys" <> '{}' AND subscription.environment_id = ${environmentId}::uuid
             AND subscription.subscriber_id = "subscriberId" AND topic_key = ANY ("topicKeys")
             AND context_keys = "contextKeys"
         ),
         target, content, 'pending', 0, ${now}::timestamptz, ${now}::timestamptz
  FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    AS row(id uuid, "stepRunId" uuid, "eventId" uuid, "workflowIdentifier" text, channel "Channel", "providerId" text, "integrationId" uuid,
           "integrationIdentifier" text, "subscriberId" text, "topicKeys" text[], "contextKeys" text[], target jsonb,
           content jsonb)`

/** Selects deliveries. Undefined fields match everything. */
export interface DeliveryFilter extends CreatedWithin {
  readonly status?: DeliveryStatus | undefined
  readonly channel?: Channel | undefined
  readonly integrationIdentifier?: string | undefined
  readonly subscriberId?: string | undefined
  readonly workflowIdentifier?: string | undefined
  /** The transaction id of the event. */
  readonly transactionId?: string | undefined
}

const equal = equalTo<Omit<DeliveryFilter, keyof CreatedWithin | 'transactionId'>>({
  status: '"DeliveryStatus"',
  channel: '"Channel"',
  integrationIdentifier: 'text',
  subscriberId: 'text',
  workflowIdentifier: 'text',
})

const list: RowList<Delivery, DeliveryFilter> = {
  name: 'deliveries',
  table: deliveryTable,
  where: (filter) => Prisma.sql`${equal(filter)} ${createdWithin(filter)}`,
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
  // Of two filters, the rarer one decides which index is the best.
  planForValues: ({ status, channel, integrationIdentifier, subscriberId, workflowIdentifier, transactionId }) =>
    [status, channel, integrationIdentifier, subscriberId, workflowIdentifier, transactionId].filter(
      (value) => value !== undefined,
    ).length > 1,
}

export const deliveryPages = environmentPages<Delivery, DeliveryFilter>(list)

/** Pages of the deliveries of subscribers, by subscriberId. */
export const deliveriesBySubscriber = pagesBy<Delivery, DeliveryFilter>(list, { field: 'subscriberId' })
