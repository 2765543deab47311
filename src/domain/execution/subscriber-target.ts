// The targets of a subscriber: its channel endpoints, its credentials, and the address in its profile.
import type { Batch } from '../../data/reading/loader.ts'
import type { ChannelEndpoint, SubscriberCredential } from '../../data/prisma/client.ts'
import type { Subscriber } from '../../data/subscriber.ts'
import { groupBy } from '../../lib/group-by.ts'
import { channels, type ProviderChannel } from '../channel/channel.ts'
import { endpointTypes } from '../channel/endpoint-type.ts'
import { credentialNameOf, tokensOf } from '../credential.ts'
import { ifDecryptable } from '../resolver/decrypt.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import { openEndpoint } from '../stored-endpoint.ts'
import { hashToken, type Target } from './target.ts'

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

const formOf = ({ integrationIdentifier, connectionIdentifier, type }: ChannelEndpoint) =>
  JSON.stringify([integrationIdentifier, endpointTypes[type].usesConnection ? connectionIdentifier : null, type])

/**
 * Leaves out endpoints that repeat the integration, type and address of an earlier one. An address is one of its
 * workspace, so connections are compared, too.
 */
export function withoutRepeats(
  scope: EnvironmentScope,
  endpoints: readonly ChannelEndpoint[],
): readonly ChannelEndpoint[] {
  const ofKind = groupBy(endpoints, formOf)
  const seen = new Set<string>()
  return endpoints.filter((row) => {
    const kind = formOf(row)
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
export const endpointsUnder: Batch<EndpointsKey, readonly ChannelEndpoint[]> = {
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

/** The subscriber's email address or phone number, if the channel uses it. */
export function profileTarget(channel: ProviderChannel, { email, phone }: Subscriber): Target | undefined {
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

/** The webhook and the devices of a credential. */
export function credentialTargets(scope: EnvironmentScope, row: SubscriberCredential): readonly Target[] {
  const credential = credentialNameOf(row)
  const webhooks: readonly Target[] = row.webhookUrl === null ? [] : [{ kind: 'webhook', credential }]
  return [...webhooks, ...deviceTargets(scope, row)]
}
