// Reading a request: only what is JSON by its own word, which no form of another web site can send.
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { Refusal } from '../../lib/errors.ts'
import { refusalResponse } from '../errors.ts'

const readable = /^application\/json(;|$)/
const answerable = ['application/graphql-response+json', 'application/json', 'text/event-stream', 'multipart/mixed']

/** In which a subscription is answered. */
const STREAM = ['text/event-stream']

/** Whether one of these media types is among those that the caller takes. */
function takes({ headers }: Request, types: readonly string[]): boolean {
  const accepted = (headers.get('accept') ?? '*/*').toLowerCase().split(',')
  const ranges = new Set(accepted.map((range) => range.replace(/;.*/, '').trim()))
  return ranges.has('*/*') || types.some((type) => ranges.has(type) || ranges.has(type.replace(/\/.*/, '/*')))
}

function notAcceptable(types: readonly string[]): Refusal {
  return new Refusal('NOT_ACCEPTABLE', `Accept must allow ${types.length > 1 ? 'one of ' : ''}${types.join(', ')}`)
}

/** Refuses what cannot be read or answered before anything runs. */
export function useStrictRequests(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser, endResponse }) {
      if (!takes(request, answerable)) {
        endResponse(refusalResponse(notAcceptable(answerable)))
        return
      }
      if (request.method === 'POST' && !readable.test(request.headers.get('content-type') ?? '')) {
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
    onSubscribe({ args }) {
      if (!takes(args.contextValue.request, STREAM)) throw notAcceptable(STREAM)
    },
  }
}
