// Outages: times in which the database is unavailable or read-only. The log has a line when an outage begins, and one
// when it ends.
import type pg from 'pg'
import type { Logger } from 'pino'
import { absorbing } from '../../lib/log.ts'
import { secondsSince } from '../../lib/seconds-since.ts'
import { LogCounter } from '../../lib/log-counter.ts'
import { isLost } from './database-errors.ts'
import { labelled } from '../statement/label.ts'

/** Milliseconds between two checks of an unavailable database. */
const INTERVAL = 1_000

/** One outage. */
interface Interruption {
  readonly startedAt: number
  /** The number of log lines that the outage explains, by message. */
  readonly counted: Map<string, number>
  /** The number of failures so far. */
  failures: number
}

export interface Outage {
  /**
   * Wraps a logger, for parts of the process whose errors come from this database. A line with an error `err` that an
   * outage explains is not written: it begins the outage or is counted.
   */
  readonly covering: (logger: Logger) => Logger
  readonly close: () => void
}

/** @param look fails while the database is unavailable or accepts no writes. */
export function watchForOutages(look: () => Promise<void>, logger: Pick<Logger, 'info' | 'warn'>): Outage {
  let current: Interruption | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function lookLater(interruption: Interruption): void {
    if (isClosed) return
    timer = setTimeout(() => void lookAfter(interruption), INTERVAL).unref()
  }

  async function lookAfter(interruption: Interruption): Promise<void> {
    const { failures } = interruption
    const answers = await look().then(
      () => true,
      () => false,
    )
    // A failure during the check may belong to a new outage. An outage that comes and goes counts as one.
    if (!answers || interruption.failures > failures) {
      lookLater(interruption)
      return
    }
    current = undefined
    const seconds = secondsSince(interruption.startedAt)
    logger.info({ seconds, counted: Object.fromEntries(interruption.counted) }, 'database available again')
  }

  function absorb(error: unknown, fields: object, message: string): boolean {
    if (isClosed || !isLost(error)) return false
    if (current === undefined) {
      current = { startedAt: performance.now(), counted: new Map(), failures: 0 }
      logger.warn({ ...fields, noticedBy: message }, 'database unavailable')
      lookLater(current)
    }
    current.failures += 1
    current.counted.set(message, (current.counted.get(message) ?? 0) + 1)
    return true
  }

  return {
    covering: (covered) => absorbing(covered, absorb),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** @returns a listener that logs lost connections: the first immediately, and those of the next minute together. */
export function logLostConnections(logger: Pick<Logger, 'warn'>): (error: Error) => void {
  const counter = new LogCounter<Error>((count, error) =>
    logger.warn({ count, err: error }, 'database connection lost'),
  )
  return (error) => counter.add(error)
}

/** Logs lost idle connections of a pool, which replaces them. Without listeners, a loss would end the process. */
export function watchConnections(pool: pg.Pool, logger: Pick<Logger, 'warn'>): void {
  pool.on('error', logLostConnections(logger))
  // If a connection in use is lost, its statement fails and reports the error.
  pool.on('connect', (connection) => connection.on('error', () => {}))
}

/** The server that a connection leads to. */
export interface ServerState {
  /** The time at which the server was started, which tells servers apart. */
  readonly run: string
  /** False for a standby, and for a database that an administrator made read-only. */
  readonly writes: boolean
}

/** Reads the server of a connection. */
export async function readServerState(connection: Pick<pg.ClientBase, 'query'>): Promise<ServerState> {
  const { rows } = await connection.query<ServerState>(
    labelled(
      'outage.readServerState',
      `SELECT extract(epoch FROM pg_postmaster_start_time())::text AS run,
              NOT current_setting('transaction_read_only')::boolean AS writes`,
    ),
  )
  const [state] = rows
  if (state === undefined) throw new Error('the database returned no row')
  return state
}

/** Called with the server that a pool writes to. */
type OnWritable = (server: ServerState) => void

/**
 * True if transactions of a pool may write. A connection to a read-only server is closed: after a failover, a new one
 * leads to the writable server.
 */
export async function acceptsWrites(pool: pg.Pool, onWritable: OnWritable): Promise<boolean> {
  const connection = await pool.connect()
  try {
    const state = await readServerState(connection)
    connection.release(!state.writes)
    if (state.writes) onWritable(state)
    return state.writes
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/**
 * Checks all idle connections of a pool, or one if none is idle. @throws Error if one does not answer or accepts no
 * writes.
 */
export async function assertWrites(pool: pg.Pool, onWritable: OnWritable): Promise<void> {
  const looks = Array.from({ length: Math.max(1, pool.idleCount) }, () => acceptsWrites(pool, onWritable))
  const writes = await Promise.all(looks)
  if (!writes.every(Boolean)) throw new Error('the database accepts no writes')
}
