// A resolver: one named act of the domain, with its permission and its input. Both doors call the same ones.
import type { z } from 'zod'
import { Refusal } from '../lib/errors.ts'
import { parse } from '../lib/validation.ts'
import type { Permission } from './permission.ts'
import type { Scope } from './scope.ts'

/** What a call draws from the caller's rate limits (CALLERS: Rate limits). */
export interface Rate {
  readonly category: 'trigger' | 'configuration' | 'global'
  /** A bulk costs 100, everything else 1. */
  readonly cost: 1 | 100
}

export interface ResolverDefinition<Input extends z.ZodType, Output> {
  /** Noun and verb, such as `topic.create`. */
  readonly name: `${string}.${string}`
  readonly permission: Permission
  /** One of `configuration` unless told otherwise. */
  readonly rate?: Rate
  readonly input: Input
  readonly run: (scope: Scope, input: z.output<Input>) => Promise<Output>
}

/** Checks the permission and the input, then acts. @throws Refusal `FORBIDDEN`, `INVALID`, or what the act refuses. */
export interface Resolver<Input extends z.ZodType = z.ZodType, Output = unknown> {
  (scope: Scope, input: z.input<Input>): Promise<Output>
  readonly definition: Omit<ResolverDefinition<Input, Output>, 'run'>
}

function assertPermitted(scope: Scope, permission: Permission): void {
  if (!scope.caller.permissions.has(permission)) {
    throw new Refusal('FORBIDDEN', `This API key may not do this: it lacks the permission ${permission}`)
  }
}

/** A resolver that reads. */
export function query<Input extends z.ZodType, Output>(
  definition: ResolverDefinition<Input, Output>,
): Resolver<Input, Output> {
  const resolve = async (scope: Scope, input: z.input<Input>) => {
    assertPermitted(scope, definition.permission)
    return definition.run(scope, parse(definition.input, input))
  }
  return Object.assign(resolve, { definition })
}

/** A resolver that writes: its whole act is one transaction. */
export function mutation<Input extends z.ZodType, Output>(
  definition: ResolverDefinition<Input, Output>,
): Resolver<Input, Output> {
  const resolve = async (scope: Scope, input: z.input<Input>) => {
    assertPermitted(scope, definition.permission)
    const parsed = parse(definition.input, input)
    return scope.transaction((inner) => definition.run(inner, parsed))
  }
  return Object.assign(resolve, { definition })
}
