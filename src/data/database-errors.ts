// What a database error means, on both databases alike.
import { Prisma } from './prisma/client.ts'

/** A row with the same unique values exists. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002'
}

/** A row that is referred to does not exist, or one that is referred to was to go. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2003'
}

/** The row to update or delete does not exist. */
export function isMissingRow(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025'
}

/**
 * A fault as it may be logged. Where Prisma cannot read a query, it says all that was in it, secrets too: of that there
 * remain the first line and where it happened.
 */
export function loggable(fault: unknown): unknown {
  if (!(fault instanceof Prisma.PrismaClientValidationError)) return fault
  const { name, message, stack = '' } = fault
  const [firstLine = ''] = message.trim().split('\n')
  const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : ''
  return Object.assign(new Error(firstLine), { name, stack: `${name}: ${firstLine}${frames}` })
}

/** Codes of the system, of Prisma, of PostgreSQL, and the kinds of Prisma's adapter. */
const awayCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'P1001', // cannot reach the database
  'P1002', // it did not answer in time
  'P1008', // an operation timed out
  'P1017', // it closed the connection
  'P2024', // no connection was free in time
  'P2028', // no transaction could begin in time, or one was cut off for taking too long
  'P2037', // too many connections
  '08000', // connection exceptions
  '08001',
  '08003',
  '08004',
  '08006',
  '25P03', // a transaction was idle for too long
  '53300', // too many connections
  '57014', // a statement took too long
  '57P01', // stopped by its administrator
  '57P02', // another process of it crashed
  '57P03', // starting, or stopping
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
])

/** What node-postgres says of connections that broke: these errors have no code. */
const awayMessages: ReadonlySet<string> = new Set([
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'Connection terminated unexpectedly',
  'timeout exceeded when trying to connect',
])

/** An error that says what is wrong in one of the places where Prisma, its adapter and node-postgres do. */
interface Telling {
  readonly code?: unknown
  readonly originalCode?: unknown
  readonly kind?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown }
}

/** The database does not answer, or not now: the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, originalCode, kind, message, cause, meta }: Telling = error
  return (
    [code, originalCode, kind].some((name) => typeof name === 'string' && awayCodes.has(name)) ||
    (typeof message === 'string' && awayMessages.has(message)) ||
    isUnavailable(meta?.driverAdapterError) ||
    isUnavailable(cause)
  )
}
