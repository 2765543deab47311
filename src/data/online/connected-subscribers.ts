// The subscribers with connections to this process, which wait in memory to be written together: while connections come and
// go, a process writes as often as without them.
import type { Connection } from '../connection/database.ts'
import type { PrismaClient } from '../prisma/client.ts'
import {
  confirmLeases,
  type EndedLease,
  endLeases,
  keyOfSubscriber,
  type OnlineSubscriber,
  staleLeases,
} from './online-lease.ts'

/** Milliseconds between two renewals of a lease. */
const RENEWAL = 30_000
/** Milliseconds after its last renewal when a lease ends: some renewals may fail. */
export const LEASE_ENDS_AFTER = 90_000
/** Maximum subscribers of one transaction. */
const PORTION = 500

interface Connected extends OnlineSubscriber {
  connections: number
  /** When the lease was last written. Undefined until then. */
  confirmedAt: Date | undefined
}

const portionsOf = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / PORTION) }, (_, index) =>
    items.slice(index * PORTION, (index + 1) * PORTION),
  )

export class ConnectedSubscribers {
  readonly #holder: string
  readonly #now: () => Date
  readonly #connected = new Map<string, Connected>()
  #ended = new Map<string, EndedLease>()

  /** @param holder a new id for the process. */
  constructor(holder: string, now: () => Date) {
    this.#holder = holder
    this.#now = now
  }

  /** Counts a connection of a subscriber. @returns a function that ends it, to be called once. */
  connect({ environmentId, subscriberId }: OnlineSubscriber): () => void {
    const key = keyOfSubscriber({ environmentId, subscriberId })
    const connected = this.#connected.get(key) ?? {
      environmentId,
      subscriberId,
      connections: 0,
      confirmedAt: undefined,
    }
    connected.connections += 1
    this.#connected.set(key, connected)
    this.#ended.delete(key)
    return () => {
      connected.connections -= 1
      if (connected.connections > 0) return
      this.#connected.delete(key)
      this.#ended.set(key, { environmentId, subscriberId, holder: this.#holder, seenAt: this.#now() })
    }
  }

  /** The subscribers whose leases must be written. */
  #unconfirmed(areNew: boolean): Connected[] {
    const due = this.#now().getTime() - RENEWAL
    return [...this.#connected.values()].filter(({ confirmedAt }) =>
      confirmedAt === undefined ? areNew : !areNew && confirmedAt.getTime() <= due,
    )
  }

  /** True if `write` has something to write. */
  get isPending(): boolean {
    return this.#ended.size > 0 || this.#unconfirmed(true).length > 0 || this.#unconfirmed(false).length > 0
  }

  /** Writes what has changed, and renews leases. What cannot be written waits for the next call. */
  async write(db: PrismaClient): Promise<void> {
    const ended = this.#ended
    this.#ended = new Map()
    try {
      for (const portion of portionsOf([...ended.values()])) {
        await db.$transaction((inner) => endLeases(inner, portion, false))
        for (const lease of portion) ended.delete(keyOfSubscriber(lease))
      }
    } catch (error) {
      for (const [key, lease] of ended)
        if (!this.#connected.has(key) && !this.#ended.has(key)) this.#ended.set(key, lease)
      throw error
    }
    for (const areNew of [true, false]) {
      for (const portion of portionsOf(this.#unconfirmed(areNew))) {
        const now = this.#now()
        await db.$transaction((inner) => confirmLeases(inner, portion, { holder: this.#holder, now, areNew }))
        for (const connected of portion) connected.confirmedAt = now
      }
    }
  }
}

const staleBefore = (now: Date) => new Date(now.getTime() - LEASE_ENDS_AFTER)

/** True if a process that died has left leases. */
export const hasStaleLeases = async (db: Connection, now: Date): Promise<boolean> =>
  (await staleLeases(db, staleBefore(now), 1)).length > 0

/** Ends a portion of the leases that processes have left. Call it in a transaction. @returns the number of ended ones. */
export const endStaleLeases = async (db: Connection, now: Date, take: number): Promise<number> =>
  endLeases(db, await staleLeases(db, staleBefore(now), take), true)
