// The time ranges of the chart.
import type { graphql } from '../../graph/graphql.ts'

export type Interval = ReturnType<typeof graphql.scalar<'StatisticsInterval'>>

const HOUR = 3_600_000
const DAY = 24 * HOUR

export const ranges = {
  '24h': { label: '24 hours', length: DAY, interval: 'HOUR' },
  '7d': { label: '7 days', length: 7 * DAY, interval: 'HOUR' },
  '30d': { label: '30 days', length: 30 * DAY, interval: 'DAY' },
} as const satisfies Record<string, { label: string; length: number; interval: Interval }>

export type Range = keyof typeof ranges

export const DEFAULT_RANGE: Range = '7d'

export const isRange = (value: string): value is Range => Object.hasOwn(ranges, value)

/** Returns the arguments of the query for a range that ends with the current interval. They change with the interval only. */
export function spanOf(range: Range, now: Date) {
  const { length, interval } = ranges[range]
  const step = interval === 'DAY' ? DAY : HOUR
  const end = Math.ceil(now.getTime() / step) * step
  return { from: new Date(end - length).toISOString(), to: new Date(end).toISOString(), interval }
}
