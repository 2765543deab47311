// The numbers of messages, as shown in the chart and the table.
import { type Channel, channelLabels } from '../../parts/channel-labels.ts'
import type { Interval } from './range.ts'

/** The messages of one interval, as the graph counts them. */
interface Bucket {
  readonly start: string
  readonly sent: number
  readonly failed: number
  readonly cancelled: number
  readonly skipped: number
  readonly channels: readonly { readonly channel: Channel; readonly sent: number }[]
}

/** The data of the chart and the table. */
export interface Series {
  /** The groups in the order of the legend. */
  readonly groups: readonly { readonly name: string; readonly color: string }[]
  /** One row for each interval, oldest first. */
  readonly rows: readonly Row[]
}

export interface Row {
  /** The beginning of the interval, in the reader's time zone. */
  readonly label: string
  /** The number of messages by the name of the group. */
  readonly counts: Readonly<Record<string, number>>
}

export type Grouping = 'outcome' | 'channel'

export const isGrouping = (value: string): value is Grouping => value === 'outcome' || value === 'channel'

const outcomes: Series['groups'] = [
  { name: 'Sent', color: 'teal.7' },
  { name: 'Failed', color: 'red.7' },
  { name: 'Cancelled', color: 'gray.6' },
  { name: 'Skipped', color: 'yellow.6' },
]

const channels: Series['groups'] = [
  { name: channelLabels.IN_APP, color: 'indigo.6' },
  { name: channelLabels.EMAIL, color: 'teal.6' },
  { name: channelLabels.SMS, color: 'orange.6' },
  { name: channelLabels.CHAT, color: 'grape.6' },
  { name: channelLabels.PUSH, color: 'cyan.6' },
  { name: channelLabels.TOOL, color: 'gray.6' },
]

const formats = {
  MINUTE: new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }),
  HOUR: new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: 'numeric', minute: '2-digit' }),
  // The gateway counts days in UTC.
  DAY: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
} as const satisfies Record<Interval, Intl.DateTimeFormat>

const byOutcome = (bucket: Bucket): Row['counts'] => ({
  Sent: bucket.sent,
  Failed: bucket.failed,
  Cancelled: bucket.cancelled,
  Skipped: bucket.skipped,
})

/** Counts sent messages only. Failed and skipped messages are shown by outcome. */
const byChannel = ({ channels }: Bucket): Row['counts'] =>
  Object.fromEntries(channels.map(({ channel, sent }) => [channelLabels[channel], sent]))

export function seriesOf(buckets: readonly Bucket[], grouping: Grouping, interval: Interval): Series {
  const [groups, countsOf] = grouping === 'outcome' ? [outcomes, byOutcome] : [channels, byChannel]
  return {
    groups,
    rows: buckets.map((bucket) => ({
      label: formats[interval].format(new Date(bucket.start)),
      counts: countsOf(bucket),
    })),
  }
}
