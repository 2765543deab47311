// Which resolver of the domain a field calls: both doors call the same ones, and what a call costs depends on it.
import type { GraphQLField } from 'graphql'
import type { Resolver } from '../../domain/resolver.ts'

/** A resolver whatever its input and output are. */
export type AnyResolver = Pick<Resolver, 'definition'>

declare module 'graphql' {
  // Names and number of the parameters are graphql's: declarations merge only when they are the same.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  export interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    resolver?: AnyResolver
  }
}

/** Field options that name the resolver. */
export function calls(resolver: AnyResolver) {
  return { extensions: { resolver } }
}

/** The resolver that a field names; undefined where it calls none. */
export function resolverOf({
  extensions,
}: Pick<GraphQLField<unknown, unknown>, 'extensions'>): AnyResolver | undefined {
  return extensions.resolver
}
