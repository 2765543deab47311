// Circuits of integrations: after several failures in a row, all processes together send one probe at a time instead of
// messages. An integration whose messages are accepted has no row.
import { type IntegrationCircuit, Prisma } from '../prisma/client.ts'
import type { Connection } from '../connection/database.ts'
import { type Batch, rowBatch, type Tenant } from '../reading/loader.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'
import { announcementsOf, JOB_CHANNEL, priorities } from './job.ts'

/** Failures in a row, within `WITHIN` milliseconds, that open the circuit. */
const FAILURES = 5
const WITHIN = 60_000

/** Milliseconds between two probes. */
export const PROBE_EVERY = 30_000

/** Maximum waiting messages that become available when the circuit closes. Others follow at the time of the next probe. */
const RELEASED = 5_000

/** The circuit of an integration that has failures. */
export type Circuit = Pick<IntegrationCircuit, 'integrationId' | 'openedAt' | 'probeAt' | 'probing'>

/** The circuits of integrations that have failures, by row id. Null for others. */
export const circuits: Batch<string, Circuit | null> = rowBatch<Circuit>(
  ({ db, environmentId }, ids) =>
    sql<Circuit>(db, 'circuit.circuits')`
      SELECT integration_id AS "integrationId", opened_at AS "openedAt", probe_at AS "probeAt", probing
      FROM integration_circuits
      WHERE environment_id = ${environmentId}::uuid AND integration_id = ANY (${[...ids]}::uuid[])`,
  ({ integrationId }) => integrationId,
)

/** The number of integrations with an open circuit, in all environments. */
export async function countOpenCircuits(db: Connection): Promise<number> {
  const [found] = await sql<{ count: number }>(db, 'circuit.countOpenCircuits')`
    SELECT count(*)::int AS count FROM integration_circuits WHERE opened_at IS NOT NULL`
  return found?.count ?? 0
}

/**
 * Records that the provider or the account of an integration failed. Call it at the end of a transaction, because it
 * locks the circuit.
 *
 * @returns true if that opened the circuit.
 */
export async function recordCircuitFailure(
  { db, environmentId }: Tenant,
  integrationId: string,
  now: Date,
): Promise<boolean> {
  // The times of one failure less than open the circuit are kept, and of one more once it is open. So only the failure
  // that opens it leaves exactly that number.
  const isRecent = Prisma.sql`
    coalesce(failed_at[cardinality(failed_at) - ${FAILURES - 2}::int]
      > ${new Date(now.getTime() - WITHIN)}::timestamptz, false)`
  const isOpening = Prisma.sql`(opened_at IS NULL AND ${isRecent})`
  // The failure is added by a statement of its own, because ON CONFLICT should only read the two rows.
  await sqlCount(db, 'circuit.recordCircuitFailure')`
    INSERT INTO integration_circuits (environment_id, integration_id, failed_at)
    SELECT ${environmentId}::uuid, id, '{}' FROM integrations
    WHERE environment_id = ${environmentId}::uuid AND id = ${integrationId}::uuid FOR KEY SHARE
    ON CONFLICT (environment_id, integration_id) DO NOTHING`
  const [circuit] = await sql<{ opened: boolean }>(db, 'circuit.recordCircuitFailure')`
    UPDATE integration_circuits SET
      failed_at = CASE WHEN opened_at IS NOT NULL AND cardinality(failed_at) > ${FAILURES}::int
        THEN failed_at
        ELSE (failed_at || ${now}::timestamptz)[
          CASE WHEN opened_at IS NULL AND NOT ${isRecent}
            THEN greatest(1, cardinality(failed_at) - ${FAILURES - 3}::int) ELSE 1 END :]
      END,
      opened_at = CASE WHEN ${isOpening} THEN ${now}::timestamptz ELSE opened_at END,
      probe_at = CASE WHEN ${isOpening}
        THEN ${new Date(now.getTime() + PROBE_EVERY)}::timestamptz ELSE probe_at END,
      probing = false
    WHERE environment_id = ${environmentId}::uuid AND integration_id = ${integrationId}::uuid
    RETURNING opened_at IS NOT NULL AND cardinality(failed_at) = ${FAILURES}::int AS opened`
  return circuit?.opened ?? false
}

/**
 * Forgets the failures of an integration, because its provider works. On commit, wakes idle workers for the messages that
 * waited for a probe. Call it at the end of a transaction.
 *
 * @returns true if the circuit was open.
 */
export async function closeCircuit({ db, environmentId }: Tenant, integrationId: string, now: Date): Promise<boolean> {
  const messages = announcementsOf(environmentId, [{ queue: 'deliver' }])
  const [found] = await sql<{ closed: boolean }>(db, 'circuit.closeCircuit')`
    WITH closed AS (
      DELETE FROM integration_circuits
      WHERE environment_id = ${environmentId}::uuid AND integration_id = ${integrationId}::uuid
      RETURNING opened_at, probe_at
    ), released AS (
      UPDATE jobs SET available_at = ${now}::timestamptz
      WHERE environment_id = ${environmentId}::uuid AND id IN (
        SELECT job.id FROM closed CROSS JOIN unnest(${Object.values(priorities)}::smallint[]) AS level
        CROSS JOIN LATERAL (
          SELECT id FROM jobs
          WHERE queue = 'deliver' AND environment_id = ${environmentId}::uuid AND priority = level
            AND integration_id = ${integrationId}::uuid AND available_at = closed.probe_at AND attempt_count = 0
          ${limitTo(RELEASED)} FOR UPDATE SKIP LOCKED
        ) AS job
      )
    )
    SELECT opened_at IS NOT NULL AS closed, pg_notify(${JOB_CHANNEL}, message)::text
    FROM closed CROSS JOIN unnest(${messages}::text[]) AS message`
  return found?.closed ?? false
}
