// Watches a streaming replica over a connection of its own: whether it can be used, and how far it has replayed.
import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { CLUSTER, type Primary } from './write-position.ts'

/** Time between two looks at the replica, and the most that it may take to answer one, in milliseconds. */
const INTERVAL = 1_000
const PATIENCE = 5_000

/** The most milliseconds that a read waits for a replica that is behind, and the pause between two looks at it. */
const MAX_WAIT = 30
const PAUSE = 3

const STATE = `SELECT ${CLUSTER} AS cluster, pg_is_in_recovery() AS recovering, pg_postmaster_start_time()::text AS run,
  coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::text AS replayed`

interface State {
  readonly cluster: string
  readonly recovering: boolean
  readonly run: string
  readonly replayed: string
}

/** Reads the state of a replica once, over a connection of its own. */
export async function readReplica(url: string): Promise<State> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<State>(STATE)
    const [state] = rows
    if (state === undefined) throw new Error('the replica returned no row')
    return state
  } finally {
    await client.end().catch(() => {})
  }
}

export interface MonitorOptions {
  readonly url: string
  readonly readPrimary: () => Promise<Primary>
  /** The replica can be used from now on. */
  readonly onFound: () => void
  /** The replica cannot be used any more, or not at the start. Called once until it is found. */
  readonly onLost: (error: unknown) => void
}

export interface ReplicaMonitor {
  /** The start of the server that is watched, which tells its runs apart. Undefined while it cannot be used. */
  readonly run: () => string | undefined
  /** The position up to which it had replayed when it was last looked at, in bytes. Undefined while it cannot be used. */
  readonly replayed: () => number | undefined
  /** Waits a few milliseconds until the replica has replayed up to a position, in bytes. @returns false if it has not. */
  readonly reaches: (position: number) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Starts to watch a replica. Waits for the first look at it. */
export async function watchReplica({ url, readPrimary, onFound, onLost }: MonitorOptions): Promise<ReplicaMonitor> {
  const closing = new AbortController()
  let client: pg.Client | undefined
  let socket: Socket | undefined
  let run: string | undefined
  let replayed = 0
  /**
   * The position that the replica had not reached when a read waited in vain. No other read waits until the replica has
   * reached it.
   */
  let missed = 0
  let isReported = false
  let looking: Promise<void> | undefined

  function lose(lost: pg.Client, error: unknown): void {
    // Its end reports errors of its own.
    if (client !== lost) return
    client = undefined
    run = undefined
    replayed = 0
    missed = 0
    // A server that is silent would not end the connection.
    socket?.destroy()
    if (isReported || closing.signal.aborted) return
    isReported = true
    onLost(error)
  }

  async function readState(connection: pg.Client): Promise<State> {
    const { rows } = await connection.query<State>(STATE)
    const [state] = rows
    if (state?.recovering !== true) throw new Error('the server in DATABASE_READ_URL is not a streaming replica')
    return state
  }

  async function connect(): Promise<void> {
    const stream = new Socket()
    socket = stream
    const connecting = new pg.Client({
      stream: () => stream,
      connectionString: url,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
      keepAlive: true,
    })
    client = connecting
    connecting.on('error', (error) => lose(connecting, error))
    connecting.on('end', () => lose(connecting, new Error('the connection to the replica has ended')))
    try {
      const primary = await readPrimary()
      await connecting.connect()
      const state = await readState(connecting)
      if (state.cluster !== primary.cluster) {
        throw new Error('the server in DATABASE_READ_URL is not a replica of the one in DATABASE_URL')
      }
      // It may lack tables that the migrations of this process have added.
      if (Number(state.replayed) < primary.position) missed = primary.position
      replayed = Number(state.replayed)
      run = state.run
      isReported = false
      onFound()
    } catch (error) {
      lose(connecting, error)
    }
  }

  async function lookNow(): Promise<void> {
    const connection = client
    if (connection === undefined || run === undefined) return connect()
    try {
      const state = await readState(connection)
      if (client === connection) replayed = Math.max(replayed, Number(state.replayed))
    } catch (error) {
      lose(connection, error)
    }
  }

  /** Looks at the replica once for all who ask meanwhile. */
  function look(): Promise<void> {
    looking ??= lookNow().finally(() => {
      looking = undefined
    })
    return looking
  }

  async function watch(): Promise<void> {
    const isOpen = () => pause(INTERVAL, true, { signal: closing.signal, ref: false }).catch(() => false)
    while (await isOpen()) await look()
  }

  await look()
  const watching = watch()
  const isUsable = () => run !== undefined
  return {
    run: () => run,
    replayed: () => (isUsable() ? replayed : undefined),
    async reaches(position) {
      const has = () => isUsable() && replayed >= Math.max(position, missed)
      if (has()) return true
      if (replayed < missed) return false
      const late = AbortSignal.timeout(MAX_WAIT)
      const end = once(late, 'abort')
      while (isUsable() && !late.aborted) {
        await Promise.race([look(), end])
        if (has()) return true
        await Promise.race([pause(PAUSE), end])
      }
      if (isUsable()) missed = Math.max(missed, position)
      return false
    },
    async close() {
      closing.abort()
      await watching
      client = undefined
      socket?.destroy()
    },
  }
}
