// Subscriptions over WebSocket: who may connect, what a connection may do, and when it ends.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import { MAX_SUBSCRIPTIONS } from '../../src/graphql/door/web-sockets.ts'
import { type HttpServer, startHttpServer } from '../../src/http/node-server.ts'
import { MAX_UNAUTHENTICATED, PING_INTERVAL } from '../../src/http/web-socket.ts'
import { browserOf, publicCallerOf } from '../support/browser.ts'
import { type Client, useWorld } from '../support/world.ts'

const ORIGIN = 'https://dashboard.example.com'
const world = useWorld({ corsOrigins: [ORIGIN], streamLimits: { environment: 102, process: 110 } })
let acme: Client
let server: HttpServer

const counted = 'subscription { notificationCountsChanged(subscriberId: "ada") { unread } }'

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  server = await startHttpServer(world.app.fetch, '127.0.0.1', 0, world.app.upgrade)
  // By then, the server may be a different one.
  onTestFinished(() => server.close())
})

/** A connection whose messages are read one by one. */
class Connection {
  readonly #messages: unknown[] = []
  readonly #socket: WebSocket
  #wake = () => {}
  /** The code and reason for which the connection was closed. */
  readonly closed: Promise<[code: number, reason: string]>

  /** Resolves with the first ping. */
  readonly pinged: Promise<unknown>

  constructor(headers: Record<string, string> = {}, protocol = 'graphql-transport-ws', options: ClientOptions = {}) {
    this.#socket = new WebSocket(`${server.address.replace('http', 'ws')}/graphql`, protocol, { headers, ...options })
    this.pinged = new Promise((resolve) => this.#socket.once('ping', resolve))
    this.#socket.on('error', () => {})
    this.#socket.on('message', (data: Buffer) => {
      this.#messages.push(JSON.parse(data.toString()))
      this.#wake()
    })
    this.closed = new Promise((resolve) => {
      this.#socket.on('close', (code, reason) => resolve([code, reason.toString()]))
    })
    onTestFinished(() => this.#socket.terminate())
  }

  /** Sends a message once the connection is open. */
  async send(message: object | string): Promise<void> {
    if (this.#socket.readyState === WebSocket.CONNECTING) await once(this.#socket, 'open')
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  async next() {
    while (this.#messages.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.#messages.shift()
  }

  async subscribe(id: string, payload: object): Promise<void> {
    await this.send({ type: 'subscribe', id, payload })
  }

  close(): void {
    this.#socket.close()
  }

  stopReading(): void {
    this.#socket.pause()
  }

  readOn(): void {
    this.#socket.resume()
  }

  /** The status and body of a rejected handshake. */
  async rejection(): Promise<{ status: number | undefined; body: string }> {
    const [, response] = await once(this.#socket, 'unexpected-response')
    const chunks: Buffer[] = await response.toArray()
    return { status: response.statusCode, body: Buffer.concat(chunks).toString() }
  }
}

async function connected(authorization = `ApiKey ${acme.key}`, headers: Record<string, string> = {}) {
  const connection = new Connection(headers)
  await connection.send({ type: 'connection_init', payload: { Authorization: authorization } })
  expect(await connection.next()).toEqual({ type: 'connection_ack' })
  return connection
}

describe('a WebSocket', () => {
  test('opens with an API key or a session, and carries several subscriptions', async () => {
    const browser = await browserOf(world, acme, 'ada')
    for (const authorization of [`ApiKey ${acme.key}`, `Session ${browser.key}`]) {
      const connection = await connected(authorization)
      for (const id of ['one', 'two']) {
        await connection.subscribe(id, { query: counted })
        const payload = { data: { notificationCountsChanged: { unread: 0 } } }
        expect(await connection.next()).toEqual({ type: 'next', id, payload })
      }
    }
  })

  test.each<[string, object | undefined, string]>([
    ['without credentials', undefined, 'Missing authorization header'],
    ['with credentials that are no text', { Authorization: 7 }, 'Missing authorization header'],
    ['with an unknown key', { Authorization: 'ApiKey nobody' }, 'API Key not found'],
    ['with an unknown scheme', { authorization: 'Basic x' }, 'Invalid authentication scheme: "Basic"'],
    [
      'with a line break in its credentials',
      { authorization: 'ApiKey ng_secret\nsecond' },
      'Authorization has characters that a header cannot have',
    ],
    [
      'with credentials in another script',
      { authorization: 'ApiKey ng_secret☃' },
      'Authorization has characters that a header cannot have',
    ],
    [
      'for a reason of too many bytes',
      { authorization: `${'é'.repeat(60)} ng_secret` },
      `Invalid authentication scheme: "${'é'.repeat(45)}`,
    ],
  ])('%s is closed', async (_what, payload, reason) => {
    const before = world.logged.length
    const connection = new Connection()
    await connection.send({ type: 'connection_init', payload })
    expect(await connection.closed).toEqual([4403, reason])
    const logged = JSON.stringify(world.logged.slice(before))
    expect(logged).not.toContain('ng_secret')
    expect(logged).not.toContain('"level":50')
  })

  test('is closed if it subscribes before it sent its credentials, or sends something else', async () => {
    const hasty = new Connection()
    await hasty.subscribe('one', { query: counted })
    expect(await hasty.closed).toEqual([4401, 'Unauthorized'])
    const odd = await connected()
    await odd.send('hello')
    expect(await odd.closed).toEqual([4400, 'Invalid message received'])
    const large = await connected()
    await large.send('x'.repeat(300 * 1024))
    expect((await large.closed)[0]).toBe(1009)
  })

  test('is closed after an error about credentials that are no longer valid', async () => {
    const { newApiKey } = await acme.act('createApiKey', { name: 'Page' }, 'newApiKey { key apiKey { id } }')
    const connection = await connected(`ApiKey ${newApiKey.key}`)
    await acme.act('revokeApiKey', { id: newApiKey.apiKey.id })
    await connection.subscribe('one', { query: counted })
    expect(await connection.next()).toEqual({
      type: 'error',
      id: 'one',
      payload: [{ message: 'API Key not found', extensions: { code: 'UNAUTHENTICATED' } }],
    })
    expect(await connection.closed).toEqual([4403, 'API Key not found'])
  })

  test.each([
    ['a query', { query: '{ environment { name } }' }],
    ['a mutation', { query: 'mutation { deleteSubscriber(input: { subscriberId: "ada" }) { deletedId } }' }],
  ])('does not run %s', async (_what, payload) => {
    const connection = await connected()
    await connection.subscribe('one', payload)
    const message = 'A WebSocket carries subscriptions only: send queries and mutations as HTTP requests'
    expect(await connection.next()).toMatchObject({
      type: 'error',
      payload: [{ message, extensions: { code: 'METHOD_NOT_ALLOWED' } }],
    })
    const { subscriber } = await acme.ask('{ subscriber(subscriberId: "ada") { subscriberId } }')
    expect(subscriber).toEqual({ subscriberId: 'ada' })
  })

  test('accepts the hash of a persisted query', async () => {
    const connection = await connected()
    const sha256Hash = createHash('sha256').update(counted).digest('hex')
    const extensions = { persistedQuery: { version: 1, sha256Hash } }
    await connection.subscribe('unknown', { query: '', extensions })
    expect(await connection.next()).toEqual({
      type: 'error',
      id: 'unknown',
      payload: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    })
    for (const [id, query] of [
      ['sent', counted],
      ['by hash', ''],
    ] as const) {
      await connection.subscribe(id, { query, extensions })
      expect(await connection.next()).toMatchObject({ type: 'next', id })
    }
  })

  test('is closed if its client sends requests without reading responses', async () => {
    const connection = await connected()
    connection.stopReading()
    for (let count = 0; count < 100; count += 1) {
      await connection.send({ type: 'ping', payload: { echo: 'x'.repeat(200 * 1024) } })
    }
    connection.readOn()
    expect(await connection.closed).toEqual([1008, 'Too many messages in progress'])
  })

  test('is closed if its client does not answer two pings', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    try {
      const { close } = server
      await close()
      server = await startHttpServer(world.app.fetch, '127.0.0.1', 0, world.app.upgrade)
      const silent = new Connection({}, undefined, { autoPong: false })
      await silent.send({ type: 'connection_init', payload: { Authorization: `ApiKey ${acme.key}` } })
      expect(await silent.next()).toEqual({ type: 'connection_ack' })
      const answering = await connected()
      await vi.advanceTimersByTimeAsync(PING_INTERVAL)
      await answering.pinged
      await answering.send({ type: 'ping' })
      expect(await answering.next()).toEqual({ type: 'pong' })
      await vi.advanceTimersByTimeAsync(PING_INTERVAL)
      expect(await silent.closed).toEqual([1006, ''])
      await answering.send({ type: 'ping' })
      expect(await answering.next()).toEqual({ type: 'pong' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('of a public caller is closed', async () => {
    const { key } = await publicCallerOf(world, acme)
    const connection = new Connection()
    await connection.send({ type: 'connection_init', payload: { Authorization: `Environment ${key}` } })
    expect(await connection.closed).toEqual([4403, 'A public caller cannot subscribe: open a session'])
  })

  test.each([
    ['in one message', [{ type: 'connection_init', payload: { authorization: 'x'.repeat(MAX_UNAUTHENTICATED) } }]],
    ['in several messages', Array(3).fill({ type: 'ping', payload: { text: 'x'.repeat(1_500) } })],
  ])('is closed if it sends more than 4 KiB before it is authenticated, %s', async (_what, messages) => {
    const connection = new Connection()
    for (const message of messages) await connection.send(message)
    expect(await connection.closed).toEqual([1009, 'At most 4096 bytes before authentication'])
    const authenticated = await connected()
    for (const message of messages) await authenticated.send({ ...message, type: 'ping' })
    for (const { payload } of messages) expect(await authenticated.next()).toEqual({ type: 'pong', payload })
  })

  test('without credentials is closed in favor of later ones', async () => {
    const silent = new Connection()
    await silent.send({ type: 'ping' })
    const others = Array.from({ length: 200 }, () => new Connection())
    expect(await silent.closed).toEqual([1006, ''])
    await connected()
    for (const connection of others) connection.close()
  })

  test('carries a limited number of subscriptions', async () => {
    const connection = await connected()
    for (let id = 0; id < MAX_SUBSCRIPTIONS; id += 1) {
      await connection.subscribe(`${id}`, { query: counted })
      expect(await connection.next()).toMatchObject({ type: 'next', id: `${id}` })
    }
    await connection.subscribe('another', { query: counted })
    expect(await connection.next()).toMatchObject({
      type: 'error',
      id: 'another',
      payload: [{ extensions: { code: 'TOO_MANY_STREAMS' } }],
    })
    // The places of a connection that has ended are free.
    connection.close()
    await connection.closed
    const next = await connected()
    await next.subscribe('one', { query: counted })
    expect(await next.next()).toMatchObject({ type: 'next', id: 'one' })
  })

  test('over the limit of its environment or of the process is closed', async () => {
    const connections = await Promise.all(Array.from({ length: 102 }, () => connected()))
    const another = new Connection()
    await another.send({ type: 'connection_init', payload: { Authorization: `ApiKey ${acme.key}` } })
    expect(await another.closed).toEqual([1013, expect.stringContaining('The environment has 102 open WebSockets')])
    const { key } = await world.environment()
    const others = await Promise.all(Array.from({ length: 8 }, () => connected(`ApiKey ${key}`)))
    const last = new Connection()
    await last.send({ type: 'connection_init', payload: { Authorization: `ApiKey ${key}` } })
    expect(await last.closed).toEqual([1013, expect.stringContaining('The gateway has 110 open WebSockets')])
    for (const connection of [...connections, ...others]) connection.close()
    await Promise.all([...connections, ...others].map(({ closed }) => closed))
  })

  test('of a web page is opened only for the configured origins', async () => {
    await connected(undefined, { origin: ORIGIN })
    const { status, body } = await new Connection({ origin: 'https://elsewhere.example.com' }).rejection()
    expect(status).toBe(403)
    expect(JSON.parse(body).errors).toEqual([
      { message: 'Origin must be one of CORS_ORIGINS', extensions: { code: 'FORBIDDEN' } },
    ])
  })

  test('with another subprotocol is rejected', async () => {
    const { status, body } = await new Connection({}, 'graphql-ws').rejection()
    expect(status).toBe(400)
    expect(body).toContain('Sec-WebSocket-Protocol must include graphql-transport-ws')
  })
})

describe('a subscription over WebSocket', () => {
  const limited = useWorld({ rates: { trigger: 10, configuration: 10, global: 1 } })

  test('draws from the rate limit of its environment', async () => {
    await server.close()
    server = await startHttpServer(limited.app.fetch, '127.0.0.1', 0, limited.app.upgrade)
    limited.setClock(new Date())
    const client = await limited.environment()
    await client.act('createSubscriber', { subscriberId: 'ada' })
    const connection = await connected(`ApiKey ${client.key}`)
    for (const id of ['one', 'two', 'three', 'four', 'five']) {
      await connection.subscribe(id, { query: counted })
      expect(await connection.next()).toMatchObject({ type: 'next', id })
    }
    await connection.subscribe('six', { query: counted })
    expect(await connection.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'RATE_LIMITED' } }],
    })
  })
})

describe('a request for another upgrade', () => {
  /** Sends raw requests and waits for the responses to all of them. */
  async function raw(...chunks: string[]): Promise<string> {
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    for (const chunk of chunks) socket.write(chunk)
    const received: Buffer[] = await socket.toArray()
    return Buffer.concat(received).toString()
  }

  const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'

  test('is served without it, as are the requests after it', async () => {
    const body = JSON.stringify({ query: '{ environment { identifier } }' })
    const [start, end] = [body.slice(0, 9), body.slice(9)]
    const answer = await raw(
      `POST /graphql HTTP/1.1\r\nHost: a\r\n${upgrade}Authorization: ApiKey ${acme.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${start}`,
      end,
      'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    )
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
    expect(answer).toContain('{"data":{"environment":{"identifier":')
  })

  test('to a path without WebSockets gets a plain HTTP response', async () => {
    const handshake = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n`
    const answer = await raw(
      `GET /v1/environments HTTP/1.1\r\nHost: a\r\n${handshake}\r\n`,
      'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toContain('HTTP/1.1 401 Unauthorized')
    expect(answer).toContain('HTTP/1.1 200 OK')
  })

  test.each([
    ['a Host with a password', '/graphql', 'a:b@x'],
    ['a Host with a user, on another path', '/', 'a@x'],
    ['a Host that is no host name', '/graphql', 'xn--'],
    ['an absolute target with a password', 'http://a:b@x/graphql', 'x'],
  ])('with %s is rejected', async (_what, target, host) => {
    const handshake = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n'
    const answer = await raw(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${handshake}\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(await raw('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toContain('200 OK')
  })
})
