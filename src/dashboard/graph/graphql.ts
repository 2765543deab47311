// Typed GraphQL documents: `graphql` checks each operation against the printed schema.
import { initGraphQLTada } from 'gql.tada'
import type { introspection } from './schema.d.ts'

/** The scalars as they appear in JSON. A `DateTime` is an RFC 3339 text. */
interface Scalars {
  DateTime: string
  JSON: unknown
  JSONObject: Record<string, unknown>
  URL: string
}

export const graphql = initGraphQLTada<{ introspection: introspection; scalars: Scalars }>()
export type { ResultOf, VariablesOf } from 'gql.tada'
