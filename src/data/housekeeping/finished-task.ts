// When recurring tasks last finished, in any process.
import type { Connection } from '../connection/database.ts'
import { sqlCount } from '../statement/statement.ts'

export const taskNames = ['sweep', 'backup'] as const
type TaskName = (typeof taskNames)[number]

/** Records that a task has finished. The recorded time never goes back, even if the clock of a process is behind. */
export async function recordFinished(db: Connection, name: TaskName, at: Date): Promise<void> {
  await sqlCount(db, 'finished-task.recordFinished')`
    INSERT INTO finished_tasks (name, finished_at) VALUES (${name}, ${at}::timestamptz)
    ON CONFLICT (name) DO UPDATE SET finished_at = greatest(finished_tasks.finished_at, EXCLUDED.finished_at)`
}

/** Reads when each task last finished. Tasks that never finished are absent. */
export async function readFinished(db: Connection): Promise<Partial<Record<TaskName, Date>>> {
  const rows = await db.finishedTask.findMany({ where: { name: { in: [...taskNames] } } })
  return Object.fromEntries(rows.map(({ name, finishedAt }) => [name, finishedAt]))
}
