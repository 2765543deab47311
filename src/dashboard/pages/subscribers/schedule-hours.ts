// Hours of a day as text, such as `09:00-12:30, 14:00-24:00`.

interface Hours {
  readonly start: string
  readonly end: string
}

const range = /^([01]?\d|2[0-3]):[0-5]\d\s*-\s*(([01]?\d|2[0-3]):[0-5]\d|24:00)$/

const partsOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export const hoursText = (hours: readonly Hours[]): string =>
  hours.map(({ start, end }) => `${start}-${end}`).join(', ')

/** Reads hours that `hoursError` accepts. */
export const hoursOf = (text: string): Hours[] =>
  partsOf(text).map((part) => {
    const [start = '', end = ''] = part.split('-').map((time) => time.trim().padStart(5, '0'))
    return { start, end }
  })

/** Returns why a text is not a list of hours. Null if it is one. */
export function hoursError(text: string): string | null {
  if (!partsOf(text).every((part) => range.test(part))) return 'Must be hours such as 09:00-12:30, 14:00-24:00.'
  const isReversed = hoursOf(text).some(({ start, end }) => start >= end)
  return isReversed ? 'Hours end after they begin. Hours over midnight are two ranges, one of each day.' : null
}
