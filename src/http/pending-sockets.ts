// WebSockets that have not sent valid credentials yet. Their number is limited, and the oldest are closed first, so
// that a client that opens many does not lock out others.

/**
 * Enough for all clients behind one proxy that reconnect at the same time. A client sends its credentials as soon as it
 * is connected.
 */
const MAX_PENDING = { address: 200, process: 2_000 } as const

export interface Pending {
  readonly address: string | undefined
  /** Ends the connection at once. */
  readonly end: () => void
}

export class PendingSockets {
  /** In order of arrival. */
  readonly #all = new Set<Pending>()
  readonly #byAddress = new Map<string | undefined, Set<Pending>>()

  /** Adds a WebSocket, and ends the oldest one over a limit. */
  add(pending: Pending): void {
    const own = this.#byAddress.get(pending.address) ?? new Set()
    this.#byAddress.set(pending.address, own.add(pending))
    this.#all.add(pending)
    if (own.size > MAX_PENDING.address) this.#endOldest(own)
    if (this.#all.size > MAX_PENDING.process) this.#endOldest(this.#all)
  }

  /** Call it when the connection is authenticated or closed. */
  delete(pending: Pending): void {
    this.#all.delete(pending)
    const own = this.#byAddress.get(pending.address)
    own?.delete(pending)
    if (own?.size === 0) this.#byAddress.delete(pending.address)
  }

  #endOldest(sockets: ReadonlySet<Pending>): void {
    const [oldest] = sockets
    if (oldest === undefined) return
    this.delete(oldest)
    oldest.end()
  }
}
