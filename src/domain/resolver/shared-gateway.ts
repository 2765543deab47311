// The dependencies that all scopes of a process share, on an open database.
import { type Clock, createClock, readDatabaseTime } from '../../data/connection/clock.ts'
import type { Database } from '../../data/connection/database.ts'
import { KeyUses } from '../../data/access/key-uses.ts'
import { ConnectedSubscribers } from '../../data/online/connected-subscribers.ts'
import { TriggerTraces } from '../../data/trigger-traces.ts'
import { createEvaluator } from '../../evaluation/evaluator.ts'
import { createThreads, type Warn } from '../../evaluation/threads.ts'
import type { Cipher } from '../../lib/cipher.ts'
import { CountCache } from '../../lib/count-cache.ts'
import { Groups } from '../../lib/groups.ts'
import { type Metrics, noMetrics } from '../../lib/metrics.ts'
import { newId } from '../../lib/new-id.ts'
import { defaultStreamLimits, OpenCount } from '../../lib/stream-limits.ts'
import { LogCounter } from '../../lib/log-counter.ts'
import { type CallerCache, openCallerCache } from './caller-cache.ts'
import { createChangeWatch, type Repeat } from './change-watch.ts'
import { type Databases, onlyMain } from './databases.ts'
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
  /** Counts the streams of this process. Default: with the default limits. */
  readonly streams?: OpenCount | undefined
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
  /** The databases of the installation. Default: only this one. */
  readonly databases?: Databases<Gateway> | undefined
}

/** The parts of a gateway that belong to one database. */
type OnDatabase = Pick<
  Gateway,
  'db' | 'database' | 'now' | 'feeds' | 'changes' | 'callers' | 'webhooks' | 'triggerTraces' | 'connected'
>

/** What the watches on a database need. */
export type Watching = Pick<SharedOptions, 'logger' | 'repeat'> &
  Required<Pick<SharedOptions, 'clock' | 'stopwatch'>> & { readonly streams: OpenCount }

/** @param name of the database. Null for the main one. @throws Error if the database does not answer. */
async function openOn(
  database: Database,
  name: string | null,
  { logger, repeat, clock, stopwatch, streams: open }: Watching,
): Promise<OnDatabase> {
  await clock.measure(() => readDatabaseTime(database.client))
  const opened: (() => Promise<void> | void)[] = []
  try {
    const feeds = await openFeedWatch(database, logger, open)
    opened.push(() => feeds.close())
    const callers = await openCallerCache(database, stopwatch)
    opened.push(callers.close)
    return {
      db: database.client,
      database: name,
      now: clock.now,
      feeds,
      changes: createChangeWatch({ db: database.client, now: clock.now, logger, open, repeat }),
      callers,
      webhooks: await openWebhookInterest(database, stopwatch, logger),
      triggerTraces: new TriggerTraces(),
      connected: new ConnectedSubscribers(newId(), clock.now),
    }
  } catch (error) {
    for (const close of opened) await close()
    throw error
  }
}

/** Ends the streams on a database. They never end on their own, so their last response would never come. */
export const closeStreams = ({ feeds, changes }: OnDatabase): Promise<unknown> =>
  Promise.all([feeds.close(), changes.close()])

/** Stops listening for changes on a database. Call it when no more requests are answered. */
export function stopListening({ callers, webhooks }: OnDatabase): void {
  callers.close()
  webhooks.close()
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
    streams = new OpenCount(defaultStreamLimits, 'streams'),
    openThreads = createThreads,
    clock = createClock(),
    stopwatch = () => performance.now(),
    repeat,
    metrics = noMetrics,
    databases,
  }: SharedOptions,
): Promise<Gateway> {
  const cipher = await openCipher()
  const warn: Warn = (fields, message) => logger.warn(fields, message)
  const main: Gateway = {
    ...(await openOn(database, null, { logger, repeat, clock, stopwatch, streams })),
    databases: databases ?? onlyMain(() => main),
    cipher,
    log: logger,
    newId,
    unknownKeys: new LogCounter((count) => logger.warn({ count }, 'API keys rejected')),
    counts: new CountCache(clock.now),
    acceptance: new Groups(),
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
  return main
}

/** The callers on a database, which also depend on their keys in the main one. */
const dependingOn = (main: CallerCache, own: CallerCache): CallerCache => ({
  ...own,
  forget(environmentId) {
    main.forget(environmentId)
    own.forget(environmentId)
  },
  watch(caller, onChange) {
    const stops = [main.watch(caller, onChange), own.watch(caller, onChange)]
    return () => stops.forEach((stop) => stop())
  },
})

/** A database beside the main one, with the gateway on it. */
export interface OtherDatabase {
  readonly name: string
  readonly database: Database
  readonly gateway: Gateway
  /** Ends the streams on it, and closes it. */
  readonly close: () => Promise<void>
}

/**
 * Opens the gateway on a database beside the main one, with which it shares everything else.
 *
 * @throws Error if the database does not answer. The database is closed then.
 */
export async function openOther(
  main: Gateway,
  name: string,
  database: Database,
  watching: Watching,
): Promise<OtherDatabase> {
  try {
    const own = await openOn(database, name, watching)
    const callers = dependingOn(main.callers, own.callers)
    return {
      name,
      database,
      gateway: { ...main, ...own, callers, log: watching.logger, replica: undefined },
      async close() {
        await closeStreams(own)
        stopListening(own)
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
