// The cache of parsed queries, bounded by the memory that they take.
import type { DocumentNode } from 'graphql'
import { LRUCache } from 'lru-cache'

/** Bytes of all documents. */
const MAX_SIZE = 32 * 1024 * 1024

/** Bytes that the nodes of one token take, measured. Their text is small against that. */
const TOKEN_SIZE = 500

/** Keeps the most recently used documents. A validated document keeps its result for as long as it is here. */
export function createDocumentCache(maxSize = MAX_SIZE): LRUCache<string, DocumentNode> {
  return new LRUCache({
    maxSize,
    sizeCalculation: ({ tokenCount = 0 }, query) => 2 * query.length + TOKEN_SIZE * (tokenCount + 1),
  })
}

/** Stands in for yoga's cache of syntax errors. Each holds its query, and parsing it again costs no more than any query. */
export const noErrorCache = {
  get: () => undefined,
  set: () => undefined,
}
