// Hearing what is announced by NOTIFY: by this process and, on PostgreSQL, by every other on the same database.
import type { PGlite } from '@electric-sql/pglite'
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

export interface Listener {
  /** What was announced, once it was committed, in the order of the commits. */
  onMessage(payload: string): void
  /** Whatever is announced from now on is not heard, nor is what was announced of late. */
  onDisconnect(): void
  /** From now on it is heard again. */
  onReconnect(): void
}

/** Ends the listening. */
export type StopListening = () => Promise<void>

/** In milliseconds. The pause doubles from the first to the last as long as the database does not answer. */
const PAUSES = { first: 100, last: 10_000 }

const ignore = () => {}

interface Line {
  /** Settles once nothing comes through any more, for whatever reason. */
  readonly broken: Promise<void>
  readonly end: () => void
}

/**
 * Listens over a connection of its own, which is opened again whenever it breaks.
 *
 * @param silence how long the server may say nothing before it is taken for gone, in milliseconds: it is asked for a
 *   sign of life twice in that time.
 * @throws when the first connection cannot be had.
 */
export async function listenOnServer(
  config: pg.ClientConfig,
  silence: number,
  channel: string,
  listener: Listener,
): Promise<StopListening> {
  const stopping = new AbortController()
  const { signal } = stopping

  async function open(): Promise<Line> {
    const socket = new Socket()
    const end = () => void socket.destroy()
    const client = new pg.Client({ ...config, stream: () => socket })
    const broken = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('error', ignore)
    client.on('notification', ({ payload = '' }) => listener.onMessage(payload))
    try {
      await client.connect()
      const stopAsking = askForSigns(client, silence / 2, end)
      void broken.then(stopAsking)
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
      return { broken, end }
    } catch (error) {
      end()
      throw error
    }
  }

  async function openAgain(): Promise<Line> {
    for (let wait = PAUSES.first; ; wait = Math.min(wait * 2, PAUSES.last)) {
      try {
        return await open()
      } catch {
        await pause(wait, undefined, { signal, ref: false })
      }
    }
  }

  let line = await open()
  const keep = async () => {
    for (;;) {
      await line.broken
      signal.throwIfAborted()
      listener.onDisconnect()
      line = await openAgain()
      if (signal.aborted) line.end()
      else listener.onReconnect()
    }
  }
  const kept = keep().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return () => {
    stopping.abort()
    line.end()
    return kept
  }
}

/** Calls `gone` when a sign of life has not come before the next one is due. @returns ends the asking. */
function askForSigns(client: pg.Client, interval: number, gone: () => void): () => void {
  let answered = true
  const timer = setInterval(() => {
    if (!answered) gone()
    answered = false
    client.query('SELECT 1').then(() => (answered = true), ignore)
  }, interval)
  timer.unref()
  return () => clearInterval(timer)
}

/** Listens on the embedded database, whose one connection is the process's own and never breaks. */
export async function listenOnEmbedded(
  embedded: PGlite,
  pool: pg.Pool,
  channel: string,
  listener: Listener,
): Promise<StopListening> {
  const forget = embedded.onNotification((from, payload) => {
    if (from === channel) listener.onMessage(payload)
  })
  // In its turn: sent to the embedded database directly, it could fall into a transaction, and be undone with it.
  await pool.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
  return () => {
    forget()
    return Promise.resolve()
  }
}
