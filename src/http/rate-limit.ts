// Rate limits, for both doors: a token bucket per environment and category (CALLERS: "Rate limits").
import type { Logger } from 'pino'
import type { SharedBucket, Spending } from '../data/rate-limit-buckets.ts'
import type { Rate } from '../domain/resolver.ts'
import { Refusal } from '../lib/errors.ts'
import { type BucketSize, type Draw, drawFrom, type TokenBucket } from '../lib/token-bucket.ts'

/** In seconds. */
const WINDOW = 5
/** What a bucket holds, in per cent of what may be called in a window. */
const BURST = 110
/** From this cost on, a call is a bulk. */
const BULK_COST = 100
/** How long, in milliseconds, a process gathers what it spends before it tells the others. */
const REPORT_INTERVAL = 250

/** Tokens per second of one environment, by category. */
export type Rates = Readonly<Record<Rate['category'], number>>

export const largestPlan: Rates = { trigger: 6000, configuration: 2000, global: 3000 }

/** What a call draws unless its resolver says otherwise. */
export const ordinaryRate: Rate = { category: 'configuration', cost: 1 }

export interface Drawn {
  /** For the answer, whatever it will be. Empty when there are no limits. */
  readonly headers: Readonly<Record<string, string>>
  /** Present when the limit is passed: nothing was drawn. */
  readonly refusal: Refusal | undefined
}

export interface RateLimiter {
  /** Draws what the calls of one request cost together: all of it, or nothing. */
  draw(environmentId: string, calls: readonly [Rate, ...Rate[]]): Drawn
  /**
   * Draws from the bucket of an address, for a caller who has no good key and no session. Others never draw from it:
   * behind one proxy all have one address, and a stranger must not be able to lock them out.
   */
  drawAsStranger(address: string | undefined, calls: readonly [Rate, ...Rate[]]): Drawn
  /** Reports what was spent to the other processes now, rather than within the interval. */
  flush(): Promise<void>
  /** Reports for the last time. */
  close(): Promise<void>
}

export interface RateLimiterOptions {
  readonly rates: Rates | 'off'
  readonly now: () => Date
  readonly logger: Pick<Logger, 'warn'>
  /** How processes share their buckets; absent means that there is one process. */
  readonly share?: (spendings: readonly Spending[], rates: Rates, now: Date) => Promise<readonly SharedBucket[]>
}

/** Never refuses and never tells. */
const unlimited: RateLimiter = {
  draw: () => ({ headers: {}, refusal: undefined }),
  drawAsStranger: () => ({ headers: {}, refusal: undefined }),
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

/**
 * Every process draws from buckets of its own, in memory. Where processes share, each reports what it spent a few times
 * a second, in one statement for all buckets, and takes over what the others left: a request never waits for that.
 *
 * Until its next report a process does not know what the others spend. So n processes may together let through up to n
 * full buckets at once, and under a steady load n - 1 times the rate during one interval. What was too much is owed:
 * the shared bucket goes below empty, and over time the rate holds. While the database is away, each process counts
 * alone.
 */
export function createRateLimiter({ rates, now, logger, share }: RateLimiterOptions): RateLimiter {
  if (rates === 'off') return unlimited
  const environments = new Buckets(100_000)
  const strangers = new Buckets(10_000)
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
        // The caller may have gone on while the report was under way.
        const since = spent.get(name)?.tokens ?? 0
        environments.set(name, { missing: missing + since, at: at.getTime() })
      }
    } catch (error) {
      // What could not be reported is forgotten: told after a long absence, it would be taken for one great burst.
      logger.warn({ err: error }, 'what was drawn from the rate limits could not be shared with other processes')
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
      // Headers have room for one category: that which the same request has to wait for longest.
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

/** Buckets by name. When there are too many, the one that was least recently drawn from goes: a full one takes its place. */
class Buckets {
  readonly #limit: number
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get(name: string): TokenBucket | undefined {
    return this.#buckets.get(name)
  }

  set(name: string, bucket: TokenBucket): void {
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    if (this.#buckets.size <= this.#limit) return
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
  }
}

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
