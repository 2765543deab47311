// Counts of lists, kept for a short time, so that paging through a list does not count it for every page.
import { LRUCache } from 'lru-cache'
import type { Count } from './page.ts'

/** Milliseconds for which a count is kept. Short, because other processes do not report their writes. */
const COUNT_LIFETIME = 2_000

/**
 * Maximum number of owners with kept counts, and of counts of one owner. A count takes about 100 bytes plus the length
 * of its key.
 */
const MAX_OWNERS = 1_000
const MAX_COUNTS = 100

/** Maximum length of a key. Only filters with many tags have longer keys, and their counts are not kept. */
const MAX_KEY_LENGTH = 1_000

interface KeptCount {
  readonly since: number
  readonly count: Promise<Count>
}

export class CountCache {
  readonly #owners = new LRUCache<string, LRUCache<string, KeptCount>>({ max: MAX_OWNERS })
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Returns the kept count of a list, or counts it. Concurrent calls share one count. */
  async get(owner: string, key: string, count: () => Promise<Count>): Promise<Count> {
    if (key.length > MAX_KEY_LENGTH) return count()
    const now = this.#now().getTime()
    const counts = this.#owners.get(owner) ?? new LRUCache<string, KeptCount>({ max: MAX_COUNTS })
    this.#owners.set(owner, counts)
    const known = counts.get(key)
    // A count must not be kept longer because a clock was set back.
    if (known !== undefined && Math.abs(now - known.since) < COUNT_LIFETIME) return known.count
    const counted = { since: now, count: count() }
    counts.set(key, counted)
    try {
      return await counted.count
    } catch (error) {
      if (counts.peek(key) === counted) counts.delete(key)
      throw error
    }
  }

  /** Drops the counts of an owner, after a write. A count that is in progress is not kept. */
  drop(owner: string): void {
    this.#owners.delete(owner)
  }
}
