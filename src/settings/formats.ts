// The formats of settings: how the text of an environment variable is validated and read.
import { z } from 'zod'
import { MAX_RETENTION_DAYS } from '../domain/access/retention.ts'
import { MAIN_DATABASE } from '../domain/resolver/databases.ts'
import { Cipher } from '../lib/cipher.ts'

export const onOff = z
  .enum(['on', 'off', 'true', 'false'], { error: 'must be on or off' })
  .transform((value) => value === 'on' || value === 'true')

const notAPort = 'must be a port number from 0 to 65535'
const notAPortOrOff = `${notAPort}, or off`

export const port = z
  .string()
  .regex(/^\d{1,5}$/, notAPort)
  .transform(Number)
  .refine((number) => number <= 65_535, notAPort)

export const portOrOff = z
  .string()
  .regex(/^(off|\d{1,5})$/, notAPortOrOff)
  .transform((value) => (value === 'off' ? value : Number(value)))
  .refine((number) => number === 'off' || number <= 65_535, notAPortOrOff)

/** True for an origin in the form that browsers send: scheme, host and port, without a path. */
export const isOrigin = (value: string) =>
  URL.canParse(value) && /^https?:/.test(value) && new URL(value).origin === value

/** @returns why the key ring is invalid, or undefined if it is valid. */
function keyRingError(ring: string): string | undefined {
  try {
    new Cipher(ring)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export const commaSeparated = z
  .string()
  .transform((list) => (list === '' ? [] : list.split(',').map((entry) => entry.trim())))

/** A list such as `a=1,b=2` of whole numbers from 1 to 999999. A name that is left out keeps its default. */
export const numbersOf = <Name extends string>(defaults: Readonly<Record<Name, number>>, error?: string) =>
  commaSeparated
    .pipe(z.array(z.string().regex(new RegExp(`^(${Object.keys(defaults).join('|')})=[1-9]\\d{0,5}$`), error)))
    .transform((entries): Readonly<Record<Name, number>> => {
      const given = entries.map((entry): [string, number] => {
        const [name = '', number] = entry.split('=')
        return [name, Number(number)]
      })
      return { ...defaults, ...Object.fromEntries(given) }
    })

/** Writes numbers as `numbersOf` reads them. */
export const listed = (numbers: object) =>
  Object.entries(numbers)
    .map(([name, number]) => `${name}=${String(number)}`)
    .join(',')

export const retention = z.union(
  [
    z.literal('off'),
    z
      .string()
      .regex(/^[1-9]\d{0,3}$/)
      .transform(Number)
      .pipe(z.number().max(MAX_RETENTION_DAYS)),
  ],
  { error: `must be off, or a whole number of days from 1 to ${MAX_RETENTION_DAYS}` },
)

export const baseAddress = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://notifications.example.com' })
  .transform((address) => address.replace(/\/+$/, ''))

/** Matches a URL with several hosts, with or without ports. The driver takes one. */
const severalHosts = /^postgres(ql)?:\/\/([^/?@]*@)?[^/?@]*,/
const ONE_HOST = 'must name one host, such as an address that always leads to the primary'

export const postgresUrl = z
  .url({
    protocol: /^postgres(ql)?$/,
    error: ({ input }) =>
      typeof input === 'string' && severalHosts.test(input)
        ? ONE_HOST
        : 'must have the form postgresql://user:password@host:port/database',
  })
  .refine((url) => !severalHosts.test(url), ONE_HOST)

/** A key ring that encrypts secrets. The error names the invalid key without revealing its bytes. */
export const keyRing = z.string().check(({ value, issues }) => {
  const reason = keyRingError(value)
  if (reason !== undefined) issues.push({ code: 'custom', message: `is not a valid key ring: ${reason}`, input: value })
})

const namedUrls = 'must have the form name=postgresql://user:password@host:port/database, one for each line or space'

/** Databases by name: `eu=postgresql://… us=postgresql://…`. Names consist of lower-case letters, digits and hyphens. */
export const databaseUrls = z
  .string()
  .transform((text) => text.split(/\s+/).filter((entry) => entry !== ''))
  .pipe(z.array(z.string().regex(/^[a-z][a-z\d-]{0,62}=postgres(ql)?:\/\/\S+$/, namedUrls)))
  .transform((entries) =>
    entries.map((entry) => {
      const [name = '', url = ''] = entry.split(/=(.*)/s)
      return [name, url] as const
    }),
  )
  .refine((entries) => entries.every(([, url]) => URL.canParse(url)), namedUrls)
  .refine((entries) => new Set(entries.map(([name]) => name)).size === entries.length, 'must have each name once')
  .refine((entries) => entries.every(([name]) => name !== MAIN_DATABASE), `must not have the name ${MAIN_DATABASE}`)
