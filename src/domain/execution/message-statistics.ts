// Message statistics: how many messages were sent, failed, cancelled or skipped, over time.
import { z } from 'zod'
import {
  countsIn,
  type IntervalCounts,
  intervalLengths,
  type MessageCounts,
  type StatisticsFilter,
} from '../../data/monitoring/message-statistics.ts'
import { Channel, StatisticsInterval } from '../../data/prisma/enums.ts'
import { refuse } from '../../lib/errors.ts'
import { groupBy } from '../../lib/group-by.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, text } from '../../lib/validation.ts'
import { contextKeysFilter } from '../context.ts'
import { query } from '../resolver/resolver.ts'

/** The longest span, in intervals. A query returns one more if the span does not begin at the start of an interval. */
export const MAX_INTERVALS = 750
/** The number of hours for which counts by minute can be read. Counts by hour and by day are kept as long as events. */
export const MINUTES_KEPT = 24

/**
 * The contexts whose messages are counted: the messages of events with exactly these. Messages without context are only
 * counted in total, so that environments without contexts have no more to count.
 */
export const countedContexts = contextKeysFilter.refine((keys) => keys.length > 0, 'must have at least one context')

/** The counts of one interval. */
export interface Bucket extends MessageCounts {
  readonly start: Date
  /** The channels that have messages. */
  readonly channels: readonly IntervalCounts[]
}

const sumOf = (rows: readonly MessageCounts[], outcome: keyof MessageCounts) =>
  rows.reduce((sum, row) => sum + row[outcome], 0)

const bucketOf = (start: Date, channels: readonly IntervalCounts[]): Bucket => ({
  start,
  sent: sumOf(channels, 'sent'),
  failed: sumOf(channels, 'failed'),
  cancelled: sumOf(channels, 'cancelled'),
  skipped: sumOf(channels, 'skipped'),
  channels,
})

/**
 * Counts the messages of each interval that overlaps a span, oldest first. The first interval contains `from`, the last
 * one the moment before `to`. Intervals begin at full minutes, hours or days in UTC.
 */
export const messageStatistics = query({
  name: 'messageStatistics.list',
  permission: 'event:read',
  input: z
    .object({
      from: z.date(),
      to: z.date(),
      interval: z.enum(StatisticsInterval),
      filter: filterOf({
        workflowIdentifier: text(255),
        workflowIdentifiers: severalOf(text(255)),
        channel: z.enum(Channel),
        channels: severalOf(z.enum(Channel)),
        contextKeys: countedContexts,
      }).transform(({ contextKeys, ...given }): StatisticsFilter => ({
        contextKeys,
        workflowIdentifier: valuesOf(given.workflowIdentifier, given.workflowIdentifiers),
        channel: valuesOf(given.channel, given.channels),
      })),
    })
    .check(({ value: { from, to, interval }, issues }) => {
      if (to <= from) issues.push({ code: 'custom', path: ['to'], message: 'must be after from', input: to })
      else if (to.getTime() - from.getTime() > MAX_INTERVALS * intervalLengths[interval]) {
        const message = `must be at most ${MAX_INTERVALS} ${interval}s before to`
        issues.push({ code: 'custom', path: ['from'], message, input: from })
      }
    }),
  async run(scope, { from: since, to: until, interval, filter }) {
    const length = intervalLengths[interval]
    if (interval === 'minute' && since.getTime() < scope.now().getTime() - MINUTES_KEPT * intervalLengths.hour) {
      throw refuse('INVALID', `from must be at most ${MINUTES_KEPT} hours ago for the interval MINUTE`, 'from', since)
    }
    const from = new Date(Math.floor(since.getTime() / length) * length)
    const to = new Date(Math.ceil(until.getTime() / length) * length)
    const rows = await countsIn(scope, { granularity: interval, from, to }, filter)
    const byStart = groupBy(rows, ({ start }) => start.getTime())
    return Array.from({ length: (to.getTime() - from.getTime()) / length }, (_, index) => {
      const start = from.getTime() + index * length
      return bucketOf(new Date(start), byStart.get(start) ?? [])
    })
  },
})
