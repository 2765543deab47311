// A real HTTP/2 server on loopback, with a certificate of its own authority. It records requests.
import { readFileSync } from 'node:fs'
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach } from 'vitest'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** The certificate of the authority that signed the certificate of the server. */
export const authority = read('authority.pem')

interface Received {
  readonly version: string
  readonly headers: IncomingHttpHeaders
  readonly json: unknown
}

/** Answers with status 200 unless a test has set other answers, each for one request. */
export function useHttp2Receiver() {
  const received: Received[] = []
  const answers: (readonly [status: number, body: object])[] = []
  const sessions = new Set<ServerHttp2Session>()
  let connections = 0
  const server = createSecureServer({ key: read('localhost-key.pem'), cert: read('localhost.pem') })
  server.on('session', (session) => {
    sessions.add(session)
    connections += 1
    session.once('close', () => sessions.delete(session))
  })
  server.on('request', (request, response) => {
    void text(request).then((body) => {
      received.push({ version: request.httpVersion, headers: request.headers, json: JSON.parse(body) })
      const [status, answer] = answers.shift() ?? [200, undefined]
      response.writeHead(status).end(answer === undefined ? '' : JSON.stringify(answer))
    })
  })
  beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)))
  beforeEach(() => {
    received.length = 0
    answers.length = 0
  })
  afterAll(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  const port = () => (server.address() as AddressInfo).port
  return {
    /** The requests since the test began, in the order of arrival. */
    received,
    /** Adds the answer to the next request that has none. */
    answer: (status: number, body: object) => answers.push([status, body]),
    /** The number of connections that were opened. */
    get connections() {
      return connections
    },
    get port() {
      return port()
    },
    get url() {
      return `https://127.0.0.1:${port()}`
    },
  }
}
