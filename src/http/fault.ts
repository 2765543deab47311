// Faults of our own: logged under an id, which is all that the caller is told.
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { loggable } from '../data/database-errors.ts'

/** Logs a fault. @returns the id that the log has it under. */
export function reportFault(logger: Logger, fault: unknown): string {
  const errorId = randomUUID()
  logger.error({ errorId, err: loggable(fault) }, 'a request failed')
  return errorId
}
