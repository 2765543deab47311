// Opens the connections of HTTP requests, to allowed addresses only.
import type { LookupFunction } from 'node:net'
import type { Agent } from 'undici'
import { assertAllowed, type Objection } from './public-address.ts'

/** Loaded with the first request, because it takes memory and delays the start of the process. */
export const loadUndici = () => import('undici')

/** Requests at a time in one connection with HTTP/2. Servers allow about as many. */
const MAX_STREAMS = 100

interface Connecting {
  /** Milliseconds. */
  readonly timeout: number
  readonly objection: Objection
  /** Resolves names to allowed addresses. */
  readonly lookup: LookupFunction
  /** Certificates of the authorities to trust, in PEM form. Undefined for those of Node.js. */
  readonly authorities: readonly string[] | undefined
}

/** @param allowH2 true if servers may choose HTTP/2. */
export async function openAgent(
  { timeout, objection, lookup, authorities }: Connecting,
  allowH2: boolean,
): Promise<Agent> {
  const { Agent, buildConnector } = await loadUndici()
  const connectUnchecked = buildConnector({ timeout, allowH2, lookup, ...(authorities && { ca: [...authorities] }) })
  return new Agent({
    allowH2,
    ...(allowH2 && { pipelining: MAX_STREAMS }),
    connect(options, callback) {
      try {
        // Literal addresses are not looked up, so they are checked here. The URL parser has normalized them.
        assertAllowed(options.hostname, objection)
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null)
        return
      }
      connectUnchecked(options, callback)
    },
  })
}
