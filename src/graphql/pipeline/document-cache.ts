// The cache of parsed queries, bounded by the memory that they take.
import type { DocumentNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { ParsedQuery } from '../schema/builder.ts'
import { MAX_QUERY_LENGTH, parseBounded } from './document-limits.ts'

/** Bytes of all documents. */
const MAX_SIZE = 32 * 1024 * 1024

/** Bytes that the nodes of one token take, measured. Their text is small against that. */
const TOKEN_SIZE = 500

/** Bytes that the plan of an operation takes at most for each token of its document. */
const PLAN_SIZE = 300

/** Bytes that the facts of one operation take at most. */
const OPERATION_SIZE = 2_000

export type DocumentCache = LRUCache<string, DocumentNode>

/**
 * Keeps the most recently used documents. A document keeps the result of its validation, its facts and its plans for as
 * long as it is here.
 */
export function createDocumentCache(maxSize = MAX_SIZE): DocumentCache {
  return new LRUCache({
    maxSize,
    sizeCalculation: ({ tokenCount = 0, definitions }, query) =>
      2 * query.length + (TOKEN_SIZE + PLAN_SIZE) * (tokenCount + 1) + OPERATION_SIZE * definitions.length,
  })
}

/** Returns the document of a query, parsed once. @throws like `parseBounded` */
export function parseOnce(documents: DocumentCache, query: string): ParsedQuery {
  // A query that is too long is not looked up: that would read all of it.
  const known = query.length > MAX_QUERY_LENGTH ? undefined : documents.get(query)
  if (known !== undefined) return { query, document: known }
  const parsed = parseBounded(query)
  documents.set(query, parsed.document)
  return parsed
}
