// First start: creates an organization, a user, two environments and their keys.
import type { Logger } from 'pino'
import { lockFirstStart, lockOrganization } from '../../data/lock.ts'
import type { Connection } from '../../data/connection/database.ts'
import type { PrismaClient } from '../../data/prisma/client.ts'
import type { ApiKeyAccess } from '../../data/prisma/enums.ts'
import { isWeakKey, writeApiKey } from './api-key.ts'
import { writeEnvironment } from './new-environment.ts'
import { newOrganizationRetention } from './retention.ts'
import type { Gateway } from '../resolver/scope.ts'

type AdminLogger = Pick<Logger, 'info' | 'warn'>

export interface FirstKey {
  readonly environment: string
  readonly key: string
  readonly access: ApiKeyAccess
}

/**
 * Creates the initial rows of an empty database. Safe if several processes start at the same time.
 *
 * @param developmentKey the key for Development, chosen by the operator. A weak key is logged as such when it is
 *   written.
 * @returns the new keys, to show to the operator. Empty if the database was not empty.
 */
export async function bootstrap(
  gateway: Omit<Gateway, 'db'> & { readonly db: PrismaClient },
  developmentKey?: string,
): Promise<readonly FirstKey[]> {
  const keys = await gateway.db.$transaction(async (db) => {
    await lockFirstStart(db)
    if ((await db.organization.count({ take: 1 })) > 0) return []

    return createOrganization({ ...gateway, db }, developmentKey)
  })
  if (keys.length > 0 && developmentKey !== undefined && isWeakKey(developmentKey)) {
    gateway.log.warn('BOOTSTRAP_API_KEY is weak: create a random API key and revoke this one')
  }
  return keys
}

/**
 * Creates an organization with its first user, environments and keys.
 *
 * @param developmentKey the key for Development. Default: a random one
 * @returns the new keys
 */
export async function createOrganization(
  within: Pick<Gateway, 'cipher' | 'newId' | 'now'> & { readonly db: Connection },
  developmentKey?: string,
): Promise<readonly FirstKey[]> {
  const { db, newId, now } = within
  const organization = await db.organization.create({
    data: { id: newId(), name: 'Organization', createdAt: now(), ...newOrganizationRetention },
  })
  const user = await db.user.create({
    data: { id: newId(), organizationId: organization.id, name: 'Operator', createdAt: now() },
  })
  const development = await writeEnvironment(within, {
    organizationId: organization.id,
    name: 'Development',
    color: '#7c3aed',
    type: 'dev',
    parentId: null,
    creatorId: null,
  })
  const production = await writeEnvironment(within, {
    organizationId: organization.id,
    name: 'Production',
    color: '#dc2626',
    type: 'prod',
    parentId: development.id,
    creatorId: null,
  })
  const firstKey = { userId: user.id, name: 'First key' }
  const forDevelopment = await writeApiKey(within, {
    ...firstKey,
    environmentId: development.id,
    key: developmentKey,
  })
  const forProduction = await writeApiKey(within, { ...firstKey, environmentId: production.id, access: 'admin' })
  return [
    { environment: development.name, key: forDevelopment.key, access: forDevelopment.apiKey.access },
    { environment: production.name, key: forProduction.key, access: forProduction.apiKey.access },
  ]
}

/**
 * Makes the oldest active FULL key of the oldest production environment an ADMIN key, if the organization has none. For
 * databases of versions without that access. Safe if several processes start at the same time.
 */
export async function appointAdmins({ db, now }: Pick<Gateway, 'db' | 'now'>, logger: AdminLogger): Promise<void> {
  const without = { environments: { none: { apiKeys: { some: { access: 'admin' } } } } } as const
  for (const { id: organizationId } of await db.organization.findMany({ where: without, select: { id: true } })) {
    await db.$transaction(async (tx) => {
      await lockOrganization(tx, organizationId)
      if ((await tx.organization.count({ where: { id: organizationId, ...without } })) === 0) return
      const environment = await tx.environment.findFirst({
        where: { organizationId, type: 'prod' },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        select: { id: true, name: true },
      })
      const key = await tx.apiKey.findFirst({
        where: { environmentId: environment?.id ?? '', access: 'full', revokedAt: null },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        select: { environmentId: true, id: true, name: true, hint: true },
      })
      if (environment === null || key === null) {
        logger.warn({ organizationId }, 'no API key became ADMIN: the oldest production environment has no FULL key')
        return
      }
      const { environmentId, id, name, hint } = key
      await tx.apiKey.update({
        where: { environmentId_id: { environmentId, id } },
        data: { access: 'admin', updatedAt: now() },
      })
      logger.info({ environment: environment.name, apiKeyId: id, name, hint }, 'API key became ADMIN')
    })
  }
}
