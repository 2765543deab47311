// Headers that keep a browser from doing more with an answer than it should.

const headers = {
  // GraphiQL is one page with all its scripts inside; no other site may frame it and steer clicks to it.
  'Content-Security-Policy': "base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

/** A page that sets one of them itself knows better what it needs. */
export function withSecurityHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value)
  }
  return response
}
