// The settings of an integration: its credentials by name, without secret values.
import { z } from 'zod'
import { integrationsById } from '../data/integration.ts'
import type { Integration as Row } from '../data/prisma/client.ts'
import { refuse } from '../lib/errors.ts'
import { type Json, type JsonObject, jsonObject, parse } from '../lib/validation.ts'
import { decryptOf, DecryptionError, ifDecryptable } from './resolver/decrypt.ts'
import { providerOf } from './channel/provider-id.ts'
import { query } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { integrationCredentials } from './channel/webhook-headers.ts'

export interface IntegrationSetting {
  readonly name: string
  readonly isSet: boolean
  /** The value as text. Null if it is secret or not set. */
  readonly value: string | null
}

type Sealed = Pick<Row, 'identifier' | 'credentials'>

/** Decrypts the credentials of an integration. @throws DecryptionError that names it. */
export function openCredentials(
  scope: Pick<Scope, 'cipher' | 'environmentId'>,
  { identifier, credentials }: Sealed,
): JsonObject {
  if (credentials === null) return {}
  const parsed: unknown = JSON.parse(decryptOf(`integration "${identifier}"`, scope, credentials))
  return jsonObject({ maxBytes: Infinity }).parse(parsed)
}

/** Encrypts credentials. Null stays null. */
export function sealedCredentials(
  { cipher, environmentId }: Pick<Scope, 'cipher' | 'environmentId'>,
  credentials: JsonObject | null,
): string | null {
  return credentials === null ? null : cipher.encrypt(JSON.stringify(credentials), environmentId)
}

/** True for a URL with a user name or a password, which a proxy may require. */
const hasUser = (text: string) => URL.canParse(text) && /^[^/?#]*\/\/[^/?#]*@/.test(text)

function shownValue(value: Json): string | null {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return hasUser(text) ? null : text
}

/**
 * Lists the provider's settings, then settings stored under other names, which count as secret. Values are missing if
 * the credentials cannot be decrypted. Batched.
 */
export const integrationSettings = query({
  name: 'integration.listSettings',
  permission: 'integration:read',
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }): Promise<IntegrationSetting[]> {
    const row = await scope.load(integrationsById, id)
    if (row === null) return []
    const stored = ifDecryptable(() => openCredentials(scope, row)) ?? {}
    const known = scope.providers.factsOf(providerOf(row.providerId))?.settings ?? []
    const secret = new Map(known.map((setting) => [setting.name, setting.secret]))
    return [...new Set([...secret.keys(), ...Object.keys(stored)])].map((name) => {
      const value = stored[name] ?? null
      const isShown = value !== null && secret.get(name) === false
      return { name, isSet: value !== null, value: isShown ? shownValue(value) : null }
    })
  },
})

/**
 * Applies changes to credentials: a value replaces the stored one, null removes it, and all others stay. Null if none
 * is left.
 *
 * @throws Refusal `INVALID` if the result is invalid, `CONFLICT` if the stored credentials cannot be decrypted.
 */
export function changedCredentials(scope: Scope, row: Sealed, changes: JsonObject): JsonObject | null {
  const merged = Object.entries({ ...storedCredentials(scope, row), ...changes }).filter(([, value]) => value !== null)
  if (merged.length === 0) return null
  const schema = z.object({ credentialChanges: integrationCredentials })
  return parse(schema, { credentialChanges: Object.fromEntries(merged) }).credentialChanges
}

function storedCredentials(scope: Scope, row: Sealed): JsonObject {
  try {
    return openCredentials(scope, row)
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    const message = `The credentials of integration "${row.identifier}" cannot be decrypted: replace them with credentials`
    throw refuse('CONFLICT', message, 'credentialChanges')
  }
}
