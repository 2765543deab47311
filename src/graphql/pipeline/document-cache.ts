// The cache of parsed queries, limited by memory.
import type { DocumentNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { ParsedQuery } from '../schema/builder.ts'
import { MAX_QUERY_LENGTH, parseBounded } from './document-limits.ts'

/** Bytes of all documents. */
const MAX_SIZE = 32 * 1024 * 1024

/** Measured bytes of one token's nodes. The text itself is small in comparison. */
const TOKEN_SIZE = 500

/** Maximum bytes of an operation's plan per token of its document. */
const PLAN_SIZE = 300

/** Maximum bytes of the facts about one operation. */
const OPERATION_SIZE = 2_000

export type DocumentCache = LRUCache<string, DocumentNode>

/**
 * Keeps the most recently used documents. A document keeps its validation result, facts and plans for as long as it is
 * cached.
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
  // A query that is too long is not looked up, because that would hash all of it.
  const known = query.length > MAX_QUERY_LENGTH ? undefined : documents.get(query)
  if (known !== undefined) return { query, document: known }
  const parsed = parseBounded(query)
  documents.set(query, parsed.document)
  return parsed
}
