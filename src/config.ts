// The configuration: reads and validates process.env. No other file does.
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { isAddressRange } from './delivery/network/public-address.ts'
import { MIN_KEY_LENGTH } from './domain/api-key.ts'
import { MAX_RETENTION_DAYS, type RetentionSettings } from './domain/retention.ts'
import { largestPlan, type Rates } from './http/rate-limit.ts'
import { Cipher } from './lib/cipher.ts'
import { type MisspelledName, misspelledNames } from './lib/similar-names.ts'
import { defaultStreamLimits, type StreamLimits } from './lib/stream-limits.ts'

const flag = z
  .enum(['on', 'off', 'true', 'false'], { error: 'must be on or off' })
  .transform((value) => value === 'on' || value === 'true')

const notAPort = 'must be a port number from 0 to 65535'
const notAMetricsPort = `${notAPort}, or off`

/** True for an origin as browsers send it: scheme, host and port, without a path. */
const isOrigin = (value: string) => URL.canParse(value) && /^https?:/.test(value) && new URL(value).origin === value

/** @returns why the key ring is invalid, or undefined if it is valid. */
function keyRingError(ring: string): string | undefined {
  try {
    new Cipher(ring)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const commaSeparated = z.string().transform((list) => list.split(',').map((entry) => entry.trim()))

/** A list such as `a=1,b=2` of whole numbers from 1 to 999999. A name that is left out keeps its default. */
const numbersOf = <Name extends string>(defaults: Readonly<Record<Name, number>>, error?: string) =>
  commaSeparated
    .pipe(z.array(z.string().regex(new RegExp(`^(${Object.keys(defaults).join('|')})=[1-9]\\d{0,5}$`), error)))
    .transform((entries): Readonly<Record<Name, number>> => {
      const given = entries.map((entry): [string, number] => {
        const [name = '', number] = entry.split('=')
        return [name, Number(number)]
      })
      return { ...defaults, ...Object.fromEntries(given) }
    })

/** Long enough for a load balancer that asks `/ready` every two seconds, and short enough for `docker stop`. */
const DEFAULT_SHUTDOWN_DELAY = 5

const retentionError = `must be off, or a whole number of days from 1 to ${MAX_RETENTION_DAYS}`

const retention = z
  .union(
    [
      z.literal('off'),
      z
        .string()
        .regex(/^[1-9]\d{0,3}$/)
        .transform(Number)
        .pipe(z.number().max(MAX_RETENTION_DAYS)),
    ],
    { error: retentionError },
  )
  .optional()

const baseAddress = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://notifications.example.com' })
  .transform((address) => address.replace(/\/+$/, ''))
  .optional()

const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must have the form postgresql://user:password@host:port/database' })
  .optional()

const settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, notAPort)
    .transform(Number)
    .refine((port) => port <= 65_535, notAPort)
    .default(3000),
  METRICS_PORT: z
    .string()
    .regex(/^(off|\d{1,5})$/, notAMetricsPort)
    .transform((value) => (value === 'off' ? value : Number(value)))
    .refine((port) => port === 'off' || port <= 65_535, notAMetricsPort)
    .optional(),
  DATABASE_URL: postgresUrl,
  DATABASE_DIRECT_URL: postgresUrl,
  DATABASE_READ_URL: postgresUrl,
  DATABASE_STATEMENTS: z.enum(['named', 'unnamed'], { error: 'must be named or unnamed' }).default('named'),
  DATA_DIR: z.string().default('.data'),
  BOOTSTRAP_API_KEY: z
    .string()
    .regex(
      new RegExp(`^[\\x21-\\x7e]{${MIN_KEY_LENGTH},200}$`),
      `must be ${MIN_KEY_LENGTH} to 200 printable characters without spaces`,
    )
    .optional(),
  ENCRYPTION_KEYS: z
    .string()
    .check(({ value, issues }) => {
      const reason = keyRingError(value)
      if (reason !== undefined)
        issues.push({ code: 'custom', message: `is not a valid key ring: ${reason}`, input: value })
    })
    .optional(),
  CORS_ORIGINS: commaSeparated
    .refine(
      (list) => list.every(isOrigin),
      'must be a comma-separated list of origins such as https://dashboard.example.com',
    )
    .default([]),
  RATE_LIMIT: z
    .union([z.literal('off'), numbersOf(largestPlan)], {
      error:
        'must be off, or calls per second from 1 to 999999 such as trigger=60,configuration=20,global=30; omitted categories keep their defaults',
    })
    .default(largestPlan),
  MAX_STREAMS: numbersOf(
    defaultStreamLimits,
    'must be numbers of streams from 1 to 999999 such as environment=1000,process=10000; omitted names keep their defaults',
  ).default(defaultStreamLimits),
  MESSAGE_CONCURRENCY: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a whole number of messages from 1 to 999')
    .transform(Number)
    .optional(),
  RETENTION_DAYS: retention,
  FEED_RETENTION_DAYS: retention,
  TRUSTED_PROXIES: z
    .string()
    .regex(/^\d$/, 'must be the number of proxies in front of the gateway, from 0 to 9')
    .transform(Number)
    .default(0),
  ALLOW_PRIVATE_ADDRESSES: flag.default(false),
  DENIED_ADDRESSES: commaSeparated
    .refine(
      (list) => list.every(isAddressRange),
      'must be a comma-separated list of IP addresses and CIDR ranges such as 203.0.113.0/24',
    )
    .default([]),
  SHUTDOWN_DELAY: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number of seconds from 0 to 999')
    .transform(Number)
    .optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
  BASE_URL: baseAddress,
  EU_BASE_URL: baseAddress,
  INTROSPECTION: flag.default(true),
  GRAPHIQL: flag.default(true),
  DASHBOARD: flag.default(true),
  TRUSTED_DOCUMENTS: z.string().optional(),
  TRUSTED_DOCUMENTS_ONLY: flag.default(false),
})

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

/** The names of all environment variables. */
export const variables = Object.keys(settings.shape)

export interface Config {
  readonly host: string
  readonly port: number
  /** The port of the metrics. */
  readonly metrics: MetricsPort | 'off'
  /** If undefined, the embedded database in `dataDirectory` is used. */
  readonly databaseUrl: string | undefined
  /** The server itself, if `databaseUrl` is a pooler in transaction mode. */
  readonly databaseDirectUrl: string | undefined
  /** A streaming replica for reads. */
  readonly databaseReadUrl: string | undefined
  readonly databaseStatements: 'named' | 'unnamed'
  readonly dataDirectory: string
  readonly bootstrapApiKey: string | undefined
  /** Newest first. If undefined, the key file in `dataDirectory` is used. */
  readonly encryptionKeys: string | undefined
  /** Origins whose web pages may call the gateway from a browser. Empty by default. */
  readonly corsOrigins: readonly string[]
  /** Calls per second and environment, by category. */
  readonly rates: Rates | 'off'
  /** Open streams of one environment and of the process, over all transports. */
  readonly streamLimits: StreamLimits
  /** Messages that the process sends at the same time. If undefined, the worker's default. */
  readonly messageConcurrency: number | undefined
  readonly retention: RetentionSettings
  /** The number of trusted proxies that every request passes. The client address is read from their headers. */
  readonly trustedProxies: number
  /**
   * True if providers and webhooks may have private addresses. Otherwise they are blocked, so that customers cannot
   * reach the internal network.
   */
  readonly allowPrivateAddresses: boolean
  /** Addresses and CIDR ranges that providers and webhooks never have. Empty by default. */
  readonly deniedAddresses: readonly string[]
  /**
   * Seconds for which the process serves requests after it was asked to stop, so that load balancers notice. The embedded
   * database has no other process to send requests to: by default, there is no delay.
   */
  readonly shutdownDelay: number
  readonly logLevel: z.output<typeof settings>['LOG_LEVEL']
  /** The public base URL, if it differs from the one in requests. Shown in the OpenAPI document. */
  readonly baseUrl: string | undefined
  /** A second, regional base URL with the same paths. Shown after the first. */
  readonly euBaseUrl: string | undefined
  readonly introspection: boolean
  readonly graphiql: boolean
  /** True if the dashboard is served at `/`. */
  readonly dashboard: boolean
  /** A file of documents by their ids. */
  readonly trustedDocuments: string | undefined
  /** True if the graph accepts no other documents. */
  readonly trustedDocumentsOnly: boolean
  /** Variables that are not read and are probably misspelled. */
  readonly misspelled: readonly MisspelledName[]
}

interface MetricsPort {
  readonly port: number
  /** True if it was set: then the process does not start without it. */
  readonly isRequired: boolean
}

/** The port that exporters of OpenTelemetry use for Prometheus. */
const DEFAULT_METRICS_PORT = 9464

function metricsPortOf(given: number | 'off' | undefined): MetricsPort | 'off' {
  if (given === 'off') return given
  return { port: given ?? DEFAULT_METRICS_PORT, isRequired: given !== undefined }
}

/**
 * Reads the environment variables, and a `.env` file in the working directory for those not set. An empty value counts
 * as not set.
 *
 * @throws Error with one line for each invalid variable. Values are not included, because some are secrets.
 */
export function readConfig(given: NodeJS.ProcessEnv = processEnvironment()): Config {
  const result = environment.safeParse(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')))
  if (!result.success) {
    const byVariable = new Map(result.error.issues.map(({ path: [name], message }) => [name, message]))
    throw new Error([...byVariable].map(([name, message]) => `${String(name)} ${message}`).join('\n'))
  }
  const { data } = result
  return {
    host: data.HOST,
    port: data.PORT,
    metrics: metricsPortOf(data.METRICS_PORT),
    databaseUrl: data.DATABASE_URL,
    databaseDirectUrl: data.DATABASE_DIRECT_URL,
    databaseReadUrl: data.DATABASE_READ_URL,
    databaseStatements: data.DATABASE_STATEMENTS,
    dataDirectory: data.DATA_DIR,
    bootstrapApiKey: data.BOOTSTRAP_API_KEY,
    encryptionKeys: data.ENCRYPTION_KEYS,
    corsOrigins: data.CORS_ORIGINS,
    rates: data.RATE_LIMIT,
    streamLimits: data.MAX_STREAMS,
    messageConcurrency: data.MESSAGE_CONCURRENCY,
    retention: { events: data.RETENTION_DAYS, feed: data.FEED_RETENTION_DAYS },
    trustedProxies: data.TRUSTED_PROXIES,
    allowPrivateAddresses: data.ALLOW_PRIVATE_ADDRESSES,
    deniedAddresses: data.DENIED_ADDRESSES,
    shutdownDelay: data.SHUTDOWN_DELAY ?? (data.DATABASE_URL === undefined ? 0 : DEFAULT_SHUTDOWN_DELAY),
    logLevel: data.LOG_LEVEL,
    baseUrl: data.BASE_URL,
    euBaseUrl: data.EU_BASE_URL,
    introspection: data.INTROSPECTION,
    graphiql: data.GRAPHIQL && !data.TRUSTED_DOCUMENTS_ONLY,
    dashboard: data.DASHBOARD && !data.TRUSTED_DOCUMENTS_ONLY,
    trustedDocuments: data.TRUSTED_DOCUMENTS,
    trustedDocumentsOnly: data.TRUSTED_DOCUMENTS_ONLY,
    misspelled: misspelledNames(Object.keys(given), variables),
  }
}

/** To be called before graphql is loaded. */
function processEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env')
  // With any other value, graphql looks for a second copy of itself in each comparison of types: a quarter of a bulk.
  process.env['NODE_ENV'] ??= 'production'
  return process.env
}
