// Local time: what a clock in a time zone shows at an instant, with the changes of daylight saving time.

const MINUTE = 60_000
const DAY = 1440 * MINUTE

/** The minutes of a day. */
export const MINUTES_OF_DAY = 1440

/** Offsets change at most once in this time. */
const STEP = 6 * 60 * MINUTE

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns true if this version of Node.js knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  })
  formats.set(zone, format)
  return format
}

/** Returns by how many milliseconds, in whole minutes, a clock in the zone is ahead of UTC at an instant in milliseconds. */
function offsetAt(zone: string, at: number): number {
  const minute = Math.floor(at / MINUTE) * MINUTE
  const parts = new Map(
    formatOf(zone)
      .formatToParts(minute)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute')) - minute
}

/** A local time: the day of the week, 0 for Sunday, and the minute of the day, which has a fraction. */
export interface LocalTime {
  readonly weekday: number
  readonly minute: number
}

const localOf = (shown: number): LocalTime => ({
  weekday: new Date(shown).getUTCDay(),
  minute: (((shown % DAY) + DAY) % DAY) / MINUTE,
})

/** Returns the local time in a zone. @throws RangeError if the zone is unknown. */
export const localTimeAt = (zone: string, at: Date): LocalTime => localOf(at.getTime() + offsetAt(zone, at.getTime()))

/** The minutes of a day from `from` until before `until`, which is at most `MINUTES_OF_DAY`. */
export interface MinuteRange {
  readonly from: number
  readonly until: number
}

/** Returns the first instant at which the offset differs from that at `start`, or `end` if it is the same throughout. */
function changeBetween(zone: string, start: number, end: number): number {
  const offset = offsetAt(zone, start)
  if (offsetAt(zone, end) === offset) return end
  let [same, other] = [Math.floor(start / MINUTE), Math.ceil(end / MINUTE)]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (offsetAt(zone, middle * MINUTE) === offset) same = middle
    else other = middle
  }
  return other * MINUTE
}

/** Returns the first instant within `start` and `end`, with one offset throughout, that is in a range of its day. */
function firstWithin(
  start: number,
  end: number,
  offset: number,
  rangesOf: (weekday: number) => readonly MinuteRange[],
) {
  const midnight = Math.floor((start + offset) / DAY) * DAY
  for (let day = midnight; day < end + offset; day += DAY) {
    const instants = rangesOf(localOf(day).weekday).flatMap(({ from, until }) => {
      const first = Math.max(start, day + from * MINUTE - offset)
      return first < Math.min(end, day + until * MINUTE - offset) ? [first] : []
    })
    if (instants.length > 0) return Math.min(...instants)
  }
  return undefined
}

/**
 * Returns the first instant, at `from` or later, at which a clock in the zone shows a time within the ranges of its day.
 * Local times that daylight saving time leaves out do not occur, and those that occur twice count twice.
 *
 * @param days how many days to search.
 * @returns undefined if there is no such instant in these days.
 * @throws RangeError if the zone is unknown.
 */
export function firstInstantWithin(
  zone: string,
  from: Date,
  days: number,
  rangesOf: (weekday: number) => readonly MinuteRange[],
): Date | undefined {
  const end = from.getTime() + days * DAY
  for (let start = from.getTime(); start < end;) {
    const change = changeBetween(zone, start, Math.min(start + STEP, end))
    const found = firstWithin(start, change, offsetAt(zone, start), rangesOf)
    if (found !== undefined) return new Date(found)
    start = change
  }
  return undefined
}
