// Redacts a provider's response before it is stored: it may echo secrets or have any content.

/** Characters that are kept. */
const MAX_LENGTH = 1000

/** Shorter strings are not treated as secrets: replacing them would make the text unreadable. */
const MIN_LENGTH = 6

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** The forms in which a secret may be echoed: whole, without an authentication scheme, or as a part of a URL. */
function partsOf(secret: string): string[] {
  const parts = [secret, secret.slice(secret.indexOf(' ') + 1)]
  if (!URL.canParse(secret)) return parts
  const { pathname, search, searchParams } = new URL(secret)
  return [...parts, pathname + search, ...pathname.split('/'), ...searchParams.values()]
}

const asJson = (part: string) => JSON.stringify(part).slice(1, -1)

/** The first 1000 characters of a text, with all strings in `secrets` replaced by `***`, and without control characters. */
export function redact(text: string, secrets: readonly unknown[]): string {
  const parts = secrets.flatMap(stringsIn).flatMap(partsOf)
  return [...new Set([...parts, ...parts.map(asJson)])]
    .filter(({ length }) => length >= MIN_LENGTH)
    .toSorted((one, other) => other.length - one.length)
    .reduce((shown, part) => shown.replaceAll(part, '***'), text)
    .replace(/[^\P{Cc}\t\n]/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
    .toWellFormed()
}
