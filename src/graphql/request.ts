// Reading a request: only what is JSON by its own word, which no form of another web site can send.
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { Refusal } from '../lib/errors.ts'
import { refusalResponse } from './errors.ts'

const readable = /^application\/json(;|$)/
const answerable = ['application/graphql-response+json', 'application/json', 'text/event-stream', 'multipart/mixed']

/** Whether one of the media types that we answer in is among those that the caller takes. */
function canBeAnswered({ headers }: Request): boolean {
  const accepted = (headers.get('accept') ?? '*/*').toLowerCase().split(',')
  const ranges = new Set(accepted.map((range) => range.replace(/;.*/, '').trim()))
  return ranges.has('*/*') || answerable.some((type) => ranges.has(type) || ranges.has(type.replace(/\/.*/, '/*')))
}

/** Refuses what cannot be read or answered before anything runs. */
export function useStrictRequests(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser, endResponse }) {
      if (!canBeAnswered(request)) {
        const message = `Accept must allow one of ${answerable.join(', ')}`
        endResponse(refusalResponse(new Refusal('NOT_ACCEPTABLE', message)))
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
  }
}
