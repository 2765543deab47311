// A route of the REST API: a documented path, its resolver, and the mapping between the two.
import { z } from 'zod'
import type { Resolver } from '../domain/resolver.ts'
import type { Scope } from '../domain/scope.ts'
import { Refusal } from '../lib/errors.ts'
import { valueAt } from '../lib/paths.ts'
import { parse } from '../lib/validation.ts'
import { RefusalWithBody } from './errors.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

interface Documentation {
  readonly method: Method
  /** As in OpenAPI, with parameters in braces. */
  readonly path: `/${string}`
  /** Id in the OpenAPI document. Default: the name of the resolver. */
  readonly operationId?: string
  /** One line that starts with a verb. */
  readonly summary: string
  /** A valid body. */
  readonly example?: unknown
  /** By status: schemas of error bodies with more fields than the error object. */
  readonly refusals?: Readonly<Record<number, z.ZodType>>
}

/** Returns the additional fields of a 400. */
type ShowMalformed = (refusal: Refusal) => object

/** The parts of a request before validation. */
interface RawRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** A successful response. */
export interface RouteResult {
  readonly status: number
  /** Undefined for an empty body. */
  readonly body: unknown
}

/** A route as the router and the OpenAPI document see it. */
export interface Route extends Documentation {
  readonly resolver: Pick<Resolver, 'definition'>
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  /** Undefined if no body is read. */
  readonly body: z.ZodType | undefined
  /** Undefined for an empty body. */
  readonly response: z.ZodType | undefined
  readonly statuses: readonly [number, ...number[]]
  readonly viewMalformed?: ShowMalformed
  /** Validates the request, calls the resolver and returns its output in the REST shape. @throws Refusal */
  readonly act: (scope: Scope, request: RawRequest) => Promise<RouteResult>
}

interface Wire<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly params: z.output<Params>
  readonly query: z.output<Query>
  readonly body: z.output<Body>
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
  readonly resolver: Resolver<Input, Output>
  /**
   * Maps the request to the resolver's input. Rules belong to the resolver. A field of the body that has the resolver's
   * own schema and name must keep its value: it is not validated again.
   */
  readonly input: (wire: Wire<Params, Query, Body>) => z.input<Input>
  /** Success statuses. The first is used unless `status` selects another one. */
  readonly statuses: readonly [number, ...number[]]
  readonly status?: (output: Output) => number
  /** Schema of the response body, and the mapping of the output to it. Both are absent for an empty body. */
  readonly response?: Shown
  readonly view?: (
    output: Output,
    scope: Scope,
    wire: Wire<Params, Query, Body>,
  ) => z.input<Shown> | Promise<z.input<Shown>>
  readonly viewMalformed?: ShowMalformed
  /** Returns the existing entity of a conflict. Callers parse it from the 409. */
  readonly viewExisting?: (scope: Scope, wire: Wire<Params, Query, Body>) => Promise<object>
}

/** Returns the names of the fields that both schemas validate with the same field schema. */
function sharedFields(body: z.ZodType | undefined, input: z.ZodType): string[] {
  if (!(body instanceof z.ZodObject) || !(input instanceof z.ZodObject)) return []
  return Object.keys(body.shape).filter((name) => body.shape[name] === input.shape[name])
}

/** Builds a route. The types ensure that its parts match. */
export function route<
  Input extends z.ZodType,
  Output,
  Params extends z.ZodObject = None,
  Query extends z.ZodObject = None,
  Body extends z.ZodType = z.ZodUnknown,
  Shown extends z.ZodType = z.ZodUnknown,
>(definition: RouteDefinition<Params, Query, Body, Input, Output, Shown>): Route {
  const { params, query, body, input, status, response, view, viewExisting, ...shared } = definition
  const { resolver, statuses } = shared
  const validated = sharedFields(body, resolver.definition.input)
  const trusting = resolver.trusting(validated)
  return {
    ...shared,
    params: params ?? none,
    query: query ?? none,
    body,
    response,
    async act(scope, raw) {
      const wire = {
        params: readPart(params, raw.params),
        query: readPart(query, raw.query),
        body: readPart(body, raw.body),
      }
      const given = input(wire)
      // Only values that are passed on as they came from the body have been validated.
      const unchanged = validated.every((name) => valueAt(given, [name]) === valueAt(wire.body, [name]))
      const output = await (unchanged ? trusting : resolver)(scope, given).catch(async (error: unknown) => {
        const conflict = viewExisting && error instanceof Refusal && error.kind === 'CONFLICT'
        throw conflict ? new RefusalWithBody(error, await viewExisting(scope, wire)) : error
      })
      return { status: status?.(output) ?? statuses[0], body: await view?.(output, scope, wire) }
    },
  }
}

function readPart<Schema extends z.ZodType>(schema: Schema | undefined, raw: unknown): z.output<Schema> {
  // Without a schema the type of the part is unknown, which includes undefined.
  return schema === undefined ? (undefined as z.output<Schema>) : parse(schema, raw)
}
