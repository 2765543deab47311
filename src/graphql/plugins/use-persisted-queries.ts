// Reads queries that a request names by a hash or id: trusted documents and automatic persisted queries.
import { GraphQLError } from 'graphql'
import type { GraphQLParams, OnParamsEventPayload, Plugin } from 'graphql-yoga'
import { codedError } from '../door/errors.ts'
import { nameOfQuery, type PersistedQueries } from '../door/persisted-queries.ts'
import type { GraphContext } from '../schema/builder.ts'

/** As for every operation that is rejected before it runs: 200 for the older media type, otherwise 400. */
const http = { status: 400, spec: true } as const

/** Parameters of a request that name a trusted document. Yoga reads no others from the URL. */
const idParameters = ['documentId', 'doc_id', 'id'] as const

function withIds(params: GraphQLParams, url: string): GraphQLParams {
  const search = new URL(url).searchParams
  const ids = idParameters.flatMap((name) => (search.has(name) ? [[name, search.get(name)] as const] : []))
  return { ...params, ...Object.fromEntries(ids) }
}

/** @throws GraphQLError if the request names no query that it may run. */
function resolveQuery(queries: PersistedQueries, payload: OnParamsEventPayload<GraphContext>): void {
  const { documents, only } = queries.trusted
  const { params, setParams, context } = payload
  const { caller } = context.scope
  const name = nameOfQuery(params)
  // Some clients always send a query, which is empty then.
  const query: unknown = params.query === '' ? undefined : (params.query ?? undefined)
  if (only && (query !== undefined || name === undefined)) {
    throw codedError('TRUSTED_DOCUMENT_REQUIRED', 'Send the id of a trusted document, and no query')
  }
  if (name === undefined) return
  if (query === undefined) {
    const known = queries.find(caller, params)
    if (known !== undefined) {
      setParams({ query: known, operationName: params.operationName, variables: params.variables })
    } else if (documents.size > 0 && (only || !name.automatic)) {
      throw codedError('PERSISTED_QUERY_NOT_IN_LIST', `"${name.id.slice(0, 100)}" is not the id of a trusted document`)
    } else if (name.automatic) {
      // Clients look for this message or for the code, and send the query then.
      throw codedError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
    }
  } else if (name.automatic && typeof query === 'string' && !queries.register(caller, name.id, query)) {
    throw codedError('PERSISTED_QUERY_MISMATCH', 'sha256Hash must be the SHA-256 hash of the query, as lowercase hex')
  }
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
    onParams(payload) {
      try {
        resolveQuery(queries, payload)
      } catch (error) {
        if (error instanceof GraphQLError) error.extensions['http'] = http
        throw error
      }
    },
  }
}
