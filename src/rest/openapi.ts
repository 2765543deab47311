// The machine-readable description of this door: OpenAPI 3.1, printed from the table.
import { STATUS_CODES } from 'node:http'
import type { z } from 'zod'
import { type Noun, nounOf, permissionsOfPublicCaller, permissionsOfSession } from '../domain/permission.ts'
import { type ErrorKind, errorKinds } from '../lib/errors.ts'
import { errorObject, validationErrorObject } from './errors.ts'
import type { Route } from './route.ts'
import { type Schema, SchemaPrinter, withoutNull } from './schema-printer.ts'

/** Where the same paths are served, as callers reach them. */
export interface Addresses {
  /** Absent means wherever the description itself was read from. */
  readonly baseUrl?: string | undefined
  /** The second, regional address (SPEC). */
  readonly euBaseUrl?: string | undefined
}

const INTRODUCTION = `Subscribers, contexts, topics, channel endpoints, environments and triggers over REST.

Bodies are JSON, in UTF-8. Every path and query parameter is percent-encoded. Unknown fields of a body are ignored.`

const tags = {
  environment: { name: 'Environments', description: 'The stages of an application, each with its own API keys.' },
  apiKey: { name: 'API keys', description: 'What opens an environment.' },
  context: { name: 'Contexts', description: 'Tenancy inside one environment.' },
  subscriber: { name: 'Subscribers', description: 'The recipients of notifications.' },
  session: { name: 'Sessions', description: 'What browsers have in the place of an API key.' },
  integration: { name: 'Integrations', description: 'Accounts with the providers that deliver.' },
  channelEndpoint: { name: 'Channel endpoints', description: 'Where a subscriber is reached on an integration.' },
  topic: { name: 'Topics', description: 'Groups of subscribers.' },
  workflow: { name: 'Workflows', description: 'What a trigger sets in motion.' },
  preference: { name: 'Preferences', description: 'Which channels a subscriber wants.' },
  topicSubscription: { name: 'Topic subscriptions', description: 'What links a subscriber to a topic.' },
  event: { name: 'Events', description: 'Triggers.' },
  notification: { name: 'Notifications', description: 'The in-app feed of a subscriber.' },
} as const satisfies Record<Noun, { name: string; description: string }>

/** Only the graph negotiates what an answer is written in. */
type RestErrorKind = Exclude<ErrorKind, 'NOT_ACCEPTABLE'>

const conditions = {
  MALFORMED: 'The request cannot be read: broken JSON, a malformed cursor, parameters that exclude each other.',
  UNAUTHENTICATED: 'The credentials are missing, unknown, revoked or expired, or the scheme is another one.',
  FORBIDDEN: 'The API key or the session may not do this.',
  NOT_FOUND: 'There is no such thing in this environment.',
  METHOD_NOT_ALLOWED: 'The path is known, and takes other methods.',
  CONFLICT: 'It contradicts what exists, or a request with the same idempotency key is in flight.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  URI_TOO_LONG: 'The path and query are too long.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not JSON, by its Content-Type.',
  INVALID: 'A field has a value that is not allowed, or the idempotency key was used for another request.',
  RATE_LIMITED: 'The rate limit is passed.',
  INTERNAL: 'Something went wrong that the caller cannot mend. The operator finds the cause under the errorId.',
  UNAVAILABLE: 'The gateway starts or stops, or its database does not answer.',
} as const satisfies Record<RestErrorKind, string>

const kinds = Object.keys(conditions) as RestErrorKind[]

const header = (description: string, required = false) => ({
  description,
  ...(required ? { required } : {}),
  schema: { type: 'string' },
})

// SPEC: Limits, response headers.
const headers = {
  'RateLimit-Limit': header('Requests permitted in a window; the real maximum may differ when burst is enabled.'),
  'RateLimit-Remaining': header('Requests remaining until the next window.'),
  'RateLimit-Reset': header('Seconds until a request of the same cost is refreshed.'),
  'RateLimit-Policy': header('The policy applied: window, burst, algorithm comment, category and cost.'),
  'Idempotency-Key': header('The idempotency key of the request, where it had one.'),
  'Idempotency-Replay': header('Whether the answer is that of an earlier request with the same key.'),
  'Retry-After': header('Seconds after which the client may retry.', true),
  Allow: header('The methods that the path takes.', true),
}

const ref = (kind: 'headers' | 'parameters' | 'responses', name: string) => ({ $ref: `#/components/${kind}/${name}` })

function headerRefs(...names: (keyof typeof headers)[]) {
  return Object.fromEntries(names.map((name) => [name, ref('headers', name)]))
}

const onEveryAnswer = headerRefs(
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Idempotency-Key',
  'Idempotency-Replay',
)

function headersOf(kind: RestErrorKind) {
  switch (kind) {
    // SPEC, Errors: it carries none.
    case 'URI_TOO_LONG':
      return {}
    case 'METHOD_NOT_ALLOWED':
      return { ...onEveryAnswer, ...headerRefs('Allow') }
    case 'RATE_LIMITED':
    case 'UNAVAILABLE':
      return { ...onEveryAnswer, ...headerRefs('Retry-After') }
    case 'CONFLICT':
      return { ...onEveryAnswer, 'Retry-After': header('Seconds, while the same idempotency key is in flight.') }
    default:
      return onEveryAnswer
  }
}

function parametersIn(place: 'path' | 'query', schema: z.ZodType, printer: SchemaPrinter) {
  const { properties = {}, required = [] } = printer.print(schema, 'input')
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...printed } = withoutNull(property as Schema)
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      // Repeated keys: `contextKeys=a%3Ab&contextKeys=c%3Ad`.
      ...(printed.type === 'array' ? { style: 'form', explode: true } : {}),
      schema: printed,
    }
  })
}

const json = (schema: Schema, example?: unknown) => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})

const retryLater = {
  RATE_LIMITED: 'Too many requests. Try again in 2 seconds.',
  UNAVAILABLE: 'The database does not answer. Try again in a moment.',
} as const satisfies Partial<Record<RestErrorKind, string>>

function errorContent(kind: RestErrorKind, printer: SchemaPrinter) {
  if (kind === 'RATE_LIMITED' || kind === 'UNAVAILABLE') {
    return { 'text/plain': { schema: { type: 'string' }, example: retryLater[kind] } }
  }
  return json(printer.print(kind === 'INVALID' ? validationErrorObject : errorObject, 'output'))
}

function errorResponses(printer: SchemaPrinter) {
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      { description: conditions[kind], headers: headersOf(kind), content: errorContent(kind, printer) },
    ]),
  )
}

/** The answers of a row: its own, and every status of SPEC's list. */
function responsesOf({ statuses, answer, refusals = {} }: Route, printer: SchemaPrinter) {
  const responses: Record<number, object> = {}
  for (const status of statuses) {
    const content = answer && json(printer.print(answer, 'output'))
    responses[status] = { description: STATUS_CODES[status], headers: onEveryAnswer, ...(content ? { content } : {}) }
  }
  for (const kind of kinds) {
    const { status } = errorKinds[kind]
    const special = [refusals[status], statuses.includes(status) ? answer : undefined].filter(
      (body) => body !== undefined,
    )
    if (special.length === 0) {
      responses[status] = ref('responses', kind)
    } else {
      const anyOf = [...special, errorObject].map((body) => printer.print(body, 'output'))
      responses[status] = { description: conditions[kind], headers: headersOf(kind), content: json({ anyOf }) }
    }
  }
  return responses
}

/** An absent body is read as an empty object. */
function requestBodyOf(schema: z.ZodType, example: unknown, printer: SchemaPrinter) {
  return { required: !schema.safeParse({}).success, content: json(printer.print(schema, 'input'), example) }
}

const byApiKey = { ApiKey: [] }

/** What else than an API key opens an operation. Where nothing does, the whole document's word holds. */
function securityOf({ resolver: { definition } }: Route) {
  const { permission } = definition
  const others = [
    ...(permissionsOfSession.full.has(permission) ? [{ Session: [] }] : []),
    ...(permissionsOfPublicCaller.has(permission) ? [{ Environment: [] }] : []),
  ]
  return others.length === 0 ? {} : { security: [byApiKey, ...others] }
}

function operationOf(row: Route, printer: SchemaPrinter) {
  const { definition } = row.resolver
  return {
    operationId: row.operationId ?? definition.name,
    summary: row.summary,
    tags: [tags[nounOf(definition.permission)].name],
    ...securityOf(row),
    parameters: [
      ...parametersIn('path', row.params, printer),
      ...parametersIn('query', row.query, printer),
      ref('parameters', 'IdempotencyKey'),
    ],
    ...(row.body && { requestBody: requestBodyOf(row.body, row.example, printer) }),
    responses: responsesOf(row, printer),
  }
}

function serversAt({ baseUrl = '/', euBaseUrl }: Addresses) {
  const regional = euBaseUrl === undefined ? [] : [{ url: euBaseUrl, description: 'The European region.' }]
  return [{ url: baseUrl, description: 'This gateway.' }, ...regional]
}

/** The OpenAPI document of these rows. */
export function describe(rows: readonly Route[], addresses: Addresses) {
  const printer = new SchemaPrinter()
  const paths: Record<string, Record<string, object>> = {}
  for (const row of rows) (paths[row.path] ??= {})[row.method] = operationOf(row, printer)
  const nouns = new Set(rows.map(({ resolver }) => nounOf(resolver.definition.permission)))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Notification gateway',
      // SPEC: Versioning.
      version: '3.19.0',
      description: INTRODUCTION,
      license: { name: 'Private', identifier: 'LicenseRef-Private' },
    },
    servers: serversAt(addresses),
    security: [byApiKey],
    tags: [...nouns].map((noun) => tags[noun]),
    paths,
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The secret key of the environment, as `ApiKey <key>`.',
        },
        Session: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The token of a session, as `Session <token>`: for its own subscriber and contexts only.',
        },
        Environment: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The public identifier of the environment, as `Environment <identifier>`.',
        },
      },
      parameters: {
        IdempotencyKey: {
          name: 'idempotency-key',
          in: 'header',
          required: false,
          description:
            'A text of your own that names this request. A POST or PATCH that comes again with it within 24 hours has no second effect and gets the first answer.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      },
      headers,
      responses: errorResponses(printer),
      schemas: printer.named,
    },
  }
}
