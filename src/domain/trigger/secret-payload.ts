// Secret fields of payloads: an event has a mask in their place. Their values are stored encrypted, until nothing needs them.
import { z } from 'zod'
import type { Event } from '../../data/prisma/client.ts'
import { MASK, type SecretFields } from '../../evaluation/secret-fields.ts'
import { valueAt } from '../../lib/paths.ts'
import type { Json, JsonObject } from '../../lib/validation.ts'
import { incidentActions } from '../channel/channel.ts'
import type { Content, EmailDetails } from '../channel/content.ts'
import { asObject } from '../channel/stored-json.ts'
import { decryptOf } from '../resolver/decrypt.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/** Why an event with secret fields cannot be executed any more. */
export const SECRETS_REMOVED = 'The values of the secret payload fields were removed after the event had ended.'

const secrets = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), value: z.json() }))

const address = z.object({ name: z.string(), address: z.string() })
const addresses = z.array(address).exactOptional()

const file = z.object({
  eventId: z.string(),
  position: z.int(),
  name: z.string(),
  contentType: z.string().nullable(),
  size: z.int().nullable(),
  contentId: z.string().exactOptional(),
  inline: z.literal(true).exactOptional(),
})

const email = z.object({
  from: address.exactOptional(),
  senderName: z.string().exactOptional(),
  to: addresses,
  replacesTo: z.boolean().exactOptional(),
  replyTo: addresses,
  cc: addresses,
  bcc: addresses,
  headers: z.array(z.object({ name: z.string(), value: z.string() })).exactOptional(),
  thread: z.string().exactOptional(),
  preheader: z.string().exactOptional(),
  text: z.string().exactOptional(),
  attachments: z.array(file).exactOptional(),
}) satisfies z.ZodType<EmailDetails>

const content = z.object({
  subject: z.string().nullable(),
  body: z.string(),
  incident: z.object({ key: z.string(), action: z.enum(incidentActions) }).exactOptional(),
  email: email.exactOptional(),
  sms: z.object({ from: z.string().exactOptional(), to: z.string().exactOptional() }).exactOptional(),
  smtp: z.array(z.custom<JsonObject>()).exactOptional(),
  unsubscribe: z.string().exactOptional(),
}) satisfies z.ZodType<Content>

/** The values of secret fields, with their paths in the payload. */
type Secrets = z.output<typeof secrets>
type SecretPath = Secrets[number]['path']

type Sealing = Pick<EnvironmentScope, 'cipher' | 'environmentId'>

/** Replaces secret values, and adds them to `found`. */
function masked(value: Json, { isSecret, properties, items }: SecretFields, path: SecretPath, found: Secrets): Json {
  if (isSecret) {
    found.push({ path, value })
    return MASK
  }
  if (Array.isArray(value)) {
    return items ? value.map((item, index) => masked(item, items, [...path, index], found)) : value
  }
  return typeof value === 'object' && value !== null ? maskedObject(value, properties, path, found) : value
}

function maskedObject(
  value: JsonObject,
  properties: SecretFields['properties'],
  path: SecretPath,
  found: Secrets,
): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => {
      const fields = properties.get(name)
      return [name, fields ? masked(inside, fields, [...path, name], found) : inside]
    }),
  )
}

/** Returns a payload with masks in place of secret values. @param fields undefined if the workflow has no secret fields. */
export const maskedPayload = (payload: JsonObject, fields: SecretFields | undefined): JsonObject =>
  fields ? maskedObject(payload, fields.properties, [], []) : payload

/** Returns the columns of an event for its payload. */
export function sealPayload(
  { cipher, environmentId }: Sealing,
  payload: JsonObject,
  fields: SecretFields | undefined,
): Pick<Event, 'secretPayload'> & { readonly payload: JsonObject } {
  if (fields === undefined) return { payload, secretPayload: null }
  const found: Secrets = []
  const shown = maskedObject(payload, fields.properties, [], found)
  return {
    payload: shown,
    secretPayload: found.length > 0 ? cipher.encrypt(JSON.stringify(found), environmentId) : null,
  }
}

/** The payload of an event with its secret values: do not store or log it. */
interface OpenPayload {
  readonly payload: JsonObject
  /** Every text and number in the secret values. */
  readonly secrets: readonly string[]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn)
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return text === '' ? [] : [text]
}

/** Decrypts the payload of an event. Values that have been removed stay masked. @throws DecryptionError */
export function openPayload(scope: Sealing, { id, payload, secretPayload }: StoredPayload): OpenPayload {
  if (secretPayload === null) return { payload: asObject(payload), secrets: [] }
  const found = secrets.parse(JSON.parse(decryptOf(`event "${id}"`, scope, secretPayload)))
  const opened = structuredClone(asObject(payload))
  for (const { path, value } of found) {
    const parent = valueAt(opened, path.slice(0, -1))
    const name = path.at(-1)
    // An erasure may have removed the parent.
    if (typeof parent === 'object' && parent !== null && name !== undefined) Reflect.set(parent, name, value)
  }
  return { payload: opened, secrets: [...new Set(found.flatMap(({ value }) => textsIn(value)))] }
}

type StoredPayload = Pick<Event, 'id' | 'payload' | 'secretPayload'>

/** Returns a text with masks in place of secret values. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  // A longer value may contain a shorter one.
  secrets
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replaceAll(secret, () => MASK), text)

/** Encrypts the content of a message. */
export const sealContent = ({ cipher, environmentId }: Sealing, given: Content): string =>
  cipher.encrypt(JSON.stringify(content.parse(given)), environmentId)

/** Decrypts the content of a message. @throws DecryptionError */
export const openContent = (scope: Sealing, id: string, secretContent: string): Content =>
  content.parse(JSON.parse(decryptOf(`message "${id}"`, scope, secretContent)))
