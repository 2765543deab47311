// Watches a streaming replica over a connection of its own: whether it can be used, and how far it has replayed the
// primary's writes.
import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { ReplicaDelay } from './replica-delay.ts'
import { CLUSTER, type LogPosition, type Primary } from './write-position.ts'
import { labelled } from '../statement/label.ts'

/** Milliseconds between two checks of the replica, and the maximum time of a check. */
const INTERVAL = 1_000
const PATIENCE = 5_000

/** Maximum milliseconds that a read waits for a replica that is behind, and the pause between two checks meanwhile. */
const MAX_WAIT = 30
const PAUSE = 3

/**
 * The timeline is that of the log which the replica receives. Only members of pg_read_all_stats may read it. Others read
 * that of the last restart point, which a replica reaches some minutes after a promotion of its primary.
 */
const STATE = `SELECT ${CLUSTER} AS cluster, pg_is_in_recovery() AS recovering, pg_postmaster_start_time()::text AS run,
  coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::text AS replayed,
  coalesce((SELECT received_tli FROM pg_stat_wal_receiver),
    greatest((SELECT timeline_id FROM pg_control_checkpoint()),
      (SELECT min_recovery_end_timeline FROM pg_control_recovery()))) AS timeline`

interface State {
  readonly cluster: string
  readonly recovering: boolean
  readonly timeline: number
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
   * Called when the replica cannot be used any more, or at the start if it cannot be used. Called a second time before
   * `onFound` only if the server turns out to be no replica of the primary, because that does not pass by itself.
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
  /** The time for which the replica has been behind, in seconds. */
  readonly delay: () => number
  /** Waits a few milliseconds until the replica has replayed up to a position. @returns false if it has not. */
  readonly reaches: (position: LogPosition) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** The server is there, but does not replay what the primary writes. */
class WrongServer extends Error {}

/** @throws WrongServer if a server does not replay what the primary writes. */
function assertFollows({ cluster, timeline }: State, primary: Primary): void {
  if (cluster !== primary.cluster) {
    throw new WrongServer('the server in DATABASE_READ_URL is not a replica of the one in DATABASE_URL')
  }
  if (timeline !== primary.timeline) {
    throw new WrongServer(
      `the replica is on timeline ${timeline}, but its primary on ${primary.timeline}: it has not followed a failover yet`,
    )
  }
}

/** Starts to watch a replica, and waits for the first check. */
export async function watchReplica({ url, readPrimary, onFound, onLost }: MonitorOptions): Promise<ReplicaMonitor> {
  const closing = new AbortController()
  let client: pg.Client | undefined
  let socket: Socket | undefined
  /** The last state of a replica that can be used. */
  let current: State | undefined
  let replayed = 0
  let delay = new ReplicaDelay()
  /**
   * A position that the replica did not reach while a read waited. No other read waits until the replica has reached
   * it.
   */
  let missed = 0
  let reported: 'away' | 'wrong' | undefined
  let looking: Promise<void> | undefined

  function lose(lost: pg.Client, error: unknown): void {
    // A connection that is being ended reports further errors.
    if (client !== lost) return
    client = undefined
    current = undefined
    replayed = 0
    missed = 0
    delay = new ReplicaDelay()
    // Ending it would not close a connection to a silent server.
    socket?.destroy()
    const kind = error instanceof WrongServer ? 'wrong' : 'away'
    if (reported === 'wrong' || reported === kind || closing.signal.aborted) return
    reported = kind
    onLost(error)
  }

  async function readState(connection: pg.Client): Promise<State> {
    const { rows } = await connection.query<State>(labelled('replica-monitor.readState', STATE))
    const [state] = rows
    if (state?.recovering !== true) throw new WrongServer('the server in DATABASE_READ_URL is not a streaming replica')
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
      assertFollows(state, primary)
      // The replica may still lack tables that the migrations of this process have added.
      if (Number(state.replayed) < primary.position) missed = primary.position
      replayed = Number(state.replayed)
      current = state
      reported = undefined
      onFound()
    } catch (error) {
      lose(connecting, error)
    }
  }

  async function lookNow(): Promise<void> {
    const connection = client
    if (connection === undefined || current === undefined) return connect()
    try {
      const state = await readState(connection)
      if (client !== connection) return
      current = state
      replayed = Math.max(replayed, Number(state.replayed))
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

  /** Compares the replica with the primary, which may be another server after a failover. */
  async function compare(): Promise<void> {
    const connection = client
    // Without an answer, the reads of the primary fail, too, and that is in the log.
    const primary = await readPrimary().catch(() => undefined)
    if (primary === undefined || connection === undefined || client !== connection || current === undefined) return
    delay.note(primary.position)
    try {
      assertFollows(current, primary)
    } catch (error) {
      lose(connection, error)
    }
  }

  async function watch(): Promise<void> {
    const isOpen = () => pause(INTERVAL, true, { signal: closing.signal, ref: false }).catch(() => false)
    while (await isOpen()) {
      await look()
      await compare()
    }
  }

  await look()
  const watching = watch()
  const isUsable = () => current !== undefined
  return {
    run: () => current?.run,
    replayed: () => (isUsable() ? replayed : undefined),
    delay: () => delay.seconds(replayed),
    async reaches({ timeline, position }) {
      const has = () => current?.timeline === timeline && replayed >= Math.max(position, missed)
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
