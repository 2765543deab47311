// Who calls: what the Authorization header shows.
import { callerOfKey } from '../domain/api-key.ts'
import { callerOfIdentifier } from '../domain/environment.ts'
import type { Caller, Gateway } from '../domain/scope.ts'
import { callerOfSession } from '../domain/session.ts'
import { Refusal } from '../lib/errors.ts'

interface Scheme {
  readonly find: (gateway: Gateway, credentials: string) => Promise<Caller | undefined>
  /** What somebody is told whom nobody knows. */
  readonly unknown: string
}

/** By their names in lower case. */
const schemes: ReadonlyMap<string, Scheme> = new Map([
  ['apikey', { find: callerOfKey, unknown: 'API Key not found' }],
  ['session', { find: callerOfSession, unknown: 'Session not found' }],
  ['environment', { find: callerOfIdentifier, unknown: 'Environment not found' }],
])

/** @throws Refusal `UNAUTHENTICATED`, with one message for each way to be wrong. */
export async function authenticate(gateway: Gateway, headers: Headers): Promise<Caller> {
  const header = headers.get('authorization')
  if (header === null || header.trim() === '') throw new Refusal('UNAUTHENTICATED', 'Missing authorization header')
  const [name = '', credentials = ''] = header.trim().split(/\s+/, 2)
  const scheme = schemes.get(name.toLowerCase())
  if (scheme === undefined) {
    throw new Refusal('UNAUTHENTICATED', `Invalid authentication scheme: "${name.slice(0, 50)}"`)
  }
  const caller = credentials === '' ? undefined : await scheme.find(gateway, credentials)
  if (caller === undefined) throw new Refusal('UNAUTHENTICATED', scheme.unknown)
  return caller
}
