// A resolver: one named act of the domain, with its permission and its input. Both doors call the same ones.
import { z } from 'zod'
import { Refusal } from '../lib/errors.ts'
import { parse } from '../lib/validation.ts'
import type { OwnPermission, Permission } from './permission.ts'
import type { Caller, Scope } from './scope.ts'

/** What a call draws from the caller's rate limits (CALLERS: Rate limits). */
export interface Rate {
  readonly category: 'trigger' | 'configuration' | 'global'
  /** A bulk costs 100, everything else 1. */
  readonly cost: 1 | 100
}

/** Whose something is: a subscriber's, under exactly these contexts, which are sorted and without repeats. */
export interface Owner {
  readonly subscriberId: string
  readonly contextKeys: readonly string[]
}

/** What a resolver asks of its caller. */
type Requirement<Input extends z.ZodType> =
  | { readonly permission: Exclude<Permission, OwnPermission>; readonly owner?: never }
  | {
      readonly permission: OwnPermission
      /**
       * Whose the things are that the input names, and `run` looks for them among that owner's only: a session is refused
       * another's. `'caller'` where the input does not say whose, and `run` looks among `ownRows`. Null for what is not one
       * subscriber's: sessions are refused it.
       */
      readonly owner: ((input: z.output<Input>) => Owner) | 'caller' | null
    }

export type ResolverDefinition<Input extends z.ZodType, Output> = Requirement<Input> & {
  /** Noun and verb, such as `topic.create`. */
  readonly name: `${string}.${string}`
  /** One of `configuration` unless told otherwise. */
  readonly rate?: Rate
  readonly input: Input
  readonly run: (scope: Scope, input: z.output<Input>) => Promise<Output>
}

/**
 * Checks the permission, the input and whose it is, then acts.
 *
 * @throws Refusal `FORBIDDEN`, `INVALID`, or what the act refuses.
 */
export interface Resolver<Input extends z.ZodType = z.ZodType, Output = unknown> {
  (scope: Scope, input: z.input<Input>): Promise<Output>
  /**
   * Returns the resolver without the validation of `fields`: the caller validated them with the same schemas. A REST
   * body is validated once in this way.
   */
  readonly trusting: (fields: readonly string[]) => (scope: Scope, input: z.input<Input>) => Promise<Output>
  readonly definition: Omit<ResolverDefinition<Input, Output>, 'run' | 'owner'>
}

const callers: Readonly<Record<Caller['kind'], string>> = {
  apiKey: 'This API key',
  session: 'A session of a browser',
  public: 'The public identifier of an environment',
}

/** @throws Refusal `FORBIDDEN` */
function assertPermitted({ caller }: Scope, permission: Permission): void {
  if (!caller.permissions.has(permission)) {
    throw new Refusal('FORBIDDEN', `${callers[caller.kind]} may not do this: it lacks the permission ${permission}`)
  }
}

/** Contexts as one text. Their keys have no commas. */
const asText = (contextKeys: readonly string[]) => contextKeys.join()

function assertOwner(caller: Caller, owner: Owner | 'caller' | null): void {
  if (caller.kind !== 'session' || owner === 'caller') return
  if (owner?.subscriberId === caller.subscriberId && asText(owner.contextKeys) === asText(caller.contextKeys)) return
  throw new Refusal('FORBIDDEN', 'A session of a browser reaches its own subscriber under its own contexts only')
}

/** A filter of rows that belong to a subscriber under contexts: for a session its own, for an API key all. */
export function ownRows({ caller }: Scope): { subscriberId?: string; contextKeys?: { equals: string[] } } {
  if (caller.kind !== 'session') return {}
  return { subscriberId: caller.subscriberId, contextKeys: { equals: [...caller.contextKeys] } }
}

/** Returns a parser of the input that takes `trusted` fields as they are. @throws Refusal `INVALID` */
function parserOf<Input extends z.ZodType>(schema: Input, trusted: readonly string[]) {
  if (trusted.length === 0 || !(schema instanceof z.ZodObject)) return (input: z.input<Input>) => parse(schema, input)
  const others = schema.extend(Object.fromEntries(trusted.map((field) => [field, z.unknown().optional()])))
  // The trusted fields are output of the schemas that were replaced.
  return (input: z.input<Input>) => parse(others, input) as z.output<Input>
}

/** Adds the checks of permission, input and owner to `act`. */
function checked<Input extends z.ZodType, Output>(
  definition: ResolverDefinition<Input, Output>,
  act: (scope: Scope, input: z.output<Input>) => Promise<Output>,
): Resolver<Input, Output> {
  const { permission, owner } = definition
  const trusting = (fields: readonly string[]) => {
    const parseInput = parserOf(definition.input, fields)
    return async (scope: Scope, input: z.input<Input>) => {
      assertPermitted(scope, permission)
      const parsed = parseInput(input)
      if (owner !== undefined) assertOwner(scope.caller, typeof owner === 'function' ? owner(parsed) : owner)
      return act(scope, parsed)
    }
  }
  return Object.assign(trusting([]), { trusting, definition })
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
