// Where a message of a channel goes: which integration speaks for an environment, and what it reaches a subscriber by.
import { type Batch, groupBatch } from '../data/loader.ts'
import type { ChannelEndpoint, Integration, Subscriber } from '../data/prisma/client.ts'
import { channels, type ProviderChannel } from '../domain/channel.ts'
import { loadCredentials } from '../domain/credential.ts'
import { type ProviderId, providerOf } from '../domain/provider-id.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { conditionOf } from '../domain/stored-json.ts'
import { hashToken, type StoredTarget } from '../domain/target.ts'
import { holds } from '../lib/json-logic.ts'
import type { JsonObject } from '../lib/validation.ts'

/** A destination, and through which integration it is reached. */
export interface Destination {
  readonly providerId: ProviderId
  readonly integrationIdentifier: string
  readonly target: StoredTarget
}

const activeByChannel = groupBatch<Integration>(
  ({ db, environmentId }) =>
    db.integration.findMany({
      where: { environmentId, active: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    }),
  ({ channel }) => channel,
)

/** What an integration's conditions may ask about: `context.<type>.id` and its data (SPEC: Context). */
export type IntegrationVariables = JsonObject & { readonly context: JsonObject }

/** The integrations of a channel that may be used: active, and with no condition that speaks against it. Oldest first. */
export async function usableIntegrations(
  { load }: EnvironmentScope,
  channel: ProviderChannel,
  facts: IntegrationVariables,
): Promise<readonly Integration[]> {
  const active = await load(activeByChannel, channel)
  return active.filter(({ conditions }) => holds(conditionOf(conditions), facts))
}

/**
 * The one that speaks for a channel: one that is meant for just these contexts goes before the primary one, and that
 * before the others; the oldest of several.
 */
export function pickIntegration(usable: readonly Integration[]): Integration | undefined {
  const rank = ({ conditions, primary }: Integration) => (conditions === null ? 2 : 0) - (primary ? 1 : 0)
  return usable.toSorted((one, other) => rank(one) - rank(other))[0]
}

interface EndpointsKey {
  readonly subscriberId: string
  readonly channel: ProviderChannel
  readonly contextKeys: readonly string[]
}

/** The endpoints of many subscribers: a statement for each channel and set of contexts, of which a step has one. */
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
      for (const row of rows) {
        const key = `${shape(one)} ${row.subscriberId ?? ''}`
        const siblings = found.get(key)
        if (siblings) siblings.push(row)
        else found.set(key, [row])
      }
    }
    return keys.map((key) => found.get(`${shape(key)} ${key.subscriberId}`) ?? [])
  },
}

const through = ({ providerId, identifier }: Integration, target: StoredTarget): Destination => ({
  providerId: providerOf(providerId),
  integrationIdentifier: identifier,
  target,
})

/** The address in the profile that a channel uses, when it uses one and the subscriber has it. */
function profileTarget(channel: ProviderChannel, { email, phone }: Subscriber): StoredTarget | undefined {
  const { profileAddress } = channels[channel]
  if (profileAddress === 'email' && email) return { kind: 'email', address: email }
  if (profileAddress === 'phone' && phone) return { kind: 'phone', phoneNumber: phone }
  return undefined
}

/** What the subscriber's own credentials lead to, each through the integration that it names or that its provider has. */
async function credentialDestinations(
  scope: EnvironmentScope,
  subscriberId: string,
  usable: readonly Integration[],
): Promise<Destination[]> {
  const credentials = await loadCredentials(scope, subscriberId)
  return credentials.flatMap(({ providerId, integrationIdentifier, webhookUrl, deviceTokens }) => {
    const integration = pickIntegration(
      usable.filter((one) =>
        integrationIdentifier === null ? one.providerId === providerId : one.identifier === integrationIdentifier,
      ),
    )
    if (integration === undefined) return []
    const credential = { providerId, integrationIdentifier }
    const devices = deviceTokens.map((token): StoredTarget => {
      return { kind: 'device', credential, tokenHash: hashToken(token), hint: token.slice(-4) }
    })
    const targets: StoredTarget[] = webhookUrl === null ? devices : [{ kind: 'webhook', credential }, ...devices]
    return targets.map((target) => through(integration, target))
  })
}

/**
 * Everywhere a subscriber is reached by a channel under exactly these contexts: its endpoints and its credentials, each
 * through its own integration, or else the address of its profile through the integration that speaks for the channel.
 * Batched.
 */
export async function destinationsOf(
  scope: EnvironmentScope,
  channel: ProviderChannel,
  subscriber: Subscriber,
  contextKeys: readonly string[],
  usable: readonly Integration[],
): Promise<readonly Destination[]> {
  const { subscriberId } = subscriber
  const [endpoints, credentials] = await Promise.all([
    scope.load(endpointsUnder, { subscriberId, channel, contextKeys }),
    channels[channel].hasCredentials ? credentialDestinations(scope, subscriberId, usable) : [],
  ])
  const integrations = new Map(usable.map((integration) => [integration.identifier, integration]))
  const own = endpoints.flatMap(({ integrationIdentifier, identifier, type }) => {
    const integration = integrations.get(integrationIdentifier ?? '')
    return integration ? [through(integration, { kind: 'endpoint', identifier, type })] : []
  })
  const found = [...own, ...credentials]
  if (found.length > 0) return found
  const speaker = pickIntegration(usable)
  const profile = profileTarget(channel, subscriber)
  return speaker && profile ? [through(speaker, profile)] : []
}
