// Slow, large and numerous bodies: what they wait for, and how they end.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { streamBody } from '../../src/http/body-stream.ts'
import { BodyReader, MAX_BODY, MAX_PUBLIC_BODY } from '../../src/http/request-body.ts'
import { MAX_BODY_VALUES } from '../../src/http/value-count.ts'
import { publicCallerOf } from '../support/browser.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => vi.useRealTimers())

const json = { 'content-type': 'application/json' }

const doors = [
  ['the graph', '/graphql'],
  ['REST', '/v2/subscribers'],
] as const

interface Sent {
  readonly authorization?: string
  readonly address?: string
  readonly headers?: Record<string, string>
}

async function post(path: string, body: BodyInit, { authorization, address = '192.0.2.1', headers }: Sent = {}) {
  const credentials: Record<string, string> = authorization === undefined ? {} : { authorization }
  const request = new Request(`http://gateway.test${path}`, {
    method: 'POST',
    headers: { ...json, ...credentials, ...headers },
    body,
    duplex: 'half',
  } as RequestInit)
  const response = await world.app.fetch(request, { address })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

/** A body that arrives in parts. */
class SlowBody {
  readonly stream: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #onRead = () => {}

  constructor() {
    this.stream = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#onRead(),
    })
  }

  /** Resolves once the gateway has read the part and waits for more. */
  async send(part: string): Promise<void> {
    const read = new Promise<void>((resolve) => (this.#onRead = resolve))
    this.#controller?.enqueue(new TextEncoder().encode(part))
    await read
  }

  end(): void {
    this.#controller?.close()
  }
}

/** Sends a body that stalls. @returns its answer, once the gateway waits for the rest or has answered. */
async function stall(path: string, sent: Sent) {
  const body = new SlowBody()
  const answer = post(path, body.stream, sent)
  await Promise.race([body.send('{'), answer])
  return { answer }
}

const endStalled = () => vi.advanceTimersByTimeAsync(30_000)
const query = JSON.stringify({ query: '{ environment { name } }' })

describe('a body that stalls', () => {
  test.each(doors)('at %s is answered with 408 after 30 seconds, and counted', async (_door, path) => {
    const { answer } = await stall(path, { authorization: `ApiKey ${acme.key}` })
    await endStalled()
    const { status, text } = await answer
    expect(status).toBe(408)
    expect(text).toContain('The body must arrive within 30 seconds')
    expect(await world.metrics.print()).toMatch(/code="REQUEST_TIMEOUT"/)
  })

  test('is distinct from a slow body, which is accepted', async () => {
    const body = new SlowBody()
    const answer = post('/graphql', body.stream, { authorization: `ApiKey ${acme.key}` })
    for (const part of Array.from({ length: 4 }, () => ' '.repeat(70_000))) {
      await body.send(part)
      await endStalled()
    }
    void body.send(query)
    body.end()
    expect((await answer).status).toBe(200)
  })
})

describe('a body of a public caller', () => {
  test('has at most 512 KiB', async () => {
    const { key } = await publicCallerOf(world, acme)
    const authorization = `Environment ${key}`
    const large = JSON.stringify({ query: '{ __typename }', variables: { x: 'x'.repeat(MAX_PUBLIC_BODY) } })
    const refused = await post('/graphql', large, { authorization })
    expect(refused).toMatchObject({ status: 413, text: expect.stringContaining(String(MAX_PUBLIC_BODY)) })
    expect((await post('/graphql', large, { authorization: `ApiKey ${acme.key}` })).status).toBe(200)
  })

  test('is one of 100 that an address sends at a time', async () => {
    const { key } = await publicCallerOf(world, acme)
    const authorization = `Environment ${key}`
    const stalled = await Promise.all(Array.from({ length: 100 }, () => stall('/graphql', { authorization })))
    const refused = await post('/graphql', query, { authorization })
    expect(refused).toMatchObject({ status: 429, body: { errors: [{ extensions: { code: 'RATE_LIMITED' } }] } })
    expect(refused.headers.get('retry-after')).toBe('5')
    expect((await post('/graphql', query, { authorization, address: '192.0.2.2' })).status).toBe(200)
    expect((await post('/graphql', query, { authorization: `ApiKey ${acme.key}` })).status).toBe(200)
    await endStalled()
    for (const { answer } of stalled) expect((await answer).status).toBe(408)
    expect((await post('/graphql', query, { authorization })).status).toBe(200)
  })
})

describe('large bodies of an environment', () => {
  test('share 16 MiB of memory without delaying other environments', async () => {
    const authorization = `ApiKey ${acme.key}`
    const headers = { 'content-length': String(MAX_BODY) }
    const stalled = await Promise.all(Array.from({ length: 4 }, () => stall('/graphql', { authorization, headers })))
    let isAnswered = false
    const subscriber = JSON.stringify({ subscriberId: 'ada', data: { text: 'x'.repeat(20_000) } })
    const waiting = post('/v2/subscribers', subscriber, { authorization }).finally(() => (isAnswered = true))
    const other = await world.environment()
    expect((await post('/v2/subscribers', subscriber, { authorization: `ApiKey ${other.key}` })).status).toBe(201)
    expect((await post('/graphql', query, { authorization })).status).toBe(200)
    expect(isAnswered).toBe(false)
    await endStalled()
    for (const { answer } of stalled) expect((await answer).status).toBe(408)
    expect((await waiting).status).toBe(201)
  })
})

describe('a body of too many values', () => {
  const texts = JSON.stringify(Array(MAX_BODY_VALUES).fill('\\"'))

  test.each([
    ['the graph', '/graphql', `{"query":"{ __typename }","variables":{"i":${texts}}`],
    ['REST', '/v2/subscribers', `{"subscriberId":"ada","data":{"i":${texts}}`],
  ])('is rejected by %s before it is parsed', async (_door, path, body) => {
    // It is not valid JSON either: a brace is missing.
    const refused = await post(path, body, { authorization: `ApiKey ${acme.key}` })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(`The body has more than ${MAX_BODY_VALUES} values and field names`)
  })

  test('is not one of 500 subscribers with data', async () => {
    const data = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`field ${index}`, '[,:{'.repeat(10)]))
    const subscribers = Array.from({ length: 500 }, (_, index) => ({ subscriberId: `bulk-${index}`, data }))
    const answer = await post('/v1/subscribers/bulk', JSON.stringify({ subscribers }), {
      authorization: `ApiKey ${acme.key}`,
    })
    expect(answer).toMatchObject({ status: 201, body: { created: expect.any(Array), failed: [] } })
    expect(answer.body.created).toHaveLength(500)
  })
})

test('an upload is one of 2000 bodies that an environment sends at a time', async () => {
  const reader = new BodyReader()
  const sender = { caller: { kind: 'apiKey', environmentId: 'acme' }, address: undefined } as const
  const [end] = Array.from({ length: 2_000 }, () => reader.beginReceiving(sender))
  const request = () => new Request('http://gateway.test/v1/attachments', { method: 'POST', body: 'a file' })
  const read = async () => {
    const pieces: Uint8Array[] = []
    for await (const piece of streamBody(request(), 1024, () => reader.beginReceiving(sender))) pieces.push(piece)
    return pieces
  }
  await expect(read()).rejects.toMatchObject({ kind: 'RATE_LIMITED' })
  end?.()
  expect(Buffer.concat(await read()).toString()).toBe('a file')
  expect(Buffer.concat(await read()).toString()).toBe('a file')
})
