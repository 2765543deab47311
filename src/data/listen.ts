// LISTEN: messages sent with NOTIFY by this process and, on PostgreSQL, by every process on the same database.
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { EmbeddedDatabase } from './embedded.ts'

export interface Listener {
  /** Called with each message once it is committed, in commit order. */
  onMessage(payload: string): void
  /** Called when the connection is lost. Messages from now on, and possibly the last ones before, are missed. */
  onDisconnect(): void
  /** Called when messages are received again. */
  onReconnect(): void
}

/** Stops listening. */
export type StopListening = () => Promise<void>

/** Delay between attempts to reconnect, in milliseconds. Doubles after each failed attempt. */
const RECONNECT_DELAY = { min: 100, max: 10_000 }

interface ListenConnection {
  /** Resolves when the connection is lost or closed. */
  readonly lost: Promise<void>
  readonly close: () => void
}

export interface ListenOptions {
  readonly channel: string
  /**
   * Time without data after which the server is considered gone, in milliseconds. It is probed twice in that time.
   */
  readonly silence: number
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>
}

/**
 * Listens over its own connection and reconnects whenever it is lost.
 *
 * @throws if the first connection fails.
 */
export async function listenOnServer(
  config: pg.ClientConfig,
  { channel, silence, logger }: ListenOptions,
  listener: Listener,
): Promise<StopListening> {
  const stopping = new AbortController()
  const { signal } = stopping

  async function connect(): Promise<ListenConnection> {
    const socket = new Socket()
    const close = () => void socket.destroy()
    const client = new pg.Client({ ...config, stream: () => socket })
    const lost = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('error', (error) => logger.debug({ err: error, channel }, 'LISTEN connection failed'))
    client.on('notification', ({ payload = '' }) => listener.onMessage(payload))
    try {
      await client.connect()
      const stopProbing = probe(client, silence / 2, close)
      void lost.then(stopProbing)
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
      return { lost, close }
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
        logger.warn({ err: error, channel, retryInMs: delay }, 'LISTEN reconnect failed')
        await pause(delay, undefined, { signal, ref: false })
      }
    }
  }

  let connection = await connect()
  const keep = async () => {
    for (;;) {
      await connection.lost
      signal.throwIfAborted()
      logger.warn({ channel }, 'LISTEN connection lost')
      listener.onDisconnect()
      connection = await reconnect()
      if (signal.aborted) {
        connection.close()
      } else {
        logger.info({ channel }, 'LISTEN connection restored')
        listener.onReconnect()
      }
    }
  }
  const kept = keep().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return () => {
    stopping.abort()
    connection.close()
    return kept
  }
}

/** Calls `onSilence` if the server has not responded to one probe when the next is due. @returns stops probing. */
function probe(client: pg.Client, interval: number, onSilence: () => void): () => void {
  let answered = true
  const timer = setInterval(() => {
    if (!answered) onSilence()
    answered = false
    client.query('SELECT 1').then(
      () => (answered = true),
      () => {
        // No answer: the next probe closes the connection, and that is logged.
      },
    )
  }, interval)
  timer.unref()
  return () => clearInterval(timer)
}

/** Listens on the embedded database, whose only connection is in this process. It is lost if the database fails. */
export async function listenOnEmbedded(
  embedded: EmbeddedDatabase,
  pool: pg.Pool,
  { channel, logger }: Pick<ListenOptions, 'channel' | 'logger'>,
  listener: Listener,
): Promise<StopListening> {
  // Through the pool: sent directly to PGlite, it could run inside an open transaction and be rolled back with it.
  const start = () => pool.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
  const stop = embedded.listen({
    onNotification(from, payload) {
      if (from === channel) listener.onMessage(payload)
    },
    onFail: () => listener.onDisconnect(),
    onReopen() {
      start().then(
        () => listener.onReconnect(),
        (error: unknown) => logger.warn({ err: error, channel }, 'LISTEN reconnect failed'),
      )
    },
  })
  await start()
  return () => {
    stop()
    return Promise.resolve()
  }
}
