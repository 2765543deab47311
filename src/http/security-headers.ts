// Security headers for browsers.
import type { Headed } from './plain-response.ts'

const headers = {
  // The policy for responses that are data. Pages set their own policy.
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

/** The caching policy of responses that are the same for everyone. */
export const PUBLIC = 'public, max-age=3600'

/** The caching policy of public responses that never change at their address. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

const storable: readonly (string | null)[] = [PUBLIC, IMMUTABLE]

/**
 * Adds the security headers, except those that the response sets itself. A response that is not public must not be
 * stored, because it is for one caller.
 */
export function withSecurityHeaders<Answer extends Headed>(response: Answer): Answer {
  if (!storable.includes(response.headers.get('Cache-Control'))) response.headers.set('Cache-Control', 'no-store')
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value)
  }
  return response
}
