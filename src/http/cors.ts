// CORS: lets web pages of the configured origins call the gateway. By default, no origin is allowed.
import type { AnyResponse } from './plain-response.ts'

type Fetch<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Promise<AnyResponse>

/** Seconds for which a browser caches a preflight response. */
const MAX_AGE = 600

function preflightHeaders(request: Request): Headers {
  return new Headers({
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': request.headers.get('access-control-request-headers') ?? '',
    'Access-Control-Max-Age': String(MAX_AGE),
  })
}

/** True if the request does not come from a web page, or comes from a page of one of `origins`. */
export function isOfOrigins(origins: readonly string[], { headers }: Request): boolean {
  const origin = headers.get('origin')
  return origin === null || origins.includes(origin)
}

/**
 * Lets pages of `origins` call the gateway and read every response, errors included. Credentials (cookies) are never
 * allowed: a page sets its key in a header.
 */
export function withCors<Rest extends unknown[]>(origins: readonly string[], fetch: Fetch<Rest>): Fetch<Rest> {
  if (origins.length === 0) return fetch
  return async (request, ...rest) => {
    const origin = request.headers.get('origin')
    const isAllowed = origin !== null && isOfOrigins(origins, request)
    const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
    const response =
      isAllowed && isPreflight
        ? new Response(null, { status: 204, headers: preflightHeaders(request) })
        : await fetch(request, ...rest)
    response.headers.append('Vary', 'Origin')
    if (isAllowed) {
      response.headers.set('Access-Control-Allow-Origin', origin)
      response.headers.set('Access-Control-Expose-Headers', '*')
    }
    return response
  }
}
