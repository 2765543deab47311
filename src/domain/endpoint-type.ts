// The kinds of channel endpoint: what each consists of, which parts of it are secret, and what it serves.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ChannelEndpoint as Row } from '../data/prisma/client.ts'
import type { Channel, EndpointType } from '../data/prisma/enums.ts'
import { emailAddress, httpUrl, type JsonObject, parse, text } from '../lib/validation.ts'
import type { Scope } from './scope.ts'

/** Headers that a caller may add to each request of a `tool_webhook`. */
export const MAX_HEADERS = 50
/** Of all names and values of these headers together, in bytes. */
export const MAX_HEADERS_SIZE = 16 * 1024

export const endpointRegions = ['us', 'eu'] as const
export const webhookMethods = ['POST', 'PUT', 'PATCH'] as const

/** RFC 7230, section 3.2.6. */
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const headerValue = /^[\x20-\x7e]*$/

/** Headers that belong to the connection and not to the caller. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Why these headers cannot be sent, or undefined when they can. Values stay unsaid: they are secret. */
function headersObjection(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers)
  if (entries.length > MAX_HEADERS) return `must be at most ${MAX_HEADERS} headers`
  const size = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (size > MAX_HEADERS_SIZE) return `must be at most ${MAX_HEADERS_SIZE} bytes, names and values together`
  const seen = new Set<string>()
  for (const [name, value] of entries) {
    const key = name.toLowerCase()
    if (!headerName.test(name)) {
      return `must have names of letters, digits and !#$%&'*+.^_\`|~- only, unlike ${JSON.stringify(name)}`
    }
    if (ownHeaders.has(key)) return `must not have the header "${name}", which is the connection's own`
    if (seen.has(key)) return `must have each header once, in whichever case, unlike "${name}"`
    if (!headerValue.test(value)) return `must have values of visible ASCII characters and spaces, unlike "${name}"`
    seen.add(key)
  }
  return undefined
}

const headers = z.record(z.string(), z.string()).check(({ value, issues }) => {
  const message = headersObjection(value)
  if (message !== undefined) issues.push({ code: 'custom', message, input: value })
})

/** A field that need not be given: null means the same, and neither is kept. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** An id as the provider gave it. */
const id = text(255, 1)
const region = z.enum(endpointRegions)

type Fields = Record<string, string | Record<string, string> | undefined>

interface TypeRules<Shape extends Fields, Field extends string> {
  readonly schema: z.ZodType<Shape>
  /** What the integration of such an endpoint may deliver by. */
  readonly channels: readonly Channel[]
  /** The fields that are encrypted at rest (SPEC: Channel endpoint). */
  readonly secret?: readonly Field[]
  /** The URL that only one row of a subscriber, integration and context may have. Absent means that repeats are allowed. */
  readonly distinct?: Field
}

/** Lets the compiler see that the fields which a row names are those of its schema. */
const rules = <Shape extends Fields>(row: TypeRules<Shape, keyof Shape & string>) => row

const endpointTypes = {
  workspace_chat_channel: rules({ channels: ['chat'], schema: z.object({ channelId: id }) }),
  workspace_chat_user: rules({ channels: ['chat'], schema: z.object({ userId: id }) }),
  webhook: rules({
    channels: ['chat', 'email', 'sms', 'push', 'tool'],
    schema: z.object({ url: httpUrl, channel: optional(id) }),
  }),
  phone: rules({ channels: ['sms', 'chat'], schema: z.object({ phoneNumber: z.e164() }) }),
  office_chat_channel: rules({ channels: ['chat'], schema: z.object({ teamId: id, channelId: id }) }),
  office_chat_user: rules({ channels: ['chat'], schema: z.object({ userId: id }) }),
  messenger_chat: rules({ channels: ['chat'], schema: z.object({ chatId: id }) }),
  meeting_room: rules({ channels: ['chat'], schema: z.object({ roomId: id, parentId: optional(id) }) }),
  meeting_person: rules({
    channels: ['chat'],
    schema: z
      .object({ personId: optional(id), personEmail: optional(emailAddress) })
      .refine(({ personId, personEmail }) => (personId === undefined) !== (personEmail === undefined), {
        message: 'must have exactly one of personId and personEmail',
      }),
  }),
  messaging_app_user: rules({ channels: ['chat'], schema: z.object({ userId: id }) }),
  incident_service: rules({
    channels: ['tool'],
    schema: z.object({
      routingKey: z.string().regex(/^[a-zA-Z0-9]{32}$/, 'must be exactly 32 letters and digits'),
      region,
    }),
    secret: ['routingKey'],
  }),
  alerting_integration: rules({
    channels: ['tool'],
    schema: z.object({ apiKey: z.guid('must be a UUID'), region }),
    secret: ['apiKey'],
  }),
  oncall_integration: rules({
    // One of its providers is a chat provider.
    channels: ['tool', 'chat'],
    schema: z.object({
      url: httpUrl,
      authToken: optional(
        z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be 1 to 4096 visible ASCII characters without spaces'),
      ),
    }),
    secret: ['url', 'authToken'],
  }),
  tool_webhook: rules({
    channels: ['tool'],
    schema: z.object({ url: httpUrl, headers: optional(headers), method: optional(z.enum(webhookMethods)) }),
    secret: ['url', 'headers'],
    distinct: 'url',
  }),
} satisfies Record<EndpointType, TypeRules<Fields, string>>

type Destination<Type extends EndpointType> = z.output<(typeof endpointTypes)[Type]['schema']>

/** Where an endpoint leads, in clear: its type, and the fields of that type. */
export type Endpoint = { [Type in EndpointType]: { readonly type: Type } & Readonly<Destination<Type>> }[EndpointType]

/** What the integrations of such endpoints may deliver by. */
export function channelsOf(type: EndpointType): readonly Channel[] {
  return endpointTypes[type].channels
}

/** An endpoint as a row keeps it. */
export interface StoredEndpoint {
  readonly endpoint: JsonObject
  readonly secret: string | null
  readonly fingerprint: string | null
}

/**
 * Reads what a caller gave, and encrypts what is secret of it.
 *
 * @throws Refusal `INVALID`, which names the fields below `endpoint` and shows no value back.
 */
export function sealEndpoint(
  { cipher, environmentId }: Pick<Scope, 'cipher' | 'environmentId'>,
  type: EndpointType,
  given: unknown,
): StoredEndpoint {
  const { schema, secret = [], distinct }: TypeRules<Fields, string> = endpointTypes[type]
  const { endpoint } = parse(z.object({ endpoint: schema }), { endpoint: given })
  const open: JsonObject = {}
  const hidden: JsonObject = {}
  for (const [field, value] of Object.entries(endpoint)) {
    if (value !== undefined) (secret.includes(field) ? hidden : open)[field] = value
  }
  const once = distinct === undefined ? undefined : endpoint[distinct]
  return {
    endpoint: open,
    secret: secret.length === 0 ? null : cipher.encrypt(JSON.stringify(hidden), environmentId),
    fingerprint: typeof once === 'string' ? digest(environmentId, once) : null,
  }
}

/** Two ways to write one URL have the same digest; the same URL in two environments has not. */
function digest(environmentId: string, url: string): string {
  return createHash('sha256')
    .update(`${environmentId}\n${new URL(url).href}`)
    .digest('hex')
}

/** Where a row leads, decrypted. */
export function openEndpoint(
  { cipher, environmentId }: Pick<Scope, 'cipher' | 'environmentId'>,
  { type, endpoint, secret }: Pick<Row, 'type' | 'endpoint' | 'secret'>,
): Endpoint {
  const hidden: unknown = secret === null ? {} : JSON.parse(cipher.decrypt(secret, environmentId))
  // Nothing is written that its type's schema did not pass.
  return Object.assign({ type }, endpoint, hidden) as Endpoint
}
