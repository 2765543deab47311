// The settings: one row for each environment variable, with its schema, its default and its line in the documentation.
// `npm run settings` prints them into docs/operations.md and .env.example.
import { z } from 'zod'
import { MESSAGE_CONCURRENCY } from '../delivery/worker/message-concurrency.ts'
import { isAddressRange } from '../delivery/network/public-address.ts'
import { chosenKey, MIN_KEY_LENGTH } from '../domain/access/api-key.ts'
import { MAX_RETENTION_DAYS, newOrganizationRetention } from '../domain/access/retention.ts'
import { largestPlan } from '../http/rate-limit.ts'
import { defaultStreamLimits } from '../lib/stream-limits.ts'
import {
  baseAddress,
  commaSeparated,
  databaseUrls,
  onOff,
  isOrigin,
  keyRing,
  listed,
  numbersOf,
  port,
  portOrOff,
  postgresUrl,
  retention,
} from './formats.ts'

/** The documentation of a variable. */
interface Line {
  /** The default as Markdown. */
  readonly byDefault: string
  /** The value in .env.example, without quotes. */
  readonly example: string
  /** Markdown, with links as in docs/operations.md. */
  readonly meaning: string
}

/** The documentation of each variable, by its schema. */
export const lines = z.registry<Line>()

interface Documented extends Partial<Line> {
  readonly meaning: string
}

const code = (text: string) => (text === '' ? 'none' : `\`${text}\``)

/** A variable with a default, written as an operator would write it. */
function withDefault<Value extends z.core.$ZodType<unknown, string>>(
  value: Value,
  text: z.input<Value>,
  documented: Documented,
): z.ZodPrefault<Value> {
  const setting = z.prefault(value, text)
  lines.add(setting, { byDefault: code(text), example: text, ...documented })
  return setting
}

/** A variable that may be missing. `byDefault` describes what applies then. */
function optional<Value extends z.core.$ZodType<unknown, string>>(
  value: Value,
  documented: Documented,
): z.ZodOptional<Value> {
  const setting = z.optional(value)
  lines.add(setting, { byDefault: 'none', example: '', ...documented })
  return setting
}

/** The port that exporters of OpenTelemetry use for Prometheus. */
export const DEFAULT_METRICS_PORT = 9464

/**
 * Seconds, for a database server. Long enough for a load balancer that polls `/ready` every two seconds, and short
 * enough for `docker stop`.
 */
export const DEFAULT_SHUTDOWN_DELAY = 5

/** All settings, in the order of the documentation. */
export const settings = z.object({
  HOST: withDefault(z.string(), '127.0.0.1', { meaning: 'Address to listen on; `0.0.0.0` for all.' }),
  PORT: withDefault(port, '3000', { meaning: 'Port to listen on; `0` for any free port.' }),
  METRICS_PORT: optional(portOrOff, {
    byDefault: code(String(DEFAULT_METRICS_PORT)),
    example: String(DEFAULT_METRICS_PORT),
    meaning: 'Port of the [metrics](#metrics); `0` for any free port, `off` for none.',
  }),
  DATABASE_URL: optional(postgresUrl, {
    meaning:
      'PostgreSQL database: `postgresql://user:password@host:port/database`. Without it, the embedded database is used.',
  }),
  DATABASE_DIRECT_URL: optional(postgresUrl, {
    meaning:
      'The server itself, if `DATABASE_URL` is a pooler in transaction mode. See [Connection poolers](#connection-poolers).',
  }),
  DATABASE_READ_URL: optional(postgresUrl, {
    meaning: 'A streaming replica of the server, for reads. See [A replica for reads](#a-replica-for-reads).',
  }),
  DATABASES: withDefault(databaseUrls, '', {
    meaning:
      'Further databases for the rows of environments, such as `eu=postgresql://… us=postgresql://…`. See [Several databases](#several-databases).',
  }),
  NEW_ENVIRONMENTS_DATABASE: optional(z.string(), {
    byDefault: '`main`',
    meaning: 'The one of `DATABASES` that has the rows of new environments. `main` is that of `DATABASE_URL`.',
  }),
  DATABASE_STATEMENTS: withDefault(z.enum(['named', 'unnamed'], { error: 'must be named or unnamed' }), 'named', {
    meaning:
      '`unnamed` sends statements without names, for poolers that do not support names. Each is then planned again each time.',
  }),
  DATA_DIR: withDefault(z.string(), '.data', {
    meaning: 'Folder of the embedded database and the key file. Used by one process at a time.',
  }),
  BOOTSTRAP_API_KEY: optional(chosenKey, {
    meaning: `API key of Development, set on the very first start instead of a random one. ${MIN_KEY_LENGTH} to 200 printable ASCII characters, better 32 random ones.`,
  }),
  ENCRYPTION_KEYS: optional(keyRing, {
    byDefault: 'a file created in `DATA_DIR`',
    meaning:
      'Keys that encrypt secrets, newest first, comma-separated: `<id>:<base64 of 32 bytes>`. See [Encryption keys](#encryption-keys).',
  }),
  CORS_ORIGINS: withDefault(
    commaSeparated.refine(
      (list) => list.every(isOrigin),
      'must be a comma-separated list of origins such as https://dashboard.example.com',
    ),
    '',
    {
      meaning:
        'Origins of web pages that may call from a browser, comma-separated, such as `https://dashboard.example.com`.',
    },
  ),
  RATE_LIMIT: withDefault(
    z.union([z.literal('off'), numbersOf(largestPlan)], {
      error:
        'must be off, or calls per second from 1 to 999999 such as trigger=60,configuration=20,global=30; omitted categories keep their defaults',
    }),
    listed(largestPlan),
    {
      meaning:
        'Calls per second of one environment, by [category](graphql.md#rate-limits); `off` for no limits. A category that is left out keeps its default.',
    },
  ),
  MAX_STREAMS: withDefault(
    numbersOf(
      defaultStreamLimits,
      'must be numbers of streams from 1 to 999999 such as environment=1000,process=10000; omitted names keep their defaults',
    ),
    listed(defaultStreamLimits),
    {
      meaning: 'Open streams of one environment, and of the process. See [Proxies and streams](#proxies-and-streams).',
    },
  ),
  MESSAGE_CONCURRENCY: optional(
    z
      .string()
      .regex(/^[1-9]\d{0,2}$/, 'must be a whole number of messages from 1 to 999')
      .transform(Number),
    {
      byDefault: code(String(MESSAGE_CONCURRENCY)),
      example: String(MESSAGE_CONCURRENCY),
      meaning:
        'Messages that the process sends at the same time, from 1 to 999. See [Messages in flight](#messages-in-flight).',
    },
  ),
  RETENTION_DAYS: optional(retention, {
    byDefault: `${code(String(newOrganizationRetention.retentionDays))} for new databases`,
    example: String(newOrganizationRetention.retentionDays),
    meaning: `Days after which finished events are deleted, from 1 to ${MAX_RETENTION_DAYS}, or \`off\`. See [Retention](#retention).`,
  }),
  FEED_RETENTION_DAYS: optional(retention, {
    byDefault: `${code(String(newOrganizationRetention.feedRetentionDays))} for new databases`,
    example: String(newOrganizationRetention.feedRetentionDays),
    meaning: `Days after which notifications are deleted, from 1 to ${MAX_RETENTION_DAYS}, or \`off\`. See [Retention](#retention).`,
  }),
  KEEP_SUPPRESSED_HASHES: withDefault(onOff, 'off', {
    meaning:
      '`on` keeps the hashes of suppressed addresses when a person is erased, so that nothing is sent to them later. See [Suppression](suppression.md#erasure).',
  }),
  TRUSTED_PROXIES: withDefault(
    z.string().regex(/^\d$/, 'must be the number of proxies in front of the gateway, from 0 to 9').transform(Number),
    '0',
    {
      meaning: 'Number of your proxies that every request passes. See [Proxies and streams](#proxies-and-streams).',
    },
  ),
  ALLOW_PRIVATE_ADDRESSES: withDefault(onOff, 'off', {
    meaning:
      'Allows deliveries to private addresses, such as `127.0.0.1` or `10.0.0.5`. Metadata services of cloud platforms stay blocked.',
  }),
  DENIED_ADDRESSES: withDefault(
    commaSeparated.refine(
      (list) => list.every(isAddressRange),
      'must be a comma-separated list of IP addresses and CIDR ranges such as 203.0.113.0/24',
    ),
    '',
    {
      example: '203.0.113.0/24',
      meaning:
        'IP addresses and CIDR ranges that deliveries never go to, comma-separated, such as `203.0.113.0/24,2001:db8::1`.',
    },
  ),
  SHUTDOWN_DELAY: optional(
    z
      .string()
      .regex(/^\d{1,3}$/, 'must be a whole number of seconds from 0 to 999')
      .transform(Number),
    {
      byDefault: `${code(String(DEFAULT_SHUTDOWN_DELAY))}, or \`0\` with the embedded database`,
      example: String(DEFAULT_SHUTDOWN_DELAY),
      meaning:
        'Seconds, at most 999, for which the process serves requests after SIGTERM. See [Health and shutdown](#health-and-shutdown).',
    },
  ),
  LOG_LEVEL: withDefault(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    }),
    'info',
    { meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.' },
  ),
  BASE_URL: optional(baseAddress, {
    meaning:
      'Public base URL, shown in the OpenAPI document. [Unsubscribe links](unsubscribe.md) require one with https.',
  }),
  EU_BASE_URL: optional(baseAddress, {
    meaning: 'Second public base URL, of a European region, shown in the OpenAPI document.',
  }),
  INTROSPECTION: withDefault(onOff, 'on', {
    meaning: 'Allows introspection of the GraphQL schema, and suggestions of names in error messages.',
  }),
  GRAPHIQL: withDefault(onOff, 'on', { meaning: 'Serves GraphiQL to browsers at `/graphql`.' }),
  DASHBOARD: withDefault(onOff, 'on', {
    meaning: 'Serves the [dashboard](dashboard.md) at `/`, and prints links that sign in.',
  }),
  TRUSTED_DOCUMENTS: optional(z.string(), {
    meaning: 'Path of a JSON file with [trusted documents](graphql.md#trusted-documents).',
  }),
  TRUSTED_DOCUMENTS_ONLY: withDefault(onOff, 'off', {
    meaning:
      'Rejects all other GraphQL queries, so that the dashboard and GraphiQL are off. Requires `TRUSTED_DOCUMENTS`.',
  }),
})
