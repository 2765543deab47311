// Automatic persisted queries and trusted documents.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { readTrustedDocuments } from '../../src/graphql/door/trusted-documents.ts'
import { publicCallerOf } from '../support/browser.ts'
import { codesOf, post, request } from '../support/http.ts'
import { type Client, useWorld, type World } from '../support/world.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const persisted = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } })
const authorized = (client: Client, scheme = 'ApiKey') => ({ authorization: `${scheme} ${client.key}` })

const query = '{ environment { name } }'
const hash = sha256(query)
const create = `mutation ($id: String!) { createSubscriber(input: { subscriberId: $id }) { subscriber { subscriberId } } }`

/** A GET request. Objects are sent as JSON. */
async function get(world: World, parameters: Record<string, unknown>, client: Client) {
  const search = new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
  return request(world, { headers: { ...authorized(client), accept: 'application/json' } }, `?${search.toString()}`)
}

describe('an automatic persisted query', () => {
  const world = useWorld()
  let acme: Client
  beforeEach(async () => {
    acme = await world.environment()
  })
  const send = (body: object, headers: Record<string, string> = {}, client = acme) =>
    post(world, body, { ...authorized(client), ...headers })

  test.each([
    ['200 as application/json', 'application/json', 200],
    ['400 as application/graphql-response+json', 'application/graphql-response+json', 400],
  ])('that is not known is answered with %s, and the code that makes clients send it', async (_how, accept, status) => {
    const answer = await send({ extensions: persisted(hash) }, { accept })
    expect(answer).toMatchObject({
      status,
      errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    })
  })

  test('is known by its hash once it was sent, by POST and by GET', async () => {
    expect(codesOf(await get(world, { extensions: persisted(hash) }, acme))).toEqual(['PERSISTED_QUERY_NOT_FOUND'])
    expect((await get(world, { query, extensions: persisted(hash) }, acme)).text).toContain('"data":{"environment"')
    expect((await get(world, { extensions: persisted(hash) }, acme)).text).toContain('"data":{"environment"')
    expect((await send({ extensions: persisted(hash) })).text).toContain('"data":{"environment"')
    expect((await send({ query: '', extensions: persisted(hash) })).text).toContain('"data":{"environment"')
  })

  test('accepts variables and an operation name', async () => {
    const two = `query One($key: String!) { context(key: $key) { key } } query Two { environment { name } }`
    await send({ query: two, operationName: 'Two', extensions: persisted(sha256(two)) })
    const one = { operationName: 'One', variables: { key: 'tenant:a' }, extensions: persisted(sha256(two)) }
    expect(JSON.parse((await send(one)).text)).toEqual({ data: { context: null } })
  })

  test('under the hash of another query is rejected and not stored', async () => {
    const wrong = sha256('{ another }')
    expect(codesOf(await send({ query, extensions: persisted(wrong) }))).toEqual(['PERSISTED_QUERY_MISMATCH'])
    expect(codesOf(await send({ extensions: persisted(wrong) }))).toEqual(['PERSISTED_QUERY_NOT_FOUND'])
  })

  test('of one environment is not known in another one, nor to public callers', async () => {
    await send({ query, extensions: persisted(hash) })
    const other = await world.environment()
    expect(codesOf(await send({ extensions: persisted(hash) }, {}, other))).toEqual(['PERSISTED_QUERY_NOT_FOUND'])
    const stranger = authorized(await publicCallerOf(world, acme), 'Environment')
    expect(codesOf(await send({ extensions: persisted(hash) }, stranger))).toEqual(['PERSISTED_QUERY_NOT_FOUND'])
  })

  test('is dropped only for other queries of the same environment', async () => {
    const other = await world.environment()
    for (const client of [acme, other]) await send({ query, extensions: persisted(hash) }, {}, client)
    for (const letter of ['a', 'b', 'c']) {
      const large = `${query} #${letter.repeat(90_000)}`
      await send({ query: large, extensions: persisted(sha256(large)) })
    }
    expect(codesOf(await send({ extensions: persisted(hash) }))).toEqual(['PERSISTED_QUERY_NOT_FOUND'])
    expect((await send({ extensions: persisted(hash) }, {}, other)).status).toBe(200)
  })

  test('has the limits of every query', async () => {
    const aliases = `{ ${Array.from({ length: 101 }, (_, index) => `a${index}: __typename`).join(' ')} }`
    const extensions = persisted(sha256(aliases))
    for (const body of [{ query: aliases, extensions }, { extensions }]) {
      expect(codesOf(await send(body))).toEqual(['TOO_MANY_ALIASES'])
    }
    const costly = `{ subscribers(first: 100) { nodes { topicSubscriptions(first: 100) { nodes { topic {
      subscriptions(first: 100) { nodes { id } } } } } } } }`
    await send({ query: costly, extensions: persisted(sha256(costly)) })
    expect(codesOf(await send({ extensions: persisted(sha256(costly)) }))).toEqual(['QUERY_TOO_COSTLY'])
  })

  test.each([
    ['a query that is no text', { query: 7, extensions: persisted(sha256('7')) }],
    ['a hash that is no text', { extensions: { persistedQuery: { version: 1, sha256Hash: 7 } } }],
    ['another version', { extensions: { persistedQuery: { version: 2, sha256Hash: hash } } }],
    ['an id of a trusted document, of which there are none', { documentId: hash }],
  ])('with %s is a user error', async (_what, body) => {
    expect(codesOf(await send(body))).toEqual(['BAD_USER_INPUT'])
  })

  test('that is a mutation takes effect once with an idempotency key, whether or not its text is sent', async () => {
    const key = { 'idempotency-key': 'sign-up-ada' }
    const extensions = persisted(sha256(create))
    const body = { variables: { id: 'ada' }, extensions }
    expect(codesOf(await send(body, key))).toEqual(['PERSISTED_QUERY_NOT_FOUND'])
    const first = await send({ query: create, ...body }, key)
    expect(JSON.parse(first.text)).toEqual({ data: { createSubscriber: { subscriber: { subscriberId: 'ada' } } } })
    for (const again of [body, { query: create, ...body }, { query: '', ...body }]) {
      const replay = await send(again, key)
      expect(replay.headers.get('idempotency-replay')).toBe('true')
      expect(replay.text).toBe(first.text)
    }
    const another = await send({ variables: { id: 'grace' }, extensions }, key)
    expect(codesOf(another)).toEqual(['BAD_USER_INPUT'])
    expect(another.text).toContain('idempotency-key was used for another request')
  })

  test('that is a mutation cannot be sent with GET', async () => {
    await send({ query: create, variables: { id: 'ada' }, extensions: persisted(sha256(create)) })
    const answer = await get(world, { variables: { id: 'grace' }, extensions: persisted(sha256(create)) }, acme)
    expect(answer.status).toBe(405)
  })
})

const folder = mkdtempSync(path.join(tmpdir(), 'trusted-documents-'))
afterAll(() => rmSync(folder, { recursive: true }))

function written(content: unknown): string {
  const file = path.join(folder, `${sha256(JSON.stringify(content))}.json`)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const listed = { environment: query, [sha256(create)]: create }

/** The forms in which clients name a document. */
const forms: [string, (id: string) => Record<string, unknown>][] = [
  ['documentId', (id) => ({ documentId: id })],
  ['doc_id', (id) => ({ doc_id: id })],
  ['id', (id) => ({ id })],
  ['the hash of a persisted query', (id) => ({ extensions: persisted(id) })],
]

describe('a trusted document', () => {
  const world = useWorld({ trustedDocuments: written(listed) })

  test.each(forms)('is named by %s', async (_form, named) => {
    const answers = [await post(world, named('environment')), await get(world, named('environment'), world.development)]
    for (const { text } of answers) expect(JSON.parse(text)).toEqual({ data: { environment: { name: 'Development' } } })
  })

  test('is not the only accepted query by default', async () => {
    expect((await post(world, { query })).status).toBe(200)
    const another = '{ environment { identifier } }'
    expect(codesOf(await post(world, { extensions: persisted(sha256(another)) }))).toEqual([
      'PERSISTED_QUERY_NOT_FOUND',
    ])
    expect((await post(world, { query: another, extensions: persisted(sha256(another)) })).status).toBe(200)
    expect(codesOf(await post(world, { documentId: 'another' }))).toEqual(['PERSISTED_QUERY_NOT_IN_LIST'])
  })

  test('that is a mutation takes effect once with an idempotency key', async () => {
    const body = { documentId: sha256(create), variables: { id: 'ada' } }
    const first = await post(world, body, { 'idempotency-key': 'trusted' })
    const second = await post(world, body, { 'idempotency-key': 'trusted' })
    expect(second.headers.get('idempotency-replay')).toBe('true')
    expect(second.text).toBe(first.text)
  })
})

describe('a gateway that accepts only trusted documents', () => {
  const world = useWorld({ trustedDocuments: written(listed), trustedDocumentsOnly: true })

  test.each(forms)('runs those that are listed, and no others, by %s', async (_form, named) => {
    expect((await post(world, named('environment'))).status).toBe(200)
    expect(codesOf(await post(world, named('another')))).toEqual(['PERSISTED_QUERY_NOT_IN_LIST'])
  })

  test.each([
    ['a query', { query }],
    ['a query with the id of a document', { query: '{ environment { id } }', extensions: persisted('environment') }],
    ['a query to register', { query, extensions: persisted(hash) }],
    ['a mutation', { query: create, variables: { id: 'ada' } }],
    ['nothing', {}],
  ])('rejects %s', async (_what, body) => {
    for (const headers of [[], [['idempotency-key', sha256(JSON.stringify(body))]]] satisfies [string, string][][]) {
      expect(codesOf(await post(world, body, headers))).toEqual(['TRUSTED_DOCUMENT_REQUIRED'])
    }
  })
})

describe('a file of trusted documents', () => {
  test('has documents by their ids', () => {
    expect([...readTrustedDocuments(written(listed))]).toEqual(Object.entries(listed))
  })

  test.each<[string, string | object, RegExp]>([
    ['is no JSON', '{', /^TRUSTED_DOCUMENTS cannot be read: Expected property name/],
    ['is a list', [query], /must be a JSON object of documents by their ids/],
    ['has a document that is no text', { a: 1 }, /expected string/],
    ['is empty', {}, /has no documents/],
    ['has a document with a syntax error', { a: '{' }, /the document "a" is invalid: Syntax Error: Expected Name/],
    [
      'has a document that does not match the schema',
      { a: '{ nobody }' },
      /"a" is invalid: Cannot query field "nobody"/,
    ],
  ])('that %s prevents the start', (_what, content, message) => {
    expect(() => readTrustedDocuments(written(content))).toThrow(message)
  })

  test('that does not exist prevents the start', () => {
    expect(() => readTrustedDocuments(path.join(folder, 'missing.json'))).toThrow(
      /^TRUSTED_DOCUMENTS cannot be read: ENOENT: .*missing.json/,
    )
  })
})
