// Which operations run without yoga, by the media types that the client accepts.
import { expect, test } from 'vitest'
import { anonymousCaller } from '../../src/domain/access/dashboard-session.ts'
import { readPlainOperation } from '../../src/graphql/door/plain-operation.ts'
import { createDocumentCache } from '../../src/graphql/pipeline/document-cache.ts'
import { createPersistedQueries } from '../../src/graphql/pipeline/persisted-queries.ts'
import { createValidation } from '../../src/graphql/pipeline/validation.ts'

const known = {
  caller: anonymousCaller,
  queries: createPersistedQueries({ documents: new Map(), only: false }),
  documents: createDocumentCache(),
  validate: createValidation({ introspection: true }),
}

/** The media type of the response. Undefined if yoga must handle the request. */
function typeFor(accept: string | undefined, body: unknown = { query: '{ __typename }' }): string | undefined {
  const headers = { 'content-type': 'application/json', ...(accept !== undefined && { accept }) }
  const request = new Request('http://gateway.test/graphql', { method: 'POST', headers })
  return readPlainOperation(request, { json: () => body }, known)?.type
}

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json; charset=utf-8', 'application/json'],
  ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
  ['text/html, application/json;q=0.9', 'application/json'],
  ['Application/JSON', 'application/json'],
  ['application/json; charset=latin1', undefined],
  ['text/event-stream', undefined],
])('a client that accepts %s gets %s', (accept, type) => {
  expect(typeFor(accept)).toBe(type)
})

test('subscriptions and requests with errors are left to yoga', () => {
  expect(typeFor('*/*', { query: 'subscription { eventChanged { __typename } }' })).toBeUndefined()
  expect(typeFor('*/*', { query: '{ absent }' })).toBeUndefined()
  expect(typeFor('*/*', { query: '{' })).toBeUndefined()
  expect(typeFor('*/*', [])).toBeUndefined()
})
