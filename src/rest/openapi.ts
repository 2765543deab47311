// The OpenAPI 3.1 document, printed from the table of routes.
import { STATUS_CODES } from 'node:http'
import type { z } from 'zod'
import { nounOf, permissionsOfPublicCaller, permissionsOfSession } from '../domain/resolver/permission.ts'
import { ordinaryRate } from '../http/rate-limit.ts'
import { type ErrorKind, errorKinds } from '../lib/errors.ts'
import { errorObject, validationErrorObject } from './errors.ts'
import type { Route } from './route.ts'
import { type Schema, SchemaPrinter, withoutNull } from './schema-printer.ts'

/** Public addresses of the API. */
export interface Addresses {
  /** Default: the address from which the document was read. */
  readonly baseUrl?: string | undefined
  /** A regional address of the same API. */
  readonly euBaseUrl?: string | undefined
}

const INTRODUCTION = `Subscribers, contexts, topics, channel endpoints, environments and triggers over REST.

Bodies are JSON, in UTF-8. Path and query parameters are percent-encoded. Unknown fields in a body are ignored, except in preferences, triggers and cancellations, where they are errors.`

/** REST always responds in JSON and has no streams. Only GraphQL negotiates a media type. */
type RestErrorKind = Exclude<ErrorKind, 'NOT_ACCEPTABLE' | 'TOO_MANY_STREAMS'>

const conditions = {
  MALFORMED: 'The request is malformed: invalid JSON, an invalid cursor or conflicting parameters.',
  UNAUTHENTICATED: 'The credentials are missing, unknown, revoked or expired, or the scheme is not supported.',
  FORBIDDEN: 'The API key or session lacks the permission.',
  NOT_FOUND: 'Not found in this environment.',
  METHOD_NOT_ALLOWED: 'The path does not support this method.',
  REQUEST_TIMEOUT: 'The body did not arrive in time.',
  CONFLICT: 'Conflicts with existing data, or a request with the same idempotency key is in progress.',
  STALE: 'The object has another version than `If-Match` or `expectedVersion`.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  URI_TOO_LONG: 'The path and query are too long.',
  UNSUPPORTED_MEDIA_TYPE: 'The Content-Type of the body is not JSON.',
  INVALID: 'A field is invalid, or the idempotency key was used for another request.',
  RATE_LIMITED: 'The rate limit is exceeded.',
  INTERNAL: 'Internal error. The log contains the cause under the `errorId`.',
  UNAVAILABLE: 'The gateway is starting or stopping, or its database is unavailable.',
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
  'Idempotency-Key': header('The idempotency key of the request, if it had one.'),
  'Idempotency-Replay': header('True if the response is a replay of an earlier request with the same key.'),
  'Retry-After': header('Seconds after which the client may retry.', true),
  ETag: header('The version of the object, in quotes, for `If-Match`.', true),
  Allow: header('Methods that the path supports.', true),
}

const ref = (kind: 'headers' | 'parameters' | 'responses', name: string) => ({ $ref: `#/components/${kind}/${name}` })

function headerRefs(...names: (keyof typeof headers)[]) {
  return Object.fromEntries(names.map((name) => [name, ref('headers', name)]))
}

const onEveryResponse = headerRefs(
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Idempotency-Key',
  'Idempotency-Replay',
)

function headersOf(kind: RestErrorKind) {
  switch (kind) {
    // SPEC: Errors. It has no rate limit headers.
    case 'URI_TOO_LONG':
      return {}
    case 'METHOD_NOT_ALLOWED':
      return { ...onEveryResponse, ...headerRefs('Allow') }
    case 'RATE_LIMITED':
    case 'UNAVAILABLE':
      return { ...onEveryResponse, ...headerRefs('Retry-After') }
    case 'CONFLICT':
      return {
        ...onEveryResponse,
        'Retry-After': header('Seconds, while a request with the same idempotency key is in progress.'),
      }
    default:
      return onEveryResponse
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

/** The bytes of a file of any type. */
const file = { '*/*': { schema: { type: 'string', format: 'binary' } } }

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

/** The responses of a route: its own, and one for each error status. */
function responsesOf(
  { statuses, response, returnsFile, refusals = {}, tagged, conditional }: Route,
  printer: SchemaPrinter,
) {
  const responses: Record<number, object> = {}
  for (const status of statuses) {
    const content = returnsFile ? file : response && json(printer.print(response, 'output'))
    const own = tagged ? { ...onEveryResponse, ...headerRefs('ETag') } : onEveryResponse
    responses[status] = { description: STATUS_CODES[status], headers: own, ...(content ? { content } : {}) }
  }
  for (const kind of kinds) {
    if (kind === 'STALE' && !conditional) continue
    const { status } = errorKinds[kind]
    const special = [refusals[status], statuses.includes(status) ? response : undefined].filter(
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

const operationIdOf = ({ operationId, resolver }: Route) => operationId ?? resolver.definition.name

/** The name of a body's schema, such as `TopicUpsertRequest`. */
const bodyName = (operationId: string) =>
  `${operationId.replaceAll(/(?:^|\.)(.)/g, (_match, letter: string) => letter.toUpperCase())}Request`

/** A missing body is read as an empty object, so the body is required only if the empty object is invalid. */
function requestBodyOf(schema: z.ZodType, route: Route, printer: SchemaPrinter) {
  if (route.takesFile !== undefined) return { required: true, content: file }
  const printed = printer.printNamed(route.documentedBody ?? schema, 'input', bodyName(operationIdOf(route)))
  return { required: !schema.safeParse({}).success, content: json(printed, route.example) }
}

/** The summary, the required access and the cost of a call. */
function descriptionOf({ summary, resolver: { definition } }: Route): string {
  const { category, cost } = definition.rate ?? ordinaryRate
  return `${summary}.\n\nRequires the permission \`${definition.permission}\`. Costs ${cost} of the rate limit \`${category}\`.`
}

const schemes = {
  Session:
    'The token of a session, as `Session <token>`, or as `Bearer <token>` if it is lasting. It can only access its own subscriber and contexts.',
  Environment: 'The public identifier of the environment, as `Environment <identifier>`.',
  Dashboard: 'The token of a dashboard session, as `Dashboard <token>`. It has the access of the session.',
  // Last in the list, because Swagger UI opens its dialog at the last scheme.
  ApiKey: 'The secret key of the environment, as `ApiKey <key>`.',
}

/** Operations that accept an API key also accept a dashboard session with the same access. */
const byKey = [{ ApiKey: [] }, { Dashboard: [] }]

/** Other credentials that an operation accepts. If there are none, the document's default applies. */
function securityOf({ resolver: { definition }, environmentField }: Route) {
  if (environmentField !== undefined) return { security: [] }
  const { permission } = definition
  const others = [
    ...(permissionsOfSession.full.has(permission) ? [{ Session: [] }] : []),
    ...(permissionsOfPublicCaller.has(permission) ? [{ Environment: [] }] : []),
  ]
  return others.length === 0 ? {} : { security: [...byKey, ...others] }
}

/** The credentials that the operations of a table accept. */
function schemesOf(table: readonly Route[]) {
  const used = new Set([byKey, ...table.map((route) => securityOf(route).security ?? [])].flat().flatMap(Object.keys))
  return Object.fromEntries(
    Object.entries(schemes)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => [name, { type: 'apiKey', in: 'header', name: 'Authorization', description }]),
  )
}

function operationOf(route: Route, printer: SchemaPrinter) {
  const { definition } = route.resolver
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    description: descriptionOf(route),
    tags: [nounOf(definition.permission).plural],
    ...securityOf(route),
    parameters: [
      ...parametersIn('path', route.params, printer),
      ...parametersIn('query', route.query, printer),
      ref('parameters', 'IdempotencyKey'),
      ...(route.conditional ? [ref('parameters', 'IfMatch')] : []),
    ],
    ...(route.body && { requestBody: requestBodyOf(route.body, route, printer) }),
    responses: responsesOf(route, printer),
  }
}

function serversAt({ baseUrl = '/', euBaseUrl }: Addresses) {
  const regional = euBaseUrl === undefined ? [] : [{ url: euBaseUrl, description: 'The European region.' }]
  return [{ url: baseUrl, description: 'This gateway.' }, ...regional]
}

/** Returns the OpenAPI document of the routes in `table`. */
export function describeTable(table: readonly Route[], addresses: Addresses) {
  const printer = new SchemaPrinter()
  const paths: Record<string, Record<string, object>> = {}
  for (const route of table) (paths[route.path] ??= {})[route.method] = operationOf(route, printer)
  const used = new Set(table.map(({ resolver }) => nounOf(resolver.definition.permission)))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Notification gateway',
      // SPEC: Versioning.
      version: '3.19.0',
      description: INTRODUCTION,
      contact: { name: 'Operator of this gateway' },
      license: { name: 'Private', identifier: 'LicenseRef-Private' },
    },
    servers: serversAt(addresses),
    security: byKey,
    tags: [...used].map(({ plural, description }) => ({ name: plural, description })),
    paths,
    components: {
      securitySchemes: schemesOf(table),
      parameters: {
        IdempotencyKey: {
          name: 'idempotency-key',
          in: 'header',
          required: false,
          description:
            'A unique key that the client chooses for the request. A POST or PATCH that is repeated with the same key within 24 hours has no further effect and returns the first response.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
        IfMatch: {
          name: 'if-match',
          in: 'header',
          required: false,
          description:
            'The `ETag` of the version that the change is based on. If the object has changed since, nothing is written, and the response is 412. `*` and a missing header allow any version.',
          schema: { type: 'string' },
        },
      },
      headers,
      responses: errorResponses(printer),
      schemas: printer.named,
    },
  }
}
