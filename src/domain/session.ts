// Browser sessions. A session is stored only in its encrypted token, not in the database.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { findKeyOwners } from '../data/access/caller.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import type { Cipher } from '../lib/cipher.ts'
import { Refusal, refuse } from '../lib/errors.ts'
import { jsonObject, parse, storableText } from '../lib/validation.ts'
import { type SigningKey, signingKeys } from './access/api-key.ts'
import { contextInput, contextKeysOf, ensureContexts } from './context.ts'
import { ensureSubscriber } from './missing-subscriber.ts'
import { permissionsOfSession } from './resolver/permission.ts'
import { mutation, type Owner, query } from './resolver/resolver.ts'
import type { SessionCaller } from './resolver/caller.ts'
import type { Gateway } from './resolver/scope.ts'
import { signedSubscriberId } from './subscriber-id.ts'

/** Lifetime of a session, in milliseconds. */
export const LIFETIME = 60 * 60 * 1000

/** Maximum size of `context` in bytes of JSON: five contexts with the maximum amount of data. */
const MAX_CONTEXT = 384 * 1024

/** The owner whose rows a session can access, and its expiry. */
export interface Session extends Owner {
  readonly expiresAt: Date
}

export interface OpenedSession {
  /** Sent as `Authorization: Session <token>`. */
  readonly token: string
  readonly session: Session
}

/** The content of a token. */
const claims = z.object({
  environmentId: z.uuid(),
  /** The API keys that signed the session, which ends when one of them is revoked. */
  apiKeyIds: z.array(z.uuid()),
  subscriberId: z.string(),
  contextKeys: z.array(z.string()),
  /** In milliseconds since the epoch. */
  expiresAt: z.number(),
})
type Claims = z.output<typeof claims>

/**
 * The owner under which tokens are encrypted. It is not an environment id, so a stored secret is never a valid token.
 */
const TOKENS = 'sessions'

/** Returns the content of a token, or undefined if the gateway did not issue it. */
function readToken(cipher: Cipher, token: string): Claims | undefined {
  try {
    return claims.parse(JSON.parse(cipher.decrypt(token, TOKENS)))
  } catch {
    return undefined
  }
}

/**
 * Returns the caller with this token, or undefined if the token is invalid or one of its API keys was revoked.
 *
 * @throws Refusal `UNAUTHENTICATED` if the session has expired.
 */
export async function callerOfSession(
  { db, callers, cipher, now }: Pick<Gateway, 'db' | 'callers' | 'cipher' | 'now'>,
  token: string,
): Promise<SessionCaller | undefined> {
  const found = readToken(cipher, token)
  if (found === undefined) return undefined
  const { environmentId, apiKeyIds, subscriberId, contextKeys } = found
  const expiresAt = new Date(found.expiresAt)
  if (expiresAt <= now()) throw new Refusal('UNAUTHENTICATED', 'Session expired')
  const signers = await callers.signers.get([environmentId, ...apiKeyIds].join(), async () => {
    const owners = await findKeyOwners(db, environmentId, apiKeyIds)
    const [owner] = owners
    if (owner === undefined || owners.length < apiKeyIds.length) return undefined
    return { environmentId, organizationId: owner.organizationId, access: accessOf(owners) }
  })
  if (signers === undefined) return undefined
  const { organizationId, access } = signers
  const permissions = permissionsOfSession[access]
  return { kind: 'session', environmentId, organizationId, subscriberId, contextKeys, expiresAt, permissions }
}

/** Returns the access that these keys have in common. */
const accessOf = (signers: readonly Pick<SigningKey, 'access'>[]) =>
  signers.every(({ access }) => access !== 'read_only') ? 'full' : 'read_only'

function isSignedWith(secret: KeyObject, text: string, hash: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(text).digest('hex'))
  const given = Buffer.from(hash)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/**
 * Returns the API key with which `text` was signed as `hash` (CALLERS: Context hash). Any active key of the environment
 * is valid.
 *
 * @throws Refusal `MALFORMED`, which names the field but no key.
 */
function signerOf(keys: readonly SigningKey[], text: string, hash: string, field: string, signed: string): SigningKey {
  const signer = keys.find(({ secret }) => isSignedWith(secret, text, hash))
  if (signer !== undefined) return signer
  const message = `${field} must be the HMAC-SHA256 of ${signed}, in lowercase hex, keyed with an active API key of the environment`
  throw refuse('MALFORMED', message, field)
}

/**
 * Opens a session for a subscriber and a context that were signed with an API key. Reads nothing else before the hashes
 * are verified.
 *
 * Creates a missing subscriber and missing contexts (SPEC: Context), unless a signing key is read-only.
 */
export const openSession = mutation({
  name: 'session.open',
  permission: 'session:write',
  secret: true,
  rate: { category: 'global', cost: 1 },
  input: z.object({
    subscriberId: signedSubscriberId,
    subscriberHash: storableText,
    /** The signed text. It is parsed only after the hash is verified. */
    context: jsonObject({ maxBytes: MAX_CONTEXT }).nullish(),
    /** Required together with a context. */
    contextHash: storableText.nullish(),
  }),
  async run(scope, { subscriberId, subscriberHash, context, contextHash }): Promise<OpenedSession> {
    const keys = await signingKeys(scope)
    const signers = [signerOf(keys, subscriberId, subscriberHash, 'subscriberHash', 'the subscriberId')]
    const signedContext = canonicalJson(context ?? {})
    if (signedContext !== '{}' || contextHash) {
      const signed = 'the context in canonical JSON (keys sorted, no spaces)'
      signers.push(signerOf(keys, signedContext, contextHash ?? '', 'contextHash', signed))
    }
    const { context: named } = parse(z.object({ context: contextInput }), { context })
    const contextKeys = contextKeysOf(named)
    if (accessOf(signers) === 'full') {
      await ensureSubscriber(scope, subscriberId)
      await ensureContexts(scope, named)
    }
    const { environmentId, cipher, now } = scope
    const expiresAt = new Date(now().getTime() + LIFETIME)
    const held: Claims = {
      environmentId,
      apiKeyIds: [...new Set(signers.map(({ id }) => id))],
      subscriberId,
      contextKeys,
      expiresAt: expiresAt.getTime(),
    }
    return { token: cipher.encrypt(JSON.stringify(held), TOKENS), session: { subscriberId, contextKeys, expiresAt } }
  },
})

/** Reads the caller's session. Null if the caller is not a session. */
export const session = query({
  name: 'session.get',
  permission: 'session:read',
  rate: { category: 'global', cost: 1 },
  input: z.object({}),
  run: async ({ caller }): Promise<Session | null> => (caller.kind === 'session' ? caller : null),
})
