// Authentication: the caller behind an Authorization header.
import { callerOfKey } from '../domain/access/api-key.ts'
import { callerOfDashboardSession } from '../domain/access/dashboard-session.ts'
import { callerOfIdentifier } from '../domain/access/environment.ts'
import type { Caller } from '../domain/resolver/caller.ts'
import type { Gateway } from '../domain/resolver/scope.ts'
import { callerOfLastingSession, callerOfSession } from '../domain/session-token.ts'
import { Refusal } from '../lib/errors.ts'

interface Scheme {
  readonly find: (gateway: Gateway, credentials: string) => Promise<Caller | undefined>
  /** The message if no caller matches the credentials. */
  readonly unknown: string
}

/** The schemes, by lower-case name. */
const schemes: ReadonlyMap<string, Scheme> = new Map([
  ['apikey', { find: callerOfKey, unknown: 'API Key not found' }],
  ['dashboard', { find: callerOfDashboardSession, unknown: 'Dashboard session not found' }],
  ['session', { find: callerOfSession, unknown: 'Session not found' }],
  ['bearer', { find: callerOfLastingSession, unknown: 'Session not found' }],
  ['environment', { find: callerOfIdentifier, unknown: 'Environment not found' }],
])

/** True if a request has an Authorization header. */
export const hasCredentials = (headers: Headers): boolean => (headers.get('authorization') ?? '').trim() !== ''

/** @throws Refusal `UNAUTHENTICATED` if the header is missing, its scheme is invalid or its credentials are unknown. */
export async function authenticate(gateway: Gateway, headers: Headers): Promise<Caller> {
  const header = headers.get('authorization')
  if (header === null || !hasCredentials(headers)) throw new Refusal('UNAUTHENTICATED', 'Missing authorization header')
  const [name = '', credentials = ''] = header.trim().split(/\s+/, 2)
  const scheme = schemes.get(name.toLowerCase())
  if (scheme === undefined) {
    throw new Refusal('UNAUTHENTICATED', `Invalid authentication scheme: "${name.slice(0, 50)}"`)
  }
  const caller = credentials === '' ? undefined : await scheme.find(gateway, credentials)
  if (caller === undefined) {
    // Sessions expire but API keys do not, so an unknown key is a guess or a client with an old key.
    if (scheme.find === callerOfKey) gateway.unknownKeys.add()
    throw new Refusal('UNAUTHENTICATED', scheme.unknown)
  }
  return caller
}
