// Reads on a streaming replica, as soon as it has replayed what the environment's callers have written.
import { Socket } from 'node:net'
import pg from 'pg'
import { Groups } from '../../lib/groups.ts'
import { LogCounter } from '../../lib/log-counter.ts'
import type { Metrics } from '../../lib/metrics.ts'
import {
  type Connection,
  createClient,
  type DatabaseLogger,
  MAX_CONNECTIONS,
  servingUrl,
} from '../connection/database.ts'
import { isForeignKeyViolation, isLost } from '../driver/database-errors.ts'
import type { PrismaClient } from '../prisma/client.ts'
import { watchReplica } from './replica-monitor.ts'
import { PLAN_FOR_ANY_VALUES, StatementNames } from '../statement/statement-names.ts'
import { type LogPosition, readPositions, readPrimary, recordPosition } from './write-position.ts'
import { labelled } from '../statement/label.ts'

/** Maximum environments whose positions one statement reads. */
const MOST_POSITIONS = 1_000
/** Milliseconds to wait for a connection to the replica. After that, the primary answers. */
const CONNECTION_TIMEOUT = 2_000

export interface ReplicaLag {
  /** The part of the write-ahead log that the replica has not replayed. */
  readonly bytes: number
  /** The time for which the replica has lacked the oldest part of it, exact to a second or two. */
  readonly seconds: number
}

export interface Replica {
  /**
   * Returns the replica's client if the replica has all writes that were recorded for the environment. Otherwise
   * returns undefined, and the primary must answer. Waits at most for one statement on the primary and some tens of
   * milliseconds for the replica.
   */
  readonly clientFor: (environmentId: string) => Promise<PrismaClient | undefined>
  /** Records that callers of the environment have written. Call it after the commit and before the response. */
  readonly written: (environmentId: string) => Promise<void>
  /** Undefined while the replica cannot be used. */
  readonly lag: () => Promise<ReplicaLag | undefined>
  readonly close: () => Promise<void>
}

export interface ReplicaOptions {
  readonly url: string
  /** The primary database. */
  readonly primary: Connection
  readonly statements?: 'named' | 'unnamed' | undefined
  readonly logger: DatabaseLogger
  readonly metrics: Pick<Metrics, 'replicaRead'>
}

/** Begins a session on the replica, unless its server has restarted since the monitor's last check. */
const beginOn =
  (currentRun: () => string | undefined): NonNullable<pg.PoolConfig['verify']> =>
  (client, done) => {
    const begin = async () => {
      await client.query(PLAN_FOR_ANY_VALUES)
      const { rows } = await client.query<{ run: string }>(
        labelled('replica.beginOn', 'SELECT pg_postmaster_start_time()::text AS run'),
      )
      if (rows[0]?.run === currentRun()) return
      // A restarted server may have replayed less than before. The code is that of a failed connection.
      throw Object.assign(new Error('the replica has restarted'), { code: '08001' })
    }
    begin().then(
      () => done(),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    )
  }

/** Opens the replica. It may be unavailable; the primary answers until it is available. */
export async function openReplica({ url, primary, statements, logger, metrics }: ReplicaOptions): Promise<Replica> {
  const connectionString = servingUrl(url)
  const sockets = new Set<Socket>()
  const monitor = await watchReplica({
    url: connectionString,
    readPrimary: () => readPrimary(primary),
    onFound: () => logger.info('read replica in use'),
    onLost(error) {
      // Reads in progress on a silent server would wait for long. Instead, they are repeated on the primary.
      for (const socket of sockets) socket.destroy()
      logger.warn({ err: error }, 'read replica unusable: the primary answers')
    },
  })
  const pool = new pg.Pool({
    connectionString,
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    keepAlive: true,
    max: MAX_CONNECTIONS,
    pipeline: true,
    verify: beginOn(monitor.run),
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      return socket.on('close', () => sockets.delete(socket))
    },
  })
  pool.on('error', (error) => logger.debug({ err: error }, 'connection to the read replica lost'))
  // If a connection in use is lost, its read fails and is repeated on the primary. Without a listener, the process
  // would end.
  pool.on('connect', (connection) => connection.on('error', () => {}))
  const names = statements === 'unnamed' ? new StatementNames(0) : new StatementNames()
  const client = createClient({ pool, names, hasSessions: true })

  const reads = new Groups<string, LogPosition | undefined>(MOST_POSITIONS)
  const records = new Groups<undefined, true>(Infinity)
  /** Environments whose last write could not be recorded. */
  const unrecorded = new Set<string>()

  const unread = new LogCounter<unknown>((count, error) =>
    logger.warn({ count, err: error }, 'positions of writes not read: the primary answers'),
  )

  const positionOf = (environmentId: string) =>
    reads.join('', environmentId, async (ids) => {
      const distinct = [...new Set(ids)]
      const positions = await readPositions(primary, distinct)
      const found = new Map(distinct.map((id, index) => [id, positions[index]]))
      return ids.map((id) => found.get(id))
    })

  const written = async (environmentId: string) => {
    try {
      await records.join(environmentId, undefined, async (writes) => {
        await recordPosition(primary, environmentId)
        return writes.map(() => true)
      })
      unrecorded.delete(environmentId)
    } catch (error) {
      // The environment was deleted meanwhile.
      if (isForeignKeyViolation(error)) return
      unrecorded.add(environmentId)
      logger.warn({ err: error, environmentId }, 'position of a write not recorded: reads may miss it')
    }
  }

  return {
    async clientFor(environmentId) {
      const answered = (outcome: 'replica' | 'behind' | 'away') => {
        metrics.replicaRead(outcome)
        return outcome === 'replica' ? client : undefined
      }
      if (monitor.run() === undefined) return answered('away')
      let position: LogPosition | undefined
      try {
        position = unrecorded.has(environmentId) ? undefined : await positionOf(environmentId)
      } catch (error) {
        if (isLost(error)) throw error
        // A primary that is a standby now has no positions, but it answers.
        unread.add(error)
        return answered('away')
      }
      if (position === undefined) {
        // No caller has written since a replica was configured, or a crash or a promotion has emptied the table.
        await written(environmentId)
        return answered('behind')
      }
      return answered((await monitor.reaches(position)) ? 'replica' : 'behind')
    },
    written,
    async lag() {
      const replayed = monitor.replayed()
      if (replayed === undefined) return undefined
      const { position } = await readPrimary(primary)
      // The replica may have replayed more since the last check.
      return { bytes: Math.max(0, position - (monitor.replayed() ?? replayed)), seconds: monitor.delay() }
    },
    async close() {
      unread.close()
      await monitor.close()
      await client.$disconnect()
      await pool.end()
    },
  }
}
