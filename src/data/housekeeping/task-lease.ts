// Leases of background tasks, such as a sweep: one process performs a task at a time.
import type { Connection } from '../connection/database.ts'
import { sql, sqlCount } from '../statement/statement.ts'

/** One performance of a task. */
export interface TaskLease {
  /** The name of the task. */
  readonly name: string
  /** A new id for each execution. */
  readonly holder: string
}

/**
 * Begins a task, unless another process is performing it or it is not due.
 *
 * @param until when another process may begin, if this one dies.
 */
export async function takeTask(db: Connection, { name, holder }: TaskLease, now: Date, until: Date): Promise<boolean> {
  const count = await sqlCount(db, 'task-lease.takeTask')`
    INSERT INTO sweeps (name, holder, available_at) VALUES (${name}, ${holder}::uuid, ${until}::timestamptz)
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, available_at = excluded.available_at
    WHERE sweeps.available_at <= ${now}::timestamptz`
  return count > 0
}

/**
 * Holds a task during the transaction and until a time. Statements in the transaction read by indexes only, whatever
 * the statistics say.
 *
 * @returns false if another process is performing it.
 */
export async function holdTask(db: Connection, { name, holder }: TaskLease, until: Date): Promise<boolean> {
  const rows = await sql<unknown>(db, 'task-lease.holdTask')`
    UPDATE sweeps SET available_at = ${until}::timestamptz WHERE name = ${name} AND holder = ${holder}::uuid
    RETURNING set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
              set_config('enable_mergejoin', 'off', true)`
  return rows.length > 0
}
