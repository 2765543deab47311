// Failed deliveries: their errors, and the statement that makes many pending again.
import { ofSteps } from './delivery-list.ts'
import type { Tenant } from './reading/loader.ts'
import { oneOf } from './reading/page.ts'
import { Prisma } from './prisma/client.ts'
import type { Channel } from './prisma/enums.ts'
import { limitTo, sql } from './statement/statement.ts'

/** Selects failed deliveries. Undefined fields match everything. */
export interface FailureFilter {
  readonly integrationIdentifier?: readonly string[] | undefined
  readonly workflowIdentifier?: readonly string[] | undefined
  /** The keys of the steps in their workflows. */
  readonly stepId?: readonly string[] | undefined
  readonly channel?: readonly Channel[] | undefined
  readonly cause?: readonly string[] | undefined
  readonly subscriberId?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
  /** The transaction id of the event. */
  readonly transactionId?: string | undefined
  /** A part of the error of the last attempt. Case-insensitive. */
  readonly reason?: string | undefined
  /** The time of the failure. */
  readonly failedAfter?: Date | undefined
  readonly failedBefore?: Date | undefined
  /** The time of creation. */
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

/** The position of a delivery among the failed ones, oldest first. */
export interface FailurePlace {
  readonly createdAt: Date
  readonly id: string
}

/** Failed deliveries as `delivery`, with the error of the last attempt as `attempt.error`. */
function failed(tenant: Tenant, filter: FailureFilter): Prisma.Sql {
  const { environmentId } = tenant
  const { transactionId, reason, contextKeys } = filter
  const where = <Value>(condition: (value: Value) => Prisma.Sql, value: Value | undefined) =>
    value === undefined ? Prisma.empty : Prisma.sql`AND ${condition(value)}`
  const among = (column: string, values: readonly string[] | undefined, type = 'text') =>
    where((given) => oneOf(Prisma.raw(`delivery.${column}`), given, Prisma.raw(type)), values)
  const at = (condition: Prisma.Sql, time: Date | undefined) =>
    time === undefined ? Prisma.empty : Prisma.sql`AND delivery.${condition} ${time}::timestamptz`
  return Prisma.sql`
    deliveries AS delivery
    LEFT JOIN LATERAL (
      SELECT error FROM delivery_attempts
      WHERE environment_id = ${environmentId}::uuid AND delivery_id = delivery.id ORDER BY number DESC LIMIT 1
    ) AS attempt ON true
    WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.status = 'failed'
      ${among('integration_identifier', filter.integrationIdentifier)}
      ${among('workflow_identifier', filter.workflowIdentifier)}
      ${ofSteps(tenant, Prisma.sql`delivery`, filter.stepId)}
      ${among('channel', filter.channel, '"Channel"')}
      ${among('cause', filter.cause)}
      ${among('subscriber_id', filter.subscriberId)}
      ${where((keys) => Prisma.sql`delivery.context_keys = ${[...keys]}::text[]`, contextKeys)}
      ${where(
        (value) => Prisma.sql`delivery.event_id = (
          SELECT id FROM events WHERE environment_id = ${environmentId}::uuid AND transaction_id = ${value})`,
        transactionId,
      )}
      ${where((value) => Prisma.sql`strpos(lower(attempt.error), lower(${value}::text)) > 0`, reason)}
      ${at(Prisma.sql`updated_at >=`, filter.failedAfter)} ${at(Prisma.sql`updated_at <`, filter.failedBefore)}
      ${at(Prisma.sql`created_at >=`, filter.createdAfter)} ${at(Prisma.sql`created_at <`, filter.createdBefore)}`
}

const isOfUse = (now: Date) => Prisma.sql`(delivery.expires_at IS NULL OR delivery.expires_at > ${now}::timestamptz)`

/** Deliveries that can be sent again: they have not expired, the subscriber exists, and the event is not cancelled. */
const retriable = ({ environmentId }: Tenant, now: Date) => Prisma.sql`
  AND ${isOfUse(now)} AND EXISTS (
    SELECT FROM step_runs AS step
    JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = step.run_id
    JOIN events AS event ON event.environment_id = ${environmentId}::uuid AND event.id = run.event_id
    JOIN subscribers AS subscriber
      ON subscriber.environment_id = ${environmentId}::uuid AND subscriber.id = run.subscriber_row_id
    WHERE step.environment_id = ${environmentId}::uuid AND step.id = delivery.step_run_id
      AND event.cancelled_at IS NULL AND event.secrets_removed_at IS NULL)`

const behind = (after: FailurePlace | undefined) =>
  after === undefined
    ? Prisma.empty
    : Prisma.sql`AND (delivery.created_at, delivery.id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)`

/** A part of the failed deliveries, oldest first. */
export interface FailurePart {
  /** Absent for the first part. */
  readonly after?: FailurePlace | undefined
  /** The maximum number of deliveries. */
  readonly take: number
}

/** Counts the failed deliveries that can be sent again, up to a limit. */
export async function countRetriable(
  tenant: Tenant,
  filter: FailureFilter,
  { after, take }: FailurePart,
  now: Date,
): Promise<number> {
  const rows = await sql<{ count: number }>(tenant.db, 'failure.countRetriable', { planForValues: true })`
    SELECT count(*)::int AS count
    FROM (SELECT FROM ${failed(tenant, filter)} ${retriable(tenant, now)} ${behind(after)} ${limitTo(take)}) AS found`
  return rows[0]?.count ?? 0
}

/** Finds the next failed deliveries that can be sent again, oldest first. */
export const findRetriable = (
  tenant: Tenant,
  filter: FailureFilter,
  { after, take }: FailurePart,
  now: Date,
): Promise<readonly FailurePlace[]> =>
  sql<FailurePlace>(tenant.db, 'failure.findRetriable', { planForValues: true })`
    SELECT delivery.id, delivery.created_at AS "createdAt"
    FROM ${failed(tenant, filter)} ${retriable(tenant, now)} ${behind(after)}
    ORDER BY delivery.created_at, delivery.id ${limitTo(take)}`

/** The columns of a `delivery` that starts again with its first integration, if it has several. */
const firstRoute = Prisma.sql`
  integration_id = coalesce((delivery.routes #>> '{0,integrationId}')::uuid, delivery.integration_id),
  integration_identifier
    = coalesce(delivery.routes #>> '{0,integrationIdentifier}', delivery.integration_identifier),
  provider_id = coalesce(delivery.routes #>> '{0,providerId}', delivery.provider_id),
  routes = (
    SELECT jsonb_agg(route - 'left' - 'mayBeSent' ORDER BY place)
    FROM jsonb_array_elements(delivery.routes) WITH ORDINALITY AS stored(route, place)
  )`

/** A delivery that is pending again. */
export interface RetriedDelivery {
  readonly id: string
  readonly integrationId: string | null
  readonly runId: string
  /** The position of its step. */
  readonly position: number
  readonly expiresAt: Date | null
  readonly timeLimitAt: Date | null
}

/**
 * Makes deliveries pending again, with a new count of attempts and a new time limit. Skips those that another request has already made
 * pending. Locks their runs, then the deliveries, then their steps, each in the order of their ids, like every other
 * transaction.
 */
export async function reopenDeliveries(
  { db, environmentId }: Tenant,
  ids: readonly string[],
  now: Date,
): Promise<readonly RetriedDelivery[]> {
  if (ids.length === 0) return []
  await sql(db, 'failure.reopenDeliveries')`
    SELECT 1 FROM workflow_runs AS run
    WHERE run.environment_id = ${environmentId}::uuid AND run.id IN (
      SELECT step.run_id FROM deliveries AS delivery
      JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.id = delivery.step_run_id
      WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = ANY (${[...ids]}::uuid[])
    )
    ORDER BY run.id FOR UPDATE`
  return sql<RetriedDelivery>(db, 'failure.reopenDeliveries')`
    WITH held AS MATERIALIZED (
      SELECT id FROM deliveries AS delivery
      WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[]) AND status = 'failed'
        AND ${isOfUse(now)}
      ORDER BY id FOR UPDATE
    ), retried AS (
      UPDATE deliveries AS delivery
      SET status = 'pending', cause = NULL, attempt_count = 0, ${firstRoute},
          time_limit_at = ${now}::timestamptz + make_interval(secs => time_limit), updated_at = ${now}::timestamptz
      FROM held WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = held.id
      RETURNING delivery.id, step_run_id, integration_id, expires_at, time_limit_at
    ), held_steps AS MATERIALIZED (
      SELECT id, run_id, position FROM step_runs
      WHERE environment_id = ${environmentId}::uuid AND id IN (SELECT step_run_id FROM retried)
      ORDER BY id FOR UPDATE
    ), reopened AS (
      UPDATE step_runs AS step
      SET status = 'sending', reason = NULL, detail = NULL, cause = NULL, updated_at = ${now}::timestamptz
      FROM held_steps WHERE step.environment_id = ${environmentId}::uuid AND step.id = held_steps.id
    )
    SELECT retried.id, integration_id AS "integrationId", run_id AS "runId", position, expires_at AS "expiresAt",
           time_limit_at AS "timeLimitAt"
    FROM retried JOIN held_steps ON held_steps.id = retried.step_run_id ORDER BY retried.id`
}

/** Failed deliveries of an integration with the same error. */
export interface FailureGroup {
  readonly integrationIdentifier: string
  readonly channel: Channel
  /** The error of the last attempt. Null if no attempt was recorded. */
  readonly reason: string | null
  readonly count: number
  readonly firstAt: Date
  readonly lastAt: Date
}

/** The maximum number of failed deliveries to group. The newest ones are grouped. */
const MAX_GROUPED = 100_000
const MAX_GROUPS = 100

/** Groups failed deliveries by integration and error, the largest groups first. */
export const groupFailures = (tenant: Tenant, filter: FailureFilter): Promise<readonly FailureGroup[]> =>
  sql<FailureGroup>(tenant.db, 'failure.groupFailures', { planForValues: true })`
    SELECT "integrationIdentifier", channel, reason, count(*)::int AS count, min(at) AS "firstAt", max(at) AS "lastAt"
    FROM (
      SELECT delivery.integration_identifier AS "integrationIdentifier", delivery.channel, attempt.error AS reason,
             delivery.updated_at AS at
      FROM ${failed(tenant, filter)}
      ORDER BY delivery.created_at DESC, delivery.id DESC ${limitTo(MAX_GROUPED)}
    ) AS found
    GROUP BY "integrationIdentifier", channel, reason
    ORDER BY count DESC, "lastAt" DESC ${limitTo(MAX_GROUPS)}`
