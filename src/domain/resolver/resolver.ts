// Resolvers: named operations with a permission and an input schema. GraphQL and REST call the same ones.
import { z } from 'zod'
import { Refusal } from '../../lib/errors.ts'
import { parse } from '../../lib/validation.ts'
import { mainScope } from './databases.ts'
import { DoorScope } from './door-scope.ts'
import type { OwnPermission, Permission } from './permission.ts'
import type { Caller, LinkCaller, SessionCaller } from './caller.ts'
import type { AtomicScope, Scope } from './scope.ts'

/** The cost of a call in the caller's rate limits (CALLERS: Rate limits). */
export interface Rate {
  readonly category: 'trigger' | 'configuration' | 'global'
  /** Bulk requests and dashboard sign-ins cost 100, everything else 1. */
  readonly cost: 1 | 100
  /**
   * The cost of a request with more than `LARGE_INPUT` bytes, because validating such an input takes as long as a bulk
   * request.
   */
  readonly largeCost?: 1 | 100
}

/** The bytes of a body above which `largeCost` applies. */
const LARGE_INPUT = 64 * 1024

/** Returns the rate of a request with a body of this size. */
export const rateFor = ({ category, cost, largeCost = cost }: Rate, bytes: number): Rate => ({
  category,
  cost: bytes > LARGE_INPUT ? largeCost : cost,
})

/** The owner of a row: a subscriber under exactly these contexts. The keys are sorted and unique. */
export interface Owner {
  readonly subscriberId: string
  readonly contextKeys: readonly string[]
}

/** The access rule of a resolver. */
type Requirement<Input extends z.ZodType> =
  | { readonly permission: Exclude<Permission, OwnPermission>; readonly owner?: never }
  | {
      readonly permission: OwnPermission
      /**
       * Returns the owner of the rows that the input names. `run` must only access that owner's rows, and a session
       * must be the owner. `'caller'` if the input names no owner; `run` then filters with `ownRows`. Null for rows
       * without an owner or with several, for which sessions and links are rejected. Called for these two only.
       */
      readonly owner: ((input: z.output<Input>, scope: Scope) => Owner | null | Promise<Owner | null>) | 'caller' | null
    }

type Declaration<Input extends z.ZodType> = Requirement<Input> & {
  /** Noun and verb, such as `topic.create`. */
  readonly name: `${string}.${string}`
  /** Default: cost 1 of the category `configuration`. */
  readonly rate?: Rate
  readonly input: Input
  /** True if it writes with at most one statement, without a transaction around it. */
  readonly atomic?: true
  /**
   * True if its output contains a secret, such as a new API key. A repeated request receives the secret only with the
   * same API key.
   */
  readonly secret?: true
  /** True if it reads and writes rows of the main database only: environments, API keys and dashboard sessions. */
  readonly main?: true
  /** Reads through `scope.load` what must be read before all other fields of an operation. */
  readonly readFirst?: (scope: Scope) => Promise<unknown>
  /**
   * Notes that a door rejects a request. `given` is what the caller sent, in the words of the door, and so is the
   * refusal.
   */
  readonly rejected?: (scope: Scope, given: unknown, refusal: Refusal) => void
}

type ResolverDefinition<Input extends z.ZodType, Output> = Declaration<Input> & {
  readonly run: (scope: Scope, input: z.output<Input>) => Promise<Output>
}

type AtomicDefinition<Input extends z.ZodType, Output> = Declaration<Input> & {
  readonly run: (scope: AtomicScope, input: z.output<Input>) => Promise<Output>
}

type PreparedDefinition<Input extends z.ZodType, Output> = Declaration<Input> & {
  /** Runs before the transaction, and returns the function to run in it. */
  readonly prepare: (scope: Scope, input: z.output<Input>) => Promise<(inner: Scope) => Promise<Output>>
}

/**
 * Checks the permission, the input and the owner, then runs.
 *
 * @throws Refusal `FORBIDDEN`, `INVALID`, or one that `run` throws.
 */
export interface Resolver<Input extends z.ZodType = z.ZodType, Output = unknown> {
  (scope: Scope | DoorScope, input: z.input<Input>): Promise<Output>
  /**
   * Returns the resolver without the validation of `fields`, which the caller has validated with the same schemas. This
   * way, a REST body is validated only once.
   */
  readonly trusting: (fields: readonly string[]) => (scope: Scope | DoorScope, input: z.input<Input>) => Promise<Output>
  readonly definition: Omit<Declaration<Input>, 'owner'>
  /** Runs with a validated input. Calls from all doors end here. */
  act(scope: Scope, input: z.output<Input>): Promise<Output>
}

/** Tells a resolver that a door rejects a request, once the door has named the fields as the caller does. */
export function reportRejection(
  given: Scope | DoorScope,
  { definition }: Pick<Resolver, 'definition'>,
  input: unknown,
  refusal: Refusal,
): void {
  definition.rejected?.(DoorScope.open(given), input, refusal)
}

/** Reads what resolvers need before an operation is executed. Their fields report the errors. */
export async function readFirst(given: DoorScope, resolvers: readonly Pick<Resolver, 'definition'>[]): Promise<void> {
  const scope = DoorScope.open(given)
  const permitted = resolvers.filter(({ definition }) => scope.caller.permissions.has(definition.permission))
  await Promise.allSettled(permitted.map(async ({ definition }) => definition.readFirst?.(scope)))
}

const callers: Readonly<Record<Caller['kind'], string>> = {
  apiKey: 'This API key',
  session: 'This browser session',
  link: 'A link in a message',
  provider: 'A report of a provider',
  dashboard: 'This dashboard session',
  public: 'A public environment identifier',
  anonymous: 'A request without credentials',
  operator: 'The command line',
}

/** @throws Refusal `FORBIDDEN` */
function assertPermitted({ caller }: Scope, permission: Permission): void {
  if (!caller.permissions.has(permission)) {
    throw new Refusal('FORBIDDEN', `${callers[caller.kind]} lacks the permission ${permission}`)
  }
}

/** Context keys as one string. Keys do not contain commas. */
const asText = (contextKeys: readonly string[]) => contextKeys.join()

/** True for a caller that acts for one subscriber under one exact set of contexts. */
const isOwner = (caller: Caller): caller is SessionCaller | LinkCaller =>
  caller.kind === 'session' || caller.kind === 'link'

function assertOwner(caller: SessionCaller | LinkCaller, owner: Owner | null): void {
  if (owner?.subscriberId === caller.subscriberId && asText(owner.contextKeys) === asText(caller.contextKeys)) return
  const who = caller.kind === 'session' ? 'Browser sessions' : 'Links in messages'
  throw new Refusal('FORBIDDEN', `${who} can only access their own subscriber and contexts`)
}

/** Returns a filter for rows with an owner: the own rows of a session or a link, or all rows for an API key. */
export function ownRows({ caller }: Scope): { subscriberId?: string; contextKeys?: { equals: string[] } } {
  if (!isOwner(caller)) return {}
  return { subscriberId: caller.subscriberId, contextKeys: { equals: [...caller.contextKeys] } }
}

/** Returns a parser of the input that takes `trusted` fields as they are. @throws Refusal `INVALID` */
function parserOf<Input extends z.ZodType>(schema: Input, trusted: readonly string[]) {
  if (trusted.length === 0 || !(schema instanceof z.ZodObject)) return (input: z.input<Input>) => parse(schema, input)
  const others = schema.extend(Object.fromEntries(trusted.map((field) => [field, z.unknown().optional()])))
  // The trusted fields are the output of the replaced schemas.
  return (input: z.input<Input>) => parse(others, input) as z.output<Input>
}

/** Adds the checks of permission, input and owner to `act`. */
function checked<Input extends z.ZodType, Output>(
  definition: Declaration<Input>,
  act: (scope: Scope, input: z.output<Input>) => Promise<Output>,
): Resolver<Input, Output> {
  const { permission, owner, main = false } = definition
  const trusting = (fields: readonly string[]) => {
    const parseInput = parserOf(definition.input, fields)
    return async (given: Scope | DoorScope, input: z.input<Input>) => {
      const own = DoorScope.open(given)
      const scope = main ? mainScope(own) : own
      const { caller } = scope
      assertPermitted(scope, permission)
      // Whatever the input is.
      if (owner === null && isOwner(caller)) assertOwner(caller, owner)
      const parsed = parseInput(input)
      if (typeof owner === 'function' && isOwner(caller)) assertOwner(caller, await owner(parsed, scope))
      return resolver.act(scope, parsed)
    }
  }
  const resolver: Resolver<Input, Output> = Object.assign(trusting([]), { trusting, definition, act })
  return resolver
}

/** A resolver that reads. */
export function query<Input extends z.ZodType, Output>(
  definition: ResolverDefinition<Input, Output>,
): Resolver<Input, Output> {
  return checked(definition, definition.run)
}

/** A resolver that writes, in one transaction. */
export function mutation<Input extends z.ZodType, Output>(
  definition: ResolverDefinition<Input, Output>,
): Resolver<Input, Output> {
  return checked(definition, (scope, input) => scope.transaction((inner) => definition.run(inner, input)))
}

/** A resolver that writes with at most one statement, without a transaction around it. It may read first. */
export function atomicMutation<Input extends z.ZodType, Output>(
  definition: AtomicDefinition<Input, Output>,
): Resolver<Input, Output> {
  return checked({ ...definition, atomic: true }, (scope, input) =>
    scope.atomic((inner) => definition.run(inner, input)),
  )
}

/**
 * A resolver that writes, without a transaction around it: `run` writes in `scope.atomic` or `scope.transaction`, and
 * may repeat that if it fails.
 */
export function unwrappedMutation<Input extends z.ZodType, Output>(
  definition: ResolverDefinition<Input, Output>,
): Resolver<Input, Output> {
  return checked(definition, definition.run)
}

/** A resolver that writes in one transaction, after work that must not run in one, such as evaluating templates. */
export function preparedMutation<Input extends z.ZodType, Output>(
  definition: PreparedDefinition<Input, Output>,
): Resolver<Input, Output> {
  return checked(definition, async (scope, input) => scope.transaction(await definition.prepare(scope, input)))
}
