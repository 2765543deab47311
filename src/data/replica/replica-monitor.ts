// Watches a streaming replica over a connection of its own: whether it can be used, and how far it has replayed the
// primary's writes.
import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { CLUSTER, type Primary } from './write-position.ts'
import { labelled } from '../statement/label.ts'

/** Milliseconds between two checks of the replica, and the maximum time of a check. */
const INTERVAL = 1_000
const PATIENCE = 5_000

/** Maximum milliseconds that a read waits for a replica that is behind, and the pause between two checks meanwhile. */
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
    const { rows } = await client.query<State>(labelled('replica-monitor.readReplica', STATE))
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
  /** Called when the replica can be used from now on. */
  readonly onFound: () => void
  /**
   * Called when the replica cannot be used any more, or at the start if it cannot be used. Not called again before
   * `onFound`.
   */
  readonly onLost: (error: unknown) => void
}

export interface ReplicaMonitor {
  /**
   * The time at which the replica's server was started, which tells restarts apart. Undefined while it cannot be used.
   */
  readonly run: () => string | undefined
  /**
   * The position up to which the replica had replayed at the last check, in bytes. Undefined while it cannot be used.
   */
  readonly replayed: () => number | undefined
  /** Waits a few milliseconds until the replica has replayed up to a position, in bytes. @returns false if it has not. */
  readonly reaches: (position: number) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Starts to watch a replica, and waits for the first check. */
export async function watchReplica({ url, readPrimary, onFound, onLost }: MonitorOptions): Promise<ReplicaMonitor> {
  const closing = new AbortController()
  let client: pg.Client | undefined
  let socket: Socket | undefined
  let run: string | undefined
  let replayed = 0
  /**
   * A position that the replica did not reach while a read waited. No other read waits until the replica has reached
   * it.
   */
  let missed = 0
  let isReported = false
  let looking: Promise<void> | undefined

  function lose(lost: pg.Client, error: unknown): void {
    // A connection that is being ended reports further errors.
    if (client !== lost) return
    client = undefined
    run = undefined
    replayed = 0
    missed = 0
    // Ending it would not close a connection to a silent server.
    socket?.destroy()
    if (isReported || closing.signal.aborted) return
    isReported = true
    onLost(error)
  }

  async function readState(connection: pg.Client): Promise<State> {
    const { rows } = await connection.query<State>(labelled('replica-monitor.readState', STATE))
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
      // The replica may still lack tables that the migrations of this process have added.
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

  /** Checks the replica. Concurrent callers share one check. */
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
