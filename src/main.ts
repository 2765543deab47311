// Starts the process and stops it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CommandServer } from './cli/serve.ts'
import { type Config, readConfig } from './config.ts'
import { openDatabase } from './data/connection/database.ts'
import { loggable } from './data/driver/database-errors.ts'
import { locationOf, otherLocations } from './data/driver/database-location.ts'
import type { FirstKey } from './domain/access/bootstrap.ts'
import { echoIdempotencyKey } from './http/idempotency.ts'
import { type Fetch, startHttpServer } from './http/node-server.ts'
import { createRateLimiter, ordinaryRate, type RateLimiter } from './http/rate-limit.ts'
import type { Upgrade } from './http/web-socket.ts'
import { inOneLine } from './lib/error-line.ts'
import { openCipher } from './lib/key-file.ts'
import { createLogger } from './lib/log.ts'
import { startMetricsServer } from './metrics/server.ts'

/** Time for requests in flight to finish once no more are accepted, in milliseconds. */
const SHUTDOWN_TIMEOUT = 25_000

/**
 * A second signal within this time counts as the same one, in milliseconds: npm and the terminal both pass Ctrl-C on to
 * the process.
 */
const REPEATED_SIGNAL = 1_000

const signals = ['SIGTERM', 'SIGINT'] as const

/** Waits for the first stop signal. A second one, unless it is a repetition, exits at once. */
function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      if (first !== undefined && performance.now() - first > REPEATED_SIGNAL) process.exit(1)
      first ??= performance.now()
      resolve(signal)
    }
    for (const signal of signals) process.on(signal, onSignal)
  })
}

/** Exits when requests in flight take too long to finish. */
function limitShutdown(logger: Logger): void {
  setTimeout(() => {
    logger.error('shutdown timeout: exiting with requests in flight')
    process.exit(1)
  }, SHUTDOWN_TIMEOUT)
}

/**
 * Waits for an error that nothing has caught, or a rejected promise that nothing waits for. The state of the process is
 * unknown then: it stops, and exits with 1.
 */
function waitForUncaught(logger: Logger): Promise<undefined> {
  return new Promise((resolve) => {
    process.on('uncaughtException', (error, origin) => {
      logger.fatal({ err: loggable(error), origin }, 'uncaught error')
      process.exitCode = 1
      resolve(undefined)
    })
  })
}

/**
 * Answers until the database is open. Orchestrators probe `/health` early and would otherwise restart the process. No
 * API key can be looked up yet, so every caller uses the rate limit of its address.
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

interface Startup {
  readonly address: string
  readonly keys: readonly FirstKey[]
  readonly signInLink: string | undefined
}

/** Prints to the terminal, not to the log: the keys and the link are secrets and are shown once. */
function printStartup({ address, keys, signInLink }: Startup, { bootstrapApiKey, graphiql }: Config): void {
  console.log(`Listening on ${address}`)
  if (graphiql) console.log(`GraphiQL:    ${address}/graphql`)
  if (signInLink !== undefined) {
    console.log(`\nOpen the dashboard. The link works once, within ten minutes:\n  ${signInLink}`)
  }
  if (keys.length === 0) return
  console.log('\nAPI keys, shown this once:')
  for (const { environment, key } of keys) {
    console.log(`  ${environment.padEnd(12)} ${key === bootstrapApiKey ? 'as set in BOOTSTRAP_API_KEY' : key}`)
  }
  for (const { environment } of keys.filter(({ access }) => access === 'admin')) {
    console.log(`\nThe key of ${environment} has the access ADMIN.`)
  }
  console.log('\nFor example data, run: npx notification-gateway demo')
  console.log()
}

interface Running {
  /** Makes `/ready` return 503 and ends connections with their next response, and serves requests as before. */
  readonly beginStopping: () => void
  /** Stops the process's work in good order. */
  readonly stop: () => Promise<void>
}

async function start(config: Config, logger: Logger): Promise<Running> {
  const now = () => new Date()
  let answer = answerWhileStarting(createRateLimiter({ rates: config.rates, now, logger }))
  let upgrade: Upgrade = () => undefined
  const server = await startHttpServer(
    (request, client) => answer(request, client),
    config.host,
    config.port,
    (request, address) => upgrade(request, address),
    { logger },
  )
  let print = (): Promise<string> | undefined => undefined
  const metricsServer =
    config.metrics === 'off'
      ? undefined
      : await startMetricsServer({ ...config.metrics, host: config.host, print: () => print(), logger })
  const location = locationOf(config)
  // Imported here, because the application takes as long to load as the database to open.
  const [
    database,
    { openGateway },
    { appointAdmins, bootstrap },
    { assertKeyRing, encryptStoredAddresses },
    { serveCommands },
    { linkAtStartup },
    { warnOfEmptyLinks },
  ] = await Promise.all([
    openDatabase(location, logger),
    import('./gateway.ts'),
    import('./domain/access/bootstrap.ts'),
    import('./domain/secrets/encryption.ts'),
    import('./cli/serve.ts'),
    import('./cli/output/sign-in-link.ts'),
    import('./domain/link/missing-address.ts'),
  ])
  const gateway = await openGateway({
    ...config,
    location,
    databases: otherLocations(config),
    openDatabase: () => Promise.resolve(database),
    openCipher: () => openCipher(config),
    logger,
    outbound: config,
  })
  let commands: CommandServer | undefined
  try {
    await assertKeyRing(gateway.shared)
    const keys = await bootstrap(gateway.shared, config.bootstrapApiKey)
    await appointAdmins(gateway.shared, logger)
    await encryptStoredAddresses(gateway.shared, logger)
    await warnOfEmptyLinks(gateway.shared)
    answer = gateway.app.fetch
    upgrade = gateway.app.upgrade
    print = gateway.metrics.print
    await gateway.start()
    // On a server, the command line opens the database itself.
    const address = config.dashboard ? (config.baseUrl ?? server.address) : undefined
    if ('directory' in location) {
      commands = await serveCommands(location.directory, {
        gateway: gateway.shared,
        database,
        others: gateway.shards,
        logger,
        dashboardAddress: () => address,
      })
    }
    const isTerminal = process.stdout.isTTY
    const signInLink = await linkAtStartup(gateway.shared, { host: config.host, address, isTerminal })
    printStartup({ address: server.address, keys, signInLink }, config)
  } catch (error) {
    await gateway.close()
    throw error
  }
  return {
    beginStopping() {
      gateway.app.beginStopping()
      server.endKeepAlive()
    },
    async stop() {
      await gateway.close(async () => {
        await Promise.all([server.close(), commands?.close()])
      })
      await metricsServer?.close()
    },
  }
}

/**
 * Milliseconds until the process stops accepting requests. A person at a terminal waits, and has no load balancer. After an
 * uncaught error, the process must not serve for longer than it has to.
 *
 * @param signal is undefined after an uncaught error.
 */
const delayAfter = (signal: NodeJS.Signals | undefined, { shutdownDelay }: Config): number =>
  signal === 'SIGTERM' && !process.stdout.isTTY ? shutdownDelay * 1000 : 0

try {
  const config = readConfig()
  const logger = createLogger(config.logLevel)
  for (const misspelled of config.misspelled) logger.warn(misspelled, 'unknown environment variable')
  // Before the start, so that a signal or an error during it waits for its end and leaves nothing half open.
  const uncaught = waitForUncaught(logger)
  const signalled = waitForSignal()
  void uncaught.then(() => limitShutdown(logger))
  const { beginStopping, stop } = await start(config, logger)
  const signal = await Promise.race([signalled, uncaught])
  const delay = delayAfter(signal, config)
  logger.info({ signal, delaySeconds: delay / 1000 }, 'stopping')
  beginStopping()
  await pause(delay)
  limitShutdown(logger)
  await stop()
  process.exit()
} catch (error) {
  console.error(inOneLine(error))
  process.exit(1)
}
