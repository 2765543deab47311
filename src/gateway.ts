// The gateway as one piece: opens everything it consists of and closes it again in the right order.
import { type App, type AppOptions, createApp } from './app.ts'
import { type Clock, createClock } from './data/connection/clock.ts'
import { type Database, openDatabase } from './data/connection/database.ts'
import { loggable } from './data/driver/database-errors.ts'
import { type DatabaseLocation } from './data/driver/database-location.ts'
import { countOpenCircuits } from './data/queue/circuit.ts'
import { returnAllJobs } from './data/queue/job-taking.ts'
import { freeSpaceIn } from './data/embedded/embedded.ts'
import { readFinished } from './data/housekeeping/finished-task.ts'
import { readQueueState } from './data/queue/queue-state.ts'
import { spendTokens } from './data/access/rate-limit-buckets.ts'
import { watchForOutages } from './data/driver/outage.ts'
import { openReplica } from './data/replica/replica.ts'
import { countSuspended } from './data/workflow-suspension.ts'
import { createOutbound, type OutboundOptions } from './delivery/network/outbound.ts'
import { createProviderDirectory } from './delivery/sending/provider-directory.ts'
import { createProviderHealth } from './delivery/sending/provider-health.ts'
import { createWorker, type Worker } from './delivery/worker/worker.ts'
import type { createThreads } from './evaluation/threads.ts'
import type { Repeat } from './domain/resolver/change-watch.ts'
import { createReadiness } from './domain/resolver/readiness.ts'
import { createEnvironmentScope, type EnvironmentScope, type Gateway } from './domain/resolver/scope.ts'
import { openShared } from './domain/resolver/shared-gateway.ts'
import type { RetentionSettings } from './domain/access/retention.ts'
import { createHousekeeping, type Housekeeping } from './engine/housekeeping/housekeeping.ts'
import { createRateLimiter, type RateLimiterOptions } from './http/rate-limit.ts'
import { createTurns } from './http/turns.ts'
import type { Cipher } from './lib/cipher.ts'
import { createMetrics, type GatewayMetrics } from './metrics/registry.ts'

type AppSettings = Omit<AppOptions, 'readiness' | 'gateway' | 'logger' | 'rateLimiter' | 'turns'>

export interface GatewayOptions extends AppSettings, Pick<RateLimiterOptions, 'rates'> {
  readonly location: DatabaseLocation
  /** A streaming replica of the server at `location`, for reads. */
  readonly databaseReadUrl?: string | undefined
  /** Opens the database at `location`. Defaults to `openDatabase`. */
  readonly openDatabase?: typeof openDatabase
  /** Called once the database is open: a data directory is locked by then. */
  readonly openCipher: () => Cipher | Promise<Cipher>
  readonly logger: AppOptions['logger']
  readonly outbound: OutboundOptions
  /** Messages that this process sends at the same time. Defaults to the worker's. */
  readonly messageConcurrency?: number | undefined
  /** How long events and notifications are kept. Defaults to the value in the database. */
  readonly retention?: RetentionSettings
  /** True if erasures keep the hashes of suppressed addresses. Default: false. */
  readonly keepsAddressHashes?: boolean
  /** True if this is the only process on the database. Always true of the embedded database, which is the default. */
  readonly singleProcess?: boolean
  /** Opens the threads that evaluate code from callers. Defaults to `createThreads`. */
  readonly openThreads?: typeof createThreads
  /** Defaults to the database's clock. */
  readonly clock?: Clock
  /** Measures transactions, in milliseconds. Defaults to `performance.now`. */
  readonly stopwatch?: () => number
  /** Repeats the reads of changes for streams. Defaults to every second. */
  readonly repeat?: Repeat
}

export interface OpenGateway {
  readonly app: App
  readonly database: Database
  /** The parts that all scopes share. */
  readonly shared: Gateway
  readonly worker: Worker
  readonly housekeeping: Housekeeping
  readonly metrics: GatewayMetrics
  /** A scope for work in one environment outside of any request. */
  scope(environmentId: string): EnvironmentScope
  /** Starts the background work: the worker and the housekeeping. */
  start(): Promise<void>
  /**
   * Ends streams and background work, then closes everything.
   *
   * @param drain stops accepting requests and ends with the last response. Runs while the worker finishes its jobs.
   */
  close(drain?: () => Promise<void>): Promise<void>
}

/** Requests of one environment in progress at a time. With the worker's transactions, they leave connections for others. */
const REQUESTS = { embedded: 2, server: 5 } as const

/** @throws Error if the database or the encryption keys cannot be opened; nothing stays open then. */
export async function openGateway(options: GatewayOptions): Promise<OpenGateway> {
  const open = options.openDatabase ?? openDatabase
  const database = await open(options.location, options.logger)
  try {
    return await assemble(database, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function assemble(
  database: Database,
  {
    location,
    databaseReadUrl,
    openCipher,
    logger: wholeLog,
    outbound: outboundOptions,
    messageConcurrency,
    retention = { events: undefined, feed: undefined },
    keepsAddressHashes = false,
    singleProcess,
    openThreads,
    clock = createClock(),
    stopwatch = () => performance.now(),
    repeat,
    rates,
    ...settings
  }: GatewayOptions,
): Promise<OpenGateway> {
  const embedded = 'directory' in location
  const metrics = createMetrics()
  const outage = watchForOutages(() => database.assertWrites(), wholeLog)
  const logger = outage.covering(wholeLog)
  const outbound = createOutbound(outboundOptions)
  const alone = await openShared(database, {
    embedded,
    openCipher,
    logger,
    providers: createProviderDirectory({ outbound, logger }),
    baseUrl: settings.baseUrl,
    streamLimits: settings.streamLimits,
    openThreads,
    clock,
    stopwatch,
    repeat,
    metrics,
  })
  const replica =
    'url' in location && databaseReadUrl !== undefined
      ? await openReplica({
          url: databaseReadUrl,
          primary: database.client,
          statements: location.statements,
          // Its errors do not concern the primary.
          logger: wholeLog,
          metrics,
        })
      : undefined
  const shared = { ...alone, keepsAddressHashes, ...(replica && { replica }) }
  if (embedded) await returnAllJobs(database.client, clock.now())
  const rateLimiter = createRateLimiter({
    rates,
    now: shared.now,
    logger,
    share:
      (singleProcess ?? embedded)
        ? undefined
        : (spendings, tokenRates, at) => spendTokens(database.client, spendings, tokenRates, at),
  })
  const health = createProviderHealth(logger)
  const sending = { outbound, health, messageConcurrency }
  const background = { ...shared, db: database.background }
  const worker = createWorker({ gateway: background, clock, database, logger, embedded, stopwatch, ...sending })
  const turns = createTurns(REQUESTS[embedded ? 'embedded' : 'server'], embedded)
  const readiness = createReadiness(database, shared)
  const app = createApp({ ...settings, readiness, gateway: shared, logger, rateLimiter, turns })
  const housekeeping = createHousekeeping({ gateway: background, logger, embedded, stopwatch, retention })
  metrics.watch({
    pool: database.pool,
    now: clock.now,
    readQueue: () => readQueueState(database.client, clock.now()),
    housekeeping: housekeeping.progress,
    readiness,
    failingIntegrations: health.failing,
    places: worker.places,
    readInstallation: async () => {
      const [suspendedWorkflows, openCircuits, finished] = await Promise.all([
        countSuspended(database.client),
        countOpenCircuits(database.client),
        readFinished(database.client),
      ])
      return { suspendedWorkflows, openCircuits, finished }
    },
    freeSpace: () => ('directory' in location ? freeSpaceIn(location.directory) : Promise.resolve(undefined)),
    replicaLag: replica?.lag,
  })

  return {
    app,
    database,
    shared,
    worker,
    housekeeping,
    metrics,
    scope: (environmentId) => createEnvironmentScope(shared, environmentId),
    async start() {
      housekeeping.start()
      await worker.start()
    },
    async close(drain = () => Promise.resolve()) {
      app.beginStopping()
      // Streams never end on their own, so the last response would never come.
      await Promise.all([shared.feeds.close(), shared.changes.close()])
      await Promise.all([drain(), worker.stop(), housekeeping.stop()])
      await housekeeping.perform('unprocessed_triggers').catch((error: unknown) => {
        wholeLog.warn({ err: loggable(error) }, 'unprocessed triggers not recorded')
      })
      await housekeeping.perform('key_uses').catch((error: unknown) => {
        wholeLog.warn({ err: loggable(error) }, 'last uses of API keys not recorded')
      })
      await shared.evaluator.close()
      shared.callers.close()
      shared.webhooks.close()
      shared.unknownKeys.close()
      await outbound.close()
      await rateLimiter.close()
      metrics.close()
      outage.close()
      await replica?.close()
      await database.close()
    },
  }
}
