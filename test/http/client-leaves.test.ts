// Clients that close the connection before they receive their response, which is not a fault.
import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Fetch, type HttpServer, startHttpServer } from '../../src/http/node-server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

let server: HttpServer
let handle: Fetch

beforeAll(async () => {
  server = await startHttpServer((request, client) => handle(request, client), '127.0.0.1', 0)
})
afterAll(() => server.close())

/**
 * Writes a request and closes the connection as soon as the application has it.
 *
 * @returns the application's response, which nobody receives, and the log lines.
 */
async function leaveAfter(request: string) {
  const before = world.logged.length
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1')
  const response = new Promise<Response>((resolve, reject) => {
    handle = async (received, client) => {
      const left = once(received.signal, 'abort')
      socket.destroy()
      const pending = world.app.fetch(received, client)
      pending.then(resolve, reject)
      await left
      return pending
    }
  })
  await once(socket, 'connect')
  socket.write(request)
  const { status } = await response
  return { status, logged: world.logged.slice(before) }
}

const quiet = [{ level: 20, msg: 'client closed the connection' }]

describe.each(['/graphql', '/v1/events/trigger/bulk', '/v2/subscribers'])('a client of %s', (path) => {
  const body = JSON.stringify({ query: '{ contexts { totalCount } }', subscriberId: 'leaves', events: [] })
  const headOf = (fields: string) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: ApiKey ${world.development.key}`,
      'Content-Type: application/json',
      fields,
      '\r\n',
    ].join('\r\n')

  test('can disconnect before it has sent the body', async () => {
    const { status, logged } = await leaveAfter(`${headOf(`Content-Length: ${body.length}`)}${body.slice(0, 10)}`)
    expect(status).toBe(499)
    expect(logged).toMatchObject(quiet)
  })

  test('can disconnect in the middle of a chunked body', async () => {
    const { status, logged } = await leaveAfter(`${headOf('Transfer-Encoding: chunked')}5\r\n{"que\r\n`)
    expect(status).toBe(499)
    expect(logged).toMatchObject(quiet)
  })

  test('can disconnect before the response', async () => {
    const { logged } = await leaveAfter(`${headOf(`Content-Length: ${body.length}`)}${body}`)
    expect(logged.filter(({ level }) => Number(level) > 20)).toEqual([])
  })
})

test('a mutation runs to its end although its client disconnects', async () => {
  const query = 'mutation { createTopic(input: { key: "left", name: "Left" }) { topic { key } } }'
  const leaving = new AbortController()
  // The client leaves after the mutation has started to write.
  const send: unknown = Reflect.get(pg.Client.prototype, 'query')
  if (typeof send !== 'function') throw new Error('the client of pg has no method query')
  const sending = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const [statement] = given as [{ readonly text?: string }]
    if (statement.text?.includes('topics') === true) leaving.abort()
    return Reflect.apply(send, this, given) as undefined
  })
  const headers = {
    authorization: `ApiKey ${world.development.key}`,
    'content-type': 'application/json',
    'idempotency-key': 'leaving',
  }
  const { signal } = leaving
  const before = world.logged.length
  await world.app.fetch(
    new Request('http://gateway.test/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
      signal,
    }),
  )
  sending.mockRestore()
  expect(signal.aborted).toBe(true)
  expect(world.logged.slice(before)).toEqual([])
  expect(await world.development.ask('{ topic(key: "left") { name } }')).toEqual({ topic: { name: 'Left' } })
})
