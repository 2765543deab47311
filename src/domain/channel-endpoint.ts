// Channel endpoints: destinations of a subscriber through an integration.
import { z } from 'zod'
import {
  type ChannelEndpointFilter,
  endpointPages,
  endpointsById,
  endpointsByIdentifier,
  endpointsByContext,
  endpointsByIntegration,
  endpointsBySubscriber,
} from '../data/channel-endpoint.ts'
import { isForeignKeyViolation, whenMissing, whenTaken } from '../data/driver/database-errors.ts'
import type { ChannelEndpoint, Integration } from '../data/prisma/client.ts'
import { Channel, EndpointType } from '../data/prisma/enums.ts'
import { Refusal, refuse, refuseTaken } from '../lib/errors.ts'
import { orderWithIdentifier, pageRequest } from '../lib/page.ts'
import { severalOf, valuesOf } from '../lib/several.ts'
import { filterOf, idText, text, storableText } from '../lib/validation.ts'
import { contextInput, contextKey, contextKeysFilter, ensureContexts } from './context.ts'
import { endpointTypes } from './channel/endpoint-type.ts'
import { integrationIdentifier } from './integration.ts'
import { ensureSubscriber } from './missing-subscriber.ts'
import { providerConditions, providerValues } from './channel/provider-filter.ts'
import { providerId, providerOf } from './channel/provider-id.ts'
import { findConnection } from './address/endpoint-connection.ts'
import { notFound, referenceOf, rowId } from './resolver/reference.ts'
import { atomicMutation, mutation, query } from './resolver/resolver.ts'
import { openFields, sealEndpoint } from './stored-endpoint.ts'
import type { AtomicScope } from './resolver/scope.ts'
import { assertVersion, expectedVersion, inVersion } from './resolver/version.ts'
import { subscriberId } from './subscriber-id.ts'
import { requireSubscriber } from './subscriber.ts'
import { requireUsedIntegration, usedIntegration } from './used-integration.ts'

export type { ChannelEndpoint }

const identifier = text(255, 1)

/** The fields of an input that name an existing channel endpoint. */
const named = { identifier: identifier.nullish(), id: rowId }

export const channelEndpoint = query({
  name: 'channelEndpoint.get',
  permission: 'channelEndpoint:read',
  input: z.object(named),
  run({ load }, { identifier, id }) {
    const endpoint = referenceOf({ identifier }, { id })
    return 'id' in endpoint ? load(endpointsById, endpoint.id) : load(endpointsByIdentifier, endpoint.identifier)
  },
})

/** Returns why no message can be delivered to an endpoint. Null if its provider delivers to endpoints of its type. */
export const endpointObstacle = query({
  name: 'channelEndpoint.getObstacle',
  permission: 'channelEndpoint:read',
  input: z.custom<ChannelEndpoint>(),
  async run({ load, providers }, endpoint): Promise<string | null> {
    if (endpoint.providerId === null) return 'The endpoint has no integration.'
    const provider = providerOf(endpoint.providerId)
    const facts = providers.factsOf(provider)
    if (facts === undefined) return `This gateway does not implement the provider ${provider}.`
    if (!facts.endpointTypes.includes(endpoint.type)) {
      return `The provider ${provider} does not deliver to endpoints of type ${endpoint.type}.`
    }
    return (await findConnection({ load }, endpoint)).objection ?? null
  },
})

/** The fields of a filter. Each is an exact match (SPEC: GET /v1/channel-endpoints). */
export const channelEndpointFields = z.object({
  subscriberId: text(255),
  contextKeys: z.array(contextKey),
  channel: z.enum(Channel),
  providerId,
  integrationIdentifier: text(255),
  connectionIdentifier: text(255),
  type: z.enum(EndpointType),
} satisfies Record<keyof ChannelEndpointFilter, z.ZodType>)

const filter = filterOf({
  ...channelEndpointFields.shape,
  contextKeys: contextKeysFilter,
  subscriberIds: severalOf(channelEndpointFields.shape.subscriberId),
  ...providerConditions,
  integrationIdentifiers: severalOf(channelEndpointFields.shape.integrationIdentifier),
  types: severalOf(channelEndpointFields.shape.type),
}).transform(({ contextKeys, connectionIdentifier, ...given }): ChannelEndpointFilter => ({
  contextKeys,
  connectionIdentifier,
  subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
  ...providerValues(given),
  integrationIdentifier: valuesOf(given.integrationIdentifier, given.integrationIdentifiers),
  type: valuesOf(given.type, given.types),
}))

const listInput = z.object({ page: pageRequest, orderBy: orderWithIdentifier, filter })

export const channelEndpoints = query({
  name: 'channelEndpoint.list',
  permission: 'channelEndpoint:read',
  input: listInput,
  run: ({ load, environmentId }, list) => load(endpointPages, { parent: environmentId, ...list }),
})

/** Lists the endpoints of a subscriber. Batched. */
export const channelEndpointsOfSubscriber = query({
  name: 'channelEndpoint.listOfSubscriber',
  permission: 'channelEndpoint:read',
  input: listInput.extend({ subscriberId }),
  run: ({ load }, { subscriberId, ...list }) => load(endpointsBySubscriber, { parent: subscriberId, ...list }),
})

/** Lists the endpoints with exactly one context, by its key. Batched. */
export const channelEndpointsOfContext = query({
  name: 'channelEndpoint.listOfContext',
  permission: 'channelEndpoint:read',
  input: listInput.extend({ key: storableText }),
  run: ({ load }, { key, ...list }) => load(endpointsByContext, { parent: key, ...list }),
})

/** Lists the endpoints of an integration. Batched. */
export const channelEndpointsOfIntegration = query({
  name: 'channelEndpoint.listOfIntegration',
  permission: 'channelEndpoint:read',
  input: listInput.extend({ integrationIdentifier }),
  run: ({ load }, { integrationIdentifier, ...list }) =>
    load(endpointsByIntegration, { parent: integrationIdentifier, ...list }),
})

/** @throws Refusal `INVALID` if the endpoint type does not support the integration's channel. */
function assertFits(type: EndpointType, { identifier, channel }: Pick<Integration, 'identifier' | 'channel'>): void {
  const served = endpointTypes[type].channels
  if (served.includes(channel)) return
  const message = `type ${type} requires an integration of the channel ${served.join(' or ')}: "${identifier}" has the channel ${channel}`
  throw refuse('INVALID', message, 'type', type)
}

function urlTaken(): Refusal {
  const message = 'endpoint.url is already registered for this subscriber, integration and context'
  return refuse('CONFLICT', message, 'endpoint.url')
}

/**
 * Creates a channel endpoint. Its channel and provider are the integration's. Missing contexts are created. `endpoint`
 * has the fields of `type` (SPEC: Channel endpoint).
 *
 * @throws Refusal `CONFLICT` if the identifier exists, or a URL that must be unique is already registered.
 */
export const createChannelEndpoint = mutation({
  name: 'channelEndpoint.create',
  permission: 'channelEndpoint:write',
  input: z.object({
    identifier: idText(255).nullish(),
    subscriberId,
    ...usedIntegration,
    connectionIdentifier: idText(255).nullish(),
    context: contextInput,
    createSubscriberIfMissing: z.boolean().nullish(),
    type: z.enum(EndpointType),
    endpoint: z.record(z.string(), z.unknown()),
  }),
  async run(scope, given) {
    const { db, environmentId, now, newId } = scope
    const stored = sealEndpoint(scope, given.type, given.endpoint)
    if (given.createSubscriberIfMissing) await ensureSubscriber(scope, given.subscriberId)
    const { subscriberId } = await requireSubscriber(scope, { subscriberId: given.subscriberId })
    const integration = await requireUsedIntegration(scope, given)
    assertFits(given.type, integration)
    const id = newId()
    const identifier = given.identifier ?? `ep_${id.replaceAll('-', '')}`
    const createdAt = now()
    const row = {
      ...stored,
      environmentId,
      id,
      identifier,
      channel: integration.channel,
      providerId: integration.providerId,
      integrationIdentifier: integration.identifier,
      connectionIdentifier: given.connectionIdentifier,
      subscriberId,
      contextKeys: await ensureContexts(scope, given.context),
      type: given.type,
      createdAt,
      updatedAt: createdAt,
    }
    try {
      // Skips duplicates instead of failing, because a failed statement would abort the transaction, which is needed
      // for the count below.
      const [created] = await db.channelEndpoint.createManyAndReturn({ data: [row], skipDuplicates: true })
      if (created !== undefined) return created
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error
      throw refuse('NOT_FOUND', `Subscriber "${subscriberId}" or integration "${integration.identifier}" not found`)
    }
    const taken = await db.channelEndpoint.count({ where: { environmentId, identifier } })
    throw taken > 0
      ? refuseTaken(`Channel endpoint "${identifier}" already exists`, 'identifier', identifier)
      : urlTaken()
  },
})

/** Selects the endpoint that an input names. @throws Refusal `INVALID` or `MALFORMED` as `referenceOf`. */
function whereNamed({ environmentId }: AtomicScope, { identifier, id }: z.output<z.ZodObject<typeof named>>) {
  const named = referenceOf({ identifier }, { id })
  const where =
    'id' in named
      ? { environmentId_id: { environmentId, ...named } }
      : { environmentId_identifier: { environmentId, ...named } }
  return { where, missing: () => notFound('Channel endpoint', named) }
}

/** @throws Refusal `INVALID` if a change has no field of the endpoint's type. It would change nothing. */
function assertChanges({ type }: Pick<ChannelEndpoint, 'type'>, change: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(endpointTypes[type].fields)
  if (names.some((name) => change[name] !== undefined)) return
  throw refuse('INVALID', `endpoint must have at least one of ${names.join(', ')}`, 'endpoint', change)
}

/**
 * Replaces the endpoint. The type cannot change; a caller may omit or repeat it.
 *
 * @throws Refusal `CONFLICT` with `retryAfter` if absent fields are kept and another request changes the endpoint.
 */
export const updateChannelEndpoint = atomicMutation({
  name: 'channelEndpoint.update',
  permission: 'channelEndpoint:write',
  input: z.object({
    ...named,
    type: z.enum(EndpointType).optional(),
    endpoint: z.record(z.string(), z.unknown()),
    /** True if fields that are absent from `endpoint` keep their values. */
    keepAbsent: z.boolean().optional(),
    expectedVersion,
  }),
  async run(scope, { type, endpoint, keepAbsent = false, expectedVersion, ...named }) {
    const { db, now } = scope
    const { where, missing } = whereNamed(scope, named)
    const found = await db.channelEndpoint.findUnique({ where })
    if (found === null) throw missing()
    assertVersion('The channel endpoint', expectedVersion, found.version)
    if (type !== undefined && type !== found.type) {
      throw refuse('INVALID', `type cannot change from ${found.type}: create another endpoint instead`, 'type', type)
    }
    if (keepAbsent) assertChanges(found, endpoint)
    const wanted = keepAbsent ? { ...openFields(scope, found), ...endpoint } : endpoint
    const updated = db.channelEndpoint.update({
      // Compares the type, because the endpoint may have been deleted and created again since it was read. It may also
      // have been changed since.
      where: { ...where, type: found.type, ...inVersion(keepAbsent ? found.version : expectedVersion) },
      data: { ...sealEndpoint(scope, found.type, wanted), updatedAt: now() },
    })
    return updated
      .catch(whenTaken(urlTaken))
      .catch(whenMissing(missing))
      .catch(async (error: unknown) => {
        // After an error of the database, nothing can be read in the same transaction.
        if (!(error instanceof Refusal) || error.kind !== 'NOT_FOUND') throw error
        const { version } = (await db.channelEndpoint.findUnique({ where, select: { version: true } })) ?? {}
        assertVersion('The channel endpoint', expectedVersion, version)
        if (!keepAbsent || version === undefined) throw error
        const message = 'The channel endpoint was changed by another request at the same time: try again'
        throw new Refusal('CONFLICT', message, { retryAfter: 1 })
      })
  },
})

export const deleteChannelEndpoint = atomicMutation({
  name: 'channelEndpoint.delete',
  permission: 'channelEndpoint:write',
  input: z.object(named),
  async run(scope, named) {
    const { where, missing } = whereNamed(scope, named)
    return scope.db.channelEndpoint.delete({ where }).catch(whenMissing(missing))
  },
})
