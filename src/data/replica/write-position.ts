// The positions in the write-ahead log after the last write of each environment, for reads on a replica.
import type { Connection } from '../connection/database.ts'
import { Prisma } from '../prisma/client.ts'
import { runStatement } from '../statement/statement.ts'

/** A position as a number of bytes: exact up to 8 PiB. */
const inBytes = (position: Prisma.Sql) => Prisma.sql`(${position} - '0/0'::pg_lsn)::text`

/** Records that all of an environment's writes are before the current position. Does nothing for a deleted environment. */
export async function recordPosition(db: Connection, environmentId: string): Promise<void> {
  // The position of a conflict is read under the lock of the row, so that it never goes back.
  await runStatement(
    db,
    Prisma.sql`INSERT INTO write_positions (environment_id, position)
      SELECT id, pg_current_wal_insert_lsn() FROM environments WHERE id = ${environmentId}::uuid
      ON CONFLICT (environment_id) DO UPDATE SET position = pg_current_wal_insert_lsn()`,
  )
}

/** Reads the recorded positions of environments, in bytes, in their order. Infinity if none is recorded. */
export async function readPositions(db: Connection, environmentIds: readonly string[]): Promise<number[]> {
  const rows = await runStatement<{ id: string; position: string }>(
    db,
    Prisma.sql`SELECT environment_id AS id, ${inBytes(Prisma.sql`position`)} AS position
      FROM write_positions WHERE environment_id = ANY(${environmentIds}::uuid[])`,
  )
  const positions = new Map(rows.map(({ id, position }) => [id, Number(position)]))
  return environmentIds.map((id) => positions.get(id) ?? Infinity)
}

/** A server as replication sees it. */
export interface Primary {
  /** The cluster that it shares with its replicas, and the name of the database. */
  readonly cluster: string
  /** The current position, in bytes. */
  readonly position: number
}

/** The name of the cluster and the database. A replica has the same. */
export const CLUSTER = `(SELECT system_identifier FROM pg_control_system()) || '/' || current_database()`

/** @throws if the server is a replica itself. */
export async function readPrimary(db: Connection): Promise<Primary> {
  const [row] = await runStatement<{ cluster: string; position: string }>(
    db,
    Prisma.sql`SELECT ${Prisma.raw(CLUSTER)} AS cluster, ${inBytes(Prisma.sql`pg_current_wal_insert_lsn()`)} AS position`,
  )
  return { cluster: row?.cluster ?? '', position: Number(row?.position) }
}
