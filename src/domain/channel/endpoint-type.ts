// The endpoint types: the fields of each, which of them are secret, and the channels they support.
import { z } from 'zod'
import type { Channel, EndpointType } from '../../data/prisma/enums.ts'
import { emailAddress, httpUrl, text } from '../../lib/validation.ts'
import { channelsAddressedBy, providerChannels } from './channel.ts'
import { MAX_HEADERS, MAX_HEADERS_SIZE, webhookHeaders } from './webhook-headers.ts'

const endpointRegions = ['us', 'eu'] as const
export const webhookMethods = ['POST', 'PUT', 'PATCH'] as const

type FieldValue = string | Record<string, string> | undefined

/** One field of an endpoint type, for validation, storage and the graph. */
export interface EndpointField<Value extends FieldValue = FieldValue> {
  readonly schema: z.ZodType<Value>
  /** The schema of a stored value, if the field is optional. */
  readonly stored?: z.ZodType<FieldValue>
  /** A sentence. */
  readonly description: string
  /** The allowed values, as a sentence for the documentation of the input. Absent if the type describes them. */
  readonly allowed?: string
  /** The meaning of null, as a sentence. Absent if the field is required. */
  readonly ifNull?: string
  /** True if the field is encrypted at rest (SPEC: Channel endpoint). */
  readonly secret?: boolean
  /** True if the field determines how to deliver, not where. */
  readonly manner?: boolean
  /** Returns the same text for different spellings of an address. Absent if there is only one spelling. */
  readonly normalize?: (value: string) => string
}

/** Makes a field optional. Null and absent mean the same, and neither is stored. */
function optional<Value extends FieldValue>(field: EndpointField<Value>, ifNull: string) {
  const schema = field.schema.nullish().transform((value) => value ?? undefined)
  return { ...field, schema, stored: field.schema, ifNull } satisfies EndpointField
}

function secret<Value extends FieldValue>(field: EndpointField<Value>): EndpointField<Value> {
  return { ...field, secret: true }
}

export const normalizeUrl = (value: string) => new URL(value).href
const lowerCase = (value: string) => value.toLowerCase()

/** An id that the provider assigned. */
const id = (description: string) =>
  ({ schema: text(255, 1), description, allowed: '1 to 255 characters.' }) satisfies EndpointField

const url = (description: string) =>
  ({
    schema: httpUrl,
    description,
    allowed: 'An absolute http or https URL of at most 2048 characters.',
    normalize: normalizeUrl,
  }) satisfies EndpointField

const region = {
  schema: z.enum(endpointRegions),
  description: 'The region that hosts the account.',
} satisfies EndpointField

type Fields = Readonly<Record<string, EndpointField>>

interface EndpointRules {
  /** A sentence. */
  readonly description: string
  /** The channels of integrations on which such an endpoint can be registered. */
  readonly channels: readonly Channel[]
  readonly fields: Fields
  /** Optional fields, exactly one of which is required. */
  readonly oneOf?: readonly string[]
  /** The URL field that must be unique per subscriber, integration and context. If absent, duplicates are allowed. */
  readonly unique?: string
  /** True if a message to such an endpoint is sent with the token of its channel connection. */
  readonly usesConnection?: true
}

interface RulesOf<Own extends Fields> extends EndpointRules {
  readonly fields: Own
  readonly oneOf?: readonly (keyof Own & string)[]
  readonly unique?: keyof Own & string
}

/** Lets the compiler check that `oneOf` and `unique` name fields of the same type. */
const rules = <Own extends Fields>(row: RulesOf<Own>) => row

/** Every endpoint type. Validation, encryption and the types of the graph derive from these rows. */
const rows = {
  workspace_chat_channel: rules({
    description: 'A channel of a workspace chat.',
    channels: ['chat'],
    usesConnection: true,
    fields: { channelId: id('The id of the channel.') },
  }),
  workspace_chat_user: rules({
    description: 'A user of a workspace chat.',
    channels: ['chat'],
    usesConnection: true,
    fields: { userId: id('The id of the user.') },
  }),
  webhook: rules({
    description: 'An incoming webhook.',
    channels: providerChannels,
    fields: {
      url: secret(url('The URL that messages are posted to.')),
      channel: optional(id('The channel at the destination.'), "Null uses the webhook's default."),
    },
  }),
  phone: rules({
    description: 'A phone number.',
    channels: [...channelsAddressedBy('phone'), 'chat'],
    fields: {
      phoneNumber: { schema: z.e164(), description: 'The number in E.164 format, such as `+4915123456789`.' },
    },
  }),
  office_chat_channel: rules({
    description: 'A channel of a team in an office chat.',
    channels: ['chat'],
    usesConnection: true,
    fields: { teamId: id('The id of the team.'), channelId: id('The id of the channel in the team.') },
  }),
  office_chat_user: rules({
    description: 'A user of an office chat.',
    channels: ['chat'],
    usesConnection: true,
    fields: { userId: id('The id of the user.') },
  }),
  messenger_chat: rules({
    description: 'A chat of a messenger.',
    channels: ['chat'],
    fields: { chatId: id('The id of the chat.') },
  }),
  meeting_room: rules({
    description: 'A room of a meeting service.',
    channels: ['chat'],
    usesConnection: true,
    fields: {
      roomId: id('The id of the room.'),
      parentId: optional(id('The id of the message to reply to.'), 'Null starts a new thread.'),
    },
  }),
  meeting_person: rules({
    description: 'A person in a meeting service, identified by id or by email address.',
    channels: ['chat'],
    usesConnection: true,
    fields: {
      personId: optional(id('The id of the person.'), 'Null if `personEmail` is set.'),
      personEmail: optional(
        { schema: emailAddress, description: 'The email address of the person.', normalize: lowerCase },
        'Null if `personId` is set.',
      ),
    },
    oneOf: ['personId', 'personEmail'],
  }),
  messaging_app_user: rules({
    description: 'A user of a messaging app.',
    channels: ['chat'],
    fields: { userId: id('The id of the user.') },
  }),
  incident_service: rules({
    description: 'A service of an incident management tool.',
    channels: ['tool'],
    fields: {
      routingKey: secret({
        schema: z.string().regex(/^[a-zA-Z0-9]{32}$/, 'must be exactly 32 letters and digits'),
        description: 'The routing key.',
        allowed: 'Exactly 32 letters and digits.',
      }),
      region,
    },
  }),
  alerting_integration: rules({
    description: 'An integration of an alerting tool.',
    channels: ['tool'],
    fields: {
      apiKey: secret({
        schema: z.guid('must be a UUID'),
        description: 'The integration key.',
        allowed: 'A UUID.',
        normalize: lowerCase,
      }),
      region,
    },
  }),
  oncall_integration: rules({
    description: 'An incoming-webhook integration of an on-call tool.',
    // The type also supports chat, because one of its providers is a chat provider.
    channels: ['tool', 'chat'],
    fields: {
      url: secret(url('The URL that messages are posted to.')),
      authToken: optional(
        secret({
          schema: z
            .string()
            .regex(/^[\x21-\x7e]{1,4096}$/, 'must be 1 to 4096 visible ASCII characters without spaces'),
          description: 'The bearer token.',
          allowed: '1 to 4096 visible ASCII characters without spaces.',
          manner: true,
        }),
        'Null if the tool requires none.',
      ),
    },
  }),
  tool_webhook: rules({
    description: 'A webhook of any tool. A subscriber can have several on one integration, one for each URL.',
    channels: ['tool'],
    fields: {
      url: secret(url('The URL that requests are sent to.')),
      headers: optional(
        secret({
          schema: webhookHeaders,
          description: 'Headers added to each request.',
          allowed: `At most ${MAX_HEADERS} headers with unique names, ${MAX_HEADERS_SIZE / 1024} KiB in total.`,
          manner: true,
        }),
        'Null adds none.',
      ),
      method: optional(
        { schema: z.enum(webhookMethods), description: 'The HTTP method.', manner: true },
        "Null uses the integration's method.",
      ),
    },
    unique: 'url',
  }),
} satisfies Record<EndpointType, EndpointRules>

export const endpointTypes: Readonly<Record<EndpointType, EndpointRules>> = rows

/** The documentation of a field that callers send. */
export const describeInput = ({ description, allowed, ifNull, secret }: EndpointField) =>
  [description, allowed, ifNull, secret && 'Stored encrypted.'].filter(Boolean).join(' ')

type EndpointSchema = z.ZodObject<Record<string, EndpointField['schema']>>

function schemaOf({ description, fields, oneOf }: EndpointRules): EndpointSchema {
  const schemas = Object.entries(fields).map(([name, field]): [string, EndpointField['schema']] => [
    name,
    field.schema.meta({ description: describeInput(field) }),
  ])
  const schema: EndpointSchema = z.object(Object.fromEntries(schemas))
  if (oneOf === undefined) return schema.meta({ description })
  const choice = `exactly one of ${oneOf.join(' and ')}`
  return schema
    .refine((endpoint) => oneOf.filter((name) => endpoint[name] !== undefined).length === 1, `must have ${choice}`)
    .meta({ description: `${description} Must have ${choice}.` })
}

/** The schema of each type's fields, as callers send them. */
export const endpointSchemas = Object.fromEntries(
  Object.entries(endpointTypes).map(([type, rules]) => [type, schemaOf(rules)]),
) as Readonly<Record<EndpointType, EndpointSchema>>

type ValueOf<Field> = Field extends EndpointField<infer Value> ? Value : never
type FieldsOf<Type extends EndpointType> = (typeof rows)[Type]['fields']

/** A decrypted endpoint: its type, and the fields of that type. */
export type Endpoint = {
  [Type in EndpointType]: { readonly type: Type } & {
    readonly [Field in keyof FieldsOf<Type>]: ValueOf<FieldsOf<Type>[Field]>
  }
}[EndpointType]
