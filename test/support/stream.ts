// A client for GraphQL subscriptions that reads one result per server-sent event.
import { expect, onTestFinished } from 'vitest'
import type { GraphqlError } from './world.ts'

export interface Result {
  readonly data?: unknown
  readonly errors?: readonly GraphqlError[]
}

export interface Stream {
  readonly headers: Headers
  /** Waits for the next result; undefined when the stream has ended. */
  next(): Promise<Result | undefined>
  /** Waits for all remaining results. */
  rest(): Promise<Result[]>
  /** Closes the stream. */
  leave(): Promise<void>
}

async function* messagesOf(reader: ReadableStreamDefaultReader<string>): AsyncGenerator<string> {
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += value
    const messages = text.split('\n\n')
    text = messages.pop() ?? ''
    yield* messages
  }
}

/** Reads the response to a subscription, which delivers all later events. Closes it when the test ends. */
export function readStream(response: Response): Stream {
  expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
    status: 200,
    type: expect.stringMatching(/^text\/event-stream/),
  })
  const { body, headers } = response
  if (body === null) throw new Error('a stream has a body')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const messages = messagesOf(reader)
  const stream: Stream = {
    headers,
    async next() {
      for await (const message of { [Symbol.asyncIterator]: () => ({ next: () => messages.next() }) }) {
        const [, event, data = ''] = /^event: (\w+)\ndata:(.*)$/s.exec(message) ?? []
        if (event === 'next') return JSON.parse(data)
        if (event === 'complete') return undefined
      }
      throw new Error('the stream broke off')
    },
    async rest() {
      const results: Result[] = []
      for (let result = await stream.next(); result !== undefined; result = await stream.next()) results.push(result)
      return results
    },
    leave: () => reader.cancel(),
  }
  onTestFinished(() => stream.leave().catch(() => {}))
  return stream
}

export function subscribing(
  address: string,
  authorization: string,
  query: string,
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Request {
  return new Request(`${address}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization,
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
  })
}
