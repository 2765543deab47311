// The gateway as one piece: opens everything it consists of and closes it again in the right order.
import { type App, type AppOptions, createApp } from './app.ts'
import { createBackground } from './background.ts'
import { type Clock, createClock } from './data/connection/clock.ts'
import { type Database, openDatabase } from './data/connection/database.ts'
import { type DatabaseLocation } from './data/driver/database-location.ts'
import { returnAllJobs } from './data/queue/job-taking.ts'
import { freeSpaceIn } from './data/embedded/embedded.ts'
import { spendTokens } from './data/access/rate-limit-buckets.ts'
import { watchForOutages } from './data/driver/outage.ts'
import { openReplica } from './data/replica/replica.ts'
import { createOutbound, type OutboundOptions } from './delivery/network/outbound.ts'
import { createProviderDirectory } from './delivery/sending/provider-directory.ts'
import type { Worker } from './delivery/worker/worker.ts'
import type { createThreads } from './evaluation/threads.ts'
import type { Repeat } from './domain/resolver/change-watch.ts'
import { assertKnownDatabases } from './domain/access/placement.ts'
import { DatabaseSet } from './domain/resolver/database-set.ts'
import { MAIN_DATABASE } from './domain/resolver/databases.ts'
import { createReadiness } from './domain/resolver/readiness.ts'
import { createEnvironmentScope } from './domain/resolver/create-scope.ts'
import type { EnvironmentScope, Gateway } from './domain/resolver/scope.ts'
import { closeStreams, openShared, stopListening } from './domain/resolver/shared-gateway.ts'
import type { RetentionSettings } from './domain/access/retention.ts'
import type { Housekeeping } from './engine/housekeeping/housekeeping.ts'
import { createRateLimiter, type RateLimiterOptions } from './http/rate-limit.ts'
import { createTurns } from './http/turns.ts'
import type { Cipher } from './lib/cipher.ts'
import { defaultStreamLimits, OpenCount } from './lib/stream-limits.ts'
import { databaseSources } from './metrics/database-sources.ts'
import { createMetrics, type GatewayMetrics } from './metrics/registry.ts'
import { openShard, type Shard, sourceOfDatabase } from './shard.ts'

type AppSettings = Omit<AppOptions, 'readiness' | 'gateway' | 'logger' | 'rateLimiter' | 'turns'>

export interface GatewayOptions extends AppSettings, Pick<RateLimiterOptions, 'rates'> {
  readonly location: DatabaseLocation
  /** A streaming replica of the server at `location`, for reads. */
  readonly databaseReadUrl?: string | undefined
  /** The databases beside the main one, by name. Default: none. */
  readonly databases?: readonly (readonly [name: string, location: DatabaseLocation])[]
  /** The name of the database with the rows of new environments. Default: the main one. */
  readonly newEnvironmentsDatabase?: string
  /** Opens the databases beside the main one. Defaults to `openDatabase`. */
  readonly openOther?: typeof openDatabase
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
  /** The databases beside the main one that are open. */
  readonly shards: () => readonly Shard[]
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
    databases = [],
    newEnvironmentsDatabase = MAIN_DATABASE,
    openOther = openDatabase,
    openCipher,
    logger: wholeLog,
    outbound: outboundOptions,
    messageConcurrency,
    retention = { events: undefined, feed: undefined },
    keepsAddressHashes = false,
    singleProcess,
    openThreads,
    clock: givenClock,
    stopwatch = () => performance.now(),
    repeat,
    rates,
    ...settings
  }: GatewayOptions,
): Promise<OpenGateway> {
  const clock = givenClock ?? createClock()
  const embedded = 'directory' in location
  const metrics = createMetrics()
  const outage = watchForOutages(() => database.assertWrites(), wholeLog)
  const logger = outage.covering(wholeLog)
  const outbound = createOutbound(outboundOptions)
  const streams = new OpenCount(settings.streamLimits ?? defaultStreamLimits, 'streams')
  const watching = { stopwatch, repeat, streams }
  const working = { outbound, messageConcurrency, stopwatch, retention }
  const shards = new DatabaseSet<Shard>({
    names: databases.map(([name]) => name),
    forNewEnvironments: newEnvironmentsDatabase === MAIN_DATABASE ? null : newEnvironmentsDatabase,
    main: () => shared,
    log: wholeLog,
    async open(name) {
      const [, at = location] = databases.find(([known]) => known === name) ?? []
      const opening = { name, main: shared, location: at, openDatabase: openOther, watching, working }
      return openShard({ ...opening, clock: givenClock, logger: wholeLog })
    },
  })
  const alone = await openShared(database, {
    ...{ ...watching, embedded, openCipher, logger, clock, openThreads, metrics, databases: shards },
    providers: createProviderDirectory({ outbound, logger }),
    baseUrl: settings.baseUrl,
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
  const shared: Gateway = { ...alone, keepsAddressHashes, ...(replica && { replica }) }
  await assertKnownDatabases(shared)
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
  const main = createBackground({ ...working, gateway: shared, database, clock, logger, embedded })
  const all = () => [main, ...shards.opened.map(({ background }) => background)]
  const turns = createTurns(REQUESTS[embedded ? 'embedded' : 'server'], embedded)
  const readiness = createReadiness(database, shared)
  const app = createApp({ ...settings, readiness, gateway: shared, logger, rateLimiter, turns })
  const { worker, housekeeping } = main
  const readOthers = () =>
    shards.names.map((name) => {
      const shard = shards.find(name)
      return { name, source: shard && sourceOfDatabase(shard) }
    })
  metrics.watch(
    databaseSources(sourceOfDatabase({ database, gateway: shared, background: main }), readOthers, {
      now: clock.now,
      readiness,
      freeSpace: () => ('directory' in location ? freeSpaceIn(location.directory) : Promise.resolve(undefined)),
      replicaLag: replica?.lag,
    }),
  )
  // Nothing can fail after this, so no shard stays open alone.
  await shards.open()

  return {
    app,
    database,
    shared,
    shards: () => shards.opened,
    worker,
    housekeeping,
    metrics,
    scope: (environmentId) => createEnvironmentScope(shared, environmentId),
    async start() {
      await main.start()
      await shards.begin(({ background }) => background.start())
    },
    async close(drain = () => Promise.resolve()) {
      app.beginStopping()
      shards.stopOpening()
      // Streams never end on their own, so the last response would never come.
      await Promise.all([closeStreams(shared), ...shards.opened.map(({ gateway }) => closeStreams(gateway))])
      await Promise.all([drain(), ...all().map((background) => background.stop())])
      for (const background of all()) await background.flush()
      await shared.evaluator.close()
      stopListening(shared)
      shared.unknownKeys.close()
      await outbound.close()
      await rateLimiter.close()
      metrics.close()
      outage.close()
      await replica?.close()
      await shards.close()
      await database.close()
    },
  }
}
