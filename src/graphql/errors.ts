// Errors at this door: refusals with their codes, faults masked.
import { GraphQLError, type GraphQLErrorOptions } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { isUnavailable } from '../data/database-errors.ts'
import { reportFault } from '../http/fault.ts'
import { databaseAway, errorKinds, Refusal } from '../lib/errors.ts'

/** Codes of what the door itself refuses before any resolver is asked. */
export type GuardCode =
  | 'INTROSPECTION_DISABLED'
  | 'QUERY_TOO_COSTLY'
  | 'QUERY_TOO_DEEP'
  | 'QUERY_TOO_LONG'
  | 'TOO_MANY_ALIASES'
  | 'TOO_MANY_DIRECTIVES'
  | 'TOO_MANY_TOKENS'

export function codedError(code: GuardCode, message: string, at: GraphQLErrorOptions = {}): GraphQLError {
  return new GraphQLError(message, { ...at, extensions: { code } })
}

/** What an error tells the HTTP layer, under `extensions.http`. It is not part of the answer. */
interface HttpExtension {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

function httpOf({ extensions }: GraphQLError): HttpExtension {
  return extensions['http'] ?? {}
}

/** Statuses that an HTTP client acts on: these show, whatever the graph answers with otherwise. */
const shows = (status: number) => [401, 406, 413, 415, 429].includes(status) || status >= 500

/** A refusal as a top-level error. */
export function refusalError(refusal: Refusal, at: GraphQLErrorOptions = {}): GraphQLError {
  const { code, status } = errorKinds[refusal.kind]
  const [issue] = refusal.issues
  return new GraphQLError(refusal.message, {
    ...at,
    extensions: {
      code,
      ...(issue ? { field: issue.path.map(String) } : {}),
      ...(refusal.ctx ? { ctx: refusal.ctx } : {}),
      ...(shows(status) ? { http: httpOfRefusal(refusal) } : {}),
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
 * Whether an error of the engine is about the request. Within a field, the engine throws one that has nodes of its own
 * about an argument, and one that has none about a result that does not fit the schema: that is our fault.
 */
function isOfCaller({ extensions, path, originalError }: GraphQLError): boolean {
  const isAboutArgument = originalError instanceof GraphQLError && originalError.nodes !== undefined
  return extensions['code'] !== undefined || path === undefined || isAboutArgument
}

/** The engine's error under one of our codes. */
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

/**
 * Makes of what a resolver or the engine threw what the caller may see. A fault is logged under an id, once however
 * many fields it reaches, and only the id is told.
 */
export function createMask(logger: Logger): (thrown: unknown) => GraphQLError {
  const ids = new WeakMap<object, string>()
  const report = (fault: unknown): string => {
    const isObject = typeof fault === 'object' && fault !== null
    const known = isObject ? ids.get(fault) : undefined
    if (known !== undefined) return known
    const errorId = reportFault(logger, fault)
    if (isObject) ids.set(fault, errorId)
    return errorId
  }
  return (thrown) => {
    const cause = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown
    if (cause instanceof Refusal) return refusalError(cause, locationOf(thrown))
    if (isUnavailable(cause)) {
      logger.warn({ err: cause }, 'the database does not answer')
      return refusalError(databaseAway(), locationOf(thrown))
    }
    if (thrown instanceof GraphQLError && cause instanceof GraphQLError && isOfCaller(thrown))
      return engineError(thrown)
    const errorId = report(cause)
    const { code, status } = errorKinds.INTERNAL
    return new GraphQLError(`Something went wrong. The operator finds the cause in the log under ${errorId}.`, {
      ...locationOf(thrown),
      extensions: { code, errorId, http: { status } satisfies HttpExtension },
    })
  }
}

/**
 * The HTTP status of an answer, as GraphQL over HTTP has it: an answer that has data is 200. One that has none is 400
 * unless an error knows better; as `application/json`, the older media type, a 400 shows as 200 (`spec`).
 */
export function useHttpStatus(): Plugin {
  return {
    onExecutionResult({ result }) {
      if (!result || !('errors' in result) || !result.errors) return
      for (const error of result.errors) {
        if (result.data) delete error.extensions['http']
        else if (!('data' in result)) error.extensions['http'] ??= { status: 400, spec: true }
      }
    },
  }
}

/** The answer to a request that was refused before it reached the graph: its status shows, whichever it is. */
export function refusalResponse(refusal: Refusal): Response {
  return errorResponse(refusalError(refusal), httpOfRefusal(refusal))
}

/** The answer to a request that failed before it reached the graph. */
export function errorResponse(error: GraphQLError, { status = 500, headers }: HttpExtension = httpOf(error)): Response {
  const extensions = { ...error.extensions }
  delete extensions['http']
  return Response.json({ errors: [{ message: error.message, extensions }] }, { status, headers })
}
