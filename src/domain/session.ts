// Sessions: what a browser has in the place of an API key. A session is in its token, and nothing of it is stored.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { insertSubscribers } from '../data/subscriber.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import type { Cipher } from '../lib/cipher.ts'
import { Refusal, refuse } from '../lib/errors.ts'
import { jsonObject, parse } from '../lib/validation.ts'
import { type SigningKey, signingKeys } from './api-key.ts'
import { contextInput, contextKeysOf, ensureContexts } from './context.ts'
import { permissionsOfSession } from './permission.ts'
import { mutation, type Owner, query } from './resolver.ts'
import type { Gateway, SessionCaller } from './scope.ts'
import { subscriberId } from './subscriber.ts'

/** How long a session lasts, in milliseconds. */
export const LIFETIME = 60 * 60 * 1000

/** Of a context object, in bytes of JSON: room for five contexts, each with as much data as it may have. */
const MAX_CONTEXT = 384 * 1024

/** What a browser may reach, and until when. */
export interface Session extends Owner {
  readonly expiresAt: Date
}

export interface OpenedSession {
  /** Opens what the session is for, as `Authorization: Session <token>`. */
  readonly token: string
  readonly session: Session
}

/** What a token holds. */
const claims = z.object({
  environmentId: z.uuid(),
  /** Of the API keys whose secrets made the hashes: the session ends with the first of them that is revoked. */
  apiKeyIds: z.array(z.uuid()),
  subscriberId: z.string(),
  contextKeys: z.array(z.string()),
  /** In milliseconds since 1970. */
  expiresAt: z.number(),
})
type Claims = z.output<typeof claims>

/** What tokens are encrypted for. No environment is called so: a stored secret is no token, and a token no secret. */
const TOKENS = 'sessions'

/** What a token holds, or undefined when it was not made here. */
function readToken(cipher: Cipher, token: string): Claims | undefined {
  try {
    return claims.parse(JSON.parse(cipher.decrypt(token, TOKENS)))
  } catch {
    return undefined
  }
}

/**
 * Who holds a token, or undefined when it is none of ours or an API key that vouched for it was revoked.
 *
 * @throws Refusal `UNAUTHENTICATED` when it has expired.
 */
export async function callerOfSession(
  { db, cipher, now }: Pick<Gateway, 'db' | 'cipher' | 'now'>,
  token: string,
): Promise<SessionCaller | undefined> {
  const found = readToken(cipher, token)
  if (found === undefined) return undefined
  const { environmentId, apiKeyIds, subscriberId, contextKeys } = found
  const expiresAt = new Date(found.expiresAt)
  if (expiresAt <= now()) throw new Refusal('UNAUTHENTICATED', 'Session expired')
  const signers = await db.apiKey.findMany({
    where: { environmentId, id: { in: apiKeyIds }, revokedAt: null },
    select: { access: true, environment: { select: { organizationId: true } } },
  })
  const [signer] = signers
  if (signer === undefined || signers.length < apiKeyIds.length) return undefined
  const { organizationId } = signer.environment
  const permissions = permissionsOfSession[accessOf(signers)]
  return { kind: 'session', environmentId, organizationId, subscriberId, contextKeys, expiresAt, permissions }
}

/** What all of these keys may do. */
const accessOf = (signers: readonly Pick<SigningKey, 'access'>[]) =>
  signers.every(({ access }) => access === 'full') ? 'full' : 'read_only'

function isMadeWith(secret: string, text: string, hash: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(text).digest('hex'))
  const given = Buffer.from(hash)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/**
 * The key whose secret made `hash` of `text` (CALLERS: Context hash). Any active key of the environment is accepted.
 *
 * @throws Refusal `MALFORMED`, which names the field and no key.
 */
function signerOf(keys: readonly SigningKey[], text: string, hash: string, field: string, signed: string): SigningKey {
  const signer = keys.find(({ secret }) => isMadeWith(secret, text, hash))
  if (signer !== undefined) return signer
  const message = `${field} must be the HMAC-SHA256 of ${signed}, in lower-case hex, keyed with an active API key of the environment`
  throw refuse('MALFORMED', message, field)
}

/**
 * Opens a session for whoever shows that the holder of an API key signed the subscriber and the context. Nothing is
 * looked at before the hashes are proved.
 *
 * The subscriber and the contexts are made on first use (SPEC: Context), unless the key that signed may only read.
 */
export const openSession = mutation({
  name: 'session.open',
  permission: 'session:write',
  rate: { category: 'global', cost: 1 },
  input: z.object({
    subscriberId,
    subscriberHash: z.string(),
    /** As callers sign it: its keys are read only after the hash was proved over all that was sent. */
    context: jsonObject({ maxBytes: MAX_CONTEXT }).nullish(),
    /** Needed where there is a context. */
    contextHash: z.string().nullish(),
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
      await insertSubscribers(scope, [{ subscriberId }], scope.newId, scope.now())
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

/** The session that calls, or null when an API key does. */
export const session = query({
  name: 'session.get',
  permission: 'session:read',
  rate: { category: 'global', cost: 1 },
  input: z.object({}),
  run: async ({ caller }): Promise<Session | null> => (caller.kind === 'session' ? caller : null),
})
