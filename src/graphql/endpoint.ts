// Channel endpoint types in the graph. Each has an enum value, a member of `Endpoint` and a field of `EndpointInput`,
// all derived from its row in domain/channel/endpoint-type.ts.
import { EndpointType as Type } from '../data/prisma/enums.ts'
import {
  describeInput,
  type Endpoint as EndpointValue,
  type EndpointField,
  endpointTypes,
} from '../domain/channel/endpoint-type.ts'
import { type Issue, refuse } from '../lib/errors.ts'
import { builder, type InputFields, type ObjectFields } from './schema/builder.ts'

type PascalCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Capitalize<Head>}${PascalCase<Tail>}`
  : Capitalize<Name>

/** The GraphQL name of each type. Its input is `<Name>Input`. */
const names = {
  workspace_chat_channel: 'WorkspaceChatChannel',
  workspace_chat_user: 'WorkspaceChatUser',
  webhook: 'Webhook',
  phone: 'Phone',
  office_chat_channel: 'OfficeChatChannel',
  office_chat_user: 'OfficeChatUser',
  messenger_chat: 'MessengerChat',
  meeting_room: 'MeetingRoom',
  meeting_person: 'MeetingPerson',
  messaging_app_user: 'MessagingAppUser',
  incident_service: 'IncidentService',
  alerting_integration: 'AlertingIntegration',
  oncall_integration: 'OncallIntegration',
  tool_webhook: 'ToolWebhook',
} as const satisfies { [Name in Type]: PascalCase<Name> }

const types = Object.values(Type)

export const EndpointType = builder.enumType('EndpointType', {
  description: 'The type of a channel endpoint. Each value has its own member of `Endpoint`.',
  values: Object.fromEntries(
    types.map((type) => [type.toUpperCase(), { value: type, description: endpointTypes[type].description }]),
  ),
})

const EndpointRegion = builder.enumType('EndpointRegion', {
  description: 'The region that hosts the account of an incident or alerting tool.',
  values: {
    US: { value: 'us', description: 'The United States.' },
    EU: { value: 'eu', description: 'The European Union.' },
  } as const,
})

const WebhookMethod = builder.enumType('WebhookMethod', {
  description: 'The HTTP method of a webhook request.',
  values: {
    POST: { description: 'POST.' },
    PUT: { description: 'PUT.' },
    PATCH: { description: 'PATCH.' },
  } as const,
})

interface HttpHeaderValue {
  readonly name: string
  readonly value: string
}

const HttpHeader = builder.objectRef<HttpHeaderValue>('HttpHeader').implement({
  description: 'An HTTP header.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name.' }),
    value: t.exposeString('value', { description: 'The value, decrypted.' }),
  }),
})

const HttpHeaderInput = builder.inputType('HttpHeaderInput', {
  description: 'An HTTP header.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'The name. Headers that the gateway sets, such as `Host` or `Idempotency-Key`, are invalid.',
    }),
    value: t.string({
      required: true,
      description: 'The value: visible ASCII characters and spaces. Stored encrypted.',
    }),
  }),
})

/** The value of a text field. Null if the endpoint lacks it. */
function textOf(endpoint: EndpointValue, name: string): string | null {
  const { [name]: value }: Readonly<Record<string, unknown>> = endpoint
  return typeof value === 'string' ? value : null
}

function required<Value>(value: Value | null | undefined, name: string): Value {
  if (value === null || value === undefined) throw new Error(`a stored endpoint lacks ${name}`)
  return value
}

function outputField(t: ObjectFields<EndpointValue>, name: string, field: EndpointField) {
  const description = [field.description, field.secret && 'Decrypted.', field.ifNull].filter(Boolean).join(' ')
  switch (name) {
    case 'region':
      return t.field({
        type: EndpointRegion,
        description,
        resolve: (endpoint) => required('region' in endpoint ? endpoint.region : null, name),
      })
    case 'method':
      return t.field({
        type: WebhookMethod,
        nullable: true,
        description,
        resolve: (endpoint) => ('method' in endpoint ? endpoint.method : null),
      })
    case 'headers':
      return t.field({
        type: [HttpHeader],
        nullable: true,
        description,
        resolve: (endpoint) =>
          'headers' in endpoint && endpoint.headers
            ? Object.entries(endpoint.headers).map(([name, value]) => ({ name, value }))
            : null,
      })
    default:
      return field.ifNull === undefined
        ? t.string({ description, resolve: (endpoint) => required(textOf(endpoint, name), name) })
        : t.string({ nullable: true, description, resolve: (endpoint) => textOf(endpoint, name) })
  }
}

function inputField(t: InputFields, name: string, field: EndpointField) {
  const options = {
    required: field.ifNull === undefined,
    description: describeInput(field),
  }
  switch (name) {
    case 'region':
      return t.field({ ...options, type: EndpointRegion })
    case 'method':
      return t.field({ ...options, type: WebhookMethod })
    case 'headers':
      return t.field({ ...options, type: [HttpHeaderInput] })
    default:
      return t.string(options)
  }
}

const members = types.map((type) => {
  const { description, fields } = endpointTypes[type]
  return builder.objectRef<EndpointValue>(names[type]).implement({
    description,
    fields: (t) =>
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, outputField(t, name, field)])),
  })
})

export const EndpointUnion = builder.unionType('Endpoint', {
  description: 'The destination of a channel endpoint.',
  types: members,
  resolveType: ({ type }) => names[type],
})

const inputMembers = types.map((type) => {
  const { description, fields } = endpointTypes[type]
  const ref = builder.inputType(`${names[type]}Input`, {
    description,
    fields: (t) =>
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, inputField(t, name, field)])),
  })
  return { type, description, member: names[type].charAt(0).toLowerCase() + names[type].slice(1), ref }
})

export const EndpointInput = builder.inputType('EndpointInput', {
  description: 'The destination of a channel endpoint. Set exactly one field; it determines the type.',
  isOneOf: true,
  fields: (t) =>
    Object.fromEntries(
      inputMembers.map(({ member, ref, description }) => [member, t.field({ type: ref, description })]),
    ),
})

type Given = typeof EndpointInput.$inferInput

/** Converts headers to the domain's input. @throws Refusal `INVALID` if a header is repeated. */
function readHeaders(list: readonly HttpHeaderValue[]): Record<string, string> {
  const headers = Object.fromEntries(list.map(({ name, value }) => [name, value]))
  if (Object.keys(headers).length < list.length) {
    throw refuse('INVALID', 'endpoint.headers must have each header once', 'endpoint.headers')
  }
  return headers
}

/** Converts an endpoint to its type and fields, as the domain's input. */
export function readEndpoint(input: Given): { type: Type; endpoint: Record<string, unknown> } {
  const found = inputMembers.find(({ member }) => input[member])
  const fields = found && input[found.member]
  if (!fields) throw new Error('EndpointInput has no member')
  const endpoint = Object.entries(fields).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? readHeaders(value) : value,
  ])
  return { type: found.type, endpoint: Object.fromEntries(endpoint) }
}

/** Converts a path in the domain's input to the mutation's: `endpoint.url` to `endpoint.<member>.url`. */
export function locateEndpoint(path: Issue['path'], { endpoint }: { readonly endpoint: Given }): Issue['path'] {
  const [member = ''] = Object.keys(endpoint)
  return path[0] === 'endpoint' || path[0] === 'type' ? ['endpoint', member, ...path.slice(1)] : path
}
