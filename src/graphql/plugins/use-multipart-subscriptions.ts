// Subscriptions over Apollo's multipart protocol: each result is a part of one response, in an envelope. Yoga's own
// multipart responses are for incremental delivery. They have no envelope, so Apollo Client would show nothing.
import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { endsStream, formatResult, httpStatusOf } from '../pipeline/errors.ts'
import { acceptsMultipart } from '../pipeline/transport.ts'

/** Milliseconds between two empty parts, which keep the connection open. */
const HEARTBEAT_INTERVAL = 12_000

const CONTENT_TYPE = 'multipart/mixed;boundary="graphql";subscriptionSpec="1.0"'
const BOUNDARY = '\r\n--graphql'

/** A part and the boundary after it, without which a client does not know that the part is complete. */
const partOf = (content: object) => `\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(content)}${BOUNDARY}`

/** An error that ended the stream is next to the payload. */
function envelopeOf(result: ExecutionResult): object {
  const formatted = formatResult(result)
  return endsStream(result) ? { payload: null, errors: formatted.errors } : { payload: formatted }
}

/** @param results must not throw. Ending the response ends them. */
function bodyOf(results: AsyncIterable<ExecutionResult>): ReadableStream<Uint8Array> {
  const iterator = results[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  let timer: NodeJS.Timeout | undefined
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(BOUNDARY + partOf({})))
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(partOf({})))
      }, HEARTBEAT_INTERVAL)
      timer.unref()
    },
    async pull(controller) {
      const next = await iterator.next()
      if (next.done !== true) {
        controller.enqueue(encoder.encode(partOf(envelopeOf(next.value))))
        return
      }
      clearInterval(timer)
      controller.enqueue(encoder.encode('--\r\n'))
      controller.close()
    },
    async cancel() {
      clearInterval(timer)
      await iterator.return?.()
    },
  })
}

function multipartResponse(results: AsyncIterable<ExecutionResult>): Response {
  return new Response(bodyOf(results), { headers: { 'Content-Type': CONTENT_TYPE, 'Cache-Control': 'no-cache' } })
}

/**
 * Handles requests that accept no other kind of stream. A result that is not a stream is sent as JSON, whatever they
 * accept.
 */
export function useMultipartSubscriptions(): Plugin {
  return {
    onResultProcess(processing) {
      const { request, result, resultProcessor } = processing
      if (!acceptsMultipart(request)) return
      if (isAsyncIterable(result)) {
        if (resultProcessor === undefined)
          processing.setResultProcessor(() => multipartResponse(result), 'multipart/mixed')
      } else if (!Array.isArray(result) && !/json|\*\/\*/.test(request.headers.get('accept') ?? '')) {
        processing.setResultProcessor(
          () => Response.json(formatResult(result), { status: httpStatusOf(result) }),
          'application/graphql-response+json',
        )
      }
    },
  }
}
