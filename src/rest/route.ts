// A route of the REST API: a documented path, its resolver, and the mapping between the two.
import { z } from 'zod'
import type { Resolver } from '../domain/resolver/resolver.ts'
import type { DoorScope } from '../domain/resolver/door-scope.ts'
import { type Issue, type Path, Refusal } from '../lib/errors.ts'
import { valueAt } from '../lib/paths.ts'
import { present } from '../lib/present.ts'
import { fieldName, parse } from '../lib/validation.ts'
import { entityTag, expectedVersionIn } from './entity-tag.ts'
import { RefusalWithBody } from './errors.ts'
import { type IgnoredFields, withoutIgnored } from './ignored-fields.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

interface Documentation {
  readonly method: Method
  /** The path in OpenAPI's syntax, with parameters in braces. */
  readonly path: `/${string}`
  /** The operation id in the OpenAPI document. Default: the name of the resolver. */
  readonly operationId?: string
  /**
   * Values of the last path parameter that existing clients use as operations. Any other method on such a path responds
   * with 404, because a 405 would mean that the path exists.
   */
  readonly reserved?: readonly string[]
  /** One line that starts with a verb. */
  readonly summary: string
  /** A valid body. */
  readonly example?: unknown
  /** The body in the OpenAPI document. Default: the schema that validates it. */
  readonly documentedBody?: z.ZodType
  /** True if `If-Match` names the version that the change expects: the resolver's `expectedVersion`. */
  readonly conditional?: true
  /** The maximum size of a file that is the body, in bytes. It is read as it arrives, as the field `bytes`. */
  readonly takesFile?: number
  /** True if the response is a `FileBody`. */
  readonly returnsFile?: true
  /**
   * The field of the body that names the environment by its public identifier. Such a route ignores credentials: its
   * caller is the public caller of that environment.
   */
  readonly environmentField?: string
  /** True if the body is a trigger, which may have large files. */
  readonly hasFiles?: true
  /** Schemas of error bodies that have more fields than the error object, by status. */
  readonly refusals?: Readonly<Record<number, z.ZodType>>
}

/** Returns the additional fields of a 400 response. */
type ShowMalformed = (refusal: Refusal) => object

/** The parts of a request before validation. */
interface RawRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** The header `If-Match`. Read by conditional routes. */
  readonly ifMatch?: string | null
}

/** A successful response. */
export interface RouteResult {
  readonly status: number
  /** Undefined for an empty body. */
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** A route as the router and the OpenAPI document see it. */
export interface Route extends Documentation {
  /** See `routeName`. */
  readonly name: string
  readonly resolver: Pick<Resolver, 'definition' | 'act'>
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  /** Undefined if no body is read. */
  readonly body: z.ZodType | undefined
  /** Undefined for an empty body. */
  readonly response: z.ZodType | undefined
  readonly statuses: readonly [number, ...number[]]
  readonly viewMalformed?: ShowMalformed
  /** True if responses have an `ETag`. */
  readonly tagged: boolean
  /** Validates the request, calls the resolver and returns its output in the REST shape. @throws Refusal */
  readonly act: (scope: DoorScope, request: RawRequest) => Promise<RouteResult>
}

interface Wire<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly params: z.output<Params>
  readonly query: z.output<Query>
  readonly body: z.output<Body>
  /** Sentences about the ignored fields of the body. */
  readonly warnings: readonly string[]
  /** The version of `If-Match` in a conditional route. */
  readonly condition?: { readonly expectedVersion: number } | undefined
}

const none = z.object({})
type None = typeof none

interface RouteDefinition<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Input extends z.ZodType,
  Output,
  Shown extends z.ZodType,
> extends Documentation {
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** Converts another form of the body, before it is validated. */
  readonly convert?: (body: unknown) => unknown
  /** Fields of the body that are accepted and have no effect. Needed if the schema of the body is strict. */
  readonly ignored?: IgnoredFields
  /** The same for objects in a field of the body, or in a list there, by the name of that field. */
  readonly ignoredWithin?: Readonly<Record<string, IgnoredFields>>
  readonly resolver: Resolver<Input, Output>
  /**
   * Maps the request to the resolver's input. Default: the fields of all its parts. Rules belong in the resolver. Must
   * not change a body field that has the same name and schema as the resolver's, because such a field is not validated
   * again.
   */
  readonly input?: (wire: Wire<Params, Query, Body>, scope: DoorScope) => z.input<Input> | Promise<z.input<Input>>
  /** Success statuses. The first is the default; `status` selects another. */
  readonly statuses: readonly [number, ...number[]]
  /**
   * Maps a path in the resolver's input to the path in the request, for errors. Needed only where they differ. The path
   * has no `filter` prefix.
   */
  readonly nameOf?: (path: Path, wire: Wire<Params, Query, Body>) => Path
  readonly status?: (output: Output) => number
  /** Returns the version of the object in the response, which becomes its `ETag`. */
  readonly version?: (output: Output) => number | undefined
  /**
   * The schema of the response body, and the function that maps the output to it. Both are absent if the body is empty.
   */
  readonly response?: Shown
  readonly view?: (
    output: Output,
    scope: DoorScope,
    wire: Wire<Params, Query, Body>,
  ) => z.input<Shown> | Promise<z.input<Shown>>
  readonly viewMalformed?: ShowMalformed
  /** Returns the existing entity of a conflict, which clients parse from the 409 response. */
  readonly viewExisting?: (scope: DoorScope, wire: Wire<Params, Query, Body>) => Promise<object>
}

/** The fields of one part of the request. */
type Fields<Part extends z.ZodType> = string extends keyof z.output<Part> ? unknown : z.output<Part>

/** Requires `input` where the fields of the request differ from the resolver's input. */
type InputUnlessGiven<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Input extends z.ZodType,
> = [Fields<Params> & Fields<Query> & Fields<Body>] extends [z.input<Input>]
  ? unknown
  : {
      readonly input: (wire: Wire<Params, Query, Body>, scope: DoorScope) => z.input<Input> | Promise<z.input<Input>>
    }

/**
 * The fields of all parts of a request. Path parameters win, so that a body cannot name another object. So does
 * `If-Match`.
 */
function fieldsOf({ params, query, body, condition }: RawRequest & Pick<Wire<None, None, None>, 'condition'>): unknown {
  return params === undefined && query === undefined ? body : Object.assign({}, query, body, params, condition)
}

function conditionIn(ifMatch: string | null): Wire<None, None, None>['condition'] {
  const expectedVersion = expectedVersionIn(ifMatch)
  return expectedVersion === undefined ? undefined : { expectedVersion }
}

/** Returns the names of the fields that both schemas validate with the same field schema. */
function sharedFields(body: z.ZodType | undefined, input: z.ZodType): string[] {
  if (!(body instanceof z.ZodObject) || !(input instanceof z.ZodObject)) return []
  return Object.keys(body.shape).filter((name) => body.shape[name] === input.shape[name])
}

/** The name of a route: method and path, such as `GET /v2/topics/{topicKey}`. */
export const routeName = (method: Method, path: string): string => `${method.toUpperCase()} ${path}`

/** Builds a route. The types ensure that its parts match. */
export function route<
  Input extends z.ZodType,
  Output,
  Params extends z.ZodObject = None,
  Query extends z.ZodObject = None,
  Body extends z.ZodType = z.ZodUnknown,
  Shown extends z.ZodType = z.ZodUnknown,
>(
  definition: RouteDefinition<Params, Query, Body, Input, Output, Shown> & InputUnlessGiven<Params, Query, Body, Input>,
): Route {
  // `InputUnlessGiven` ensures that the fields are the resolver's input.
  const asGiven = (wire: Wire<Params, Query, Body>) => fieldsOf(wire) as z.input<Input>
  const {
    params,
    query,
    body,
    convert = (given: unknown) => given,
    ignored = {},
    ignoredWithin,
    input = asGiven,
    nameOf,
    status,
    version,
    response,
    view,
    viewExisting,
    ...shared
  } = definition
  const { resolver, statuses, conditional = false } = shared
  const validated = sharedFields(body, resolver.definition.input)
  const trusting = resolver.trusting(validated)
  return {
    ...shared,
    name: routeName(shared.method, shared.path),
    params: params ?? none,
    query: query ?? none,
    body,
    response,
    tagged: version !== undefined,
    async act(scope, raw) {
      const { kept, warnings } = withoutIgnored(convert(raw.body), ignored, ignoredWithin)
      const wire = {
        params: readPart(params, raw.params),
        query: readPart(query, raw.query),
        body: readPart(body, kept),
        warnings,
        condition: conditional ? conditionIn(raw.ifMatch ?? null) : undefined,
      }
      try {
        const given = await input(wire, scope)
        // Only values that `input` left unchanged have been validated.
        const unchanged = validated.every((name) => valueAt(given, [name]) === valueAt(wire.body, [name]))
        const output = await (unchanged ? trusting : resolver)(scope, given)
        const tag = version?.(output)
        const headers: Record<string, string> = tag === undefined ? {} : { ETag: entityTag(tag) }
        return {
          status: status?.(output) ?? statuses[0],
          body: await view?.(output, scope, wire),
          headers,
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const refusal = withRequestNames(error, nameOf && ((path) => nameOf(path, wire)))
        throw viewExisting && refusal.kind === 'CONFLICT'
          ? new RefusalWithBody(refusal, await viewExisting(scope, wire))
          : refusal
      }
    },
  }
}

/** A request has the fields of a filter as query parameters or body fields, without `filter`. */
const withoutFilter = (path: Path): Path => (path[0] === 'filter' && path.length > 1 ? path.slice(1) : path)

/** Returns the error with the request's field names, in paths and messages. */
function withRequestNames(error: Refusal, nameOf: (path: Path) => Path = (path) => path): Refusal {
  const issues = error.issues.map((issue): Issue => {
    const path = nameOf(withoutFilter(issue.path))
    const old = fieldName(issue.path)
    const message = issue.message.startsWith(old) ? fieldName(path) + issue.message.slice(old.length) : issue.message
    return { ...issue, path, message }
  })
  const isList = error.message === error.issues.map(({ message }) => message).join('; ')
  const message = isList ? issues.map((issue) => issue.message).join('; ') : error.message
  return new Refusal(error.kind, message, { issues, ...present({ ctx: error.ctx, retryAfter: error.retryAfter }) })
}

function readPart<Schema extends z.ZodType>(schema: Schema | undefined, raw: unknown): z.output<Schema> {
  // Without a schema, the type of the part is unknown, which includes undefined.
  return schema === undefined ? (undefined as z.output<Schema>) : parse(schema, raw)
}
