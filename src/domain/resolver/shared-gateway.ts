// The dependencies that all scopes of a process share, on an open database.
import { type Clock, createClock, readDatabaseTime } from '../../data/connection/clock.ts'
import type { Database } from '../../data/connection/database.ts'
import { KeyUses } from '../../data/access/key-uses.ts'
import { TriggerTraces } from '../../data/trigger-traces.ts'
import { createEvaluator } from '../../evaluation/evaluator.ts'
import { createThreads, type Warn } from '../../evaluation/threads.ts'
import type { Cipher } from '../../lib/cipher.ts'
import { CountCache } from '../../lib/count-cache.ts'
import { Groups } from '../../lib/groups.ts'
import { type Metrics, noMetrics } from '../../lib/metrics.ts'
import { newId } from '../../lib/new-id.ts'
import { defaultStreamLimits, OpenCount, type StreamLimits } from '../../lib/stream-limits.ts'
import { LogCounter } from '../../lib/log-counter.ts'
import { openCallerCache } from './caller-cache.ts'
import { createChangeWatch, type Repeat } from './change-watch.ts'
import { openFeedWatch } from './feed-watch.ts'
import type { ProviderDirectory } from '../channel/provider-directory.ts'
import type { Gateway, Log } from './scope.ts'
import { openWebhookInterest } from './webhook-interest.ts'

/** The evaluation budget of a job on the embedded database, on which everyone waits for its transaction. */
const EMBEDDED_EVALUATION = { milliseconds: 50, patience: 10 } as const

export interface SharedOptions {
  /** True for the embedded database. */
  readonly embedded: boolean
  /** Called once the database is open, when a data directory is already locked. */
  readonly openCipher: () => Cipher | Promise<Cipher>
  readonly logger: Log
  readonly providers: ProviderDirectory
  /** See `Gateway.baseUrl`. */
  readonly baseUrl?: string | undefined
  readonly streamLimits?: StreamLimits | undefined
  /** Opens the threads that evaluate code from callers. Defaults to `createThreads`. */
  readonly openThreads?: typeof createThreads
  /** Defaults to the database's clock. */
  readonly clock?: Clock
  /** The stopwatch for the age of cached callers, in milliseconds. Defaults to `performance.now`. */
  readonly stopwatch?: () => number
  /** Repeats the reads of changes for streams. Default: every second. */
  readonly repeat?: Repeat | undefined
  /** Receives metrics. Default: none. */
  readonly metrics?: Metrics
}

/** @throws Error if the encryption keys cannot be opened or the database does not answer. */
export async function openShared(
  database: Database,
  {
    embedded,
    openCipher,
    logger,
    providers,
    baseUrl,
    streamLimits = defaultStreamLimits,
    openThreads = createThreads,
    clock = createClock(),
    stopwatch = () => performance.now(),
    repeat,
    metrics = noMetrics,
  }: SharedOptions,
): Promise<Gateway> {
  const cipher = await openCipher()
  const warn: Warn = (fields, message) => logger.warn(fields, message)
  await clock.measure(() => readDatabaseTime(database.client))
  const open = new OpenCount(streamLimits, 'streams')
  return {
    db: database.client,
    cipher,
    log: logger,
    now: clock.now,
    newId,
    feeds: await openFeedWatch(database, logger, open),
    changes: createChangeWatch({ db: database.client, now: clock.now, logger, open, repeat }),
    callers: await openCallerCache(database, stopwatch),
    webhooks: await openWebhookInterest(database, stopwatch, logger),
    unknownKeys: new LogCounter((count) => logger.warn({ count }, 'API keys rejected')),
    counts: new CountCache(clock.now),
    acceptance: new Groups(),
    triggerTraces: new TriggerTraces(),
    keyUses: new KeyUses(),
    providers,
    baseUrl,
    metrics,
    publicUrl: baseUrl?.startsWith('https:') ? baseUrl : undefined,
    evaluator: createEvaluator(warn, {
      ...(embedded && { most: EMBEDDED_EVALUATION }),
      threads: openThreads(warn),
      metrics,
    }),
  }
}
