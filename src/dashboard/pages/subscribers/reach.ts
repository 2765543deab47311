// Whether a subscriber may be written to on each channel, and if not, since when and why.
import { channelLabels, type Channel } from '../../parts/channel-labels.ts'
import { optionsOf } from '../../parts/options.ts'
import type { Reached } from './reach-query.ts'

type Change = Reached['preferenceChanges']['nodes'][number]
type Suppression = Reached['suppressions'][number]

/** Why a channel is closed, or open with an exception. */
export interface Obstacle {
  readonly kind: 'suppressed' | 'turned_off'
  /** The suppression. Absent if the subscriber, or a default, turned the channel off. */
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

const addressOf = ({ email, phone }: Reached, channel: Channel) =>
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

function reachOn(channel: Channel, person: Reached, isOn: boolean): ChannelReach {
  const address = addressOf(person, channel)
  const changes = person.preferenceChanges.nodes
  const suppressed = person.suppressions.filter((one) => one.channel === channel)
  const obstacles: Obstacle[] = suppressed.map((suppression) => ({ kind: 'suppressed', suppression }))
  if (!isOn) {
    const change = turnedOffBy(changes, channel, { scope: 'ALL', categoryKey: null })
    obstacles.push({ kind: 'turned_off', ...(change && { change }) })
  }
  if (address === null) return { channel, address, answer: 'no_address', obstacles }
  const isClosed = !isOn || suppressed.some(isWhole)
  return { channel, address, answer: isClosed ? 'no' : suppressed.length > 0 ? 'partly' : 'yes', obstacles }
}

/** In the order of the labels. */
const channels = optionsOf<Channel>(channelLabels).map(({ value }) => value)

/** The answers for email, for SMS, and for each further channel that an active workflow uses. Under no contexts. */
export function reachOf(person: Reached): readonly ChannelReach[] {
  const { channels: each, usedChannels } = person.preferences
  const isOn = new Map(each.map(({ channel, enabled }) => [channel, enabled]))
  const shown = new Set<Channel>(['EMAIL', 'SMS', ...usedChannels.map(({ channel }) => channel)])
  return channels
    .filter((channel) => shown.has(channel))
    .map((channel) => reachOn(channel, person, isOn.get(channel) ?? true))
}

export interface CategoryOff {
  readonly key: string
  readonly name: string
  /** The channels that are off. Empty for the whole category. */
  readonly channels: readonly Channel[]
  readonly change: Change | undefined
}

/** The categories that the subscriber turned off, wholly or on some channels. */
export function categoriesOff({ preferences, preferenceChanges: { nodes } }: Reached): readonly CategoryOff[] {
  return preferences.categories.flatMap(({ enabled, category: { key, name }, channels: each }) => {
    const off = each.filter((one) => !one.enabled && one.decidedBy === 'SUBSCRIBER_CATEGORY')
    const [first] = off
    if (first === undefined) return []
    const change = turnedOffBy(nodes, first.channel, { scope: 'CATEGORY', categoryKey: key })
    return [{ key, name, channels: enabled ? off.map(({ channel }) => channel) : [], change }]
  })
}
