// Errors that the caller did not cause: faults, logged under an id that is all the caller sees, and an unavailable
// database.
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { isReadOnly, isUnavailable, loggable } from '../data/driver/database-errors.ts'
import { databaseAway, databaseReadOnly, type Refusal } from '../lib/errors.ts'
import { type Traced, traceIdOf } from '../lib/trace.ts'

/** Logs an internal error. @param trace of the request. @returns its id in the log. */
export function reportFault(logger: Logger, fault: unknown, trace: Traced | undefined): string {
  const errorId = randomUUID()
  logger.error({ errorId, ...(trace && { traceId: traceIdOf(trace) }), err: loggable(fault) }, 'request failed')
  return errorId
}

/** The requests that were already logged: several fields of one GraphQL operation can fail for the same reason. */
const refused = new WeakSet<Traced>()

/**
 * Logs a request that failed because the database is unavailable.
 *
 * @param trace of the request.
 * @returns the refusal, or undefined if the error has another cause.
 */
export function refusalOfOutage(
  logger: Pick<Logger, 'warn'>,
  error: unknown,
  trace: Traced | undefined,
): Refusal | undefined {
  if (!isUnavailable(error)) return undefined
  if (trace === undefined || !refused.has(trace)) {
    logger.warn({ err: loggable(error), ...(trace && { traceId: traceIdOf(trace) }) }, 'request answered with 503')
  }
  if (trace !== undefined) refused.add(trace)
  return isReadOnly(error) ? databaseReadOnly() : databaseAway()
}
