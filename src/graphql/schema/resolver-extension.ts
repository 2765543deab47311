// The resolver that a field calls, as an extension of the field: the rate limits of a field depend on it.
import type { GraphQLField } from 'graphql'
import type { Resolver } from '../../domain/resolver/resolver.ts'

/** A resolver with any input and output. */
export type AnyResolver = Pick<Resolver, 'definition'>

declare module 'graphql' {
  // Declarations merge only if the names and number of the type parameters are the same.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  export interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    resolver?: AnyResolver
  }
}

/** The resolver that a field calls. Undefined if it calls none. */
export function resolverOf({
  extensions,
}: Pick<GraphQLField<unknown, unknown>, 'extensions'>): AnyResolver | undefined {
  return extensions.resolver
}
