// Token buckets, without a clock and without a store of their own. Ours because libraries that share a limit through
// PostgreSQL count in fixed windows and pay a round trip for every call.

/** How fast a bucket fills, in tokens per second, and how many it holds. */
export interface BucketSize {
  readonly rate: number
  readonly capacity: number
}

/**
 * What has been taken out of a bucket and not yet been filled in again, as of `at` (milliseconds since the epoch). A
 * full bucket need not be kept at all. More can be missing than it holds: it then owes.
 */
export interface TokenBucket {
  readonly missing: number
  readonly at: number
}

export interface Draw {
  readonly allowed: boolean
  /** The bucket afterwards: a draw that was not allowed took nothing. */
  readonly bucket: TokenBucket
  /** Whole tokens that it now has. */
  readonly remaining: number
  /** Seconds until the same cost can be drawn again; 0 when it can be now. */
  readonly wait: number
}

/**
 * Draws `cost` tokens at `now` (milliseconds since the epoch). A cost above the capacity needs a full bucket, which
 * then owes the rest: it is rare, but not impossible for ever.
 */
export function drawFrom(bucket: TokenBucket | undefined, size: BucketSize, cost: number, now: number): Draw {
  const missing = bucket === undefined ? 0 : missingAt(bucket, size, now)
  const mayBeMissing = Math.max(0, size.capacity - cost)
  const allowed = missing <= mayBeMissing
  const after = allowed ? missing + cost : missing
  return {
    allowed,
    bucket: { missing: after, at: now },
    remaining: Math.max(0, Math.floor(size.capacity - after)),
    wait: Math.max(0, after - mayBeMissing) / size.rate,
  }
}

/** A clock that was set back fills nothing in, and takes nothing out. */
function missingAt({ missing, at }: TokenBucket, { rate }: BucketSize, now: number): number {
  return Math.max(0, missing - (rate * Math.max(0, now - at)) / 1000)
}
