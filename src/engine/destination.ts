// Finds the destinations of a channel: the integrations that may deliver, and the subscriber's targets.
import { type Batch, groupBatch } from '../data/reading/loader.ts'
import type { ChannelEndpoint, Integration, SubscriberCredential } from '../data/prisma/client.ts'
import { storedCredentials } from '../data/subscriber-credential.ts'
import type { Subscriber } from '../data/subscriber.ts'
import { channels, type ProviderChannel } from '../domain/channel/channel.ts'
import { credentialNameOf, tokensOf } from '../domain/credential.ts'
import { ifDecryptable } from '../domain/resolver/decrypt.ts'
import { endpointTypes } from '../domain/channel/endpoint-type.ts'
import { type ProviderId, providerOf } from '../domain/channel/provider-id.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { openEndpoint } from '../domain/stored-endpoint.ts'
import { conditionOf } from '../domain/channel/stored-json.ts'
import { hashToken, type Target } from '../domain/execution/target.ts'
import type { Evaluation } from '../evaluation/evaluator.ts'
import { explain } from '../evaluation/work.ts'
import { groupBy } from '../lib/group-by.ts'
import { ownTurn } from '../lib/own-turn.ts'
import type { JsonObject } from '../lib/validation.ts'

/** The destination of one message: a target of the subscriber, and the integration that delivers to it. */
export interface Destination {
  readonly providerId: ProviderId
  readonly integrationId: string
  readonly integrationIdentifier: string
  readonly target: Target
}

const activeByChannel = groupBatch<Integration>(
  ({ db, environmentId }) =>
    db.integration.findMany({
      where: { environmentId, active: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    }),
  ({ channel }) => channel,
)

/** The variables of an integration's conditions: `context.<type>.id` and `context.<type>.data` (SPEC: Context). */
type IntegrationVariables = JsonObject & { readonly context: JsonObject }

/** The integrations of a channel that may be used. */
interface Usable {
  /** The integrations whose conditions are met, oldest first. */
  readonly integrations: readonly Integration[]
  /** The active integrations whose conditions are not met, oldest first. */
  readonly unmet: readonly Integration[]
  /** Why other conditions could not be evaluated. */
  readonly failures: readonly { readonly integrationId: string; readonly sentence: string }[]
}

/**
 * Finds the active integrations of a channel whose conditions are met. @returns undefined if the decision is deferred.
 */
export async function usableIntegrations(
  { load, evaluator }: EnvironmentScope,
  evaluation: Evaluation,
  channel: ProviderChannel,
  variables: IntegrationVariables,
): Promise<Usable | undefined> {
  const active = await load(activeByChannel, channel)
  const rules = active.map(({ conditions }) => conditionOf(conditions))
  const outcomes = await evaluation.run(
    'condition',
    rules.flatMap((rule) => (rule === null ? [] : [{ rule, variables }])),
  )
  if (outcomes.some(({ status }) => status === 'deferred')) return undefined
  const rest = [...outcomes]
  const integrations: Integration[] = []
  const unmet: Integration[] = []
  const failures: { integrationId: string; sentence: string }[] = []
  for (const [index, integration] of active.entries()) {
    const outcome = rules[index] === null ? undefined : rest.shift()
    if (outcome?.status === 'failed') {
      const { id, identifier } = integration
      evaluator.warn({ integration: identifier })
      const sentence = explain(`The condition of integration "${identifier}"`, outcome)
      failures.push({ integrationId: id, sentence })
    } else if (outcome === undefined || (outcome.status === 'done' && outcome.value)) integrations.push(integration)
    else unmet.push(integration)
  }
  return { integrations, unmet, failures }
}

/**
 * Selects one of several usable integrations: one with conditions first, then the primary one, then any other. Of equal
 * ones, the oldest wins.
 */
function pickIntegration(usable: readonly Integration[]): Integration | undefined {
  const rank = ({ conditions, primary }: Integration) => (conditions === null ? 2 : 0) - (primary ? 1 : 0)
  return usable.toSorted((one, other) => rank(one) - rank(other))[0]
}

/**
 * The same for endpoints of one type with the same address, however it is spelled. It contains secrets: do not store or
 * log it.
 */
function addressOf(scope: EnvironmentScope, row: ChannelEndpoint): string {
  const fields = ifDecryptable(() => Object.entries(openEndpoint(scope, row)))
  if (fields === undefined) return row.id
  const endpoint = new Map<string, unknown>(fields)
  const address = Object.entries(endpointTypes[row.type].fields)
    .filter(([, { manner }]) => !manner)
    .map(([name, { normalize }]) => {
      const value = endpoint.get(name) ?? null
      return typeof value === 'string' && normalize ? normalize(value) : value
    })
  return JSON.stringify(address)
}

const kindOf = ({ integrationIdentifier, type }: ChannelEndpoint) => JSON.stringify([integrationIdentifier, type])

/**
 * The number of a subscriber's destinations that take long to find and write. Between two such subscribers, requests
 * are served.
 */
export const MANY_DESTINATIONS = 20

/** Leaves out endpoints that repeat the integration, type and address of an earlier one. */
function withoutRepeats(scope: EnvironmentScope, endpoints: readonly ChannelEndpoint[]): readonly ChannelEndpoint[] {
  const ofKind = groupBy(endpoints, kindOf)
  const seen = new Set<string>()
  return endpoints.filter((row) => {
    const kind = kindOf(row)
    // Most subscribers have one endpoint, which need not be decrypted.
    if (ofKind.get(kind)?.length === 1 || endpointTypes[row.type].unique !== undefined) return true
    const address = `${kind} ${addressOf(scope, row)}`
    const isRepeat = seen.has(address)
    seen.add(address)
    return !isRepeat
  })
}

interface EndpointsKey {
  readonly subscriberId: string
  readonly channel: ProviderChannel
  readonly contextKeys: readonly string[]
}

/**
 * The endpoints of many subscribers. One statement per channel and set of contexts, and a step has only one of each.
 */
const endpointsUnder: Batch<EndpointsKey, readonly ChannelEndpoint[]> = {
  cacheKey: (key) => JSON.stringify(key),
  async load({ db, environmentId }, keys) {
    const found = new Map<string, ChannelEndpoint[]>()
    const shape = ({ channel, contextKeys }: Omit<EndpointsKey, 'subscriberId'>) =>
      JSON.stringify([channel, contextKeys])
    for (const one of new Map(keys.map((key) => [shape(key), key])).values()) {
      const rows = await db.channelEndpoint.findMany({
        where: {
          environmentId,
          channel: one.channel,
          contextKeys: { equals: [...one.contextKeys] },
          subscriberId: { in: keys.filter((key) => shape(key) === shape(one)).map(({ subscriberId }) => subscriberId) },
        },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      })
      for (const [subscriberId, own] of groupBy(rows, (row) => row.subscriberId ?? '')) {
        found.set(`${shape(one)} ${subscriberId}`, own)
      }
    }
    return keys.map((key) => found.get(`${shape(key)} ${key.subscriberId}`) ?? [])
  },
}

const through = ({ id, providerId, identifier }: Integration, target: Target): Destination => ({
  providerId: providerOf(providerId),
  integrationId: id,
  integrationIdentifier: identifier,
  target,
})

/** The subscriber's email address or phone number, if the channel uses it. */
function profileTarget(channel: ProviderChannel, { email, phone }: Subscriber): Target | undefined {
  const { profileAddress } = channels[channel]
  if (profileAddress === 'email' && email) return { kind: 'email', address: email }
  if (profileAddress === 'phone' && phone) return { kind: 'phone', phoneNumber: phone }
  return undefined
}

/** One target per device, or a single one if the tokens cannot be decrypted. */
function deviceTargets(scope: EnvironmentScope, row: SubscriberCredential): readonly Target[] {
  const credential = credentialNameOf(row)
  const tokens = ifDecryptable(() => tokensOf(scope, row))
  return tokens === undefined
    ? [{ kind: 'devices', credential }]
    : tokens.map((token) => ({ kind: 'device', credential, tokenHash: hashToken(token), hint: token.slice(-4) }))
}

/** The subscriber's credentials. Each comes with the integration that it names, or with one of its provider. */
async function credentialDestinations(
  scope: EnvironmentScope,
  subscriberId: string,
  usable: readonly Integration[],
): Promise<Destination[]> {
  const rows = await scope.load(storedCredentials, subscriberId)
  return rows.flatMap((row) => {
    const credential = credentialNameOf(row)
    const { providerId, integrationIdentifier } = credential
    const integration = pickIntegration(
      usable.filter((one) =>
        integrationIdentifier === null ? one.providerId === providerId : one.identifier === integrationIdentifier,
      ),
    )
    if (integration === undefined) return []
    const webhooks: readonly Target[] = row.webhookUrl === null ? [] : [{ kind: 'webhook', credential }]
    return [...webhooks, ...deviceTargets(scope, row)].map((target) => through(integration, target))
  })
}

/**
 * The destinations of a subscriber for a channel under exactly these contexts: its endpoints and credentials or, if it
 * has none, its email address or phone number through the preferred integration. Of endpoints with the same address,
 * the oldest is used. Batched.
 */
export async function destinationsOf(
  scope: EnvironmentScope,
  channel: ProviderChannel,
  subscriber: Subscriber,
  contextKeys: readonly string[],
  usable: readonly Integration[],
): Promise<readonly Destination[]> {
  const { subscriberId } = subscriber
  const [endpoints, byCredential] = await Promise.all([
    scope.load(endpointsUnder, { subscriberId, channel, contextKeys }),
    channels[channel].hasCredentials ? credentialDestinations(scope, subscriberId, usable) : [],
  ])
  if (endpoints.length > MANY_DESTINATIONS) await ownTurn()
  const integrations = new Map(usable.map((integration) => [integration.identifier, integration]))
  const byEndpoint = withoutRepeats(scope, endpoints).flatMap(({ id, integrationIdentifier, identifier, type }) => {
    const integration = integrations.get(integrationIdentifier ?? '')
    return integration ? [through(integration, { kind: 'endpoint', id, identifier, type })] : []
  })
  const found = [...byEndpoint, ...byCredential]
  if (found.length > 0) return found
  const integration = pickIntegration(usable)
  const profile = profileTarget(channel, subscriber)
  return integration && profile ? [through(integration, profile)] : []
}
