// Accepts only requests with a JSON body.
//
// A form on another web site can send a POST request with a text or form body without a CORS preflight. It cannot send
// `Content-Type: application/json`.
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { Refusal } from '../../lib/errors.ts'
import { refusalResponse } from '../door/errors.ts'
import type { GraphContext } from '../schema/builder.ts'
import { acceptsMultipart } from './use-multipart-subscriptions.ts'

export const jsonContentType = /^application\/json(;|$)/
const responseTypes = ['application/graphql-response+json', 'application/json', 'text/event-stream', 'multipart/mixed']

/** The media types of a subscription's response. */
const streamTypes = ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0']

/** True if the request accepts one of these media types. */
function accepts({ headers }: Request, types: readonly string[]): boolean {
  const accepted = (headers.get('accept') ?? '*/*').toLowerCase().split(',')
  const ranges = new Set(accepted.map((range) => range.replace(/;.*/, '').trim()))
  return ranges.has('*/*') || types.some((type) => ranges.has(type) || ranges.has(type.replace(/\/.*/, '/*')))
}

function notAcceptable(types: readonly string[]): Refusal {
  return new Refusal('NOT_ACCEPTABLE', `Accept must allow ${types.length > 1 ? 'one of ' : ''}${types.join(', ')}`)
}

/** Rejects requests that cannot be read (415) or answered (406) before anything is executed. */
export function useStrictRequests(): Plugin<GraphContext> {
  return {
    onRequestParse({ request, requestParser, setRequestParser, endResponse }) {
      if (!accepts(request, responseTypes)) {
        endResponse(refusalResponse(notAcceptable(responseTypes)))
        return
      }
      if (request.method === 'POST' && !jsonContentType.test(request.headers.get('content-type') ?? '')) {
        throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json')
      }
      if (request.method === 'GET' && requestParser !== undefined) {
        setRequestParser((request) => {
          try {
            return requestParser(request)
          } catch (error) {
            if (!(error instanceof SyntaxError)) throw error
            throw new GraphQLError('variables and extensions must be JSON', { extensions: { http: { status: 400 } } })
          }
        })
      }
    },
    onExecute({ args }) {
      if (args.contextValue.webSocket === true) {
        const message = 'A WebSocket carries subscriptions only: send queries and mutations as HTTP requests'
        throw new Refusal('METHOD_NOT_ALLOWED', message)
      }
    },
    onSubscribe({ args }) {
      const { request, webSocket } = args.contextValue
      if (webSocket === true) return
      if (!accepts(request, ['text/event-stream']) && !acceptsMultipart(request)) throw notAcceptable(streamTypes)
    },
  }
}
