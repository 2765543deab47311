// API keys. Each belongs to one environment. A key is shown once, when it is created. Afterwards, only its hash is
// compared.
import { hash, type KeyObject, randomBytes } from 'node:crypto'
import { z } from 'zod'
import {
  apiKeyPages,
  apiKeysById,
  keysOfOrganization,
  type NamedApiKey,
  type ShownApiKey,
} from '../../data/access/api-key.ts'
import { findKeyOwner } from '../../data/access/caller.ts'
import type { Connection } from '../../data/connection/database.ts'
import type { ApiKey } from '../../data/prisma/client.ts'
import { ApiKeyAccess } from '../../data/prisma/enums.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import { pageRequest } from '../../lib/page.ts'
import { trimmedText } from '../../lib/validation.ts'
import {
  administeredEnvironments,
  assertAdmin,
  assertAdministers,
  assertOfOrganization,
  lockAdministration,
} from './administration.ts'
import { audit } from '../resolver/audit.ts'
import { permissionsOf } from '../resolver/permission.ts'
import { mutation, query } from '../resolver/resolver.ts'
import type { ApiKeyCaller } from '../resolver/caller.ts'
import type { EnvironmentScope, Gateway, Scope } from '../resolver/scope.ts'

export type { ShownApiKey }

const secrets = { hash: true, cipher: true } as const

/** A new key. `key` appears in no list and no log, and cannot be read again. */
export interface NewApiKey {
  readonly apiKey: ShownApiKey
  readonly key: string
}

/** Minimum length of a key chosen by the operator. */
export const MIN_KEY_LENGTH = 16

/** A key chosen by the operator. */
export const chosenKey = z
  .string()
  .regex(
    new RegExp(`^[\\x21-\\x7e]{${MIN_KEY_LENGTH},200}$`),
    `must be ${MIN_KEY_LENGTH} to 200 printable characters without spaces`,
  )

/** Length below which a key chosen by the operator is weak. */
const STRONG_KEY_LENGTH = 32

/**
 * Minimum number of different characters of a key that is not weak. A random key of 32 decimal digits almost always has
 * more.
 */
const STRONG_KEY_CHARACTERS = 8

/**
 * Returns true if a key chosen by the operator could be guessed. Browsers receive hashes made with a key, and guesses
 * can be checked against a hash without the gateway.
 */
export const isWeakKey = (key: string) => key.length < STRONG_KEY_LENGTH || new Set(key).size < STRONG_KEY_CHARACTERS

/** Returns the hash by which a key is looked up. */
export const keyHash = (key: string) => hash('sha256', key)
const generateKey = () => `ng_${randomBytes(32).toString('base64url')}`

interface NewApiKeyRequest {
  readonly environmentId: string
  readonly userId: string
  readonly name: string
  readonly access?: ApiKeyAccess
  /** The key chosen by the operator. Default: a random key. */
  readonly key?: string
}

/** Writes a key. It is stored hashed and encrypted: callers sign contexts with it (SPEC: contextHash). */
export async function writeApiKey(
  { cipher, now, newId, db }: Pick<Gateway, 'cipher' | 'now' | 'newId'> & { db: Connection },
  { environmentId, userId, name, access = 'full', key = generateKey() }: NewApiKeyRequest,
): Promise<NewApiKey> {
  const createdAt = now()
  const apiKey = await db.apiKey.create({
    data: {
      environmentId,
      id: newId(),
      userId,
      name,
      access,
      hash: keyHash(key),
      cipher: cipher.encrypt(key, environmentId),
      hint: key.slice(-4),
      createdAt,
      updatedAt: createdAt,
    },
    omit: secrets,
  })
  return { apiKey, key }
}

/** Returns the key with this secret, of any environment and also if it is revoked. Null if there is none. */
export const keyWithSecret = ({ db }: Pick<Scope, 'db'>, key: string): Promise<ShownApiKey | null> =>
  db.apiKey.findUnique({ where: { hash: keyHash(key) }, omit: secrets })

/** Returns the caller with this key, which counts as a use of it. Undefined if the key is unknown or revoked. */
export async function callerOfKey(
  { db, callers, keyUses, now }: Pick<Gateway, 'db' | 'callers' | 'keyUses' | 'now'>,
  key: string,
): Promise<ApiKeyCaller | undefined> {
  const hash = keyHash(key)
  const owner = await callers.keys.get(hash, () => findKeyOwner(db, hash))
  if (owner === undefined) return undefined
  const { id: apiKeyId, access, ...known } = owner
  keyUses.add({ environmentId: owner.environmentId, id: apiKeyId, usedAt: now() })
  return { kind: 'apiKey', ...known, apiKeyId, access, permissions: permissionsOf[access] }
}

/** An active key with its secret, which callers sign with. */
export interface SigningKey extends Pick<ApiKey, 'id' | 'access'> {
  readonly secret: KeyObject
}

/** Returns all active keys of the environment. */
export async function signingKeys({ db, environmentId, cipher }: EnvironmentScope): Promise<SigningKey[]> {
  const active = await db.apiKey.findMany({
    where: { environmentId, revokedAt: null },
    select: { id: true, access: true, cipher: true },
  })
  return active.map((key) => ({ id: key.id, access: key.access, secret: cipher.signingKey(key.cipher, environmentId) }))
}

/** Returns a key of an environment that the caller administers, or null. */
async function administeredKey(scope: Scope, id: string): Promise<ShownApiKey | null> {
  const found = await scope.load(apiKeysById, id)
  if (found === null || found.environmentId === scope.environmentId) return found
  return (await administeredEnvironments(scope)).has(found.environmentId) ? found : null
}

export const apiKey = query({
  name: 'apiKey.get',
  permission: 'apiKey:read',
  main: true,
  input: z.object({ id: z.uuid() }),
  run: (scope, { id }) => administeredKey(scope, id),
})

/** The fields of a changed API key that the audit log records. */
export const loggedKey = ({ environmentId, id, name, access, hint }: ShownApiKey) => ({
  environmentId,
  key: { id, name, access, hint },
})

/** The id of an environment. Default: the caller's own. */
const ofEnvironment = z.uuid().nullish()

/** Lists the keys of one environment. */
export const apiKeys = query({
  name: 'apiKey.list',
  permission: 'apiKey:read',
  main: true,
  input: z.object({ environmentId: ofEnvironment, page: pageRequest }),
  async run(scope, { environmentId: given, page }) {
    const environmentId = given ?? scope.environmentId
    if (environmentId !== scope.environmentId) {
      await assertOfOrganization(scope, environmentId, 'environmentId')
      await assertAdministers(scope, environmentId, 'environmentId')
    }
    return scope.load(apiKeyPages, {
      parent: environmentId,
      orderBy: { field: 'createdAt', direction: 'asc' },
      page,
      filter: null,
    })
  },
})

/**
 * Lists the keys of all environments of the caller's organization, oldest environments and keys first.
 *
 * @throws Refusal `FORBIDDEN` if the caller is not the operator at the command line.
 */
export const organizationApiKeys = query({
  name: 'apiKey.listAll',
  permission: 'apiKey:read',
  main: true,
  input: z.object({}),
  async run({ db, caller }): Promise<readonly NamedApiKey[]> {
    if (caller.kind !== 'operator') throw new Refusal('FORBIDDEN', 'Only the command line lists all API keys')
    const keys: NamedApiKey[] = []
    for await (const page of keysOfOrganization(db, caller.organizationId)) keys.push(...page)
    return keys
  },
})

/**
 * Creates a key for an environment that the caller administers. Default: the caller's own.
 *
 * @throws Refusal `FORBIDDEN` if the caller does not administer the environment, or creates an ADMIN key without
 *   having the access ADMIN.
 */
export const createApiKey = mutation({
  name: 'apiKey.create',
  permission: 'apiKey:write',
  main: true,
  secret: true,
  input: z.object({
    name: trimmedText(100),
    access: z.enum(ApiKeyAccess).nullish(),
    environmentId: ofEnvironment,
  }),
  async run(scope, { name, access, environmentId: given }) {
    const caller = await lockAdministration(scope)
    const environmentId = given ?? scope.environmentId
    await assertOfOrganization(scope, environmentId, 'environmentId')
    await assertAdministers(scope, environmentId, 'environmentId')
    if (access === 'admin') assertAdmin(caller, 'access ADMIN', 'access')
    const created = await writeApiKey(scope, { environmentId, userId: caller.userId, name, access: access ?? 'full' })
    audit(scope, 'API key created', loggedKey(created.apiKey))
    return created
  },
})

/**
 * Revokes a key immediately, and the sessions that it opened. Idempotent. No key can revoke itself, so an organization
 * keeps its last ADMIN key.
 *
 * @throws Refusal `FORBIDDEN` if a caller without the access ADMIN revokes an ADMIN key.
 */
export const revokeApiKey = mutation({
  name: 'apiKey.revoke',
  permission: 'apiKey:write',
  main: true,
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }) {
    const caller = await lockAdministration(scope)
    if (caller.kind !== 'operator' && id === caller.apiKeyId) {
      throw refuse('CONFLICT', 'An API key cannot revoke itself: use another key of the environment', 'id', id)
    }
    const found = await administeredKey(scope, id)
    if (found === null) throw refuse('NOT_FOUND', `API key "${id}" not found`, 'id', id)
    if (found.access === 'admin') assertAdmin(caller, 'Revoking an ADMIN key', 'id')
    if (found.revokedAt !== null) return found
    const revokedAt = scope.now()
    scope.callers.forget(found.environmentId)
    const revoked = await scope.db.apiKey.update({
      where: { environmentId_id: { environmentId: found.environmentId, id } },
      data: { revokedAt, updatedAt: revokedAt },
      omit: secrets,
    })
    audit(scope, 'API key revoked', loggedKey(revoked))
    return revoked
  },
})
