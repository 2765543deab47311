// Rate limits of GraphQL and REST: one token bucket per environment and category (CALLERS: "Rate limits").
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { SharedBucket, Spending } from '../data/access/rate-limit-buckets.ts'
import type { Rate } from '../domain/resolver/resolver.ts'
import { Refusal } from '../lib/errors.ts'
import { type BucketSize, type Draw, drawFrom, type TokenBucket } from '../lib/token-bucket.ts'

/** The window in seconds. */
const WINDOW = 5
/** Capacity of a bucket, in percent of a window's tokens. */
const BURST = 110
/** Calls that cost this much or more are bulk calls. */
const BULK_COST = 100
/** Milliseconds between a process's reports of its usage to the others. */
const REPORT_INTERVAL = 250

/** Tokens per second of one environment, by category. */
export type Rates = Readonly<Record<Rate['category'], number>>

export const largestPlan: Rates = { trigger: 6000, configuration: 2000, global: 3000 }

/** The default rate of a call. */
export const ordinaryRate: Rate = { category: 'configuration', cost: 1 }

export interface Drawn {
  /** Headers for the response, whatever its status. Empty without limits. */
  readonly headers: Readonly<Record<string, string>>
  /** Set if the limit is exceeded. In that case, nothing was drawn. */
  readonly refusal: Refusal | undefined
}

export interface RateLimiter {
  /** Draws the total cost of one request's calls, or nothing. */
  draw(environmentId: string, calls: readonly [Rate, ...Rate[]]): Drawn
  /**
   * Draws from the bucket of an address, for a caller without a valid key or session. Authenticated callers never use
   * it: behind one proxy all share an address, and a stranger must not be able to lock them out.
   */
  drawAsStranger(address: string | undefined, calls: readonly [Rate, ...Rate[]]): Drawn
  /** Reports usage to the other processes now instead of at the end of the interval. */
  flush(): Promise<void>
  /** Sends the last report and stops. */
  close(): Promise<void>
}

export interface RateLimiterOptions {
  readonly rates: Rates | 'off'
  readonly now: () => Date
  readonly logger: Pick<Logger, 'warn'>
  /** Shares usage between processes. Absent if there is only one. */
  readonly share?: (spendings: readonly Spending[], rates: Rates, now: Date) => Promise<readonly SharedBucket[]>
}

/** A rate limit that never rejects and sets no headers. */
const unlimited: RateLimiter = {
  draw: () => ({ headers: {}, refusal: undefined }),
  drawAsStranger: () => ({ headers: {}, refusal: undefined }),
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

/**
 * Each process draws from its own buckets in memory. With `share`, it reports its usage a few times a second, in one
 * statement for all buckets, and takes over the shared state. A request never waits for this.
 *
 * Until its next report, a process does not know the others' usage. So n processes may together allow n full buckets at
 * once, and n - 1 times the rate during one interval. The excess is owed: the shared bucket drops below empty, so the
 * rate holds over time. While the database is unavailable, each process counts alone.
 */
export function createRateLimiter({ rates, now, logger, share }: RateLimiterOptions): RateLimiter {
  if (rates === 'off') return unlimited
  const environments = createBuckets(100_000)
  const strangers = createBuckets(10_000)
  let spent = new Map<string, Spending>()
  let timer: NodeJS.Timeout | undefined
  let reporting = Promise.resolve()

  const report = async (): Promise<void> => {
    if (share === undefined || spent.size === 0) return
    const reported = [...spent.values()]
    const at = now()
    spent = new Map()
    try {
      for (const { environmentId, category, missing } of await share(reported, rates, at)) {
        const name = bucketName(environmentId, category)
        // More may have been used during the report.
        const since = spent.get(name)?.tokens ?? 0
        environments.set(name, { missing: missing + since, at: at.getTime() })
      }
    } catch (error) {
      // Dropped, not added to the next report: after a long outage it would count as one large burst.
      logger.warn({ err: error }, 'rate-limit usage not shared: this process counts alone')
    }
  }

  /** One report at a time. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    reporting = reporting.then(report)
    return reporting
  }

  function spend(environmentId: string, category: string, cost: number): void {
    if (share === undefined) return
    const name = bucketName(environmentId, category)
    spent.set(name, { environmentId, category, tokens: (spent.get(name)?.tokens ?? 0) + cost })
    timer ??= setTimeout(() => void flush(), REPORT_INTERVAL).unref()
  }

  return {
    draw(environmentId, calls) {
      const time = now().getTime()
      const draws = [...totalsOf(calls)].map(([category, { cost, bulk }]) => {
        const name = bucketName(environmentId, category)
        const size = sizeOf(rates[category])
        return { name, category, cost, bulk, size, ...drawFrom(environments.get(name), size, cost, time) }
      })
      const refused = draws.filter(({ allowed }) => !allowed)
      if (refused.length === 0) {
        for (const { name, category, cost, bucket } of draws) {
          environments.set(name, bucket)
          spend(environmentId, category, cost)
        }
      }
      // The headers show one category: the one with the longest wait.
      const shown = (refused.length > 0 ? refused : draws).reduce((one, other) => (other.wait > one.wait ? other : one))
      return {
        headers: headersOf(shown),
        refusal: shown.allowed ? undefined : refusalOf(`of the category "${shown.category}"`, shown),
      }
    },
    drawAsStranger(address = 'unknown', calls) {
      const category = 'global'
      const cost = calls.reduce((sum, call) => sum + call.cost, 0)
      const size = sizeOf(rates[category])
      const drawn = drawFrom(strangers.get(address), size, cost, now().getTime())
      strangers.set(address, drawn.bucket)
      return {
        headers: headersOf({ ...drawn, category, size, bulk: false }),
        refusal: drawn.allowed ? undefined : refusalOf('without a valid API key from this address', drawn),
      }
    },
    flush,
    close: flush,
  }
}

/** Buckets by name. When there are too many, the least recently used one is dropped, which refills it. */
const createBuckets = (max: number) => new LRUCache<string, TokenBucket>({ max })

const bucketName = (environmentId: string, category: string) => `${environmentId} ${category}`

function sizeOf(rate: number): BucketSize {
  return { rate, capacity: Math.floor((rate * WINDOW * BURST) / 100) }
}

interface Total {
  readonly cost: number
  readonly bulk: boolean
}

function totalsOf(calls: readonly Rate[]): ReadonlyMap<Rate['category'], Total> {
  const totals = new Map<Rate['category'], Total>()
  for (const { category, cost } of calls) {
    const before = totals.get(category)
    totals.set(category, {
      cost: cost + (before?.cost ?? 0),
      bulk: cost >= BULK_COST || (before?.bulk ?? false),
    })
  }
  return totals
}

interface Shown extends Draw {
  readonly category: Rate['category']
  readonly size: BucketSize
  readonly bulk: boolean
}

function headersOf({ category, size, bulk, remaining, wait }: Shown): Record<string, string> {
  const limit = size.rate * WINDOW
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(Math.ceil(wait)),
    'RateLimit-Policy': `${limit};w=${WINDOW};burst=${size.capacity};comment="token bucket";category="${category}";cost="${bulk ? 'bulk' : 'single'}"`,
  }
}

function refusalOf(which: string, { wait }: Draw): Refusal {
  const retryAfter = Math.ceil(wait)
  const seconds = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`
  return new Refusal('RATE_LIMITED', `Too many requests ${which}. Try again in ${seconds}.`, { retryAfter })
}
