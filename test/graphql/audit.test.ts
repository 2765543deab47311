// The complete published audit of GraphQL over HTTP.
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpServer, startHttpServer } from '../../src/http/node-server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let server: HttpServer

beforeAll(async () => {
  server = await startHttpServer(world.app.fetch, '127.0.0.1', 0)
})
afterAll(() => server.close())

/** The ways in which a request reaches the gateway. The HTTP server reads and answers it without streams. */
const ways: readonly [string, (request: Request) => Promise<Response>][] = [
  ['in the process', (request) => world.app.fetch(request)],
  [
    'on a port',
    async (request) => {
      const { method, headers } = request
      const body = method === 'GET' ? null : await request.text()
      return fetch(request.url.replace('http://gateway.test', server.address), { method, headers, body })
    },
  ],
]

describe.each(ways)('GraphQL over HTTP %s', (_way, send) => {
  const audits = serverAudits({
    url: 'http://gateway.test/graphql',
    fetchFn: (url: string, init?: RequestInit) => {
      const headers = new Headers(init?.headers)
      headers.set('authorization', `ApiKey ${world.development.key}`)
      return send(new Request(url, { ...init, headers }))
    },
  })

  test('has an audit of 61 parts', () => expect(audits).toHaveLength(61))

  for (const { id, name, fn } of audits) {
    test(`${id}: ${name}`, async () => expect(await fn()).toMatchObject({ status: 'ok' }))
  }
})
