// A row of the REST table: a documented path, the resolver behind it, and how one is read as the other.
import { z } from 'zod'
import type { Resolver } from '../domain/resolver.ts'
import type { Scope } from '../domain/scope.ts'
import { Refusal } from '../lib/errors.ts'
import { parse } from '../lib/validation.ts'
import { RefusalWithBody } from './errors.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

interface Documentation {
  readonly method: Method
  /** As in OpenAPI, with its parameters in braces. */
  readonly path: `/v${1 | 2}/${string}`
  /** In the OpenAPI document; absent where it is the resolver's name, which most rows have to themselves. */
  readonly operationId?: string
  /** What the operation does, in a line. */
  readonly summary: string
  /** A body that works. */
  readonly example?: unknown
  /** By status: bodies of errors that may hold more than the error object. */
  readonly refusals?: Readonly<Record<number, z.ZodType>>
}

/** How a row's 400 says more than the error object. */
type ShowMalformed = (refusal: Refusal) => object

/** The parts of a request before their schemas have read them. */
export interface RawRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** What a row answers when its resolver did its work. */
export interface RouteResult {
  readonly status: number
  /** Undefined for an empty body. */
  readonly body: unknown
}

/** A row as the router and the OpenAPI document see it. */
export interface Route extends Documentation {
  readonly resolver: Pick<Resolver, 'definition'>
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  /** Undefined where no body is read. */
  readonly body: z.ZodType | undefined
  /** Undefined for an empty body. */
  readonly answer: z.ZodType | undefined
  readonly statuses: readonly [number, ...number[]]
  readonly viewMalformed?: ShowMalformed
  /** Reads the request, calls the resolver, shows its output. @throws Refusal */
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
  /** The resolver's input, out of the request's parts. Names only: rules are the resolver's. */
  readonly input: (wire: Wire<Params, Query, Body>) => z.input<Input>
  /** The success statuses: the first, unless `status` chooses. */
  readonly statuses: readonly [number, ...number[]]
  readonly status?: (output: Output) => number
  /** The schema of the body, and how the output is shown in it. Both absent for an empty body. */
  readonly answer?: Shown
  readonly view?: (
    output: Output,
    scope: Scope,
    wire: Wire<Params, Query, Body>,
  ) => z.input<Shown> | Promise<z.input<Shown>>
  readonly viewMalformed?: ShowMalformed
  /** Shows what a conflict met, where callers parse it out of the 409. */
  readonly viewExisting?: (scope: Scope, wire: Wire<Params, Query, Body>) => Promise<object>
}

/** A row whose parts fit each other, as far as the compiler can see. */
export function route<
  Input extends z.ZodType,
  Output,
  Params extends z.ZodObject = None,
  Query extends z.ZodObject = None,
  Body extends z.ZodType = z.ZodUnknown,
  Shown extends z.ZodType = z.ZodUnknown,
>(definition: RouteDefinition<Params, Query, Body, Input, Output, Shown>): Route {
  const { params, query, body, input, status, answer, view, viewExisting, ...shared } = definition
  const { resolver, statuses } = shared
  return {
    ...shared,
    params: params ?? none,
    query: query ?? none,
    body,
    answer,
    async act(scope, raw) {
      const wire = {
        params: readPart(params, raw.params),
        query: readPart(query, raw.query),
        body: readPart(body, raw.body),
      }
      const output = await resolver(scope, input(wire)).catch(async (error: unknown) => {
        const conflict = viewExisting && error instanceof Refusal && error.kind === 'CONFLICT'
        throw conflict ? new RefusalWithBody(error, await viewExisting(scope, wire)) : error
      })
      return { status: status?.(output) ?? statuses[0], body: await view?.(output, scope, wire) }
    },
  }
}

function readPart<Schema extends z.ZodType>(schema: Schema | undefined, raw: unknown): z.output<Schema> {
  // Without a schema the part's type is unknown, and so is undefined.
  return schema === undefined ? (undefined as z.output<Schema>) : parse(schema, raw)
}
