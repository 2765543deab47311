// Deletes the rows of deleted environments.
import {
  deleteEmptied,
  type DeletedEnvironment,
  deletePortion,
  type EmptiedTable,
  emptiedTables,
  nextDeletedEnvironment,
} from '../../data/access/environment-deletion.ts'
import { inPortions, type Performance } from './task.ts'

/** Empties all tables one after the other. @returns the number of deleted rows. */
async function empty(
  performance: Performance,
  environmentId: string,
  deleted: Map<EmptiedTable, number>,
): Promise<number> {
  let all = 0
  for (const table of emptiedTables) {
    const own = await inPortions(performance, table, (db, take) => deletePortion({ db, environmentId }, table, take))
    if (own > 0) deleted.set(table, (deleted.get(table) ?? 0) + own)
    all += own
  }
  return all
}

async function remove(performance: Performance, { id, deletedAt }: DeletedEnvironment): Promise<void> {
  const { gateway, logger, portion } = performance
  const deleted = new Map<EmptiedTable, number>()
  // Requests and jobs that were in progress at the deletion may write more rows for a while.
  while ((await empty(performance, id, deleted)) > 0);
  await portion('environments', (transaction) => deleteEmptied(transaction, id))
  logger.info(
    {
      environmentId: id,
      deleted: Object.fromEntries(deleted),
      seconds: Math.round((gateway.now().getTime() - deletedAt.getTime()) / 1_000),
    },
    'rows of a deleted environment deleted',
  )
}

/** Deletes the rows of all deleted environments. */
export async function deleteEnvironments(performance: Performance): Promise<void> {
  const { db } = performance.gateway
  for (let next = await nextDeletedEnvironment(db); next; next = await nextDeletedEnvironment(db)) {
    await remove(performance, next)
  }
}
