// Times in fields of the type `datetime-local`, which have no zone: those of the reader, converted from and to UTC.

/** Returns a time in the format of the field, such as `2026-11-22T15:04`, without a zone. Empty for none. */
export function localText(utc: string | null): string {
  const time = new Date(utc ?? '')
  if (Number.isNaN(time.getTime())) return ''
  const digits = (count: number, value: number) => String(value).padStart(count, '0')
  const date = [digits(4, time.getFullYear()), digits(2, time.getMonth() + 1), digits(2, time.getDate())].join('-')
  return `${date}T${digits(2, time.getHours())}:${digits(2, time.getMinutes())}`
}

/** Returns the time of a field. Null for an empty one. */
export const utcText = (local: string): string | null => (local === '' ? null : new Date(local).toISOString())
