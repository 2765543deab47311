// What the other side said, as it may be kept and told: whoever was called may have echoed secrets, or sent anything.

/** In characters. */
const MAX_LENGTH = 1000

/** Shorter strings are no secrets, and striking them out would leave nothing readable. */
const MIN_LENGTH = 6

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** A secret as it may come back: whole, without the scheme of a header, or as a part of a URL. */
function partsOf(secret: string): string[] {
  const parts = [secret, secret.slice(secret.indexOf(' ') + 1)]
  if (!URL.canParse(secret)) return parts
  const { pathname, search, searchParams } = new URL(secret)
  return [...parts, pathname + search, ...pathname.split('/'), ...searchParams.values()]
}

const asJson = (part: string) => JSON.stringify(part).slice(1, -1)

/** The beginning of a text, with everything struck out that any of `holders` has in it, and fit for the database. */
export function redact(text: string, holders: readonly unknown[]): string {
  const parts = holders.flatMap(stringsIn).flatMap(partsOf)
  return [...new Set([...parts, ...parts.map(asJson)])]
    .filter(({ length }) => length >= MIN_LENGTH)
    .toSorted((one, other) => other.length - one.length)
    .reduce((shown, part) => shown.replaceAll(part, '***'), text)
    .replace(/[^\P{Cc}\t\n]/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
    .toWellFormed()
}
