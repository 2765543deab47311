// Limits on request bodies in memory: how many are received at a time, and how many bytes they hold. A client that is
// slow or sends large bodies delays only clients that share a limit with it.
import type { Caller } from '../domain/resolver/caller.ts'
import { Refusal } from '../lib/errors.ts'

/**
 * Bodies that are being received at the same time. Most bodies arrive together with the head of their request and are
 * not counted.
 */
const MAX_RECEIVED = { address: 100, environment: 2_000, process: 10_000 } as const

/**
 * Bytes of large bodies in memory, from the start of each body to its response. Over the limit, a body waits before it
 * is received.
 */
const MAX_HELD = { public: 4 * 1024 * 1024, environment: 16 * 1024 * 1024, process: 128 * 1024 * 1024 } as const

/** Seconds after which a caller over a limit may try again. */
const RETRY_AFTER = 5

export interface BodySender {
  readonly caller: Pick<Caller, 'kind' | 'environmentId'>
  /** The client's address, if it is known. */
  readonly address: string | undefined
}

class Amounts {
  readonly #amounts = new Map<string, number>()

  of(key: string): number {
    return this.#amounts.get(key) ?? 0
  }

  add(key: string, amount: number): void {
    const sum = this.of(key) + amount
    if (sum > 0) this.#amounts.set(key, sum)
    else this.#amounts.delete(key)
  }
}

interface Limit {
  readonly key: string
  readonly max: number
  /** The owner of the limit, for errors. */
  readonly whose: string
}

/** Callers without valid credentials of their own. They must not use up limits that all share. */
export const isStranger = ({ kind }: BodySender['caller']) => kind === 'public' || kind === 'anonymous'

/** The key under which bytes of a caller are counted. */
const ownerOf = ({ kind, environmentId }: BodySender['caller']) => `${kind} ${environmentId}`

function receivingLimits({ caller, address = 'unknown' }: BodySender): readonly Limit[] {
  return [
    ...(isStranger(caller)
      ? [{ key: `address ${address}`, max: MAX_RECEIVED.address, whose: 'from this address' }]
      : []),
    ...(caller.kind === 'anonymous'
      ? []
      : [{ key: ownerOf(caller), max: MAX_RECEIVED.environment, whose: 'for this environment' }]),
    { key: 'process', max: MAX_RECEIVED.process, whose: 'for this gateway' },
  ]
}

interface Waiting {
  readonly key: string
  readonly max: number
  readonly bytes: number
  readonly begin: () => void
}

/** The part of the limits that one body uses. */
export class BodyShare {
  readonly #budget: BodyBudget
  readonly #sender: BodySender
  #receiving: readonly Limit[] | undefined
  /** In bytes. */
  #held = 0

  constructor(budget: BodyBudget, sender: BodySender) {
    this.#budget = budget
    this.#sender = sender
  }

  /** Counts the body as being received. Returns a refusal `RATE_LIMITED` over a limit. */
  begin(): Refusal | undefined {
    const limits = receivingLimits(this.#sender)
    const refusal = this.#budget.beginReceiving(limits)
    if (refusal === undefined) this.#receiving = limits
    return refusal
  }

  /** Waits until the environment and the process have room for a body of this many bytes. Call it once. */
  async reserve(bytes: number): Promise<void> {
    await this.#budget.hold(this.#sender.caller, bytes)
    this.#held = bytes
  }

  /** Marks the body as received, with its actual size in bytes. */
  received(bytes: number): void {
    this.#endReceiving()
    if (this.#held > 0) this.#hold(bytes)
  }

  /** Releases the bytes of the body. */
  release(): void {
    this.#endReceiving()
    this.#hold(0)
  }

  #endReceiving(): void {
    if (this.#receiving) this.#budget.endReceiving(this.#receiving)
    this.#receiving = undefined
  }

  #hold(bytes: number): void {
    if (bytes === this.#held) return
    this.#budget.free(this.#sender.caller, this.#held - bytes)
    this.#held = bytes
  }
}

export class BodyBudget {
  readonly #receiving = new Amounts()
  readonly #held = new Amounts()
  readonly #waiting = new Set<Waiting>()

  /** Returns a share that uses nothing yet. */
  shareOf(sender: BodySender): BodyShare {
    return new BodyShare(this, sender)
  }

  /** Counts one more body. Returns a refusal `RATE_LIMITED` if a limit is reached. */
  beginReceiving(limits: readonly Limit[]): Refusal | undefined {
    const exceeded = limits.find(({ key, max }) => this.#receiving.of(key) >= max)
    if (exceeded) {
      const message = `${exceeded.max} request bodies ${exceeded.whose} are being received, which is the maximum. Try again in a moment.`
      return new Refusal('RATE_LIMITED', message, { retryAfter: RETRY_AFTER })
    }
    for (const { key } of limits) this.#receiving.add(key, 1)
    return undefined
  }

  endReceiving(limits: readonly Limit[]): void {
    for (const { key } of limits) this.#receiving.add(key, -1)
  }

  /** Waits until the caller may hold that many more bytes. */
  async hold(caller: BodySender['caller'], bytes: number): Promise<void> {
    const max = isStranger(caller) ? MAX_HELD.public : MAX_HELD.environment
    const wanted = { key: ownerOf(caller), max, bytes }
    const isQueued = [...this.#waiting].some(({ key }) => key === wanted.key)
    if (!isQueued && this.#fits(wanted)) {
      this.#add(wanted.key, wanted.bytes)
      return
    }
    await new Promise<void>((begin) => this.#waiting.add({ ...wanted, begin }))
  }

  free(caller: BodySender['caller'], bytes: number): void {
    this.#add(ownerOf(caller), -bytes)
    // Served in the order of the calls, so that a large body does not wait forever behind smaller ones.
    const full = new Set<string>()
    for (const waiting of this.#waiting) {
      if (full.has(waiting.key) || !this.#fits(waiting)) {
        full.add(waiting.key)
        continue
      }
      this.#waiting.delete(waiting)
      this.#add(waiting.key, waiting.bytes)
      waiting.begin()
    }
  }

  #fits({ key, max, bytes }: Omit<Waiting, 'begin'>): boolean {
    // A body larger than the limit of its sender is alone.
    const held = this.#held.of(key)
    return (held === 0 || held + bytes <= max) && this.#held.of('') + bytes <= MAX_HELD.process
  }

  #add(key: string, bytes: number): void {
    this.#held.add(key, bytes)
    this.#held.add('', bytes)
  }
}
