// Deletes expired idempotency keys in the background, in small statements.
import type { Logger } from 'pino'
import { deleteAnswers } from '../data/access/idempotency-keys.ts'
import type { Gateway } from '../domain/resolver/scope.ts'
import { KEPT_FOR } from './idempotency.ts'

/** Milliseconds between sweeps. */
export const SWEEP_INTERVAL = 10 * 60 * 1000
/** Rows deleted per statement. On the embedded database, every request waits for it. */
const BATCH = 500

/** Sweeps periodically. @returns stops it; resolves when the database may be closed. */
export function startSweeping({ db, now }: Pick<Gateway, 'db' | 'now'>, logger: Logger): () => Promise<void> {
  let stopped = false
  let sweeping = Promise.resolve()
  const sweep = async () => {
    let deleted = BATCH
    while (!stopped && deleted === BATCH) {
      deleted = await deleteAnswers(db, new Date(now().getTime() - KEPT_FOR), BATCH)
    }
  }
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not delete expired idempotency keys')
    })
  }, SWEEP_INTERVAL)
  timer.unref()
  return () => {
    stopped = true
    clearInterval(timer)
    return sweeping
  }
}
