// Shares the evaluation threads between environments. They take turns, and each may use at most half of the threads
// and, per second, one second of evaluation.
import { type BucketSize, drawFrom, type TokenBucket } from '../lib/token-bucket.ts'

export interface FairQueueOptions {
  /** The number of threads. An environment uses at most half of them, but always at least one. */
  readonly threads: number
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number
}

/** Milliseconds of evaluation that an environment may use in a row, and per second. */
const EVALUATION: BucketSize = { rate: 1000, capacity: 1000 }

/** Maximum waiting batches of one environment. Further batches do not wait. */
const MAX_WAITING = 100

/** A free thread. Call it when the batch ends, with the milliseconds that the batch took. */
export type Release = (milliseconds: number) => void

interface Waiting {
  readonly grant: (release: Release | undefined) => void
  /** The time at which the wait ends. */
  readonly until: number
}

export interface FairQueue {
  /**
   * Waits for a thread.
   *
   * @param patience the maximum wait, in milliseconds.
   * @returns undefined if none became free in that time, or if none can become free in that time.
   */
  readonly acquire: (environmentId: string, patience: number) => Promise<Release | undefined>
  /** Milliseconds until the environment has evaluation time again. 0 if it has some now. */
  readonly pauseOf: (environmentId: string) => number
}

interface Share {
  readonly waiting: Waiting[]
  running: number
  bucket: TokenBucket | undefined
}

export function createFairQueue({ threads, now }: FairQueueOptions): FairQueue {
  const perEnvironment = Math.max(1, Math.floor(threads / 2))
  /** Waiting batches by environment, in the order of their turns. */
  const shares = new Map<string, Share>()
  let running = 0
  let timer: NodeJS.Timeout | undefined

  const shareOf = (environmentId: string): Share => {
    const found = shares.get(environmentId) ?? { waiting: [], running: 0, bucket: undefined }
    shares.set(environmentId, found)
    return found
  }
  const pauseOfShare = ({ bucket }: Share) => drawFrom(bucket, EVALUATION, 1, now()).wait * 1000
  const isIdle = (share: Share) =>
    share.running === 0 && share.waiting.length === 0 && (share.bucket?.missing ?? 0) === 0

  /** Ends expired waits. */
  function expire(): void {
    for (const { waiting } of shares.values()) {
      while (waiting[0] !== undefined && waiting.some(({ until }) => until <= now())) {
        const index = waiting.findIndex(({ until }) => until <= now())
        waiting.splice(index, 1)[0]?.grant(undefined)
      }
    }
  }

  /** Returns the next environment whose batch may start, and moves it to the end. */
  function next(): { readonly share: Share; readonly waiting: Waiting } | undefined {
    if (running === threads) return undefined
    for (const [environmentId, share] of shares) {
      if (share.running === perEnvironment || pauseOfShare(share) > 0) continue
      const waiting = share.waiting.shift()
      if (waiting === undefined) continue
      shares.delete(environmentId)
      shares.set(environmentId, share)
      return { share, waiting }
    }
    return undefined
  }

  function releaseOf(share: Share): Release {
    share.running += 1
    running += 1
    return (milliseconds) => {
      share.running -= 1
      running -= 1
      const { bucket } = drawFrom(share.bucket, EVALUATION, 0, now())
      share.bucket = { ...bucket, missing: bucket.missing + milliseconds }
      advance()
    }
  }

  function advance(): void {
    expire()
    for (let found = next(); found !== undefined; found = next()) found.waiting.grant(releaseOf(found.share))
    clearTimeout(timer)
    const times = [...shares].flatMap(([environmentId, share]) => {
      if (isIdle(share)) shares.delete(environmentId)
      if (share.waiting.length === 0) return []
      const ends = share.waiting.map(({ until }) => until - now())
      const pause = pauseOfShare(share)
      return pause > 0 ? [...ends, pause] : ends
    })
    if (times.length > 0) timer = setTimeout(advance, Math.max(1, Math.min(...times)))
  }

  return {
    acquire(environmentId, patience) {
      const share = shareOf(environmentId)
      return new Promise((resolve) => {
        const hopeless = share.waiting.length >= MAX_WAITING || pauseOfShare(share) > patience
        if (hopeless) {
          resolve(undefined)
          return
        }
        share.waiting.push({ grant: resolve, until: now() + patience })
        advance()
      })
    },
    pauseOf: (environmentId) => pauseOfShare(shareOf(environmentId)),
  }
}
