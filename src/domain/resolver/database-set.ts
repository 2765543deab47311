// Opens the databases beside the main one, and opens those again and again that are away at the start of the process.
import { setTimeout as pause } from 'node:timers/promises'
import { loggable } from '../../data/driver/database-errors.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Databases } from './databases.ts'
import type { Gateway, Log } from './scope.ts'

/** Milliseconds between two attempts to open a database. */
const RETRY = 1_000

const pauseUntilRetry = (signal: AbortSignal) => pause(RETRY, undefined, { signal, ref: false })

/** A database that was opened, with the work on it. */
export interface OpenedDatabase {
  readonly gateway: Gateway
  readonly close: () => Promise<void>
}

export interface DatabaseSetOptions<Opened extends OpenedDatabase> {
  readonly names: readonly string[]
  readonly forNewEnvironments: string | null
  readonly main: () => Gateway
  /** Opens a database. @throws Error if it does not answer. */
  readonly open: (name: string) => Promise<Opened>
  readonly log: Log
  /** Waits before another attempt to open a database. Fails if the signal is aborted meanwhile. Default: a second. */
  readonly wait?: (signal: AbortSignal) => Promise<unknown>
}

export class DatabaseSet<Opened extends OpenedDatabase = OpenedDatabase> implements Databases<Gateway> {
  readonly names: readonly string[]
  readonly forNewEnvironments: string | null
  readonly #options: DatabaseSetOptions<Opened>
  readonly #opened = new Map<string, Opened>()
  readonly #closing = new AbortController()
  readonly #opening: Promise<void>[] = []
  #work: ((opened: Opened) => Promise<void>) | undefined

  constructor(options: DatabaseSetOptions<Opened>) {
    this.names = options.names
    this.forNewEnvironments = options.forNewEnvironments
    this.#options = options
  }

  /** The databases that are open. One that goes away later stays open: its statements fail until it is back. */
  get opened(): readonly Opened[] {
    return [...this.#opened.values()]
  }

  /** Returns a database, or undefined if it could not be opened yet. */
  find(name: string): Opened | undefined {
    return this.#opened.get(name)
  }

  at(name: string | null): Gateway {
    if (name === null) return this.#options.main()
    const opened = this.#opened.get(name)
    if (opened !== undefined) return opened.gateway
    const message = 'The database of this environment does not answer. Try again in a moment.'
    throw new Refusal('UNAVAILABLE', message, { retryAfter: 5 })
  }

  /** Opens all databases. Resolves after the first attempt of each; further attempts follow in the background. */
  async open(): Promise<void> {
    await Promise.all(
      this.names.map(async (name) => {
        const failure = await this.#attempt(name)
        if (failure === undefined) return
        this.#options.log.warn({ database: name, err: loggable(failure) }, 'database of environments unavailable')
        this.#opening.push(this.#openLater(name))
      }),
    )
  }

  /** Begins the work on each open database, and on each that opens later. */
  async begin(work: (opened: Opened) => Promise<void>): Promise<void> {
    this.#work = work
    await Promise.all(this.opened.map(work))
  }

  /** Opens no more databases. One that is being opened is closed as soon as it is open. */
  stopOpening(): void {
    this.#closing.abort()
  }

  /** @returns the error if the database does not answer. */
  async #attempt(name: string): Promise<unknown> {
    try {
      const opened = await this.#options.open(name)
      if (this.#closing.signal.aborted) await opened.close()
      else await this.#add(name, opened)
      return undefined
    } catch (error) {
      return error ?? new Error('unknown')
    }
  }

  async #add(name: string, opened: Opened): Promise<void> {
    this.#opened.set(name, opened)
    try {
      await this.#work?.(opened)
    } catch (error) {
      this.#opened.delete(name)
      await opened.close()
      throw error
    }
  }

  async #openLater(name: string): Promise<void> {
    const { signal } = this.#closing
    const { wait = pauseUntilRetry } = this.#options
    for (;;) {
      await wait(signal).catch(() => undefined)
      if (signal.aborted) return
      if ((await this.#attempt(name)) !== undefined) continue
      // It is closed again if the process stops meanwhile.
      if (this.find(name) !== undefined)
        this.#options.log.info({ database: name }, 'database of environments available')
      return
    }
  }

  async close(): Promise<void> {
    this.stopOpening()
    await Promise.all(this.#opening)
    await Promise.all(this.opened.map(({ close }) => close()))
  }
}
