// Errors in GraphQL responses: user errors get their code, and faults are masked.
import {
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLErrorOptions,
  type GraphQLFormattedError,
} from 'graphql'
import type { Logger } from 'pino'
import { refusalOfOutage, reportFault } from '../../http/fault.ts'
import { PlainResponse } from '../../http/plain-response.ts'
import { errorKinds, Refusal } from '../../lib/errors.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { Traced } from '../../lib/trace.ts'

/** The codes of operations that are rejected before execution. */
type GuardCode =
  | 'INTROSPECTION_DISABLED'
  | 'PERSISTED_QUERY_MISMATCH'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_IN_LIST'
  | 'QUERY_TOO_COSTLY'
  | 'QUERY_TOO_DEEP'
  | 'QUERY_TOO_LONG'
  | 'TOO_MANY_ALIASES'
  | 'TOO_MANY_DIRECTIVES'
  | 'TOO_MANY_FIELDS'
  | 'TOO_MANY_TOKENS'
  | 'TRUSTED_DOCUMENT_REQUIRED'

export function codedError(code: GuardCode, message: string, at: GraphQLErrorOptions = {}): GraphQLError {
  return new GraphQLError(message, { ...at, extensions: { code } })
}

/** Instructions for the HTTP layer, under `extensions.http`. Not part of the response. */
interface HttpExtension {
  readonly status?: number
  /** True if such an error has the status 200 in responses with the media type `application/json`. */
  readonly spec?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

function httpOf({ extensions }: GraphQLError): HttpExtension {
  return extensions['http'] ?? {}
}

/** True if HTTP clients act on the status, so that it takes precedence over the graph's 200 or 400. */
const isVisible = (status: number) => [401, 406, 408, 413, 415, 429].includes(status) || status >= 500

/** Converts a refusal to a top-level error. */
function refusalError(refusal: Refusal, at: GraphQLErrorOptions = {}): GraphQLError {
  const { code, status } = errorKinds[refusal.kind]
  const [issue] = refusal.issues
  return new GraphQLError(refusal.message, {
    ...at,
    extensions: {
      code,
      ...(issue ? { field: issue.path.map(String) } : {}),
      ...(refusal.ctx ? { ctx: refusal.ctx } : {}),
      ...(isVisible(status) ? { http: httpOfRefusal(refusal) } : {}),
    },
  })
}

function httpOfRefusal({ kind, retryAfter }: Refusal): HttpExtension {
  return {
    status: errorKinds[kind].status,
    headers: {
      ...(kind === 'UNAUTHENTICATED' ? { 'WWW-Authenticate': 'ApiKey' } : {}),
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    },
  }
}

function locationOf(thrown: unknown): GraphQLErrorOptions {
  if (!(thrown instanceof GraphQLError)) return {}
  const { nodes, source, positions, path } = thrown
  return { nodes, source, positions, path }
}

/**
 * True if the request caused an error of the GraphQL engine. An error inside a field has nodes if it is about an
 * argument. It has none if a result does not match the schema, which is a fault of the gateway.
 */
function isOfCaller({ extensions, path, originalError }: GraphQLError): boolean {
  const isAboutArgument = originalError instanceof GraphQLError && originalError.nodes !== undefined
  return extensions['code'] !== undefined || path === undefined || isAboutArgument
}

/** Gives an error of the GraphQL engine one of the documented codes. */
function engineError(error: GraphQLError): GraphQLError {
  const { code } = error.extensions
  if (code !== undefined && code !== 'BAD_REQUEST') return error
  const { status, headers } = httpOf(error)
  const kind = status === errorKinds.METHOD_NOT_ALLOWED.status ? 'METHOD_NOT_ALLOWED' : 'MALFORMED'
  return new GraphQLError(error.message, {
    ...locationOf(error),
    extensions: { code: errorKinds[kind].code, ...(status === undefined ? {} : { http: { status, headers } }) },
  })
}

/** Converts a thrown error to one that the caller may see. A fault is logged with the trace of the request. */
export type Mask = (thrown: unknown, trace?: Traced) => GraphQLError

/**
 * Creates a mask. A fault is logged once, even if it affects several fields, and the response contains only the id of
 * the log entry.
 */
export function createMask(logger: Logger): Mask {
  const ids = new WeakMap<object, string>()
  const report = (fault: unknown, trace: Traced | undefined): string => {
    const isObject = typeof fault === 'object' && fault !== null
    const known = isObject ? ids.get(fault) : undefined
    if (known !== undefined) return known
    const errorId = reportFault(logger, fault, trace)
    if (isObject) ids.set(fault, errorId)
    return errorId
  }
  return (thrown, trace) => {
    const cause = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown
    if (cause instanceof Refusal) return refusalError(cause, locationOf(thrown))
    const refusal = refusalOfOutage(logger, cause, trace)
    if (refusal !== undefined) return refusalError(refusal, locationOf(thrown))
    if (thrown instanceof GraphQLError && cause instanceof GraphQLError && isOfCaller(thrown))
      return engineError(thrown)
    const errorId = report(cause, trace)
    const { code, status } = errorKinds.INTERNAL
    return new GraphQLError(`Something went wrong. The log has the cause under the error id ${errorId}.`, {
      ...locationOf(thrown),
      extensions: { code, errorId, http: { status } satisfies HttpExtension },
    })
  }
}

/**
 * True if nothing was read because the database is unavailable. The client should try again, so such a response has no
 * data.
 */
const readsNothing = ({ data, errors = [] }: ExecutionResult) =>
  errors.some((error) => httpOf(error).status === errorKinds.UNAVAILABLE.status) &&
  Object.values(data ?? {}).every((value) => value === null)

/**
 * Adds to a result's errors the HTTP status that GraphQL over HTTP requires: 200 with data, otherwise the status of an
 * error, or 400. For the older media type `application/json`, that 400 becomes 200 (`spec`).
 */
export function withHttpStatus(result: ExecutionResult): ExecutionResult {
  const { data, errors } = result
  if (!errors) return result
  if (readsNothing(result)) return { errors }
  for (const error of errors) {
    if (data) delete error.extensions['http']
    else if (!('data' in result)) error.extensions['http'] ??= { status: 400, spec: true }
  }
  return result
}

/** The errors of an operation that threw a value, which may stand for several errors. */
export function errorsOf(thrown: unknown, mask: (thrown: unknown) => GraphQLError): readonly GraphQLError[] {
  const all: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown]
  return all.map((one) => mask(one))
}

/** The media types of results that are not streams. */
export type ResultType = 'application/graphql-response+json' | 'application/json'

/** Reports the errors of an operation to the metrics. */
export function reportErrors({ rejected }: Metrics, errors: readonly GraphQLError[] = []): void {
  for (const { extensions } of errors) rejected('graphql', String(extensions['code']))
}

/** The response to an operation. `withHttpStatus` has set the HTTP status of its errors. */
export function resultResponse(result: ExecutionResult, type: ResultType): PlainResponse {
  const contentType = { 'Content-Type': `${type}; charset=utf-8` }
  const { errors } = result
  if (errors === undefined) return new PlainResponse(JSON.stringify(result), 200, contentType)
  const https = errors.map(httpOf)
  const statuses = https
    .filter(({ spec }) => spec !== true || type !== 'application/json')
    .map(({ status = 0 }) => status)
  const headers = Object.assign({}, contentType, ...https.map(({ headers }) => headers)) as Record<string, string>
  return new PlainResponse(JSON.stringify(formatResult(result)), Math.max(...statuses, 0) || 200, headers)
}

/** The response to a request that was rejected before execution. It always has the status of the refusal. */
export function refusalResponse(refusal: Refusal): Response {
  return errorResponse(refusalError(refusal), httpOfRefusal(refusal))
}

/** The response to a request that failed before execution. */
export function errorResponse(error: GraphQLError, { status = 500, headers }: HttpExtension = httpOf(error)): Response {
  return Response.json({ errors: [formatError(error)] }, { status, headers })
}

/** An error as it is sent, without instructions for the HTTP layer. */
export function formatError(error: GraphQLError): GraphQLFormattedError {
  const { extensions = {}, ...formatted } = error.toJSON()
  const { http: _http, ...visible } = extensions
  return { ...formatted, extensions: visible }
}

/** A result as it is sent, with the errors first, so that they are easy to find in a long response. */
export function formatResult({ errors, ...result }: ExecutionResult): FormattedExecutionResult {
  return errors === undefined ? result : { errors: errors.map(formatError), ...result }
}

/** True for a result of a stream that is not about an event: an error has ended the stream. */
export const endsStream = (result: ExecutionResult) => result.errors !== undefined && !('data' in result)

/** The HTTP status of a result. */
export const httpStatusOf = ({ errors }: ExecutionResult) =>
  errors?.map((error) => httpOf(error).status ?? 200)[0] ?? 200
