// How a root field calls its resolver: with its arguments, or with the input that `decode` returns for them.
import type { InputFieldMap, InputShapeFromFields } from '@pothos/core'
import type { z } from 'zod'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import type { Resolver } from '../../domain/resolver/resolver.ts'
import type { AnyResolver } from './resolver-extension.ts'

/** A resolver whose input has the names of a field's arguments. */
type Taking<Args, Output> = AnyResolver & ((scope: DoorScope, input: Args) => Promise<Output>)

/** The arguments, or `never` while the compiler has not inferred their fields. The compiler tries both. */
type Inferred<Fields extends InputFieldMap, Args> = NoInfer<[Fields] extends [never] ? never : Args>

/** The resolver of a root field with the arguments `Fields`. */
export type Calling<
  Fields extends InputFieldMap,
  Input extends z.ZodType,
  Output,
  Args = InputShapeFromFields<Fields>,
> =
  | { readonly resolver: Taking<Inferred<Fields, Args>, Output>; readonly decode?: undefined }
  | {
      readonly resolver: Resolver<Input, Output>
      /** Returns the resolver's input for the field's arguments. Only maps names; rules belong in the resolver. */
      readonly decode: (args: Args) => z.input<Input>
    }

/** The call of a field's resolver, together with the resolver. */
export interface ResolverCall<Given extends readonly unknown[], Output> {
  (scope: DoorScope, ...given: Given): Output
  readonly resolver: AnyResolver
}

/** Attaches the resolver to its call. */
export const callTo = <Given extends readonly unknown[], Output>(
  resolver: AnyResolver,
  call: (scope: DoorScope, ...given: Given) => Output,
): ResolverCall<Given, Output> => Object.assign(call, { resolver })

/** Returns the function that calls the resolver with a root field's arguments. */
export function callOf<Root, Fields extends InputFieldMap, Input extends z.ZodType, Output, Args>(
  options: Calling<Fields, Input, Output, Args>,
): ResolverCall<[root: Root, args: Args], Promise<Output>> {
  if (options.decode === undefined) {
    // `Calling` ensures that the resolver accepts the arguments.
    const resolver = options.resolver as Taking<Args, Output>
    return callTo(resolver, (scope, _root: Root, args: Args) => resolver(scope, args))
  }
  const { resolver, decode } = options
  return callTo(resolver, (scope, _root: Root, args: Args) => resolver(scope, decode(args)))
}
