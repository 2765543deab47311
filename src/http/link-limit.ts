// Limits requests to the pages of links in messages, for each process: by client address and by link.
import { LRUCache } from 'lru-cache'
import { Refusal } from '../lib/errors.ts'
import { type BucketSize, drawFrom, type TokenBucket } from '../lib/token-bucket.ts'

/** Maximum buckets of each kind. Above it, the least recently used one is dropped, which refills it. */
const MAX_BUCKETS = 10_000

const perAddress: BucketSize = { rate: 20, capacity: 20 }
/** A person who opens a page and presses a button at once sends two requests. */
const perLink: BucketSize = { rate: 2, capacity: 4 }

export class LinkLimit {
  readonly #addresses = new LRUCache<string, TokenBucket>({ max: MAX_BUCKETS })
  readonly #links = new LRUCache<string, TokenBucket>({ max: MAX_BUCKETS })
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  /** @throws Refusal `RATE_LIMITED` */
  drawForAddress(address = 'unknown'): void {
    this.#draw(this.#addresses, address, perAddress)
  }

  /** @param id of the link, not its token. @throws Refusal `RATE_LIMITED` */
  drawForLink(id: string): void {
    this.#draw(this.#links, id, perLink)
  }

  #draw(buckets: LRUCache<string, TokenBucket>, name: string, size: BucketSize): void {
    const { allowed, bucket, wait } = drawFrom(buckets.get(name), size, 1, this.#now().getTime())
    buckets.set(name, bucket)
    if (!allowed) throw new Refusal('RATE_LIMITED', 'Too many requests', { retryAfter: Math.ceil(wait) })
  }
}
