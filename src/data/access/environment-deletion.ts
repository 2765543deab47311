// The deletion of an environment. It immediately leaves its organization and loses its callers; its rows are deleted in
// portions.
import type { Connection } from '../connection/database.ts'
import type { Tenant } from '../reading/loader.ts'
import { type Environment, Prisma } from '../prisma/client.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'

/**
 * All tables with rows of one environment, in the order in which they are emptied: jobs first, so that no new work
 * begins, and each table before the tables it refers to, so that nothing cascades to many rows.
 */
export const emptiedTables = [
  'jobs',
  'delivery_reports',
  'delivery_attempts',
  'deliveries',
  'notifications',
  'step_runs',
  'workflow_runs',
  'event_tallies',
  'event_tally_changes',
  'event_outcomes',
  'event_outcome_changes',
  'event_attachments',
  'attachment_chunks',
  'attachments',
  'events',
  'workflow_snapshots',
  'message_statistics',
  'message_statistics_changes',
  'context_statistics',
  'context_statistics_changes',
  'unprocessed_triggers',
  'idempotency_keys',
  'webhook_deliveries',
  'webhook_messages',
  'webhook_subscriptions',
  'topic_subscription_preferences',
  'topic_subscriptions',
  'subscriber_preferences',
  'preference_changes',
  'subscriber_credentials',
  'online_leases',
  'suppressions',
  'address_keys',
  'soft_bounces',
  'inbound_texts',
  'channel_endpoints',
  'channel_connections',
  'subscribers',
  'topics',
  'contexts',
  'erasures',
  'workflow_suspensions',
  'pauses',
  'workflows',
  'categories',
  'integration_circuits',
  'inbound_webhooks',
  'used_signatures',
  'integrations',
  'rate_limit_buckets',
  'push_tickets',
  'write_positions',
  'dashboard_sessions',
  'sign_in_codes',
  'api_keys',
] as const

export type EmptiedTable = (typeof emptiedTables)[number]

/** The condition that an environment was not deleted. */
export const isNotDeleted = (environmentId: Prisma.Sql): Prisma.Sql => Prisma.sql`NOT EXISTS (
  SELECT FROM environments WHERE environments.id = ${environmentId} AND organization_id IS NULL)`

/**
 * Removes an environment from its organization, and deletes everything by which a caller could reach it. Its name
 * becomes available again. Call it in a transaction.
 *
 * @param identifier a new public identifier, which nobody knows. @returns the environment afterwards.
 */
export async function detachEnvironment(
  db: Connection,
  { id, identifier, now }: { readonly id: string; readonly identifier: string; readonly now: Date },
): Promise<Environment> {
  await db.dashboardSession.deleteMany({ where: { OR: [{ environmentId: id }, { workingEnvironmentId: id }] } })
  await db.signInCode.deleteMany({ where: { environmentId: id } })
  await db.apiKey.deleteMany({ where: { environmentId: id } })
  return db.environment.update({
    where: { id },
    data: { organizationId: null, parentId: null, creatorId: null, identifier, updatedAt: now },
  })
}

export interface DeletedEnvironment {
  readonly id: string
  readonly deletedAt: Date
}

/** Returns the oldest environment that was deleted and still has a row. */
export async function nextDeletedEnvironment(db: Connection): Promise<DeletedEnvironment | undefined> {
  const [next] = await sql<DeletedEnvironment>(db, 'environment-deletion.nextDeletedEnvironment')`
    SELECT id, updated_at AS "deletedAt" FROM environments
    WHERE organization_id IS NULL ORDER BY created_at, id LIMIT 1`
  return next
}

/**
 * Deletes a portion of an environment's rows in a table. Skips rows that others lock.
 *
 * @returns the number of deleted rows.
 */
export async function deletePortion({ db, environmentId }: Tenant, table: EmptiedTable, take: number): Promise<number> {
  const name = Prisma.raw(table)
  // Not from an index, whose bitmap would contain all rows of the environment.
  await sqlCount(db, 'environment-deletion.deletePortion')`SELECT set_config('enable_bitmapscan', 'off', true)`
  return sqlCount(db, 'environment-deletion.deletePortion')`
    DELETE FROM ${name} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${name} WHERE environment_id = ${environmentId}::uuid ${limitTo(take)} FOR UPDATE SKIP LOCKED))`
}

/** Deletes the row of a deleted environment, with the few rows that requests in progress may have written meanwhile. */
export async function deleteEmptied(db: Connection, id: string): Promise<void> {
  await db.environment.deleteMany({ where: { id, organizationId: null } })
}
