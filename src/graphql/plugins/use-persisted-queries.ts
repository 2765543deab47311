// Looks up queries that a request names by a hash or id: trusted documents and automatic persisted queries.
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { type PersistedQueries, resolveQuery } from '../pipeline/persisted-queries.ts'
import type { GraphContext } from '../schema/builder.ts'

/** Parameters that name a trusted document. Yoga would not read them from the URL. */
const idParameters = ['documentId', 'doc_id', 'id'] as const

function withIds(params: GraphQLParams, url: string): GraphQLParams {
  const search = new URL(url).searchParams
  const ids = idParameters.flatMap((name) => (search.has(name) ? [[name, search.get(name)] as const] : []))
  return { ...params, ...Object.fromEntries(ids) }
}

export function usePersistedQueries(queries: PersistedQueries): Plugin<GraphContext, GraphContext> {
  return {
    onRequestParse({ request }) {
      if (queries.trusted.documents.size === 0 || request.method !== 'GET') return undefined
      return {
        onRequestParseDone({ requestParserResult, setRequestParserResult }) {
          if (!Array.isArray(requestParserResult)) setRequestParserResult(withIds(requestParserResult, request.url))
        },
      }
    },
    onParams({ params, setParams, context }) {
      setParams(resolveQuery(queries, context.scope.caller, params))
    },
  }
}
