// Environments: the stages of an organization's application. Every other row belongs to one.
import { z } from 'zod'
import { whenTaken } from '../../data/driver/database-errors.ts'
import { detachEnvironment } from '../../data/access/environment-deletion.ts'
import { environmentsById, environmentsOfOrganization } from '../../data/access/environment.ts'
import type { Environment } from '../../data/prisma/client.ts'
import { EnvironmentType } from '../../data/prisma/enums.ts'
import { Refusal, refuse, refuseTaken } from '../../lib/errors.ts'
import { orderOfEnvironments, pageRequest } from '../../lib/page.ts'
import { text, trimmedText } from '../../lib/validation.ts'
import {
  assertAdmin,
  assertAdministers,
  assertOfOrganization,
  idInOrganization,
  lockAdministration,
} from './administration.ts'
import { type NewApiKey, writeApiKey } from './api-key.ts'
import { brandColumn, brandInput, hexColor } from './brand.ts'
import { audit } from '../resolver/audit.ts'
import { permissionsOfPublicCaller } from '../resolver/permission.ts'
import { nameIn, referenceOf, rowId } from '../resolver/reference.ts'
import { mutation, query } from '../resolver/resolver.ts'
import { copyEnvironment, placementFields, placementOf } from './placement.ts'
import { retentionDays } from './retention.ts'
import { newIdentifier, writeEnvironment } from './new-environment.ts'
import { noteSendingChange, sendingFields } from './sending.ts'
import type { PublicCaller } from '../resolver/caller.ts'
import type { Gateway, Scope } from '../resolver/scope.ts'
import { assertVersion, expectedVersion } from '../resolver/version.ts'
import { noteUnsignedSessionChange, unsignedSessionFields } from './unsigned-session.ts'

export type { Environment }

const name = trimmedText(100)

/** The fields of an input that name an existing environment. */
export const environmentReference = { identifier: text(255, 1).nullish(), id: rowId }

const type = z.enum(EnvironmentType).meta({ description: 'Purpose of the environment. Default: `prod`.' })

/** Returns the public caller of the environment with this identifier, or undefined if there is none. */
export async function callerOfIdentifier(
  { db, callers }: Pick<Gateway, 'db' | 'callers'>,
  identifier: string,
): Promise<PublicCaller | undefined> {
  const found = await callers.environments.get(identifier, async () => {
    const select = { id: true, organizationId: true, database: true } as const
    const row = await db.environment.findUnique({ where: { identifier }, select })
    if (row === null || row.organizationId === null) return undefined
    return { environmentId: row.id, organizationId: row.organizationId, database: row.database }
  })
  return found && { kind: 'public', ...found, permissions: permissionsOfPublicCaller }
}

export const environment = query({
  name: 'environment.get',
  permission: 'environment:read',
  main: true,
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }) => load(environmentsById, id),
})

/** Reads the caller's environment. */
export const ownEnvironment = query({
  name: 'environment.own',
  permission: 'environment:read',
  main: true,
  input: z.object({}),
  async run({ load, environmentId }) {
    const own = await load(environmentsById, environmentId)
    // The environment was deleted since the key was read, together with the key.
    if (own === null) throw new Refusal('UNAUTHENTICATED', 'API Key not found')
    return own
  },
})

export const environments = query({
  name: 'environment.list',
  permission: 'environment:read',
  main: true,
  input: z.object({ page: pageRequest, orderBy: orderOfEnvironments }),
  run: ({ load, caller: { organizationId } }, { page, orderBy }) =>
    load(environmentsOfOrganization, {
      parent: organizationId,
      orderBy,
      page,
      filter: null,
    }),
})

function nameTaken(taken: string) {
  return refuseTaken(`An environment named "${taken}" already exists`, 'name', taken)
}

interface CreatedEnvironment {
  readonly environment: Environment
  readonly newApiKey: NewApiKey
}

/** Creates an environment with its first API key, which cannot be read again later. */
export const createEnvironment = mutation({
  name: 'environment.create',
  permission: 'environment:write',
  main: true,
  secret: true,
  input: z.object({
    ...{ name, color: hexColor, parentId: z.uuid().nullish(), type: type.optional() },
    ...sendingFields,
    ...placementFields,
  }),
  async run(scope, { name, color, parentId, type = 'prod', database: named, ...rules }): Promise<CreatedEnvironment> {
    const { organizationId, userId, environmentId: creatorId } = await lockAdministration(scope)
    const database = placementOf(scope, named)
    if (parentId) await assertOfOrganization(scope, parentId, 'parentId')
    const environment = await writeEnvironment(scope, {
      organizationId,
      name,
      color,
      type,
      parentId: parentId ?? null,
      creatorId,
      database,
      ...rules,
    }).catch(whenTaken(() => nameTaken(name)))
    const newApiKey = await writeApiKey(scope, { environmentId: environment.id, userId, name: 'First key' })
    await copyEnvironment(scope, environment)
    audit(scope, 'environment created', { environmentId: environment.id, name, keyId: newApiKey.apiKey.id })
    return { environment, newApiKey }
  },
})

/** @throws Refusal `CONFLICT` if the environment would become its own ancestor. */
async function assertNoDescendant({ db, caller }: Scope, id: string, parentId: string): Promise<void> {
  const { organizationId } = caller
  const all = await db.environment.findMany({ where: { organizationId }, select: { id: true, parentId: true } })
  const parents = new Map(all.map((row) => [row.id, row.parentId]))
  for (let ancestor: string | null | undefined = parentId; ancestor; ancestor = parents.get(ancestor)) {
    if (ancestor === id) {
      throw refuse(
        'CONFLICT',
        'parentId must not be the environment itself or one of its descendants',
        'parentId',
        parentId,
      )
    }
  }
}

/**
 * Changes the given fields. The slug never changes, because links contain it.
 *
 * @throws Refusal `FORBIDDEN` if the caller does not administer the environment, or if a key without the access ADMIN
 *   changes what a production environment sends.
 */
export const updateEnvironment = mutation({
  name: 'environment.update',
  permission: 'environment:write',
  main: true,
  input: z.object({
    ...environmentReference,
    name: name.optional(),
    color: hexColor.optional(),
    brand: brandInput,
    parentId: z.uuid().nullish(),
    retentionDays: retentionDays.nullish(),
    feedRetentionDays: retentionDays.nullish(),
    ...sendingFields,
    ...unsignedSessionFields,
    expectedVersion,
  }),
  async run(scope, { identifier, id: givenId, expectedVersion, brand, confirmUnsignedSessions, ...given }) {
    const caller = await lockAdministration(scope)
    const named = referenceOf({ identifier }, { id: givenId })
    const id = await idInOrganization(scope, named)
    await assertAdministers(scope, id, nameIn(named)[0])
    // Nobody else changes it until the transaction ends.
    const present = await scope.db.environment.findUniqueOrThrow({
      where: { id },
      select: {
        ...{ id: true, type: true, version: true, allowsUnsignedSessions: true },
        ...{ sending: true, redirectTo: true, allowedDestinations: true },
      },
    })
    assertVersion('The environment', expectedVersion, present.version)
    noteSendingChange(scope, caller, present, given)
    noteUnsignedSessionChange(scope, present, { ...given, confirmUnsignedSessions })
    if (given.parentId) {
      await assertOfOrganization(scope, given.parentId, 'parentId')
      await assertNoDescendant(scope, id, given.parentId)
    }
    const updated = await scope.db.environment
      .update({ where: { id }, data: { ...given, brand: brandColumn(brand), updatedAt: scope.now() } })
      .catch(whenTaken(() => (given.name === undefined ? undefined : nameTaken(given.name))))
    await copyEnvironment(scope, updated)
    audit(scope, 'environment updated', { environmentId: id, changes: { ...given, brand } })
    return updated
  },
})

/**
 * Deletes an environment. It becomes unreachable immediately, and its rows are deleted in the background. The caller's
 * own environment cannot be deleted, so an organization always keeps one, with its last ADMIN key.
 *
 * @throws Refusal `FORBIDDEN` if the caller does not administer the environment.
 */
export const deleteEnvironment = mutation({
  name: 'environment.delete',
  permission: 'environment:write',
  main: true,
  input: z.object(environmentReference),
  async run(scope, { identifier, id: givenId }) {
    const { db, environmentId, now } = scope
    const caller = await lockAdministration(scope)
    const named = referenceOf({ identifier }, { id: givenId })
    const id = await idInOrganization(scope, named)
    const [field, value] = nameIn(named)
    if (id === environmentId || (caller.kind === 'dashboard' && id === caller.homeId)) {
      throw refuse(
        'CONFLICT',
        'An environment cannot be deleted with its own API key: use a key of another environment',
        field,
        value,
      )
    }
    await assertAdministers(scope, id, field)
    const where = { environmentId: id, access: 'admin', revokedAt: null } as const
    if ((await db.apiKey.count({ where, take: 1 })) > 0) {
      assertAdmin(caller, 'Deleting an environment that has an ADMIN key', field)
    }
    const child = await db.environment.findFirst({ where: { parentId: id }, select: { name: true } })
    if (child !== null) {
      throw refuse(
        'CONFLICT',
        `The environment is the parent of "${child.name}": change that parent first`,
        field,
        value,
      )
    }
    const { name, creatorId } = await db.environment.findUniqueOrThrow({
      where: { id },
      select: { name: true, creatorId: true },
    })
    // Keys that administered the environment still administer the environments created with its keys.
    await db.environment.updateMany({ where: { creatorId: id }, data: { creatorId } })
    await copyEnvironment(scope, await detachEnvironment(db, { id, identifier: newIdentifier(), now: now() }))
    scope.callers.forget(id)
    audit(scope, 'environment deleted', { environmentId: id, name })
    return { id }
  },
})
