// Accepts only requests with a JSON body.
//
// A form on another web site can send a POST request with a text or form body without a CORS preflight. It cannot send
// `Content-Type: application/json`.
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { Refusal } from '../../lib/errors.ts'
import { refusalResponse } from '../pipeline/errors.ts'
import { accepts, notAcceptable } from '../pipeline/transport.ts'
import type { GraphContext } from '../schema/builder.ts'

export const jsonContentType = /^application\/json(;|$)/
const responseTypes = ['application/graphql-response+json', 'application/json', 'text/event-stream', 'multipart/mixed']

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
  }
}
