// Token buckets, without a clock or a store. Libraries that share a limit through PostgreSQL count in fixed windows and
// need a round trip for every call.

/** Rate in tokens per second, and capacity in tokens. */
export interface BucketSize {
  readonly rate: number
  readonly capacity: number
}

/**
 * The number of missing tokens as of `at` (milliseconds since the epoch). A full bucket need not be stored. If more
 * tokens are missing than the capacity, the bucket is in debt.
 */
export interface TokenBucket {
  readonly missing: number
  readonly at: number
}

export interface Draw {
  readonly allowed: boolean
  /** The bucket afterwards. A rejected draw takes nothing. */
  readonly bucket: TokenBucket
  /** Whole tokens left. */
  readonly remaining: number
  /** Seconds until the same cost can be drawn again. 0 if it can be drawn now. */
  readonly wait: number
}

/**
 * Draws `cost` tokens at `now` (milliseconds since the epoch). A cost above the capacity requires a full bucket, and
 * leaves it in debt for the rest. Otherwise such a call could never succeed.
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

/** A clock that was set back has no effect. */
function missingAt({ missing, at }: TokenBucket, { rate }: BucketSize, now: number): number {
  return Math.max(0, missing - (rate * Math.max(0, now - at)) / 1000)
}
