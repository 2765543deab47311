// A real HTTP server on loopback that records requests and sends the responses that a test sets.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { z } from 'zod'

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body parsed as JSON. Undefined if it is not JSON. */
  readonly json: unknown
}

/** A message with its destination, in the format of the generic providers. */
export const messageTo = z.object({ to: z.string() })

type Respond = (response: ServerResponse, request: IncomingMessage) => void

export interface Receiver {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  readonly port: number
  /** The requests since the test began, in the order of arrival. */
  readonly received: readonly Received[]
  /** The last request. Throws if there is none. */
  readonly last: Received
  /** Sets the response for the rest of the test. A body that is not a string is sent as JSON. */
  readonly answer: (status: number, body?: unknown, headers?: Record<string, string>) => void
  readonly respond: (respond: Respond) => void
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

export function useReceiver(): Receiver {
  let port = 0
  let received: Received[] = []
  let respond: Respond
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request
      received.push({ method, path, headers, body, json: parsed(body) })
      respond(response, request)
    })
  })
  const answer: Receiver['answer'] = (status, body = {}, headers = {}) => {
    respond = (response) =>
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  beforeAll(async () => {
    port = await listening(server)
  })
  beforeEach(() => {
    received = []
    answer(200)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    get url() {
      return `http://127.0.0.1:${port}`
    },
    get port() {
      return port
    },
    get received() {
      return received
    },
    get last() {
      const last = received.at(-1)
      if (last === undefined) throw new Error('nothing was received')
      return last
    },
    answer,
    respond(by) {
      respond = by
    },
  }
}

/** Makes the receiver hold its responses until they are released: those to requests for one path, or to all. */
export function holdAnswers(receiver: Receiver, path?: string) {
  let held: ServerResponse[] = []
  let wanted = Infinity
  let arrived = () => {}
  receiver.respond((response, request) => {
    if (path !== undefined && request.url !== path) {
      response.writeHead(200).end()
      return
    }
    held.push(response)
    if (held.length >= wanted) arrived()
  })
  return {
    /** Resolves when this many requests are waiting for a response. */
    waiting: (count: number) =>
      new Promise<void>((resolve) => {
        ;[wanted, arrived] = [count, resolve]
        if (held.length >= count) resolve()
      }),
    /** Responds to the waiting requests, and immediately to later ones. */
    release() {
      receiver.answer(200)
      for (const response of held) response.writeHead(200).end()
      held = []
    },
  }
}
