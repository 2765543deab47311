// Browser sessions: opened with hashes that a back end made.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { subscribersBySubscriberId } from '../data/subscriber.ts'
import { canonicalJson, olpcJson } from '../lib/canonical-json.ts'
import { refuse } from '../lib/errors.ts'
import { jsonObject, parse, storableText } from '../lib/validation.ts'
import { type SigningKey, signingKeys } from './access/api-key.ts'
import { allowsUnsignedSessions } from './access/unsigned-session.ts'
import { contextInput, contextKeysOf, ensureContextKeys, ensureContexts } from './context.ts'
import { mainScope } from './resolver/databases.ts'
import { DoorScope } from './resolver/door-scope.ts'
import { type Owner, query } from './resolver/resolver.ts'
import type { SessionCaller } from './resolver/caller.ts'
import type { Scope } from './resolver/scope.ts'
import { accessOf, sessionCaller, type SessionClaims, sessionKinds, writeToken } from './session-token.ts'
import { signedSubscriberId } from './subscriber-id.ts'
import { profile, subscriberNotFound, upsertSubscriber } from './subscriber.ts'

/** Maximum size of `context` in bytes of JSON: five contexts with the maximum amount of data. */
const MAX_CONTEXT = 384 * 1024

/** The owner whose rows a session can access, and its expiry. */
export interface Session extends Owner {
  readonly expiresAt: Date
}

export interface OpenedSession {
  /** Sent as `Authorization: Session <token>`, or `Bearer <token>` if the session is lasting. */
  readonly token: string
  readonly session: SessionCaller
}

function isSignedWith(secret: KeyObject, text: string, hash: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(text).digest('hex'))
  const given = Buffer.from(hash)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** A part of a session that is signed on its own. */
interface Signed {
  readonly field: 'subscriberHash' | 'contextHash'
  /** The forms in which a back end may have signed it. */
  readonly texts: readonly string[]
  readonly what: string
  /** Null and empty if it is not signed. */
  readonly hash: string | null | undefined
}

/**
 * Returns the API key that signed a part (CALLERS: Context hash). Any active key of the environment is valid.
 *
 * @throws Refusal `MALFORMED`, which names the field but no key.
 */
function signerOf(keys: readonly SigningKey[], { field, texts, what, hash }: Signed): SigningKey {
  const signer = keys.find(({ secret }) => texts.some((text) => isSignedWith(secret, text, hash ?? '')))
  if (signer !== undefined) return signer
  const message = `${field} must be the HMAC-SHA256 of ${what}, in lowercase hex, keyed with an active API key of the environment`
  throw refuse('MALFORMED', message, field)
}

/** The given fields that differ from what is stored. */
function changesOf(stored: object, given: z.output<typeof profile>): z.output<typeof profile> {
  const differ = ([field, value]: [string, unknown]) =>
    value !== undefined && !isDeepStrictEqual(value, Reflect.get(stored, field))
  return Object.fromEntries(Object.entries(given).filter(differ))
}

/**
 * Returns the row id of the subscriber of a session. Creates a missing one, and writes the fields of the profile that
 * differ.
 *
 * @param mayWrite false if a signing key is read-only.
 * @returns undefined if the subscriber is missing and must not be created.
 */
async function subscriberRowOf(
  scope: Scope,
  subscriberId: string,
  given: z.output<typeof profile>,
  mayWrite: boolean,
): Promise<string | undefined> {
  const stored = await scope.load(subscribersBySubscriberId, subscriberId)
  if (!mayWrite) return stored?.id
  const changes = stored === null ? given : changesOf(stored, given)
  if (stored !== null && Object.keys(changes).length === 0) return stored.id
  const { subscriber } = await upsertSubscriber.act(scope, { subscriberId, ...changes })
  return subscriber.id
}

/** The input schema of opening a session. */
export const sessionInput = z.object({
  subscriberId: signedSubscriberId,
  /** Required unless the environment allows unsigned sessions. */
  subscriberHash: storableText.nullish(),
  /** The signed text. It is parsed only after the hash is verified. */
  context: jsonObject({ maxBytes: MAX_CONTEXT }).nullish(),
  /** The same, together with a context. */
  contextHash: storableText.nullish(),
  /** Has no effect without `subscriberHash`. */
  profile: profile.nullish(),
  kind: z.enum(['renewable', 'lasting']).nullish(),
})

/**
 * Opens a session, in a transaction, for a subscriber and a context that were signed with an API key. Reads nothing else
 * before the hashes are verified. An environment can allow sessions that are not signed: these change no profile and
 * store no data of contexts.
 *
 * Creates a missing subscriber and missing contexts (SPEC: Context), unless a signing key is read-only.
 *
 * @throws Refusal `NOT_FOUND` for a lasting session of a missing subscriber that a read-only key signed.
 */
export async function writeSession(
  scope: Scope,
  { subscriberId, subscriberHash, context, contextHash, ...given }: z.output<typeof sessionInput>,
): Promise<OpenedSession> {
  const { environmentId, cipher, now, caller } = scope
  const keys = await signingKeys(mainScope(scope))
  const texts = [...new Set([canonicalJson(context ?? {}), olpcJson(context ?? {})])]
  const parts: Signed[] = [
    { field: 'subscriberHash', texts: [subscriberId], what: 'the subscriberId', hash: subscriberHash },
  ]
  if (texts[0] !== '{}' || contextHash) {
    const what = 'the context in canonical JSON (keys sorted, no spaces)'
    parts.push({ field: 'contextHash', texts, what, hash: contextHash })
  }
  const isUnsigned = parts.some(({ hash }) => !hash) && (await allowsUnsignedSessions(scope))
  const signers = parts.filter(({ hash }) => hash || !isUnsigned).map((part) => signerOf(keys, part))
  const { context: named } = parse(z.object({ context: contextInput }), { context })
  const contextKeys = contextKeysOf(named)
  const access = accessOf(signers)
  const mayWrite = access === 'full'
  const signedProfile = subscriberHash ? given.profile : undefined
  const rowId = await subscriberRowOf(scope, subscriberId, signedProfile ?? {}, mayWrite)
  if (mayWrite) await (contextHash ? ensureContexts(scope, named) : ensureContextKeys(scope, contextKeys))
  const kind = given.kind ?? 'renewable'
  if (kind === 'lasting' && rowId === undefined) throw subscriberNotFound({ subscriberId })
  const held: SessionClaims = {
    environmentId,
    apiKeyIds: [...new Set(signers.map(({ id }) => id))],
    ...(isUnsigned && { isUnsigned }),
    subscriberId,
    ...(kind === 'lasting' && { subscriberRowId: rowId }),
    contextKeys,
    expiresAt: now().getTime() + sessionKinds[kind].lifetime,
  }
  const { organizationId, database } = caller
  const session = sessionCaller({ ...held, organizationId, database }, access, held)
  return { token: writeToken(cipher, kind, held), session }
}

/** Returns the scope of a session that was just opened, for what its response shows. */
export const scopeOfOpened = (scope: DoorScope, { session }: OpenedSession): DoorScope =>
  new DoorScope(DoorScope.open(scope).ofSession(session))

/** Reads the caller's session. Null if the caller is not a session. */
export const session = query({
  name: 'session.get',
  permission: 'session:read',
  rate: { category: 'global', cost: 1 },
  input: z.object({}),
  run: async ({ caller }): Promise<Session | null> => (caller.kind === 'session' ? caller : null),
})
