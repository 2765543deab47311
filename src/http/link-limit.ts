// Limits requests to the pages of links in messages, for each process: by client address and by token.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../lib/errors.ts'
import { type BucketSize, drawFrom, type TokenBucket } from '../lib/token-bucket.ts'

/** Maximum buckets of each kind. Above it, the least recently used one is dropped, which refills it. */
const MAX_BUCKETS = 10_000

const perAddress: BucketSize = { rate: 20, capacity: 20 }
/** Enough for a person who opens a page and presses its button at once. */
const perToken: BucketSize = { rate: 2, capacity: 2 }

export class LinkLimit {
  readonly #addresses = new LRUCache<string, TokenBucket>({ max: MAX_BUCKETS })
  readonly #tokens = new LRUCache<string, TokenBucket>({ max: MAX_BUCKETS })
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  /** @throws Refusal `RATE_LIMITED` */
  drawForAddress(address = 'unknown'): void {
    this.#draw(this.#addresses, address, perAddress)
  }

  /** @param token of a link that exists. Others would displace the buckets of these. @throws Refusal `RATE_LIMITED` */
  drawForToken(token: string): void {
    // A token is a secret, which no memory dump should have.
    this.#draw(this.#tokens, createHash('sha256').update(token).digest('base64'), perToken)
  }

  #draw(buckets: LRUCache<string, TokenBucket>, name: string, size: BucketSize): void {
    const { allowed, bucket, wait } = drawFrom(buckets.get(name), size, 1, this.#now().getTime())
    buckets.set(name, bucket)
    if (!allowed) throw new Refusal('RATE_LIMITED', 'Too many requests', { retryAfter: Math.ceil(wait) })
  }
}
