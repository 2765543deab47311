// The meaning of database errors, the same on both databases.
import { Prisma } from '../prisma/client.ts'

/** True if a row with the same unique values exists. */
export function isUniqueViolation(error: unknown): boolean {
  return describes(error, ({ code, originalCode }) => code === 'P2002' || [code, originalCode].includes('23505'))
}

/** True if a referenced row does not exist, or a row to delete is still referenced. */
export function isForeignKeyViolation(error: unknown): boolean {
  return describes(error, ({ code, originalCode }) => code === 'P2003' || [code, originalCode].includes('23503'))
}

/** True if the row to update or delete does not exist. */
function isMissingRow(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025'
}

/** Handles the error of a write: throws the refusal, if there is one, if a row with the same unique values exists. */
export const whenTaken = (refusal: () => Error | undefined) => (error: unknown) => {
  throw (isUniqueViolation(error) ? refusal() : undefined) ?? error
}

/** Handles the error of a write: throws the refusal if the row to update or delete does not exist. */
export const whenMissing = (refusal: () => Error) => (error: unknown) => {
  throw isMissingRow(error) ? refusal() : error
}

/**
 * Returns an error as it may be logged. Prisma's validation errors quote the whole query, including secrets, so only
 * their first line and stack are kept.
 */
export function loggable(fault: unknown): unknown {
  if (!(fault instanceof Prisma.PrismaClientValidationError)) return fault
  const { name, message, stack = '' } = fault
  const [firstLine = ''] = message.trim().split('\n')
  const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : ''
  return Object.assign(new Error(firstLine), { name, stack: `${name}: ${firstLine}${frames}` })
}

/** PostgreSQL's code for a write in a transaction that only reads. */
const READ_ONLY = '25006'

/** Error codes of Node.js for a server whose certificate is not trusted. */
const untrustedCodes: readonly string[] = [
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

/** Error codes of the system, Prisma, PostgreSQL and Prisma's adapter that mean the database is unavailable. */
const awayCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'P1001', // database unreachable
  'P1002', // connection timed out
  'P1008', // operation timed out
  'P1017', // connection closed by the server
  'P2024', // no free connection in time
  'P2028', // transaction could not start in time, or took too long
  'P2037', // too many connections
  '08000', // connection exceptions
  '08001',
  '08003',
  '08004',
  '08006',
  READ_ONLY, // a standby after a failover, or a database that an administrator made read-only
  '25P03', // idle transaction timeout
  '53100', // disk full
  '53300', // too many connections
  '57014', // statement timeout
  '57P01', // shut down by an administrator
  '57P02', // another server process crashed
  '57P03', // starting up or shutting down
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
  ...untrustedCodes, // another server behind the address, after a failover
])

/** Messages of node-postgres for lost connections. These errors have no code. */
const awayMessages: ReadonlySet<string> = new Set([
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'Connection terminated unexpectedly',
  'timeout exceeded when trying to connect',
])

/** The properties in which Prisma, its adapter and node-postgres describe an error. */
interface ErrorDetails {
  readonly code?: unknown
  readonly originalCode?: unknown
  readonly kind?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown }
}

/** True if `test` holds for an error or one of its causes. */
function describes(error: unknown, test: (details: ErrorDetails) => boolean): boolean {
  if (typeof error !== 'object' || error === null) return false
  const details: ErrorDetails = error
  return test(details) || describes(details.meta?.driverAdapterError, test) || describes(details.cause, test)
}

/** Codes of PostgreSQL for a statement or a transaction that took too long. */
const expiredCodes: ReadonlySet<string> = new Set(['25P03', '57014'])

const isOneOf = (codes: ReadonlySet<string>, code: unknown) => typeof code === 'string' && codes.has(code)

/**
 * True if a transaction or one of its statements took too long and was rolled back. The database itself may be fine:
 * the work was too much for one transaction. Prisma has one code for this and for a transaction that could not start;
 * only its message tells them apart.
 */
export function isExpired(error: unknown): boolean {
  return describes(
    error,
    ({ code, originalCode, message }) =>
      (code === 'P2028' && typeof message === 'string' && message.includes('expired transaction')) ||
      isOneOf(expiredCodes, code) ||
      isOneOf(expiredCodes, originalCode),
  )
}

/** True if the database is unavailable for now. The same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return describes(
    error,
    ({ code, originalCode, kind, message }) =>
      [code, originalCode, kind].some((name) => isOneOf(awayCodes, name)) || isOneOf(awayMessages, message),
  )
}

/** True if a connection failed because the certificate of the server is not trusted. */
export const isUntrusted = (error: unknown): boolean =>
  describes(error, ({ code }) => typeof code === 'string' && untrustedCodes.includes(code))

/** True if a write failed because the database is read-only, such as a standby. */
export const isReadOnly = (error: unknown): boolean =>
  describes(error, ({ code, originalCode }) => [code, originalCode].includes(READ_ONLY))

/** True if the database is unavailable, and not because a transaction took too long. */
export const isLost = (error: unknown): boolean => isUnavailable(error) && !isExpired(error)

/** Codes of a transaction that was rolled back because of a concurrent one: a deadlock or a serialization failure. */
const conflictCodes: ReadonlySet<string> = new Set(['40001', '40P01', 'P2034'])

/** True if a transaction was rolled back in favor of another one. It succeeds when it is repeated. */
export const isConflict = (error: unknown): boolean =>
  describes(error, ({ code, originalCode }) => [code, originalCode].some((name) => isOneOf(conflictCodes, name)))

/** True if a statement gave up waiting for a lock because of `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean =>
  describes(error, ({ code, originalCode }) => [code, originalCode].includes('55P03'))

/** How often work is attempted that concurrent transactions roll back. */
const CONFLICTING_ATTEMPTS = 4

/** Repeats a transaction that was rolled back in favor of another one. */
export async function despiteConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = CONFLICTING_ATTEMPTS - 1; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !isConflict(error)) throw error
    }
  }
}

/**
 * Codes of errors that occur on a replica but not on its primary: conflicts with replayed changes, and attempts to
 * write.
 */
const replicaCodes: ReadonlySet<string> = new Set([READ_ONLY, ...conflictCodes])

/** True if a read failed because it ran on a replica. The primary may answer it. */
export function isReplicaFault(error: unknown): boolean {
  if (isLost(error)) return true
  return describes(error, ({ code, originalCode }) => [code, originalCode].some((name) => isOneOf(replicaCodes, name)))
}
