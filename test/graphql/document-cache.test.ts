// The cache of parsed queries.
import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { createDocumentCache, parseOnce } from '../../src/graphql/pipeline/document-cache.ts'

const queryOf = (tokens: number, name: string) => `query ${name} { ${'a '.repeat(tokens - 4)} }`

test('holds small queries until their memory is used up', () => {
  const cache = createDocumentCache(160_000)
  for (let i = 0; i < 100; i += 1) {
    const query = queryOf(10, `q${i}`)
    cache.set(query, parse(query))
  }
  expect(cache.calculatedSize).toBeLessThanOrEqual(160_000)
  expect(cache.size).toBeGreaterThan(10)
  expect(cache.has(queryOf(10, 'q99'))).toBe(true)
  expect(cache.has(queryOf(10, 'q0'))).toBe(false)
})

test('drops older queries for a large one, and does not cache a query that is too large', () => {
  const cache = createDocumentCache(160_000)
  const small = queryOf(10, 'small')
  cache.set(small, parse(small))
  const large = queryOf(190, 'large')
  cache.set(large, parse(large))
  expect([cache.has(small), cache.has(large)]).toEqual([false, true])
  const tooLarge = queryOf(1_000, 'larger')
  cache.set(tooLarge, parse(tooLarge))
  expect(cache.has(tooLarge)).toBe(false)
})

test('returns the document of a query that it holds', () => {
  const cache = createDocumentCache()
  const query = queryOf(10, 'again')
  const { document } = parseOnce(cache, query)
  expect(parseOnce(cache, query).document).toBe(document)
})
