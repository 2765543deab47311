// Whether a subscriber may be written to on each channel, and if not, since when and why.
import { channelLabels, type Channel } from '../../parts/channel-labels.ts'
import { optionsOf } from '../../parts/options.ts'
import type { Reached } from './reach-query.ts'

type Person = Reached['person']
type Change = Person['preferenceChanges']['nodes'][number]
type Suppression = Person['suppressions'][number]

/** Why a channel is closed, or open with an exception. */
export interface Obstacle {
  readonly kind: 'suppressed' | 'turned_off' | 'no_destination'
  /** Absent if the channel is not closed by a suppression. */
  readonly suppression?: Suppression
  /** The change that turned it off. Absent if it is older than the newest changes, or if a default decides. */
  readonly change?: Change
}

export interface ChannelReach {
  readonly channel: Channel
  /** The address in the profile. Null without one, undefined for a channel whose addresses are elsewhere. */
  readonly address: string | null | undefined
  readonly answer: 'yes' | 'partly' | 'no' | 'no_address'
  readonly obstacles: readonly Obstacle[]
}

const addressOf = ({ email, phone }: Person, channel: Channel) =>
  channel === 'EMAIL' ? email : channel === 'SMS' ? phone : undefined

/** True for a suppression of all messages to its address. */
const isWhole = ({ contextKeys, integration }: Suppression) => contextKeys.length === 0 && integration === null

/** The newest change that turned a channel off for a scope. */
const turnedOffBy = (
  changes: readonly Change[],
  channel: Channel,
  { scope, categoryKey }: { readonly scope: Change['scope']; readonly categoryKey: string | null },
): Change | undefined =>
  changes.find(
    (change) =>
      change.scope === scope &&
      change.categoryKey === categoryKey &&
      change.enabled === false &&
      (change.channel === null || change.channel === channel),
  )

/** True if the subscriber has an endpoint of a channel, or too many endpoints to know. */
const hasEndpoint = (channel: Channel, { person: { channelEndpoints } }: Reached): boolean =>
  channelEndpoints.pageInfo.hasNextPage || channelEndpoints.nodes.some((one) => one.channel === channel)

/** True if the subscriber has credentials for a channel, or if they cannot be read. */
function hasCredentials(channel: Channel, { person, providers }: Reached): boolean {
  const own = new Set(providers.filter((one) => one.channel === channel).map(({ providerId }) => providerId))
  return (
    person.channels?.some(
      ({ providerId, deviceTokens, webhookUrl }) =>
        own.has(providerId) && (deviceTokens.length > 0 || webhookUrl !== null),
    ) ?? true
  )
}

function reachOn(channel: Channel, reached: Reached, isOn: boolean): ChannelReach {
  const { person } = reached
  const address = addressOf(person, channel)
  const changes = person.preferenceChanges.nodes
  const suppressed = person.suppressions.filter((one) => one.channel === channel)
  const obstacles: Obstacle[] = suppressed.map((suppression) => ({ kind: 'suppressed', suppression }))
  if (!isOn) {
    const change = turnedOffBy(changes, channel, { scope: 'ALL', categoryKey: null })
    obstacles.push({ kind: 'turned_off', ...(change && { change }) })
  }
  const canArrive = channel === 'IN_APP' || hasEndpoint(channel, reached) || !!address
  if (address === null && !canArrive) return { channel, address, answer: 'no_address', obstacles }
  const isKnown = canArrive || hasCredentials(channel, reached)
  if (!isKnown) obstacles.push({ kind: 'no_destination' })
  const isClosed = !isOn || !isKnown || suppressed.some(isWhole)
  return { channel, address, answer: isClosed ? 'no' : suppressed.length > 0 ? 'partly' : 'yes', obstacles }
}

/** In the order of the labels. */
const channels = optionsOf<Channel>(channelLabels).map(({ value }) => value)

/** The answers for email, for SMS, and for each further channel that an active workflow uses. Under no contexts. */
export function reachOf(reached: Reached): readonly ChannelReach[] {
  const { channels: each, usedChannels } = reached.person.preferences
  const isOn = new Map(each.map(({ channel, enabled }) => [channel, enabled]))
  const shown = new Set<Channel>(['EMAIL', 'SMS', ...usedChannels.map(({ channel }) => channel)])
  return channels
    .filter((channel) => shown.has(channel))
    .map((channel) => reachOn(channel, reached, isOn.get(channel) ?? true))
}

export interface CategoryOff {
  readonly key: string
  readonly name: string
  /** The channels that are off. Empty for the whole category. */
  readonly channels: readonly Channel[]
  readonly change: Change | undefined
}

/** The categories that the subscriber turned off, wholly or on some channels. */
export function categoriesOff({ person }: Reached): readonly CategoryOff[] {
  const { preferences, preferenceChanges } = person
  return preferences.categories.flatMap(({ enabled, category: { key, name }, channels: each }) => {
    const off = each.filter((one) => !one.enabled && one.decidedBy === 'SUBSCRIBER_CATEGORY')
    const [first] = off
    if (first === undefined) return []
    const change = turnedOffBy(preferenceChanges.nodes, first.channel, { scope: 'CATEGORY', categoryKey: key })
    return [{ key, name, channels: enabled ? off.map(({ channel }) => channel) : [], change }]
  })
}
