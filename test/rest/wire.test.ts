// Parsing of REST requests: valid and invalid bodies, query strings and paths.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpServer, startHttpServer } from '../../src/http/node-server.ts'
import { MAX_BODY } from '../../src/http/request-body.ts'
import { type Client, type RestRequest, useWorld } from '../support/world.ts'

const world = useWorld()

async function withAda(): Promise<Client> {
  const acme = await world.environment()
  await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', firstName: 'Ada' } })
  return acme
}

const post = (client: Client, request: RestRequest) => client.rest('POST /v2/subscribers', request)

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}

describe('a request body', () => {
  test.each([
    ['no JSON at all', 'subscriberId=ada'],
    ['cut short', '{"subscriberId":"ada"'],
    ['followed by something', '{"subscriberId":"ada"}}'],
    ['written as JavaScript', "{subscriberId:'ada'}"],
    ['empty', ''],
    ['a number that JSON does not have', '{"subscriberId":"ada","data":{"x":NaN}}'],
  ])('is rejected with 400 if it is %s', async (_what, body) => {
    const refused = await post(world.development, { body })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('not valid JSON') } })
  })

  test.each([['null'], ['[]'], ['[{"subscriberId":"ada"}]'], ['5'], ['"ada"'], ['true']])(
    'is rejected with 400 if it is %s rather than an object',
    async (body) => {
      const refused = await post(world.development, { body })
      expect(refused).toMatchObject({ status: 400, body: { message: 'The body must be a JSON object' } })
    },
  )

  test('is rejected with 400 if it is not UTF-8', async () => {
    const body = Buffer.from('{"subscriberId":"ad\xe4"}', 'latin1')
    expect(await post(world.development, { body })).toMatchObject({
      status: 400,
      body: { message: 'The body is not valid UTF-8' },
    })
  })

  test('can begin with a byte order mark', async () => {
    const acme = await world.environment()
    expect((await post(acme, { body: '\ufeff{"subscriberId":"ada"}' })).status).toBe(201)
  })

  test('takes the last value of a repeated field', async () => {
    const acme = await world.environment()
    const created = await post(acme, { body: '{"subscriberId":"eve","subscriberId":"ada"}' })
    expect(created.body.subscriberId).toBe('ada')
  })

  test('can have unknown fields, which are ignored', async () => {
    const acme = await world.environment()
    const created = await post(acme, { body: { subscriberId: 'ada', nickname: 'Countess', constructor: { name: 1 } } })
    expect(created.status).toBe(201)
    expect(created.body).not.toHaveProperty('nickname')
  })

  test.each([
    ['', '{"subscriberId":"ada","__proto__":{"firstName":"Eve"}}'],
    [' deep inside', '{"subscriberId":"ada","data":{"plan":{"__proto__":{"admin":true}}}}'],
  ])('is rejected with 400 for a __proto__ key%s, and nothing is written', async (_where, body) => {
    const acme = await world.environment()
    const refused = await post(acme, { body })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('__proto__') } })
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
    expect((await acme.rest('GET /v2/subscribers')).body.totalCount).toBe(0)
  })

  test.each([65, 20_000])('is rejected with 400 if it is nested %i levels deep', async (depth) => {
    const refused = await post(world.development, { body: nested(depth) })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('64 levels') } })
  })

  test('is rejected with 400 if it contains a NUL character', async () => {
    const refused = await post(world.development, { body: '{"subscriberId":"ad\\u0000"}' })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('NUL') } })
  })

  test.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/merge-patch+json'])(
    'can have the Content-Type %s',
    async (contentType) => {
      const ada = await withAda()
      const request = { body: { lastName: 'Lovelace' }, headers: { 'content-type': contentType } }
      expect((await ada.rest('PATCH /v2/subscribers/ada', request)).status).toBe(200)
    },
  )

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ])('is rejected with 415 for the Content-Type %s', async (contentType) => {
    const refused = await post(world.development, { body: '{}', headers: { 'content-type': contentType } })
    expect(refused).toMatchObject({ status: 415, body: { message: expect.stringContaining(contentType) } })
  })

  test('is rejected with 415 for a charset other than UTF-8', async () => {
    const headers = { 'content-type': 'application/json; charset=iso-8859-1' }
    expect((await post(world.development, { body: '{}', headers })).status).toBe(415)
  })

  test('is rejected with 415 without a Content-Type', async () => {
    const refused = await post(world.development, { body: Buffer.from('{}'), headers: { 'content-type': '' } })
    expect(refused).toMatchObject({
      status: 415,
      body: { message: expect.stringContaining('Content-Type is missing') },
    })
  })

  test('is treated as an empty object if it is absent', async () => {
    const ada = await withAda()
    expect((await ada.rest('PATCH /v2/subscribers/ada')).status).toBe(200)
    expect((await ada.rest('POST /v2/subscribers')).body).toMatchObject({
      statusCode: 422,
      errors: { subscriberId: { messages: ['subscriberId is required'] } },
    })
  })

  test('is ignored by an operation that takes no body', async () => {
    const ada = await withAda()
    const deleted = await ada.rest('DELETE /v2/subscribers/ada', { body: '' })
    expect(deleted.status).toBe(200)
  })

  test('is unwrapped if its only key is data, unless the operation itself takes data', async () => {
    const ada = await withAda()
    await ada.rest('POST /v2/subscribers', { body: { data: { subscriberId: 'ada', lastName: 'Lovelace' } } })
    const changed = await ada.rest('PATCH /v2/subscribers/ada', { body: { data: { firstName: 'of the customer' } } })
    expect(changed.body).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
      data: { firstName: 'of the customer' },
    })
  })

  const large = (length: number) => Buffer.alloc(length, ' ')

  test('is rejected with 413 if it is too large', async () => {
    const refused = await post(world.development, { body: large(MAX_BODY + 1) })
    expect(refused).toMatchObject({ status: 413, body: { message: expect.stringContaining(String(MAX_BODY)) } })
  })

  test('is rejected with 413 as soon as it is too large, if its length is unknown', async () => {
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        sent += 1
        controller.enqueue(large(1024 * 1024))
      },
    })
    expect((await post(world.development, { body })).status).toBe(413)
    expect(sent).toBeLessThan(10)
  })
})

describe('a field with several accepted forms', () => {
  test.each([
    [{}, 'to is required'],
    [{ to: 5 }, 'to does not match any allowed form'],
    [{ to: { email: 'ada@example.com' } }, 'to.subscriberId is required'],
    [{ to: ['ada', { subscriberId: 'grace', email: 'x' }] }, 'to[1].email must be an email address'],
    [{ to: { type: 'Topic' } }, 'to.topicKey is required'],
    [{ to: 'ada', context: 'acme' }, 'context must be an object'],
    [{ to: 'ada', context: { tenant: {} } }, 'context.tenant.id is required'],
  ])('returns the error of the form closest to %j', async (fields, message) => {
    const refused = await world.development.rest('POST /v1/events/trigger', { body: { name: 'welcome', ...fields } })
    expect(refused).toMatchObject({ status: 422, body: { message } })
  })

  test.each([
    [{ workflowId: 5 }, 'preferences[0].workflowId must be a string'],
    [{ filter: { tags: 'news' } }, 'preferences[0].filter.tags must be an array'],
  ])('returns the error of the closest form for the preferences entry %j too', async (entry, message) => {
    const refused = await world.development.rest('PATCH /v2/topics/news/subscriptions/any', {
      body: { preferences: [entry] },
    })
    expect(refused).toMatchObject({ status: 422, body: { message } })
  })
})

describe('a query string', () => {
  test('takes the last value of a repeated parameter', async () => {
    const ada = await withAda()
    const page = await ada.rest('GET /v2/subscribers?email=x&subscriberId=eve&subscriberId=ada&email=')
    expect(page.status).toBe(200)
    const found = await ada.rest('GET /v2/subscribers?subscriberId=eve&subscriberId=ada')
    expect(found.body.data).toMatchObject([{ subscriberId: 'ada' }])
  })

  test('can have unknown parameters, which are ignored', async () => {
    const page = await world.development.rest('GET /v2/subscribers?__proto__=x&constructor=y&colour=green')
    expect(page.status).toBe(200)
  })

  test.each([
    ['limit=101', 'limit', 'limit must be at most 100', '101'],
    ['limit=0', 'limit', 'limit must be at least 1', '0'],
    ['limit=ten', 'limit', 'limit must be a number', 'ten'],
    ['limit=', 'limit', 'limit must be at least 1', ''],
    ['limit=2.5', 'limit', 'limit must be a whole number', '2.5'],
    ['orderDirection=asc', 'orderDirection', 'orderDirection must be one of "ASC", "DESC"', 'asc'],
    ['includeCursor=yes', 'includeCursor', 'includeCursor must be a boolean', 'yes'],
  ])('with %s is rejected with a 422 that names the field and its value', async (query, field, message, value) => {
    const refused = await world.development.rest(`GET /v2/subscribers?${query}`)
    expect(refused).toMatchObject({ status: 422, body: { errors: { [field]: { messages: [message], value } } } })
  })

  test.each([
    ['a malformed cursor', 'after=nonsense', 'after must be a cursor of this list'],
    ['both cursors', 'after=a&before=b', 'after and before must not be given together'],
    ['broken percent-encoding', 'email=100%', 'percent-encoded'],
    ['encoding that is no UTF-8', 'email=%e4', 'percent-encoded'],
  ])('with %s is rejected with 400', async (_what, query, message) => {
    const refused = await world.development.rest(`GET /v2/subscribers?${query}`)
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } })
  })
})

describe('a path', () => {
  test('can end in a slash', async () => {
    const ada = await withAda()
    expect((await ada.rest('GET /v2/subscribers/')).body.totalCount).toBe(1)
    expect((await ada.rest('GET /v2/subscribers/ada/')).body.subscriberId).toBe('ada')
  })

  test('can percent-encode letters that need no encoding', async () => {
    const ada = await withAda()
    expect((await ada.rest('GET /v2/%73ubscribers/%61da')).body.subscriberId).toBe('ada')
  })

  test.each(['%', '%zz', '%e4', 'ada%c3'])('with the broken encoding %s is rejected with 400', async (subscriberId) => {
    const refused = await world.development.rest(`GET /v2/subscribers/${subscriberId}`)
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('percent-encoded') } })
  })

  test('is returned in an error as it was requested, without the query string', async () => {
    const missing = await world.development.rest('GET /v2/subscribers/a%2Fb%20%C3%A4?x=1')
    expect(missing).toMatchObject({
      status: 404,
      body: { path: '/v2/subscribers/a%2Fb%20%C3%A4', message: 'Subscriber "a/b ä" not found' },
    })
  })

  test.each<`/${string}`>([
    '/v2/subscriber',
    '/v2/subscribers/ada/shoes',
    '/v2/',
    '/v1/subscribers',
    '/v3/subscribers',
    '/',
    '/v2',
  ])('returns 404 if it is unknown, such as %s', async (path) => {
    const missing = await world.development.rest(`GET ${path}`)
    expect(missing).toMatchObject({ status: 404, body: { statusCode: 404, path } })
  })

  test('returns 414 if it or the query string is too long, without rate limit or idempotency headers', async () => {
    const headers = { 'idempotency-key': 'long' }
    for (const target of [`/${'a'.repeat(10_000)}`, `?email=${'a'.repeat(10_000)}`]) {
      const refused = await world.development.rest(`GET /v2/subscribers${target}`, { headers })
      expect(refused).toMatchObject({ status: 414, body: { statusCode: 414 } })
      expect([...refused.headers.keys()].filter((name) => /^(ratelimit|idempotency)/.test(name))).toEqual([])
    }
  })

  describe('over the network', () => {
    let listener: HttpServer
    beforeAll(async () => (listener = await startHttpServer(world.app.fetch, '127.0.0.1', 0)))
    afterAll(() => listener.close())

    test.each([60_000, 140_000, 2_000_000])(
      'returns 414 with a query string of %i characters, even if the server does not read all of it',
      async (size) => {
        const response = await fetch(`${listener.address}/v2/subscribers?email=${'a'.repeat(size)}`, {
          headers: { 'idempotency-key': 'long' },
        })
        expect(response.status).toBe(414)
        expect(response.headers.get('content-type')).toBe('application/json')
        expect(await response.json()).toMatchObject({ statusCode: 414, message: expect.stringContaining('8192') })
        expect([...response.headers.keys()].filter((name) => /^(ratelimit|idempotency)/.test(name))).toEqual([])
      },
    )

    test('returns 431 for oversized headers and 400 for a malformed request', async () => {
      const headers = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`x-${n}`, 'a'.repeat(100)]))
      expect((await fetch(`${listener.address}/v2/subscribers`, { headers })).status).toBe(431)
      const socket = connect(Number(new URL(listener.address).port), '127.0.0.1')
      socket.end('this is no HTTP\r\n\r\n')
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    })
  })
})
