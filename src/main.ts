// Starts the process and stops it.
import path from 'node:path'
import { type Logger, pino } from 'pino'
import { v7 as newId } from 'uuid'
import { createApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { openDatabase } from './data/database.ts'
import { giveBackJobs } from './data/queue-tables.ts'
import { spendTokens } from './data/rate-limit-buckets.ts'
import { createOutbound } from './delivery/outbound.ts'
import { createWorker } from './delivery/worker.ts'
import { assertKeyRing, bootstrap, type FirstKey } from './domain/bootstrap.ts'
import { openFeedWatch } from './domain/feed-watch.ts'
import { startSweeping } from './http/idempotency-sweep.ts'
import { echoIdempotencyKey } from './http/idempotency.ts'
import { type Fetch, startHttpServer } from './http/node-server.ts'
import { createRateLimiter, ordinaryRate, type RateLimiter } from './http/rate-limit.ts'
import { Cipher } from './lib/cipher.ts'
import { openKeyFile } from './lib/key-file.ts'

/** How long requests in flight may take to end once the process was told to stop, in milliseconds. */
const STOP_TIMEOUT = 25_000

/** Within this time a second signal is an echo: npm passes on what the terminal has sent to all. In milliseconds. */
const ECHO = 1_000

/** Transactions of runs that a process works on at a time, on a PostgreSQL. The embedded database has one connection. */
const CONCURRENCY = 4

const signals = ['SIGTERM', 'SIGINT'] as const

/** Waits until the process is told to stop. Whoever tells it once more, and is no echo, ends it at once. */
function toldToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      if (first !== undefined && performance.now() - first > ECHO) process.exit(1)
      first ??= performance.now()
      resolve(signal)
    }
    for (const signal of signals) process.on(signal, onSignal)
  })
}

/**
 * Until the database is open. Orchestrators ask `/health` early, and would else take the process for dead. No key can be
 * looked up yet, so that all callers draw from the limits of their addresses.
 */
function answerWhileStarting(limiter: RateLimiter): Fetch {
  return (request, { address }) => {
    if (new URL(request.url).pathname === '/health') return Response.json({ status: 'ok' })
    const { headers } = limiter.drawAsStranger(address, [ordinaryRate])
    const response = new Response('The gateway is starting. Try again in a moment.', {
      status: 503,
      headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '2' },
    })
    echoIdempotencyKey(request, response)
    return response
  }
}

/** Secrets go to the terminal once, and never through the log. */
function greet(address: string, keys: readonly FirstKey[], { bootstrapApiKey, graphiql }: Config): void {
  console.log(`Listening on ${address}`)
  if (graphiql) console.log(`GraphiQL:    ${address}/graphql`)
  if (keys.length === 0) return
  console.log('\nAPI keys, shown this once:')
  for (const { environment, key } of keys) {
    console.log(`  ${environment.padEnd(12)} ${key === bootstrapApiKey ? 'the one of BOOTSTRAP_API_KEY' : key}`)
  }
  console.log()
}

async function openCipher({ encryptionKeys, dataDirectory }: Config): Promise<Cipher> {
  if (encryptionKeys !== undefined) return new Cipher(encryptionKeys)
  return openKeyFile(path.join(dataDirectory, 'encryption-keys'))
}

/** @returns what stops it again. */
async function start(config: Config, logger: Logger): Promise<() => Promise<void>> {
  const now = () => new Date()
  let answer = answerWhileStarting(createRateLimiter({ rates: config.rates, now, logger }))
  const listener = await startHttpServer((request, client) => answer(request, client), config.host, config.port)
  const database = await openDatabase(
    config.databaseUrl === undefined ? { directory: config.dataDirectory } : { url: config.databaseUrl },
  )
  try {
    const feeds = await openFeedWatch(database, logger)
    const gateway = { db: database.client, cipher: await openCipher(config), now, newId, feeds }
    const keys = await bootstrap(gateway, config.bootstrapApiKey)
    await assertKeyRing(gateway)
    const embedded = config.databaseUrl === undefined
    const rateLimiter = createRateLimiter({
      rates: config.rates,
      now: gateway.now,
      logger,
      // The embedded database has one process.
      share: embedded ? undefined : (spendings, rates, now) => spendTokens(database.client, spendings, rates, now),
    })
    if (embedded) await giveBackJobs(database.pool)
    const outbound = createOutbound({ allowPrivateAddresses: config.allowPrivateAddresses })
    const worker = createWorker({ gateway, database, outbound, logger, concurrency: embedded ? 1 : CONCURRENCY })
    const app = createApp({ ...config, database, gateway, logger, rateLimiter })
    answer = app.fetch
    const stopSweeping = startSweeping(gateway, logger)
    await worker.start()
    greet(listener.address, keys, config)
    return async () => {
      app.beginStopping()
      // What follows a feed would be in flight for ever.
      await feeds.close()
      // Both at once: neither begins anything more.
      await Promise.all([listener.close(), worker.stop()])
      await stopSweeping()
      await outbound.close()
      await rateLimiter.close()
      await database.close()
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** An error with what caused it, in one line. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.message || ('code' in error ? String(error.code) : error.name)
  return error.cause === undefined ? own : `${own}: ${explain(error.cause)}`
}

try {
  const config = readConfig()
  const logger = pino({ level: config.logLevel })
  // From here on, so that a stop during the start waits for its end and leaves nothing half open.
  const told = toldToStop()
  const stop = await start(config, logger)
  logger.info({ signal: await told }, 'stopping')
  setTimeout(() => {
    logger.error('what was in flight did not end in time')
    process.exit(1)
  }, STOP_TIMEOUT)
  await stop()
  process.exit(0)
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
