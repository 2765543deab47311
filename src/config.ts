// The configuration: reads and validates process.env. No other file does.
import { existsSync } from 'node:fs'
import type { z } from 'zod'
import type { RetentionSettings } from './domain/access/retention.ts'
import { MAIN_DATABASE } from './domain/resolver/databases.ts'
import { misspelledNames } from './lib/similar-names.ts'
import { fileVariables, withSecretFiles } from './settings/secret-files.ts'
import { DEFAULT_METRICS_PORT, DEFAULT_SHUTDOWN_DELAY, settings } from './settings/table.ts'

type Given = z.output<typeof settings>
type Rule = [(given: Given) => boolean, { path: string[]; error: string }]

/** A variable that has no effect without another one. */
const requires = (name: keyof Given, other: keyof Given): Rule => [
  (given) => given[name] === undefined || given[name] === false || given[other] !== undefined,
  { path: [name], error: `requires ${other}` },
]

const environment = settings
  .refine(...requires('TRUSTED_DOCUMENTS_ONLY', 'TRUSTED_DOCUMENTS'))
  .refine(...requires('DATABASE_DIRECT_URL', 'DATABASE_URL'))
  .refine(...requires('DATABASE_READ_URL', 'DATABASE_URL'))
  .refine(
    ({ DATABASES, NEW_ENVIRONMENTS_DATABASE: name = MAIN_DATABASE }) =>
      [MAIN_DATABASE, ...DATABASES.map(([known]) => known)].includes(name),
    { path: ['NEW_ENVIRONMENTS_DATABASE'], error: `must be ${MAIN_DATABASE} or a name of DATABASES` },
  )

/** The names of all environment variables. */
export const variables = Object.keys(settings.shape)

export type Config = Readonly<ReturnType<typeof readConfig>>

interface MetricsPort {
  readonly port: number
  /** True if the port was set. The process does not start without it then. */
  readonly isRequired: boolean
}

function metricsPortOf(given: number | 'off' | undefined): MetricsPort | 'off' {
  if (given === 'off') return given
  return { port: given ?? DEFAULT_METRICS_PORT, isRequired: given !== undefined }
}

/** @throws Error with one line for each invalid variable. Values are not included, because some are secrets. */
function validate(given: NodeJS.ProcessEnv): Given {
  const result = environment.safeParse(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')))
  if (result.success) return result.data
  const byVariable = new Map<unknown, string>()
  // The first problem of a variable is that of its format.
  for (const {
    path: [name],
    message,
  } of result.error.issues) {
    if (!byVariable.has(name)) byVariable.set(name, message)
  }
  throw new Error([...byVariable].map(([name, message]) => `${String(name)} ${message}`).join('\n'))
}

/**
 * Reads the environment variables, and a `.env` file in the working directory for those not set. An empty value counts
 * as not set. `src/settings/table.ts` describes each variable. Secrets can be in files (`src/settings/secret-files.ts`).
 *
 * @throws Error with one line for each invalid variable or file, without its value.
 */
export function readConfig(given: NodeJS.ProcessEnv = processEnvironment()) {
  const data = validate(withSecretFiles(given))
  const retention: RetentionSettings = { events: data.RETENTION_DAYS, feed: data.FEED_RETENTION_DAYS }
  return {
    host: data.HOST,
    port: data.PORT,
    metrics: metricsPortOf(data.METRICS_PORT),
    /** If undefined, the embedded database in `dataDirectory` is used. */
    databaseUrl: data.DATABASE_URL,
    databaseDirectUrl: data.DATABASE_DIRECT_URL,
    databaseReadUrl: data.DATABASE_READ_URL,
    /** By name. */
    databases: data.DATABASES,
    newEnvironmentsDatabase: data.NEW_ENVIRONMENTS_DATABASE ?? MAIN_DATABASE,
    databaseStatements: data.DATABASE_STATEMENTS,
    dataDirectory: data.DATA_DIR,
    bootstrapApiKey: data.BOOTSTRAP_API_KEY,
    /** Newest first. If undefined, the key file in `dataDirectory` is used. */
    encryptionKeys: data.ENCRYPTION_KEYS,
    corsOrigins: data.CORS_ORIGINS,
    rates: data.RATE_LIMIT,
    streamLimits: data.MAX_STREAMS,
    /** If undefined, the default of the worker holds. */
    messageConcurrency: data.MESSAGE_CONCURRENCY,
    retention,
    keepsAddressHashes: data.KEEP_SUPPRESSED_HASHES,
    /** The address of the client is read from the headers of these proxies. */
    trustedProxies: data.TRUSTED_PROXIES,
    /** If false, customers cannot reach the internal network through providers and webhooks. */
    allowPrivateAddresses: data.ALLOW_PRIVATE_ADDRESSES,
    deniedAddresses: data.DENIED_ADDRESSES,
    /** In seconds. By default none with the embedded database, which has no other process to send requests to. */
    shutdownDelay: data.SHUTDOWN_DELAY ?? (data.DATABASE_URL === undefined ? 0 : DEFAULT_SHUTDOWN_DELAY),
    logLevel: data.LOG_LEVEL,
    baseUrl: data.BASE_URL,
    euBaseUrl: data.EU_BASE_URL,
    introspection: data.INTROSPECTION,
    graphiql: data.GRAPHIQL && !data.TRUSTED_DOCUMENTS_ONLY,
    dashboard: data.DASHBOARD && !data.TRUSTED_DOCUMENTS_ONLY,
    trustedDocuments: data.TRUSTED_DOCUMENTS,
    trustedDocumentsOnly: data.TRUSTED_DOCUMENTS_ONLY,
    /** Variables that are not read and are probably misspelled. */
    misspelled: misspelledNames(Object.keys(given), [...variables, ...fileVariables]),
  }
}

/** Call it before graphql is loaded. */
function processEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env')
  // With any other value, graphql looks for a second copy of itself in each comparison of types, which takes a quarter
  // of the time of a bulk request.
  process.env['NODE_ENV'] ??= 'production'
  return process.env
}
