// When tasks that repeat were last finished, by any process.
import type { Connection } from '../connection/database.ts'

export const taskNames = ['sweep', 'backup'] as const
type TaskName = (typeof taskNames)[number]

/** Records that a task is finished. An earlier time of a process whose clock is behind changes nothing. */
export async function recordFinished(db: Connection, name: TaskName, at: Date): Promise<void> {
  await db.$executeRaw`
    INSERT INTO finished_tasks (name, finished_at) VALUES (${name}, ${at}::timestamptz)
    ON CONFLICT (name) DO UPDATE SET finished_at = greatest(finished_tasks.finished_at, EXCLUDED.finished_at)`
}

/** Reads when each task was last finished. Those that never were are absent. */
export async function readFinished(db: Connection): Promise<Partial<Record<TaskName, Date>>> {
  const rows = await db.finishedTask.findMany({ where: { name: { in: [...taskNames] } } })
  return Object.fromEntries(rows.map(({ name, finishedAt }) => [name, finishedAt]))
}
