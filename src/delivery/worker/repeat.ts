// Repeats the work of a loop until it stops, also after errors.
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, readDatabaseTime } from '../../data/connection/clock.ts'
import { isLost, loggable } from '../../data/driver/database-errors.ts'
import type { Connection } from '../../data/connection/database.ts'
import type { Waker } from './waker.ts'

/** Milliseconds before the next attempt after an error, such as a lost database connection. */
const RECOVERY = 2_000

/**
 * Milliseconds to wait once the database is back, so that other processes can renew the leases of their messages first.
 */
const SETTLING = 1_000

export interface Repeating {
  /** Aborts when the loops stop. */
  readonly stopping: AbortSignal
  readonly db: Connection
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error'>
}

/** Resolves after a time, or when the loops stop. */
export async function rest(milliseconds: number, stopping: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal: stopping }).catch(() => {})
}

/** Waits after an error until the database is back and other processes have had time to renew their leases. */
async function recover({ stopping, db, clock }: Repeating, error: unknown): Promise<void> {
  await rest(RECOVERY, stopping)
  if (!isLost(error)) return
  for (let isAway = true; isAway && !stopping.aborted;) {
    isAway = await clock
      .measure(() => readDatabaseTime(db))
      .then(
        () => false,
        () => true,
      )
    await rest(isAway ? RECOVERY : SETTLING, stopping)
  }
}

/** Repeats work until the loops stop. */
export async function repeat(repeating: Repeating, work: () => Promise<void>): Promise<void> {
  while (!repeating.stopping.aborted) {
    try {
      await work()
    } catch (error) {
      repeating.logger.error({ err: loggable(error) }, 'worker loop failed: retrying')
      await recover(repeating, error)
    }
  }
}

/** Repeats work until the loops stop: immediately after it returns true, otherwise when the waker is called. */
export const repeatWhenWoken = (repeating: Repeating, waker: Waker, work: () => Promise<boolean>): Promise<void> =>
  repeat(repeating, async () => {
    if (!(await work())) await waker.wait(repeating.stopping)
  })
