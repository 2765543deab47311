// Copies columns that lists filter by from the event and the run. Processes of earlier versions write rows without
// them.
import type { Connection } from '../connection/database.ts'
import { Prisma } from '../prisma/client.ts'
import { limitTo, sql } from '../statement/statement.ts'

/** The columns that are copied into a table. */
interface Copied {
  readonly table: 'workflow_runs' | 'deliveries' | 'event_tallies'
  /** The column of the table's key after the environment. */
  readonly key: 'id' | 'event_id'
  /** The column that shows whether a row has the copies. */
  readonly missing: string
  /** The SET clause without the keyword, and the condition that matches the source of the row `child`. */
  readonly set: string
  readonly from: string
}

const copies = [
  {
    table: 'workflow_runs',
    key: 'id',
    missing: 'context_keys',
    set: `event_created_at = event.created_at, workflow_identifier = event.workflow_identifier,
      context_keys = event.context_keys`,
    from: 'events AS event WHERE event.environment_id = child.environment_id AND event.id = child.event_id',
  },
  {
    table: 'deliveries',
    key: 'id',
    missing: 'context_keys',
    set: `event_id = run.event_id, subscriber_id = run.subscriber_id, workflow_identifier = event.workflow_identifier,
      context_keys = event.context_keys`,
    from: `step_runs AS step
      JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
      JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
      WHERE step.environment_id = child.environment_id AND step.id = child.step_run_id`,
  },
  {
    table: 'event_tallies',
    key: 'event_id',
    missing: 'created_at',
    set: 'created_at = event.created_at',
    from: 'events AS event WHERE event.environment_id = child.environment_id AND event.id = child.event_id',
  },
] as const satisfies readonly Copied[]

/**
 * Copies the columns into rows that lack them, of all environments. Safe in several processes at once. `updatedAt`
 * stays.
 *
 * @param limit the maximum number of rows of a table. @returns the number of rows in the table with the most.
 */
export async function copyColumns(db: Connection, limit: number): Promise<number> {
  const parts = copies.map(({ table, key, missing, set, from }) => {
    const rows = Prisma.raw(table)
    return Prisma.sql`${Prisma.raw(`copied_${table}`)} AS (
      UPDATE ${rows} AS child SET ${Prisma.raw(set)} FROM ${Prisma.raw(from)}
        AND child.ctid = ANY (ARRAY(
          SELECT ctid FROM ${rows} WHERE ${Prisma.raw(missing)} IS NULL
          ORDER BY environment_id, ${Prisma.raw(key)} ${limitTo(limit)} FOR UPDATE SKIP LOCKED))
      RETURNING 1
    )`
  })
  const counts = copies.map(({ table }) => Prisma.raw(`(SELECT count(*) FROM copied_${table})`))
  const [copied] = await sql<{ count: number }>(db, 'copied-columns.copyColumns')`
    WITH ${Prisma.join(parts)} SELECT greatest(${Prisma.join(counts)})::int AS count`
  return copied?.count ?? 0
}
