// Internal errors: logged with an id, which is all the caller sees.
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { loggable } from '../data/database-errors.ts'
import { type Traced, traceIdOf } from '../lib/trace.ts'

/** Logs an internal error. @param trace of the request. @returns its id in the log. */
export function reportFault(logger: Logger, fault: unknown, trace: Traced | undefined): string {
  const errorId = randomUUID()
  logger.error({ errorId, ...(trace && { traceId: traceIdOf(trace) }), err: loggable(fault) }, 'request failed')
  return errorId
}
