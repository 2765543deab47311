// The positions in the write-ahead log after the last write of each environment, for reads on a replica.
import type { Connection } from '../connection/database.ts'
import { Prisma } from '../prisma/client.ts'
import { sql } from '../statement/statement.ts'

/** A position as a number of bytes: exact up to 8 PiB. */
const inBytes = (position: Prisma.Sql) => Prisma.sql`(${position} - '0/0'::pg_lsn)::text`

/** Records that all of an environment's writes precede the current position. Does nothing for a deleted environment. */
export async function recordPosition(db: Connection, environmentId: string): Promise<void> {
  // On conflict, the position is read under the row lock, so that it never goes back.
  await sql(db, 'write-position.recordPosition')`INSERT INTO write_positions (environment_id, position)
      SELECT ${environmentId}::uuid, pg_current_wal_insert_lsn() FROM environments WHERE id = ${environmentId}::uuid
      ON CONFLICT (environment_id) DO UPDATE SET position = pg_current_wal_insert_lsn()`
}

/** A position in the write-ahead log of a timeline. Positions of different timelines cannot be compared. */
export interface LogPosition {
  readonly timeline: number
  /** In bytes. */
  readonly position: number
}

/** The timeline that a primary writes. A promotion begins a new one. */
const TIMELINE = Prisma.raw(
  `('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int AS timeline`,
)

/**
 * Reads the recorded positions of environments, in the given order. Undefined if none is recorded. A promotion deletes
 * those of the timeline before, because the table is unlogged.
 */
export async function readPositions(
  db: Connection,
  environmentIds: readonly string[],
): Promise<(LogPosition | undefined)[]> {
  const rows = await sql<{ id: string; position: string; timeline: number }>(db, 'write-position.readPositions')`
    SELECT environment_id AS id, ${inBytes(Prisma.sql`position`)} AS position, ${TIMELINE}
      FROM write_positions WHERE environment_id = ANY(${environmentIds}::uuid[])`
  const positions = new Map(rows.map(({ id, position, timeline }) => [id, { position: Number(position), timeline }]))
  return environmentIds.map((id) => positions.get(id))
}

/** The identity of a primary, and its current position. */
export interface Primary extends LogPosition {
  /** The cluster, which its replicas share, and the name of the database. */
  readonly cluster: string
}

/** The id of the cluster and the name of the database, which are the same on a replica. */
export const CLUSTER = `(SELECT system_identifier FROM pg_control_system()) || '/' || current_database()`

/** @throws if the server is itself a replica. */
export async function readPrimary(db: Connection): Promise<Primary> {
  const [row] = await sql<{ cluster: string; position: string; timeline: number }>(db, 'write-position.readPrimary')`
    SELECT ${Prisma.raw(CLUSTER)} AS cluster, ${inBytes(Prisma.sql`pg_current_wal_insert_lsn()`)} AS position, ${TIMELINE}`
  if (row === undefined) throw new Error('the database returned no row')
  return { ...row, position: Number(row.position) }
}
