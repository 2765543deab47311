// LISTEN: messages sent with NOTIFY by this process and, on PostgreSQL, by every process on the same database.
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { secondsSince } from '../../lib/seconds-since.ts'
import { readServerState, type ServerState } from '../driver/outage.ts'
import type { EmbeddedDatabase } from '../embedded/embedded.ts'

export interface Listener {
  /** Called with each message once it is committed, in commit order. */
  onMessage(payload: string): void
  /**
   * Called when the connection is lost. Messages are missed from now on, and the last ones before may have been missed,
   * too.
   */
  onDisconnect(): void
  /** Called when messages are received again. */
  onReconnect(): void
}

export type StopListening = () => void

/** One connection for the messages of all channels. */
export interface Listening {
  /** Listens on a channel until stopped. @throws if LISTEN fails. */
  readonly listen: (channel: string, listener: Listener) => Promise<StopListening>
  /**
   * Waits until the listeners have received all messages sent before this call.
   *
   * @returns false if the database does not answer soon: then the connection may be broken.
   */
  readonly catchUp: () => Promise<boolean>
  /** False while messages are missed, because the connection is lost. */
  readonly isConnected: () => boolean
  /**
   * Replaces the connection if it leads to another server than the given one, which statements write to. After a
   * failover, the former primary may keep connections, but sends no messages any more.
   */
  readonly moveTo: (server: Pick<ServerState, 'run'>) => void
  readonly close: () => Promise<void>
}

type ListenLogger = Pick<Logger, 'debug' | 'info' | 'warn'>

/**
 * Milliseconds between attempts to reconnect. Doubles after each failed attempt. Streams are closed meanwhile, and the
 * end of an outage cannot be foreseen.
 */
const RECONNECT_DELAY = { min: 100, max: 1_000 }

/** Milliseconds to wait for the answer by which all messages have arrived. Requests wait for it. */
const PATIENCE = 500

/** An empty statement: PostgreSQL answers it after all messages that it has for the connection. */
const EMPTY_QUERY = ''

const listenTo = (channel: string) => `LISTEN ${pg.escapeIdentifier(channel)}`

/** The listeners of all channels. A channel stays when its last listener has stopped, because others may follow. */
class Listeners {
  readonly #byChannel = new Map<string, Set<Listener>>()

  get channels(): readonly string[] {
    return [...this.#byChannel.keys()]
  }

  /** Adds a listener. @param start listens on its channel. */
  async add(channel: string, listener: Listener, start: () => Promise<unknown>): Promise<StopListening> {
    const listeners = this.#byChannel.get(channel) ?? new Set()
    this.#byChannel.set(channel, listeners)
    const stop = () => void listeners.delete(listener)
    // Added first, because a message may arrive together with the answer.
    listeners.add(listener)
    try {
      await start()
    } catch (error) {
      stop()
      throw error
    }
    return stop
  }

  receive(channel: string, payload: string): void {
    for (const listener of this.#byChannel.get(channel) ?? []) listener.onMessage(payload)
  }

  disconnect(): void {
    for (const listener of this.#all()) listener.onDisconnect()
  }

  reconnect(): void {
    for (const listener of this.#all()) listener.onReconnect()
  }

  #all(): readonly Listener[] {
    return [...this.#byChannel.values()].flatMap((listeners) => [...listeners])
  }
}

interface ListenConnection {
  readonly client: pg.Client
  /** The start of the server that sends the messages. */
  readonly run: string
  /** Resolves when the connection is lost or closed. */
  readonly lost: Promise<void>
  readonly close: () => void
}

export interface ListenOptions {
  /** Milliseconds without data after which the server counts as gone. It is probed twice in that time. */
  readonly silence: number
  readonly logger: ListenLogger
}

/**
 * Opens a connection to a PostgreSQL server, and opens it again whenever it is lost.
 *
 * @throws if the first attempt fails.
 */
export async function listenOnServer(config: pg.ClientConfig, { silence, logger }: ListenOptions): Promise<Listening> {
  const listeners = new Listeners()
  const stopping = new AbortController()
  const { signal } = stopping

  async function connect(): Promise<ListenConnection> {
    const socket = new Socket()
    const close = () => void socket.destroy()
    const client = new pg.Client({ ...config, stream: () => socket })
    const lost = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('error', (error) => {
      if (!signal.aborted) logger.debug({ err: error }, 'LISTEN connection failed')
    })
    client.on('notification', ({ channel, payload = '' }) => listeners.receive(channel, payload))
    try {
      await client.connect()
      const stopProbing = probe(client, silence / 2, close)
      void lost.then(stopProbing)
      const { run } = await readServerState(client)
      for (const channel of listeners.channels) await client.query(listenTo(channel))
      return { client, run, lost, close }
    } catch (error) {
      close()
      throw error
    }
  }

  async function reconnect(): Promise<ListenConnection> {
    for (let delay = RECONNECT_DELAY.min; ; delay = Math.min(delay * 2, RECONNECT_DELAY.max)) {
      try {
        return await connect()
      } catch (error) {
        logger.debug({ err: error, retryInMs: delay }, 'LISTEN reconnect failed')
        await pause(delay, undefined, { signal, ref: false })
      }
    }
  }

  let connection = await connect()
  let isConnected = true
  const keep = async () => {
    for (;;) {
      await connection.lost
      signal.throwIfAborted()
      const lostAt = performance.now()
      logger.warn('LISTEN connection lost')
      isConnected = false
      listeners.disconnect()
      connection = await reconnect()
      if (signal.aborted) {
        connection.close()
      } else {
        logger.info({ seconds: secondsSince(lostAt) }, 'LISTEN connection restored')
        isConnected = true
        listeners.reconnect()
      }
    }
  }
  const kept = keep().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })

  let unanswered: pg.Client | undefined
  return {
    listen: (channel, listener) => listeners.add(channel, listener, () => connection.client.query(listenTo(channel))),
    async catchUp() {
      const { client } = connection
      if (client === unanswered) return false
      unanswered = client
      const late = new AbortController()
      const answered = client.query(EMPTY_QUERY).then(
        () => {
          unanswered = undefined
          return true
        },
        () => false,
      )
      try {
        return await Promise.race([answered, pause(PATIENCE, false, late)])
      } finally {
        late.abort()
      }
    },
    isConnected: () => isConnected,
    moveTo({ run }) {
      if (isConnected && connection.run !== run) connection.close()
    },
    close() {
      stopping.abort()
      connection.close()
      return kept
    },
  }
}

/**
 * Calls `onSilence` if the server has not answered one probe by the time the next is due. @returns a function that
 * stops probing.
 */
function probe(client: pg.Client, interval: number, onSilence: () => void): () => void {
  let answered = true
  const timer = setInterval(() => {
    if (!answered) onSilence()
    answered = false
    client.query(EMPTY_QUERY).then(
      () => (answered = true),
      () => {
        // If there is no answer, the next probe closes the connection and logs that.
      },
    )
  }, interval)
  timer.unref()
  return () => clearInterval(timer)
}

/** Listens on the embedded database, whose only connection is in this process. It is lost if the database fails. */
export function listenOnEmbedded(
  embedded: EmbeddedDatabase,
  pool: pg.Pool,
  logger: Pick<ListenLogger, 'warn'>,
): Listening {
  const listeners = new Listeners()
  // Through the pool: sent directly to PGlite, it could run inside an open transaction and be rolled back with it.
  const start = (channels: readonly string[]) => pool.query(channels.map(listenTo).join('; '))
  let isConnected = true
  const stop = embedded.listen({
    onNotification: (channel, payload) => listeners.receive(channel, payload),
    onFail() {
      isConnected = false
      listeners.disconnect()
    },
    onReopen() {
      start(listeners.channels).then(
        () => {
          isConnected = true
          listeners.reconnect()
        },
        (error: unknown) => logger.warn({ err: error }, 'LISTEN reconnect failed'),
      )
    },
  })
  return {
    listen: (channel, listener) => listeners.add(channel, listener, () => start([channel])),
    catchUp: () => Promise.resolve(true),
    isConnected: () => isConnected,
    moveTo: () => {},
    close() {
      stop()
      return Promise.resolve()
    },
  }
}
