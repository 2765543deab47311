// Clients for each transport of subscriptions, on a real port. Each reads one stream.
import { type Client, createClient } from 'graphql-ws'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { readStream, type Result, subscribing } from './stream.ts'
import { startHttpServer } from '../../src/http/node-server.ts'
import type { GraphqlError, World } from './world.ts'

export interface Follower {
  /** Waits for the next result; undefined when the stream has ended. */
  next(): Promise<Result | undefined>
  /** Closes the stream. */
  leave(): Promise<void>
}

export interface Subscription {
  readonly query: string
  readonly variables?: Record<string, unknown>
}

/** Opens a stream, or reads the error returned instead. */
export type Transport = (address: string, authorization: string, subscription: Subscription) => Promise<Follower>

/** Listens on a free port until the test ends. */
export async function listen(world: World): Promise<string> {
  const server = await startHttpServer(world.app.fetch, '127.0.0.1', 0, world.app.upgrade)
  onTestFinished(() => server.close())
  return server.address
}

const serverSentEvents: Transport = async (address, authorization, { query, variables }) => {
  const response = await fetch(subscribing(address, authorization, query, variables))
  if (response.status === 200) return readStream(response)
  const [, data = ''] = /data: (.*)\n/.exec(await response.text()) ?? []
  return only(JSON.parse(data))
}

/** A stream with one result. */
function only(result: Result): Follower {
  const results = [result]
  return { next: () => Promise.resolve(results.shift()), leave: () => Promise.resolve() }
}

/** Waits for the parts of a response. The part before the first boundary is empty. */
async function* partsOf(reader: ReadableStreamDefaultReader<string>): AsyncGenerator<string> {
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) {
      expect(text).toBe('--\r\n')
      return
    }
    const parts = (text + value).split('\r\n--graphql')
    text = parts.pop() ?? ''
    yield* parts
  }
}

interface Envelope {
  readonly payload?: Result | null
  readonly errors?: Result['errors']
}

const multipart: Transport = async (address, authorization, { query, variables }) => {
  const accept = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json'
  const response = await fetch(subscribing(address, authorization, query, variables, { accept }))
  const type = response.headers.get('content-type')
  if (type?.startsWith('application/json') === true) return only((await response.json()) as Result)
  expect(type).toBe('multipart/mixed;boundary="graphql";subscriptionSpec="1.0"')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) throw new Error('a stream has a body')
  const parts = partsOf(reader)
  const follower: Follower = {
    async next() {
      for await (const part of { [Symbol.asyncIterator]: () => ({ next: () => parts.next() }) }) {
        if (part === '') continue
        const [, content = ''] = /^\r\nContent-Type: application\/json\r\n\r\n(.*)$/s.exec(part) ?? []
        const { payload, errors } = JSON.parse(content) as Envelope
        if (errors !== undefined) return { errors }
        if (payload != null) return payload
      }
      return undefined
    },
    leave: () => reader.cancel(),
  }
  onTestFinished(() => follower.leave().catch(() => {}))
  return follower
}

/** One connection for all of a caller's streams in a test. */
const clients = new Map<string, Client>()

function clientOf(address: string, authorization: string): Client {
  const name = `${address} ${authorization}`
  const known = clients.get(name)
  if (known !== undefined) return known
  const client = createClient({
    url: `${address.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: authorization },
    retryAttempts: 0,
  })
  clients.set(name, client)
  onTestFinished(async () => {
    clients.delete(name)
    await client.dispose()
  })
  return client
}

const webSocket: Transport = async (address, authorization, { query, variables }) => {
  const client = clientOf(address, authorization)
  const results = client.iterate({ query, ...(variables ? { variables } : {}) })
  return {
    async next() {
      try {
        const { done, value } = await results.next()
        return done === true ? undefined : value
      } catch (error) {
        if (!Array.isArray(error)) throw error
        return { errors: error as GraphqlError[] }
      }
    },
    async leave() {
      await results.return?.()
    },
  }
}

export const transports: readonly [string, Transport][] = [
  ['server-sent events', serverSentEvents],
  ['multipart', multipart],
  ['WebSocket', webSocket],
]
