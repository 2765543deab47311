// CORS: which web pages may call from a browser. None, unless the operator names their origins.

type Fetch<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Promise<Response>

/** Seconds for which a browser remembers that it may call. */
const MAX_AGE = 600

function permission(request: Request): Headers {
  return new Headers({
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': request.headers.get('access-control-request-headers') ?? '',
    'Access-Control-Max-Age': String(MAX_AGE),
  })
}

/**
 * Lets the pages of `origins` call and read every answer, refusals included. Never with credentials: a caller's key is
 * in a header that the page itself sets.
 */
export function withCors<Rest extends unknown[]>(origins: readonly string[], fetch: Fetch<Rest>): Fetch<Rest> {
  if (origins.length === 0) return fetch
  const allowed = new Set(origins.map((origin) => new URL(origin).origin))
  return async (request, ...rest) => {
    const origin = request.headers.get('origin')
    const isAllowed = origin !== null && allowed.has(origin)
    const asksFirst = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
    const response =
      isAllowed && asksFirst
        ? new Response(null, { status: 204, headers: permission(request) })
        : await fetch(request, ...rest)
    response.headers.append('Vary', 'Origin')
    if (isAllowed) {
      response.headers.set('Access-Control-Allow-Origin', origin)
      response.headers.set('Access-Control-Expose-Headers', '*')
    }
    return response
  }
}
