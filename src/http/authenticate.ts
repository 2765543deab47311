// Who calls: the API key in the Authorization header.
import { callerOfKey } from '../domain/api-key.ts'
import type { Caller, Gateway } from '../domain/scope.ts'
import { Refusal } from '../lib/errors.ts'

/** @throws Refusal `UNAUTHENTICATED`, with one message for each way to be wrong. */
export async function authenticate(gateway: Gateway, headers: Headers): Promise<Caller> {
  const header = headers.get('authorization')
  if (header === null || header.trim() === '') throw new Refusal('UNAUTHENTICATED', 'Missing authorization header')
  const [scheme = '', key = ''] = header.trim().split(/\s+/, 2)
  if (scheme.toLowerCase() !== 'apikey') {
    throw new Refusal('UNAUTHENTICATED', `Invalid authentication scheme: "${scheme.slice(0, 50)}"`)
  }
  const caller = key === '' ? undefined : await callerOfKey(gateway, key)
  if (caller === undefined) throw new Refusal('UNAUTHENTICATED', 'API Key not found')
  return caller
}
