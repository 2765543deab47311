// Times as people say them, such as "2 minutes ago".

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** @returns the time in words up to a month ago, then the date. A time in the future is now, as clocks differ. */
export function relativeTime(time: Date, now: number, locale: string | undefined): string {
  const age = Math.max(0, now - time.getTime())
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  if (age < MINUTE) return format.format(0, 'second')
  if (age < HOUR) return format.format(-Math.floor(age / MINUTE), 'minute')
  if (age < DAY) return format.format(-Math.floor(age / HOUR), 'hour')
  if (age < 30 * DAY) return format.format(-Math.floor(age / DAY), 'day')
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(time)
}

export const absoluteTime = (time: Date, locale: string | undefined): string =>
  new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(time)
