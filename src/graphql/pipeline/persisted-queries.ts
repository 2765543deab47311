// Queries that a request names by a hash or id instead of sending them.
//
// Automatic ones are registered by clients, which send the SHA-256 hash alone and the query only if it is not known.
// They are a cache: a client whose query was dropped sends it again. Trusted ones are listed by the operator.
import type { GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Caller } from '../../domain/resolver/caller.ts'
import { codedError } from './errors.ts'

/** Maximum characters of all registered queries of one environment, plus `ENTRY_OVERHEAD` for each. */
const MAX_SIZE = 250_000
/** The estimated size of a query's hash and bookkeeping, in characters. */
const ENTRY_OVERHEAD = 500
/** Maximum environments with registered queries. The least recently used one is dropped. */
const MAX_ENVIRONMENTS = 200

/** The queries by id. */
export type TrustedDocuments = ReadonlyMap<string, string>

export interface TrustedDocumentOptions {
  readonly documents: TrustedDocuments
  /** True if only trusted documents are accepted. */
  readonly only: boolean
}

/** The ways in which a request names its query: Apollo's, that of GraphQL over HTTP, and Relay's. */
const namedQuery = z.object({
  extensions: z.object({ persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string() }) }).optional(),
  documentId: z.string().optional(),
  doc_id: z.string().optional(),
  id: z.string().optional(),
})

export interface NamedQuery {
  readonly id: string
  /** True if a client may register a query under this name. */
  readonly automatic: boolean
}

/** The name of a query in the parameters of a request, or undefined. */
export function nameOfQuery(params: unknown): NamedQuery | undefined {
  const { data } = namedQuery.safeParse(params)
  if (data === undefined) return undefined
  const hash = data.extensions?.persistedQuery.sha256Hash
  const id = hash ?? data.documentId ?? data.doc_id ?? data.id
  return id === undefined ? undefined : { id, automatic: hash !== undefined }
}

export interface PersistedQueries {
  readonly trusted: TrustedDocumentOptions
  /** Registers a query for the callers of one environment. @returns false if the hash is not its hash. */
  register(caller: Caller, hash: string, query: string): boolean
  /** Returns the query that the parameters of a request name, if it is known. */
  find(caller: Caller, params: unknown): string | undefined
}

/** The environment. Public callers, who know no more than its identifier, have queries of their own. */
const shareOf = ({ kind, environmentId }: Caller) => `${environmentId} ${kind === 'public' ? kind : ''}`

const createShare = () =>
  new LRUCache<string, string>({ maxSize: MAX_SIZE, sizeCalculation: (query) => query.length + ENTRY_OVERHEAD })

export function createPersistedQueries(trusted: TrustedDocumentOptions): PersistedQueries {
  // One cache per environment, so that none can see or displace the queries of another.
  const shares = new LRUCache<string, LRUCache<string, string>>({ max: MAX_ENVIRONMENTS })
  return {
    trusted,
    register(caller, hash, query) {
      if (createHash('sha256').update(query).digest('hex') !== hash) return false
      const share = shares.get(shareOf(caller)) ?? createShare()
      shares.set(shareOf(caller), share.set(hash, query))
      return true
    },
    find(caller, params) {
      const name = nameOfQuery(params)
      if (name === undefined) return undefined
      const listed = trusted.documents.get(name.id)
      if (listed !== undefined || trusted.only || !name.automatic) return listed
      return shares.get(shareOf(caller))?.get(name.id)
    },
  }
}

/** The parameters that name a query. Their types are unknown until they are checked. */
interface QueryParameters {
  readonly query?: unknown
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

/** The parameters, with the query that they name. */
interface FoundQuery {
  readonly query: string
  readonly operationName?: string | undefined
  readonly variables?: Readonly<Record<string, unknown>> | undefined
}

/** As for every operation that is rejected before execution: 200 for the older media type, otherwise 400. */
function rejected(...given: Parameters<typeof codedError>): GraphQLError {
  const error = codedError(...given)
  error.extensions['http'] = { status: 400, spec: true }
  return error
}

/**
 * Returns the parameters with the query that they name, or unchanged. Registers a query that is sent with its hash.
 *
 * @throws GraphQLError if they name no query that the caller may run.
 */
export function resolveQuery<Given extends QueryParameters>(
  queries: PersistedQueries,
  caller: Caller,
  params: Given,
): Given | FoundQuery {
  const { documents, only } = queries.trusted
  const name = nameOfQuery(params)
  // Some clients always send a query, which is then empty.
  const query: unknown = params.query === '' ? undefined : (params.query ?? undefined)
  if (only && (query !== undefined || name === undefined)) {
    throw rejected('TRUSTED_DOCUMENT_REQUIRED', 'Send the id of a trusted document, and no query')
  }
  if (name === undefined) return params
  if (query === undefined) {
    const known = queries.find(caller, params)
    const { operationName, variables } = params
    if (known !== undefined)
      return { query: known, operationName: operationName ?? undefined, variables: variables ?? undefined }
    if (documents.size > 0 && (only || !name.automatic)) {
      throw rejected('PERSISTED_QUERY_NOT_IN_LIST', `"${name.id.slice(0, 100)}" is not the id of a trusted document`)
    }
    // Clients look for this message or the code, and then send the query.
    if (name.automatic) throw rejected('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
  } else if (name.automatic && typeof query === 'string' && !queries.register(caller, name.id, query)) {
    throw rejected('PERSISTED_QUERY_MISMATCH', 'sha256Hash must be the SHA-256 hash of the query, as lowercase hex')
  }
  return params
}
