// The health of deliveries: which integrations and workflows have failures, and how many messages are dead letters. Every
// statement reads an index, so its cost does not depend on the number of events.
import type { Tenant } from '../reading/loader.ts'
import { statisticsIn, type StatisticsSpan } from './message-statistics.ts'
import { Prisma } from '../prisma/client.ts'
import type { Channel } from '../prisma/enums.ts'
import { limitTo, sql } from '../statement/statement.ts'

/** The maximum number of integrations or workflows to read. */
export const MAX_FAILING = 100
/** The maximum number of failed runs and of failed deliveries to count. */
export const MAX_FAILURES = 10_000

/** The window in which failures count, and whose. */
export interface HealthSpan extends Pick<StatisticsSpan, 'from' | 'to'> {
  /** Only of the events with exactly these contexts, at least one, sorted. Absent for the whole environment. */
  readonly contextKeys?: readonly string[] | undefined
}

const ofContexts = (contextKeys: HealthSpan['contextKeys']) =>
  contextKeys === undefined ? Prisma.empty : Prisma.sql`WHERE context_keys = ${[...contextKeys]}::text[]`

/** The failures of messages through an integration. */
export interface IntegrationFailures {
  readonly integrationIdentifier: string
  readonly channel: Channel
  readonly sent: number
  /** Messages that failed permanently. */
  readonly failed: number
  /** Failed attempts, including those followed by another. */
  readonly failedAttempts: number
  /** The delivery of a recent failure. */
  readonly failedDeliveryId: string
}

/** The integrations with a failure in a span of minutes. The one with the most failed attempts comes first. */
export const integrationFailures = (
  tenant: Tenant,
  { contextKeys, ...span }: HealthSpan,
): Promise<IntegrationFailures[]> =>
  sql<IntegrationFailures>(tenant.db, 'delivery-health.integrationFailures')`
    SELECT name AS "integrationIdentifier", channel, sum(sent)::int AS sent,
           sum(failed)::int AS failed, sum(failed_attempts)::int AS "failedAttempts",
           (array_agg(failed_delivery_id ORDER BY starts_at DESC) FILTER (WHERE failed_delivery_id IS NOT NULL))[1]
             AS "failedDeliveryId"
    FROM ${statisticsIn(tenant, 'integration', { granularity: 'minute', ...span }, { condition: Prisma.sql`AND name <> ''`, contextKeys })} AS counted
    GROUP BY name, channel
    HAVING count(failed_delivery_id) > 0
    ORDER BY sum(failed_attempts) DESC, name ${limitTo(MAX_FAILING)}`

/** The failures of a workflow. */
export interface WorkflowFailures {
  readonly workflowIdentifier: string
  /** Failed runs that were not retried since, among the last `MAX_FAILURES` of the environment. */
  readonly failedRuns: number
  /** Messages that failed permanently, and messages that could not be composed. */
  readonly failedMessages: number
}

/** The workflows that are suspended or have a failure in a span of minutes, ordered by identifier. */
export const workflowFailures = (tenant: Tenant, { contextKeys, ...span }: HealthSpan): Promise<WorkflowFailures[]> =>
  sql<WorkflowFailures>(tenant.db, 'delivery-health.workflowFailures')`
    WITH messages AS (
      SELECT name AS workflow_identifier, sum(failed)::int AS failed
      FROM ${statisticsIn(tenant, 'workflow', { granularity: 'minute', ...span }, { contextKeys })} AS counted
      GROUP BY name HAVING sum(failed) > 0
    ), runs AS (
      SELECT event.workflow_identifier, sum(failed.count)::int AS failed
      FROM (
        SELECT event_id, count(*) FROM (
          SELECT event_id, context_keys FROM workflow_runs
          WHERE environment_id = ${tenant.environmentId}::uuid AND status = 'failed'
            AND updated_at >= ${span.from}::timestamptz
          ORDER BY updated_at DESC, id DESC ${limitTo(MAX_FAILURES)}
        ) AS latest ${ofContexts(contextKeys)} GROUP BY event_id
      ) AS failed
      JOIN events AS event ON event.environment_id = ${tenant.environmentId}::uuid AND event.id = failed.event_id
      GROUP BY event.workflow_identifier
    ), suspended AS (
      SELECT DISTINCT workflow.identifier AS workflow_identifier
      FROM workflow_suspensions AS suspension
      JOIN workflows AS workflow
        ON workflow.environment_id = ${tenant.environmentId}::uuid AND workflow.id = suspension.workflow_id
        AND workflow.updated_at = suspension.version
      WHERE suspension.environment_id = ${tenant.environmentId}::uuid AND suspended_at IS NOT NULL
    )
    SELECT workflow_identifier AS "workflowIdentifier", coalesce(runs.failed, 0) AS "failedRuns",
           coalesce(messages.failed, 0) AS "failedMessages"
    FROM messages FULL JOIN runs USING (workflow_identifier) FULL JOIN suspended USING (workflow_identifier)
    ORDER BY workflow_identifier ${limitTo(MAX_FAILING)}`

/**
 * The number of currently failed deliveries, up to `MAX_FAILURES`. With contexts, of the last `MAX_FAILURES` failed
 * deliveries of the environment.
 */
export async function countFailedDeliveries(
  { db, environmentId }: Tenant,
  { contextKeys }: Pick<HealthSpan, 'contextKeys'>,
): Promise<number> {
  const [counted] = await sql<{ count: number }>(db, 'delivery-health.countFailedDeliveries')`
    SELECT count(*)::int AS count FROM (
      SELECT context_keys FROM deliveries WHERE environment_id = ${environmentId}::uuid AND status = 'failed'
      ORDER BY created_at DESC, id DESC ${limitTo(MAX_FAILURES)}
    ) AS failed ${ofContexts(contextKeys)}`
  return counted?.count ?? 0
}
