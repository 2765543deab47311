// Deletes the rows of deleted environments in the background: in small portions, with pauses, so that requests go first.
import type { Logger } from 'pino'
import { loggable } from '../data/driver/database-errors.ts'
import {
  deleteEmptied,
  type DeletedEnvironment,
  deletePortion,
  type EmptiedTable,
  emptiedTables,
  nextDeletedEnvironment,
} from '../data/access/environment-deletion.ts'
import { type HeldSweep, holdSweep, takeSweep } from '../data/housekeeping/sweep.ts'
import type { Gateway } from '../domain/resolver/scope.ts'
import { Periodic } from './periodic.ts'
import { LEASE, type Pace, Portions, SweepInterrupted } from './portions.ts'

interface DeletionOptions extends Pace {
  readonly gateway: Pick<Gateway, 'db' | 'now' | 'newId'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

export interface EnvironmentDeletion {
  /** Deletes the rows of all deleted environments, unless another process does. @returns false then. */
  readonly perform: () => Promise<boolean>
  /** Looks for deleted environments periodically, until `stop`. */
  readonly start: () => void
  /** Resolves when the database may be closed. */
  readonly stop: () => Promise<void>
}

/** Milliseconds between looks for deleted environments. */
const LOOK = 5_000
/** Rows in the largest portion. */
const MOST = 4_096

export function createEnvironmentDeletion({ logger, ...pace }: DeletionOptions): EnvironmentDeletion {
  const { db, now, newId } = pace.gateway
  const periodic = new Periodic(LOOK, perform, (error) =>
    logger.warn({ err: loggable(error) }, 'deletion of an environment interrupted'),
  )
  const portions = new Portions<EmptiedTable | 'environments'>(pace, MOST, periodic.stopping)

  /** Empties all tables one after the other. @returns the number of deleted rows. */
  async function empty(held: HeldSweep, environmentId: string, deleted: Map<EmptiedTable, number>): Promise<number> {
    let all = 0
    for (const table of emptiedTables) {
      for (let isFull = true; isFull;) {
        const portion = await portions.run(held, table, async (transaction, take) => {
          const count = await deletePortion({ db: transaction, environmentId }, table, take)
          return { count, isFull: count === take }
        })
        if (portion.count > 0) deleted.set(table, (deleted.get(table) ?? 0) + portion.count)
        all += portion.count
        isFull = portion.isFull
      }
    }
    return all
  }

  async function remove(held: HeldSweep, { id, deletedAt }: DeletedEnvironment): Promise<void> {
    const deleted = new Map<EmptiedTable, number>()
    // Requests and jobs in progress at the deletion may write more for a while.
    while ((await empty(held, id, deleted)) > 0);
    await portions.run(held, 'environments', (transaction) => deleteEmptied(transaction, id))
    logger.info(
      {
        environmentId: id,
        deleted: Object.fromEntries(deleted),
        seconds: Math.round((now().getTime() - deletedAt.getTime()) / 1_000),
      },
      'rows of a deleted environment deleted',
    )
  }

  async function perform(): Promise<boolean> {
    let next = await nextDeletedEnvironment(db)
    if (next === undefined) return true
    const held: HeldSweep = { name: 'deletion', holder: newId() }
    if (!(await takeSweep(db, held, now(), new Date(now().getTime() + LEASE)))) return false
    try {
      for (; next !== undefined; next = await nextDeletedEnvironment(db)) await remove(held, next)
      await holdSweep(db, held, now())
    } catch (error) {
      if (error instanceof SweepInterrupted) return false
      throw error
    }
    return true
  }

  return { perform, start: () => periodic.start(), stop: () => periodic.stop() }
}
