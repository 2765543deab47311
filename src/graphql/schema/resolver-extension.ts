// An extension that stores the resolver of a field. The rate limits of the field depend on it.
import type { GraphQLField } from 'graphql'
import type { Resolver } from '../../domain/resolver/resolver.ts'

/** A resolver with any input and output. */
export type AnyResolver = Pick<Resolver, 'definition'>

declare module 'graphql' {
  // Declarations merge only if they have the same type parameters.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  export interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    resolver?: AnyResolver
  }
}

/** The resolver that a field calls. Undefined if it does not call one. */
export function resolverOf({
  extensions,
}: Pick<GraphQLField<unknown, unknown>, 'extensions'>): AnyResolver | undefined {
  return extensions.resolver
}
