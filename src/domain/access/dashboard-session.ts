// Dashboard sessions: opened with an API key or a one-time code, and stored with a hash of their token.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type DashboardOwner, findDashboardOwner, findKeyOwner } from '../../data/access/caller.ts'
import { extendSignIn, redeemCode } from '../../data/access/dashboard-session.ts'
import { isForeignKeyViolation } from '../../data/driver/database-errors.ts'
import type { DashboardSession as DashboardSessionRow, Environment } from '../../data/prisma/client.ts'
import { ApiKeyAccess } from '../../data/prisma/enums.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import { type Administrator, assertAdmin, assertOfOrganization, isAdministrator } from './administration.ts'
import { keyHash } from './api-key.ts'
import { audit } from '../resolver/audit.ts'
import { type Permission, permissionsOf, permissionsOfAnonymousCaller } from '../resolver/permission.ts'
import { atomicMutation, query } from '../resolver/resolver.ts'
import type { AnonymousCaller, DashboardCaller, OperatorCaller } from '../resolver/caller.ts'
import type { AtomicScope, Gateway } from '../resolver/scope.ts'
import { storableText } from '../../lib/validation.ts'
import { NIL_ID } from '../../lib/new-id.ts'

/** Lifetime of a sign-in and all its sessions, in milliseconds. */
export const SIGN_IN_LIFETIME = 12 * 60 * 60 * 1000

/** The last minutes of a session, in which it can be renewed. */
export const MAX_MINUTES_LEFT = 60

/**
 * Maximum milliseconds from a sign-in to the end of its sessions, however often they are renewed. A day, as NIST SP
 * 800-63B-4 demands of a sign-in with a medium level of assurance: a stolen token is of no use afterwards.
 */
const MAX_SIGN_IN_LIFETIME = 24 * 60 * 60 * 1000

/** Lifetime of a sign-in code, in milliseconds. */
export const CODE_LIFETIME = 10 * 60 * 1000

/** Slows down guessing, even if one address sends all guesses. */
const rate = { category: 'global', cost: 100 } as const

/** The caller of a request without credentials. */
export const anonymousCaller: AnonymousCaller = {
  kind: 'anonymous',
  environmentId: NIL_ID,
  organizationId: NIL_ID,
  database: null,
  permissions: permissionsOfAnonymousCaller,
}

/** A session as its caller sees it. */
export interface DashboardSession {
  /** The environment in which the session works. Undefined for the caller's own. */
  readonly environment?: Environment
  readonly access: ApiKeyAccess
  readonly permissions: readonly Permission[]
  readonly expiresAt: Date
}

export interface OpenedDashboardSession {
  /** Sent as `Authorization: Dashboard <token>`. Appears in no list and no log, and cannot be read again. */
  readonly token: string
  readonly dashboardSession: DashboardSession
}

/** Returns a secret that cannot be guessed. */
const newSecret = () => randomBytes(32).toString('base64url')

/**
 * Returns the caller with this token, or undefined if the token is unknown, the session was closed, or its API key was
 * revoked.
 *
 * @throws Refusal `UNAUTHENTICATED` if the session has expired.
 */
export async function callerOfDashboardSession(
  { db, callers, now }: Pick<Gateway, 'db' | 'callers' | 'now'>,
  token: string,
): Promise<DashboardCaller | undefined> {
  const hash = keyHash(token)
  const owner = await callers.dashboards.get(hash, () => findDashboardOwner(db, hash))
  if (owner === undefined) return undefined
  if (owner.expiresAt <= now()) throw new Refusal('UNAUTHENTICATED', 'Dashboard session expired')
  return callerOf(owner)
}

function callerOf({ id: sessionId, ...known }: DashboardOwner): DashboardCaller {
  return { kind: 'dashboard', ...known, sessionId, permissions: permissionsOf[known.access] }
}

/** A session to open, without its secret. */
type Opening = Pick<DashboardSessionRow, 'environmentId' | 'apiKeyId' | 'workingEnvironmentId'> &
  Partial<Pick<DashboardSessionRow, 'signInId' | 'access' | 'userId' | 'expiresAt'>>

/** Values that every new session has. */
function newSession({ newId, now }: AtomicScope, token: string) {
  const createdAt = now()
  const expiresAt = new Date(createdAt.getTime() + SIGN_IN_LIFETIME)
  return { id: newId(), hash: keyHash(token), createdAt, expiresAt }
}

/** @throws Refusal `UNAUTHENTICATED` if the key, the environment or the sign-in was deleted meanwhile. */
async function write(scope: AtomicScope, token: string, opening: Opening): Promise<string> {
  const { id, ...created } = newSession(scope, token)
  try {
    await scope.db.dashboardSession.create({ data: { ...created, id, signInId: id, ...opening }, select: { id: true } })
    return id
  } catch (error) {
    if (isForeignKeyViolation(error)) throw new Refusal('UNAUTHENTICATED', 'Dashboard session not found')
    throw error
  }
}

/** The session that a credential opens. */
interface Opened {
  readonly id: string
  readonly environmentId: string
  readonly access: ApiKeyAccess
  readonly apiKeyId: string | null
  readonly expiresAt?: Date
}

/** @throws Refusal `NOT_FOUND`, which does not quote the key. */
async function openWithKey(scope: AtomicScope, token: string, apiKey: string): Promise<Opened> {
  const owner = await findKeyOwner(scope.db, keyHash(apiKey))
  if (owner === undefined) throw refuse('NOT_FOUND', 'The API key is unknown or revoked', 'apiKey')
  const { environmentId, id: apiKeyId, access } = owner
  const id = await write(scope, token, { environmentId, apiKeyId, workingEnvironmentId: environmentId })
  scope.keyUses.add({ environmentId, id: apiKeyId, usedAt: scope.now() })
  return { id, environmentId, access, apiKeyId }
}

/** @throws Refusal `NOT_FOUND`, which does not quote the code. */
async function openWithCode(scope: AtomicScope, token: string, code: string): Promise<Opened> {
  const session = newSession(scope, token)
  const opened = await redeemCode(scope.db, keyHash(code), session)
  if (opened !== undefined) return { ...opened, id: session.id, apiKeyId: null }
  const message =
    'The sign-in code is unknown, was used or has expired: `notification-gateway login` prints a link with another one'
  throw refuse('NOT_FOUND', message, 'code')
}

/**
 * The properties that a session inherits from the ADMIN caller that opens it. A session opened by another session ends
 * no later than that one.
 */
function inherited(caller: Exclude<Administrator, OperatorCaller>) {
  if (caller.kind === 'apiKey') return { environmentId: caller.environmentId, apiKeyId: caller.apiKeyId }
  const { homeId: environmentId, signInId, apiKeyId, access, userId, expiresAt } = caller
  return { environmentId, signInId, apiKeyId, expiresAt, ...(apiKeyId === null && { access, userId }) }
}

/** @throws Refusal `NOT_FOUND` for an environment of another organization, `FORBIDDEN` without the access ADMIN. */
async function openIn(scope: AtomicScope, token: string, environmentId: string): Promise<Opened> {
  const { caller } = scope
  if (!isAdministrator(caller) || caller.kind === 'operator') {
    throw new Refusal('UNAUTHENTICATED', 'Opening a dashboard session requires an API key, a code or another session')
  }
  await assertOfOrganization(scope, environmentId, 'environmentId')
  assertAdmin(caller, 'Opening a dashboard session in a given environment', 'environmentId')
  const from = inherited(caller)
  const id = await write(scope, token, { ...from, workingEnvironmentId: environmentId })
  const { apiKeyId, access } = caller
  return { id, environmentId, access, apiKeyId, ...('expiresAt' in from && { expiresAt: from.expiresAt }) }
}

const credential = storableText.trim().min(1).max(200).nullish()

/** Opens a session with an API key, with a code, or in another environment of the caller's organization. */
export const openDashboardSession = atomicMutation({
  name: 'dashboardSession.open',
  permission: 'dashboardSession:write',
  main: true,
  secret: true,
  rate,
  input: z.object({ apiKey: credential, code: credential, environmentId: z.uuid().nullish() }),
  async run(scope, { apiKey, code, environmentId }): Promise<OpenedDashboardSession> {
    if ([apiKey, code, environmentId].filter(Boolean).length !== 1) {
      throw new Refusal('INVALID', 'exactly one of apiKey, code and environmentId is required')
    }
    const token = newSecret()
    const opened = apiKey
      ? await openWithKey(scope, token, apiKey)
      : code
        ? await openWithCode(scope, token, code)
        : await openIn(scope, token, environmentId ?? '')
    const { id, access, apiKeyId } = opened
    const environment = await scope.db.environment.findUniqueOrThrow({ where: { id: opened.environmentId } })
    audit(scope, 'dashboard session opened', {
      environmentId: environment.id,
      session: { id, access, ...(apiKeyId !== null && { apiKeyId }) },
    })
    if (scope.caller.kind === 'anonymous') {
      // The answer is read as the session reads it: an anonymous caller has no rights to show.
      const owner = await findDashboardOwner(scope.db, keyHash(token))
      if (owner !== undefined) scope.afterCommit(() => scope.signIn(callerOf(owner)))
    }
    const expiresAt = opened.expiresAt ?? new Date(scope.now().getTime() + SIGN_IN_LIFETIME)
    const permissions = [...permissionsOf[access]]
    return { token, dashboardSession: { environment, access, permissions, expiresAt } }
  },
})

/** Reads the caller's session. Null if the caller has none. */
export const dashboardSession = query({
  name: 'dashboardSession.get',
  permission: 'dashboardSession:read',
  main: true,
  rate: { category: 'global', cost: 1 },
  input: z.object({}),
  async run({ caller }): Promise<DashboardSession | null> {
    if (caller.kind !== 'dashboard') return null
    const { access, permissions, expiresAt } = caller
    return { access, permissions: [...permissions], expiresAt }
  },
})

/**
 * Extends the caller's sign-in with all its sessions by another lifetime, up to the maximum. Changes nothing if more
 * than the given minutes are left.
 */
export const renewDashboardSession = atomicMutation({
  name: 'dashboardSession.renew',
  permission: 'dashboardSession:write',
  main: true,
  rate: { category: 'global', cost: 1 },
  input: z.object({ minutesLeft: z.int().min(1).max(MAX_MINUTES_LEFT).default(MAX_MINUTES_LEFT) }),
  async run(scope, { minutesLeft }): Promise<DashboardSession> {
    const { caller, db, now } = scope
    if (caller.kind !== 'dashboard') throw new Refusal('FORBIDDEN', 'This operation requires a dashboard session')
    const { homeId: environmentId, signInId, access } = caller
    const permissions = [...caller.permissions]
    const time = now().getTime()
    const { expiresAt: end } = caller
    if (end.getTime() - time > minutesLeft * 60_000) return { access, permissions, expiresAt: end }
    const until = new Date(time + SIGN_IN_LIFETIME)
    const expiresAt = await extendSignIn(db, { environmentId, signInId }, { until, longest: MAX_SIGN_IN_LIFETIME })
    if (expiresAt === undefined) throw new Refusal('UNAUTHENTICATED', 'Dashboard session not found')
    scope.callers.forget(environmentId)
    audit(scope, 'dashboard session renewed', { environmentId, expiresAt })
    return { access, permissions, expiresAt }
  },
})

/** Closes the caller's sign-in with all its sessions. */
export const closeDashboardSession = atomicMutation({
  name: 'dashboardSession.close',
  permission: 'dashboardSession:write',
  main: true,
  rate: { category: 'global', cost: 1 },
  input: z.object({
    /** True to close every sign-in with the same API key or, if a code signed in, every sign-in with a code. */
    everywhere: z.boolean().nullish(),
  }),
  async run(scope, { everywhere }): Promise<{ readonly closed: number }> {
    const { caller, db } = scope
    if (caller.kind !== 'dashboard') throw new Refusal('FORBIDDEN', 'This operation requires a dashboard session')
    const { homeId: environmentId, signInId, apiKeyId } = caller
    const signIns = everywhere === true ? { apiKeyId } : { signInId }
    const { count: closed } = await db.dashboardSession.deleteMany({ where: { environmentId, ...signIns } })
    scope.callers.forget(environmentId)
    audit(scope, 'dashboard sessions closed', { environmentId, closed })
    return { closed }
  },
})

/** Creates a code that signs in to the operator's environment once. */
export const createSignInCode = atomicMutation({
  name: 'signInCode.create',
  permission: 'dashboardSession:write',
  main: true,
  secret: true,
  input: z.object({ access: z.enum(ApiKeyAccess) }),
  async run(scope, { access }): Promise<{ readonly code: string; readonly expiresAt: Date }> {
    const { environmentId, caller, now } = scope
    if (caller.kind !== 'operator') throw new Refusal('FORBIDDEN', 'This operation requires the command line')
    const code = newSecret()
    const createdAt = now()
    const expiresAt = new Date(createdAt.getTime() + CODE_LIFETIME)
    const data = { environmentId, hash: keyHash(code), access, userId: caller.userId, createdAt, expiresAt }
    await scope.db.signInCode.create({ data, select: { environmentId: true } })
    audit(scope, 'sign-in code created', { environmentId, access })
    return { code, expiresAt }
  },
})
