// The only reader of process.env: what the operator may set, checked at start.
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { MIN_KEY_LENGTH } from './domain/api-key.ts'
import { largestPlan, type Rates } from './http/rate-limit.ts'
import { Cipher } from './lib/cipher.ts'

const flag = z
  .enum(['on', 'off', 'true', 'false'], { error: 'must be on or off' })
  .transform((value) => value === 'on' || value === 'true')

const notAPort = 'must be a port number from 0 to 65535'

/** As a browser sends it: scheme, host and port, and nothing after them. */
const isOrigin = (value: string) => URL.canParse(value) && /^https?:/.test(value) && new URL(value).origin === value

function objectionToKeyRing(ring: string): string | undefined {
  try {
    new Cipher(ring)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const rates = z
  .string()
  .transform((list) => list.split(',').map((entry) => entry.trim()))
  .pipe(z.array(z.string().regex(/^(trigger|configuration|global)=[1-9]\d{0,5}$/)))
  .transform((entries): Rates => {
    const given = entries.map((entry): [string, number] => {
      const [category = '', rate] = entry.split('=')
      return [category, Number(rate)]
    })
    return { ...largestPlan, ...Object.fromEntries(given) }
  })

const baseAddress = z
  .url({ protocol: /^https?$/, error: 'must be an address such as https://notifications.example.com' })
  .transform((address) => address.replace(/\/+$/, ''))
  .optional()

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, notAPort)
    .transform(Number)
    .refine((port) => port <= 65_535, notAPort)
    .default(3000),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must read postgresql://user:password@host:port/database' })
    .optional(),
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
      const objection = objectionToKeyRing(value)
      if (objection !== undefined)
        issues.push({ code: 'custom', message: `is no key ring: ${objection}`, input: value })
    })
    .optional(),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((entry) => entry.trim()))
    .refine((list) => list.every(isOrigin), 'must be origins such as https://dashboard.example.com, comma-separated')
    .default([]),
  RATE_LIMIT: z
    .union([z.literal('off'), rates], {
      error:
        'must be off, or calls per second from 1 to 999999 such as trigger=60,configuration=20,global=30; what is left out keeps its default',
    })
    .default(largestPlan),
  TRUSTED_PROXIES: z
    .string()
    .regex(/^\d$/, 'must be the number of proxies before the gateway, from 0 to 9')
    .transform(Number)
    .default(0),
  ALLOW_PRIVATE_ADDRESSES: flag.default(false),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
  BASE_URL: baseAddress,
  EU_BASE_URL: baseAddress,
  INTROSPECTION: flag.default(true),
  GRAPHIQL: flag.default(true),
})

/** The names of all that can be set. */
export const variables = Object.keys(environment.shape)

export interface Config {
  readonly host: string
  readonly port: number
  /** Absent means the embedded database under `dataDirectory`. */
  readonly databaseUrl: string | undefined
  readonly dataDirectory: string
  readonly bootstrapApiKey: string | undefined
  /** Newest first. Absent means the key file under `dataDirectory`. */
  readonly encryptionKeys: string | undefined
  /** Web pages of these origins may call from a browser; none unless set. */
  readonly corsOrigins: readonly string[]
  /** Calls per second of one environment, by category. */
  readonly rates: Rates | 'off'
  /** How many proxies of the operator every request passes; the last of them say whence it came. */
  readonly trustedProxies: number
  /** Whether providers and webhooks may be called at private addresses, which customers could else use to reach inside. */
  readonly allowPrivateAddresses: boolean
  readonly logLevel: z.output<typeof environment>['LOG_LEVEL']
  /** The address that callers use, when it is another than this process sees. Shown in the description of REST. */
  readonly baseUrl: string | undefined
  /** A second, regional address of the same paths. Shown beside the first. */
  readonly euBaseUrl: string | undefined
  readonly introspection: boolean
  readonly graphiql: boolean
}

/**
 * Reads the environment, and a file `.env` of the working directory for what is not set there. Empty means not set.
 *
 * @throws Error with one line for each variable that is wrong. Values are left out: some are secrets.
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
    databaseUrl: data.DATABASE_URL,
    dataDirectory: data.DATA_DIR,
    bootstrapApiKey: data.BOOTSTRAP_API_KEY,
    encryptionKeys: data.ENCRYPTION_KEYS,
    corsOrigins: data.CORS_ORIGINS,
    rates: data.RATE_LIMIT,
    trustedProxies: data.TRUSTED_PROXIES,
    allowPrivateAddresses: data.ALLOW_PRIVATE_ADDRESSES,
    logLevel: data.LOG_LEVEL,
    baseUrl: data.BASE_URL,
    euBaseUrl: data.EU_BASE_URL,
    introspection: data.INTROSPECTION,
    graphiql: data.GRAPHIQL,
  }
}

function processEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return process.env
}
