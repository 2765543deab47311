// Internal errors: logged with an id, which is all the caller sees.
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { loggable } from '../data/database-errors.ts'

/** Logs an internal error. @returns its id in the log. */
export function reportFault(logger: Logger, fault: unknown): string {
  const errorId = randomUUID()
  logger.error({ errorId, err: loggable(fault) }, 'request failed')
  return errorId
}
