// The tokens of browser sessions. A session is stored only in its encrypted token, not in the database.
import { z } from 'zod'
import { findKeyOwners } from '../data/access/caller.ts'
import type { ApiKeyAccess } from '../data/prisma/enums.ts'
import type { Cipher } from '../lib/cipher.ts'
import { Refusal } from '../lib/errors.ts'
import { gatewayOfEnvironment } from './resolver/environment-gateway.ts'
import { permissionsOfSession } from './resolver/permission.ts'
import type { SessionCaller } from './resolver/caller.ts'
import type { Gateway } from './resolver/scope.ts'

const HOUR = 60 * 60 * 1000

/**
 * The kinds of sessions: how long one lives, in milliseconds, and the owner under which its token is encrypted. That is
 * not an environment id, so a stored secret is never a valid token, nor is a token of another kind.
 *
 * A page opens a new renewable session when one has expired. A lasting session is for pages that do not. It also ends when
 * its subscriber is deleted.
 */
export const sessionKinds = {
  renewable: { lifetime: HOUR, owner: 'sessions' },
  lasting: { lifetime: 15 * 24 * HOUR, owner: 'lasting sessions' },
} as const

export type SessionKind = keyof typeof sessionKinds

/** The content of a token. */
const claims = z.object({
  environmentId: z.uuid(),
  /** The API keys that signed the session, which ends when one of them is revoked. */
  apiKeyIds: z.array(z.uuid()),
  /** True if the subscriber or the context was not signed: the session ends when its environment forbids that. */
  isUnsigned: z.boolean().optional(),
  subscriberId: z.string(),
  /** The row id of the subscriber with whom the session ends. Only of lasting sessions. */
  subscriberRowId: z.uuid().optional(),
  contextKeys: z.array(z.string()),
  /** In milliseconds since the epoch. */
  expiresAt: z.number(),
})
export type SessionClaims = z.output<typeof claims>

export const writeToken = (cipher: Cipher, kind: SessionKind, held: SessionClaims): string =>
  cipher.encrypt(JSON.stringify(held), sessionKinds[kind].owner)

/** Returns the content of a token, or undefined if the gateway did not issue it. */
function readToken(cipher: Cipher, kind: SessionKind, token: string): SessionClaims | undefined {
  try {
    return claims.parse(JSON.parse(cipher.decrypt(token, sessionKinds[kind].owner)))
  } catch {
    return undefined
  }
}

/** Returns the access that these keys have in common. Without keys, it is that of an unsigned session. */
export const accessOf = (signers: readonly { readonly access: ApiKeyAccess }[]): ApiKeyAccess =>
  signers.every(({ access }) => access !== 'read_only') ? 'full' : 'read_only'

/** What a session depends on, apart from its subscriber. Undefined if a key was revoked, or if it had to be signed. */
async function findSigners(
  { db }: Pick<Gateway, 'db'>,
  { environmentId, apiKeyIds, isUnsigned = false }: Pick<SessionClaims, 'environmentId' | 'apiKeyIds' | 'isUnsigned'>,
) {
  const owners = apiKeyIds.length === 0 ? [] : await findKeyOwners(db, environmentId, apiKeyIds)
  if (owners.length < apiKeyIds.length) return undefined
  const environment = isUnsigned
    ? await db.environment.findUnique({
        where: { id: environmentId, allowsUnsignedSessions: true },
        select: { organizationId: true, database: true },
      })
    : owners[0]
  if (!environment?.organizationId) return undefined
  const { organizationId, database } = environment
  return { environmentId, organizationId, database, access: accessOf(owners) }
}

/** True if a lasting session's subscriber exists. */
async function hasSubscriber(gateway: Gateway, environmentId: string, id: string): Promise<boolean> {
  const { db, callers } = await gatewayOfEnvironment(gateway, environmentId)
  const entry = await callers.subscribers.get(id, async () => {
    const where = { environmentId_id: { environmentId, id } }
    const found = await db.subscriber.findUnique({ where, select: { id: true } })
    return found === null ? undefined : { environmentId, subscriberRowId: id }
  })
  return entry !== undefined
}

/** Returns the caller with the claims of a session, or undefined if something that it depends on is gone. */
async function callerOfClaims(gateway: Gateway, held: SessionClaims) {
  const { environmentId, apiKeyIds, isUnsigned = false, subscriberId, subscriberRowId: id, contextKeys } = held
  const name = [environmentId, isUnsigned, ...apiKeyIds].join()
  const [signers, isThere] = await Promise.all([
    gateway.callers.signers.get(name, () => findSigners(gateway, held)),
    id === undefined || hasSubscriber(gateway, environmentId, id),
  ])
  if (signers === undefined || !isThere) return undefined
  const { access, ...owner } = signers
  return sessionCaller({ ...owner, subscriberId, subscriberRowId: id, contextKeys }, access, held)
}

/** The caller of a session. */
export function sessionCaller(
  owner: Pick<
    SessionCaller,
    'environmentId' | 'organizationId' | 'database' | 'subscriberId' | 'subscriberRowId' | 'contextKeys'
  >,
  access: ApiKeyAccess,
  { expiresAt, isUnsigned = false }: Pick<SessionClaims, 'expiresAt' | 'isUnsigned'>,
): SessionCaller {
  const permissions = permissionsOfSession[access]
  return { kind: 'session', ...owner, isUnsigned, expiresAt: new Date(expiresAt), permissions }
}

/** Returns a function that finds the caller with a token. */
const callerOf =
  (kind: SessionKind) =>
  async (gateway: Gateway, token: string): Promise<SessionCaller | undefined> => {
    const held = readToken(gateway.cipher, kind, token)
    if (held === undefined) return undefined
    if (held.expiresAt <= gateway.now().getTime()) throw new Refusal('UNAUTHENTICATED', 'Session expired')
    return callerOfClaims(gateway, held)
  }

/**
 * Returns the caller with the token of a renewable session. Undefined if the token is invalid, one of its API keys was
 * revoked, or it is unsigned and its environment forbids that.
 *
 * @throws Refusal `UNAUTHENTICATED` if the session has expired.
 */
export const callerOfSession = callerOf('renewable')

/**
 * The same for a lasting session. Undefined also if its subscriber was deleted, even if there is another one with the
 * same subscriberId.
 */
export const callerOfLastingSession = callerOf('lasting')
