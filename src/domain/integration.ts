// Integrations: providers with their credentials, as configured in an environment.
import { z } from 'zod'
import { whenMissing, whenTaken } from '../data/driver/database-errors.ts'
import {
  type IntegrationFilter,
  integrationPages,
  integrationsById,
  integrationsByIdentifier,
} from '../data/integration.ts'
import { type IntegrationReference, lockIntegration, lockEnvironment } from '../data/lock.ts'
import { Prisma, type Integration as Row } from '../data/prisma/client.ts'
import { Channel } from '../data/prisma/enums.ts'
import { refuse, refuseTaken } from '../lib/errors.ts'
import { condition } from '../evaluation/condition.ts'
import { orderWithName, pageRequest } from '../lib/page.ts'
import { filterOf, idText, type JsonObject, jsonObject, parse, text, trimmedText } from '../lib/validation.ts'
import { changedCredentials, sealedCredentials } from './integration-setting.ts'
import { assertRank, changeRank, yieldPrimary } from './integration-rank.ts'
import {
  activityAfter,
  activityAtStart,
  assertComplete,
  assertValues,
  channelOf,
  type IntegrationProblem,
  requireComplete,
  storedProblems,
} from './integration-setup.ts'
import { providerConditions, providerValues } from './channel/provider-filter.ts'
import { providerId, type ProviderId, providerOf } from './channel/provider-id.ts'
import { changedRate, endRate, rateColumns, rateLimit, type RateLimit, rateLimitOf } from './rate-limit.ts'
import { notFound, referenceOf, rowId } from './resolver/reference.ts'
import { mutation, query } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { assertVersion, expectedVersion } from './resolver/version.ts'
import { integrationCredentials } from './channel/webhook-headers.ts'

/** An integration without its credentials. */
export type Integration = Omit<Row, 'credentials' | 'providerId' | 'rateMessages' | 'rateUnit'> & {
  readonly providerId: ProviderId
  readonly rateLimit: RateLimit | null
  readonly hasCredentials: boolean
  /** Finds the problems of its set-up, blocking ones first. */
  readonly problems: () => readonly IntegrationProblem[]
}

/** The identifier of an integration in a lookup. */
export const integrationIdentifier = text(255, 1)

/** The fields of an input that name an existing integration. */
export const integrationReference = { identifier: integrationIdentifier.nullish(), id: rowId }

const fields = z.object({
  identifier: idText(255).optional(),
  name: trimmedText(255).optional(),
  active: z.boolean().optional(),
  primary: z.boolean().optional(),
  isFallback: z.boolean().optional(),
  fallbackAfterTimeout: z.boolean().optional(),
  credentials: integrationCredentials.nullish(),
  conditions: condition.nullish(),
  rateLimit: rateLimit.nullish(),
})

function shown(scope: Scope, row: Row): Integration {
  const { credentials, rateMessages, rateUnit, ...rest } = row
  return {
    ...rest,
    rateLimit: rateLimitOf({ rateMessages, rateUnit }),
    providerId: providerOf(row.providerId),
    hasCredentials: credentials !== null,
    problems: () => storedProblems(scope, row),
  }
}

/** Returns the stored integration, or null if it does not exist. Batched. */
const loadIntegration = ({ load }: Pick<Scope, 'load'>, integration: IntegrationReference): Promise<Row | null> =>
  'id' in integration ? load(integrationsById, integration.id) : load(integrationsByIdentifier, integration.identifier)

/** A reference with the name of the field of an input, which `updateIntegration` calls `currentIdentifier`. */
type Named = IntegrationReference | { readonly currentIdentifier: string }

/** Returns the id of an integration. @throws Refusal `NOT_FOUND`, which names the field. */
async function idOf({ load }: Scope, named: Named): Promise<string> {
  if ('id' in named) return named.id
  const identifier = 'identifier' in named ? named.identifier : named.currentIdentifier
  const found = await load(integrationsByIdentifier, identifier)
  if (found === null) throw notFound('Integration', named)
  return found.id
}

export const integration = query({
  name: 'integration.get',
  permission: 'integration:read',
  input: z.object(integrationReference),
  async run(scope, { identifier, id }) {
    const found = await loadIntegration(scope, referenceOf({ identifier }, { id }))
    return found && shown(scope, found)
  },
})

export const integrations = query({
  name: 'integration.list',
  permission: 'integration:read',
  input: z.object({
    page: pageRequest,
    orderBy: orderWithName,
    filter: filterOf({ ...providerConditions, active: z.boolean(), search: text(255) }).transform(
      ({ active, search, ...given }): IntegrationFilter => ({ active, search, ...providerValues(given) }),
    ),
  }),
  async run(scope, list) {
    const found = await scope.load(integrationPages, { parent: scope.environmentId, ...list })
    return { ...found, rows: found.rows.map((row) => shown(scope, row)) }
  },
})

/** @param named the id or identifier, which is the value of the field. */
export const integrationNotFound = (named: string, field = 'id') =>
  refuse('NOT_FOUND', `Integration "${named}" not found`, field, named)

/** Returns the value of the column. Undefined leaves it unchanged. */
function conditionsColumn(conditions: JsonObject | null | undefined) {
  return conditions === null ? Prisma.DbNull : conditions
}

function identifierTaken(identifier: string) {
  return refuseTaken(`Integration "${identifier}" already exists`, 'identifier', identifier)
}

/**
 * Creates an integration. It is inactive if it cannot deliver yet: `problems` says why. A primary integration
 * demotes the current one of its channel.
 *
 * @throws Refusal `CONFLICT` if the identifier exists, `INVALID` if the value of a setting is invalid, or as
 *   `assertComplete` if that is required.
 */
export const createIntegration = mutation({
  name: 'integration.create',
  permission: 'integration:write',
  input: z.object({
    identifier: fields.shape.identifier.nullish(),
    name: fields.shape.name.nullish(),
    providerId,
    channel: z.enum(Channel).nullish(),
    active: fields.shape.active.nullish(),
    primary: fields.shape.primary.nullish(),
    isFallback: fields.shape.isFallback.nullish(),
    fallbackAfterTimeout: fields.shape.fallbackAfterTimeout.nullish(),
    credentials: fields.shape.credentials,
    conditions: fields.shape.conditions,
    rateLimit: fields.shape.rateLimit,
    requireComplete,
  }),
  async run(scope, given) {
    const { db, environmentId, now, newId } = scope
    const id = newId()
    const identifier = given.identifier ?? `${given.providerId}-${id.slice(-12)}`
    const channel = channelOf(given.providerId, given.channel)
    const primary = given.primary ?? false
    const isFallback = given.isFallback ?? false
    assertRank(channel, { primary, isFallback }, 'isFallback')
    const createdAt = now()
    assertValues(scope, given.providerId, 'credentials', given.credentials ?? null)
    if (given.requireComplete) assertComplete(scope, given.providerId, 'credentials', given.credentials ?? null)
    if (primary) await yieldPrimary(scope, channel, id)
    const created = db.integration.create({
      data: {
        environmentId,
        id,
        identifier,
        name: given.name ?? given.providerId,
        providerId: given.providerId,
        channel,
        ...activityAtStart(scope, given.providerId, given.credentials ?? null, given.active ?? true),
        primary,
        isFallback,
        fallbackAfterTimeout: given.fallbackAfterTimeout ?? false,
        credentials: sealedCredentials(scope, given.credentials ?? null),
        conditions: conditionsColumn(given.conditions),
        ...rateColumns(given.rateLimit),
        createdAt,
        updatedAt: createdAt,
      },
    })
    return shown(scope, await created.catch(whenTaken(() => identifierTaken(identifier))))
  },
})

/**
 * @throws Refusal `INVALID` if the identifier is new and not allowed. An integration of an earlier version keeps its
 *   own.
 */
async function assertIdentifier({ load }: Scope, id: string, identifier: string): Promise<void> {
  const isKept = async () => (await load(integrationsById, id))?.identifier === identifier
  const chosen = { identifier: idText(255) }
  if (!chosen.identifier.safeParse(identifier).success && !(await isKept())) parse(z.object(chosen), { identifier })
}

/** Returns the row and locks it until the transaction ends. @throws Refusal `NOT_FOUND`, or `STALE` */
async function held(scope: Scope, id: string, expected?: number): Promise<Row> {
  const { db, environmentId } = scope
  await lockIntegration(scope, { id })
  const found = await db.integration.findUnique({ where: { environmentId_id: { environmentId, id } } })
  if (found === null) throw integrationNotFound(id)
  assertVersion('The integration', expected, found.version)
  return found
}

interface SetupChanges {
  readonly active?: boolean | undefined
  readonly credentials?: JsonObject | null | undefined
  readonly credentialChanges?: JsonObject | null | undefined
  readonly requireComplete?: boolean | null | undefined
}

/** Returns the columns that changes of the set-up lead to. Locks the integration until the transaction ends. */
async function changedSetup(scope: Scope, id: string, changes: SetupChanges) {
  const { active, credentials, credentialChanges, requireComplete } = changes
  if (active === undefined && credentials === undefined && !credentialChanges) return {}
  const row = await held(scope, id)
  const given = credentialChanges ? changedCredentials(scope, row, credentialChanges) : credentials
  const field = credentialChanges ? 'credentialChanges' : 'credentials'
  if (requireComplete && given !== undefined) assertComplete(scope, providerOf(row.providerId), field, given)
  return {
    ...activityAfter(scope, row, { active, field, credentials: given }),
    ...(given === undefined ? {} : { credentials: sealedCredentials(scope, given) }),
  }
}

/**
 * Changes the given fields. `credentials` replaces all credentials; `credentialChanges` replaces individual ones. Null
 * clears the credentials, the conditions and the rate limit. Endpoints follow a new identifier. The provider cannot
 * change, because endpoints depend on it. Setting `primary` demotes the current primary integration of the channel.
 *
 * @throws Refusal `INVALID` as `activityAfter`, `STALE` if it has another version than the expected one.
 */
export const updateIntegration = mutation({
  name: 'integration.update',
  permission: 'integration:write',
  input: fields.extend({
    id: rowId,
    /** Its present identifier, because `identifier` is the new one. */
    currentIdentifier: integrationIdentifier.nullish(),
    identifier: integrationIdentifier.optional(),
    credentialChanges: jsonObject().nullish(),
    requireComplete,
    expectedVersion,
  }),
  async run(scope, { conditions, rateLimit, expectedVersion, requireComplete, ...others }) {
    const { db, environmentId, now } = scope
    const { id: givenId, currentIdentifier, active, credentials, credentialChanges, ...given } = others
    if (credentialChanges && credentials !== undefined) {
      throw refuse('INVALID', 'credentialChanges cannot be combined with credentials', 'credentialChanges')
    }
    const id = await idOf(scope, referenceOf({ currentIdentifier }, { id: givenId }))
    if (given.identifier !== undefined) await assertIdentifier(scope, id, given.identifier)
    const where = { environmentId_id: { environmentId, id } }
    if (given.primary) await lockEnvironment(scope)
    if (typeof expectedVersion === 'number') await held(scope, id, expectedVersion)
    if (given.primary !== undefined || given.isFallback !== undefined)
      await changeRank(scope, await held(scope, id), given)
    const setup = await changedSetup(scope, id, { active, credentials, credentialChanges, requireComplete })
    const rate = rateLimit === undefined ? {} : await changedRate(scope, await held(scope, id), rateLimit)
    const updated = db.integration.update({
      where,
      data: {
        ...given,
        ...setup,
        ...rate,
        conditions: conditionsColumn(conditions),
        updatedAt: now(),
      },
    })
    const { identifier } = given
    return shown(
      scope,
      await updated
        .catch(whenMissing(() => integrationNotFound(id)))
        .catch(whenTaken(() => (identifier === undefined ? undefined : identifierTaken(identifier)))),
    )
  },
})

/** Deletes an integration with its channel endpoints. */
export const deleteIntegration = mutation({
  name: 'integration.delete',
  permission: 'integration:write',
  input: z.object({ ...integrationReference, expectedVersion }),
  async run(scope, { identifier, id, expectedVersion }) {
    const { db, environmentId } = scope
    const found = await idOf(scope, referenceOf({ identifier }, { id }))
    if (typeof expectedVersion === 'number') await held(scope, found, expectedVersion)
    const deleted = db.integration.delete({ where: { environmentId_id: { environmentId, id: found } } })
    const row = await deleted.catch(whenMissing(() => integrationNotFound(found)))
    await endRate(scope, row)
    return shown(scope, row)
  },
})
