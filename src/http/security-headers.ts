// Security headers for browsers.

const headers = {
  // GraphiQL needs its inline scripts, so scripts are not restricted. Framing is denied against clickjacking.
  'Content-Security-Policy': "base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

/** Adds the security headers, except those that the response sets itself. */
export function withSecurityHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value)
  }
  return response
}
