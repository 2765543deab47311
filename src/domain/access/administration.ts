// Administration: which callers may rename and delete an environment and manage its API keys.
import type { Creation } from '../../data/access/environment.ts'
import { lockOrganization } from '../../data/lock.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import { notFound } from '../resolver/reference.ts'
import type { ApiKeyCaller, DashboardCaller, OperatorCaller } from '../resolver/caller.ts'
import type { Scope } from '../resolver/scope.ts'

/** A caller that may administer environments. */
export type Administrator = ApiKeyCaller | DashboardCaller | OperatorCaller

export const isAdministrator = (caller: Scope['caller']): caller is Administrator =>
  caller.kind === 'apiKey' || caller.kind === 'dashboard' || caller.kind === 'operator'

/**
 * Serializes changes to the environments of the caller's organization and to their API keys, until the transaction
 * ends. Reads the caller's key or dashboard session again, so that one of two keys that revoke or delete each other at
 * the same time remains.
 *
 * @throws Refusal `FORBIDDEN` for browser sessions and public callers, `UNAUTHENTICATED` if the caller's key was
 *   revoked or deleted meanwhile, or its dashboard session closed.
 */
export async function lockAdministration({ db, caller }: Scope): Promise<Administrator> {
  if (!isAdministrator(caller)) throw new Refusal('FORBIDDEN', 'This operation requires an API key')
  await lockOrganization(db, caller.organizationId)
  if (caller.kind === 'operator') return caller
  if (caller.kind === 'dashboard') {
    const { homeId: environmentId, sessionId: id } = caller
    const isOpen = { environmentId, id, OR: [{ apiKeyId: null }, { apiKey: { revokedAt: null } }] }
    if ((await db.dashboardSession.count({ where: isOpen })) > 0) return caller
    throw new Refusal('UNAUTHENTICATED', 'Dashboard session not found')
  }
  const { environmentId, apiKeyId: id } = caller
  const active = await db.apiKey.count({ where: { environmentId, id, revokedAt: null } })
  if (active === 0) throw new Refusal('UNAUTHENTICATED', 'API Key not found')
  return caller
}

/**
 * Returns the ids of the environments that the caller administers, out of all in its organization. The operator and
 * keys with the access ADMIN administer all of them. Any other key administers its own environment, and environments
 * created with a key of one that it administers.
 */
export function administeredOf(
  { caller, environmentId }: Pick<Scope, 'caller' | 'environmentId'>,
  all: readonly Creation[],
): ReadonlySet<string> {
  if (isAdministrator(caller) && caller.access === 'admin') return new Set(all.map(({ id }) => id))
  const creators = new Map(all.map(({ id, creatorId }) => [id, creatorId]))
  const isOwn = (id: string | null | undefined): boolean =>
    id === environmentId || (typeof id === 'string' && isOwn(creators.get(id)))
  return new Set([environmentId, ...all.map(({ id }) => id).filter(isOwn)])
}

/** Returns the ids of the environments that the caller administers. */
export async function administeredEnvironments(scope: Scope): Promise<ReadonlySet<string>> {
  const { organizationId } = scope.caller
  const where = { organizationId }
  return administeredOf(scope, await scope.db.environment.findMany({ where, select: { id: true, creatorId: true } }))
}

/** @throws Refusal `NOT_FOUND` for an environment of another organization. */
export async function assertOfOrganization(
  { db, caller: { organizationId } }: Pick<Scope, 'db' | 'caller'>,
  id: string,
  field: string,
): Promise<void> {
  const found = await db.environment.findUnique({ where: { id, organizationId }, select: { id: true } })
  if (found === null) throw notFound('Environment', { [field]: id })
}

/** An environment, by its public identifier or by its id. */
export type EnvironmentReference = { readonly identifier: string } | { readonly id: string }

/** Returns the id of an environment of the caller's organization. @throws Refusal `NOT_FOUND` for any other. */
export async function idInOrganization(
  { db, caller: { organizationId } }: Pick<Scope, 'db' | 'caller'>,
  named: EnvironmentReference,
): Promise<string> {
  const found = await db.environment.findUnique({ where: { ...named, organizationId }, select: { id: true } })
  if (found === null) throw notFound('Environment', named)
  return found.id
}

/** @throws Refusal `FORBIDDEN` if the caller does not administer the environment. */
export async function assertAdministers(scope: Scope, id: string, field: string): Promise<void> {
  if ((await administeredEnvironments(scope)).has(id)) return
  const message = `${field} must be the environment of this API key or one that was created with its keys: others require a key with the access ADMIN`
  throw refuse('FORBIDDEN', message, field, id)
}

/** @throws Refusal `FORBIDDEN` if the caller does not have the access ADMIN. */
export function assertAdmin({ access }: Administrator, action: string, field: string): void {
  if (access !== 'admin') throw refuse('FORBIDDEN', `${action} requires a key with the access ADMIN`, field)
}
