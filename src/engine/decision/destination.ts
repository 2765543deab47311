// Finds the destinations of a channel: the integrations that may deliver, and the subscriber's targets.
import { groupBatch } from '../../data/reading/loader.ts'
import type { Integration, SubscriberCredential } from '../../data/prisma/client.ts'
import type { StoredRoute } from '../../data/queue/delivery-route.ts'
import { storedCredentials } from '../../data/subscriber-credential.ts'
import type { Subscriber } from '../../data/subscriber.ts'
import { channels, type ProviderChannel } from '../../domain/channel/channel.ts'
import { credentialNameOf } from '../../domain/credential.ts'
import { CAPTURE, kindOf, type ProviderId, providerOf } from '../../domain/channel/provider-id.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import { conditionOf } from '../../domain/channel/stored-json.ts'
import {
  credentialTargets,
  endpointsUnder,
  profileTarget,
  withoutRepeats,
} from '../../domain/execution/subscriber-target.ts'
import type { Target } from '../../domain/execution/target.ts'
import type { overriddenRecipient } from '../../domain/trigger/overrides.ts'
import type { Evaluation } from '../../evaluation/evaluator.ts'
import { explain } from '../../evaluation/work.ts'
import { ownTurn } from '../../lib/own-turn.ts'
import type { JsonObject } from '../../lib/validation.ts'

/**
 * The destination of one message: a target of the subscriber, and the integration that delivers to it. A captured
 * message may have none.
 */
export interface Destination {
  readonly providerId: ProviderId
  readonly integrationId: string | null
  readonly integrationIdentifier: string
  readonly target: Target
  /** The integrations in the order in which they are tried, beginning with this one. Absent if there is only one. */
  readonly routes?: readonly StoredRoute[]
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
 * Orders usable integrations: those that are no fallback first, then those with conditions, then the primary one. Of
 * equal ones, the oldest comes first.
 */
function ranked(usable: readonly Integration[]): readonly Integration[] {
  const rank = ({ isFallback, conditions, primary }: Integration) =>
    (isFallback ? 4 : 0) + (conditions === null ? 2 : 0) - (primary ? 1 : 0)
  return usable.toSorted((one, other) => rank(one) - rank(other))
}

const pickIntegration = (usable: readonly Integration[]): Integration | undefined => ranked(usable)[0]

/**
 * The number of a subscriber's destinations that take long to find and write. Between two such subscribers, requests
 * are served.
 */
export const MANY_DESTINATIONS = 20

const through = ({ id, providerId, identifier }: Integration, target: Target): Destination => ({
  providerId: providerOf(providerId),
  integrationId: id,
  integrationIdentifier: identifier,
  target,
})

const routeOf = ({ id, providerId, identifier }: Integration): StoredRoute => ({
  integrationId: id,
  integrationIdentifier: identifier,
  providerId,
})

/** A target without an integration, which the environment captures. */
const captured = (target: Target): Destination => ({
  providerId: CAPTURE,
  integrationId: null,
  integrationIdentifier: CAPTURE,
  target,
})

/** The subscriber's credentials. Each comes with the integration that it names, or with one of its provider. */
async function credentialDestinations(
  scope: EnvironmentScope,
  subscriberId: string,
  usable: readonly Integration[],
): Promise<Destination[]> {
  const rows = await scope.load(storedCredentials, subscriberId)
  return rows.flatMap((row) => {
    const { providerId, integrationIdentifier } = credentialNameOf(row)
    const integration = pickIntegration(
      usable.filter((one) =>
        integrationIdentifier === null ? one.providerId === providerId : one.identifier === integrationIdentifier,
      ),
    )
    if (integration === undefined) return []
    return credentialTargets(scope, row).map((target) => through(integration, target))
  })
}

/** The address that an override gives a message in place of the subscriber's. */
type Replacement = ReturnType<typeof overriddenRecipient>

/** Replaces the phone numbers of endpoints. The destinations of one integration become one. */
function readdressed(found: readonly Destination[], replacement: Replacement): readonly Destination[] {
  if (replacement === undefined || !('phone' in replacement)) return found
  const target = { kind: 'phone', phoneNumber: replacement.phone } as const
  const isPhone = ({ target }: Destination) => target.kind === 'endpoint' && target.type === 'phone'
  const seen = new Set<string | null>()
  return found.flatMap((one) => {
    if (!isPhone(one)) return [one]
    if (seen.has(one.integrationId)) return []
    seen.add(one.integrationId)
    return [{ ...one, target }]
  })
}

/** Which integrations may deliver a message, and to where. */
interface Routing {
  /** The usable ones of the channel. */
  readonly integrations: readonly Integration[]
  /** The identifier of the integration that delivers, before the fallbacks. Null for any. */
  readonly selected: string | null
  /** Used instead of the subscriber's address or phone number. */
  readonly replacement: Replacement
}

/**
 * The destinations of a subscriber in an environment that captures messages and has no usable integration for the
 * channel: those that an integration could use. Batched.
 */
export async function capturedDestinations(
  scope: EnvironmentScope,
  channel: ProviderChannel,
  subscriber: Subscriber,
  contextKeys: readonly string[],
  replacement: Replacement,
): Promise<readonly Destination[]> {
  const { subscriberId } = subscriber
  const ofChannel = ({ providerId }: SubscriberCredential) => kindOf(providerOf(providerId)) === channel
  const [endpoints, credentials] = await Promise.all([
    scope.load(endpointsUnder, { subscriberId, channel, contextKeys }),
    channels[channel].hasCredentials ? scope.load(storedCredentials, subscriberId) : [],
  ])
  const found = [
    ...withoutRepeats(scope, endpoints).map(({ id, identifier, type }): Target => ({
      kind: 'endpoint',
      id,
      identifier,
      type,
    })),
    ...credentials.filter(ofChannel).flatMap((row) => credentialTargets(scope, row)),
  ]
  const profile = profileTarget(channel, { ...subscriber, ...replacement })
  const targets = found.length === 0 && profile ? [profile] : found
  return readdressed(targets.map(captured), replacement)
}

/**
 * The destinations of a subscriber for a channel under exactly these contexts: its endpoints and credentials or, if it
 * has none, its email address or phone number through the preferred integration and its fallbacks. Of endpoints with the
 * same address, the oldest is used. Batched.
 */
export async function destinationsOf(
  scope: EnvironmentScope,
  channel: ProviderChannel,
  subscriber: Subscriber,
  contextKeys: readonly string[],
  { integrations, selected, replacement }: Routing,
): Promise<readonly Destination[]> {
  const { subscriberId } = subscriber
  const usable = selected === null ? integrations : integrations.filter(({ identifier }) => identifier === selected)
  const [endpoints, byCredential] = await Promise.all([
    scope.load(endpointsUnder, { subscriberId, channel, contextKeys }),
    channels[channel].hasCredentials ? credentialDestinations(scope, subscriberId, usable) : [],
  ])
  if (endpoints.length > MANY_DESTINATIONS) await ownTurn()
  const byIdentifier = new Map(usable.map((integration) => [integration.identifier, integration]))
  const byEndpoint = withoutRepeats(scope, endpoints).flatMap(({ id, integrationIdentifier, identifier, type }) => {
    const integration = byIdentifier.get(integrationIdentifier ?? '')
    return integration ? [through(integration, { kind: 'endpoint', id, identifier, type })] : []
  })
  const found = [...byEndpoint, ...byCredential]
  if (found.length > 0) return readdressed(found, replacement)
  const profile = profileTarget(channel, { ...subscriber, ...replacement })
  const first = pickIntegration(usable)
  if (first === undefined || profile === undefined) return []
  const fallbacks = ranked(integrations).filter((one) => one.isFallback && one.id !== first.id)
  const destination = through(first, profile)
  if (fallbacks.length === 0) return [destination]
  return [{ ...destination, routes: [first, ...fallbacks].map(routeOf) }]
}
