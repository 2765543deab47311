// Redacts a provider's response before it is stored: it may echo secrets, in any encoding, or have any content.

/** Characters that are kept. */
const MAX_LENGTH = 1000

/** Characters that are looked at. Redacted text is shorter than its secret, so this is more than what is kept. */
const WINDOW = 8 * 1024

/** Shorter strings are not treated as secrets: replacing them would make the text unreadable. */
const MIN_LENGTH = 6

/** Letters and digits of a secret that is also found spaced out or reversed. Shorter ones occur by chance. */
const MIN_LETTERS = 8

/** More strings than this are too slow to look for: nothing of the text is kept. */
const MAX_PARTS = 500

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

/** A text that was decoded from another one. Its character `i` stands for `[starts[i], ends[i])` of the original. */
interface View {
  readonly text: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

function original(text: string): View {
  const starts = Array.from({ length: text.length }, (_, index) => index)
  return { text, starts, ends: starts.map((index) => index + 1) }
}

/** Replaces each match of `pattern`. What replaces it stands for the whole match. */
function decoded(view: View, pattern: RegExp, decode: (match: string) => string): View {
  const starts: number[] = []
  const ends: number[] = []
  let text = ''
  let from = 0
  const copy = (to: number) => {
    text += view.text.slice(from, to)
    for (; from < to; from += 1) {
      starts.push(view.starts[from] ?? 0)
      ends.push(view.ends[from] ?? 0)
    }
  }
  for (const { 0: match, index } of view.text.matchAll(pattern)) {
    copy(index)
    const replacement = decode(match)
    from = index + match.length
    text += replacement
    for (let count = 0; count < replacement.length; count += 1) {
      starts.push(view.starts[index] ?? 0)
      ends.push(view.ends[from - 1] ?? 0)
    }
  }
  copy(view.text.length)
  return { text, starts, ends }
}

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Percent-encoding, HTML entities and the escapes of JSON and JavaScript. */
const escape =
  /(?:%[0-9a-f]{2})+|&(?:#\d{1,6}|#x[0-9a-f]{1,5}|amp|lt|gt|quot|apos);|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|["'\\/])/gi

const fromHex = (hex: string) => Buffer.from(hex.replaceAll(/[^0-9a-f]/gi, ''), 'hex').toString()

function unescaped(match: string): string {
  if (match.startsWith('%')) return fromHex(match)
  if (match.startsWith('\\')) {
    return match.length === 2 ? match.slice(1) : String.fromCharCode(Number.parseInt(match.slice(2), 16))
  }
  const entity = match.slice(1, -1).toLowerCase()
  if (!entity.startsWith('#')) return namedEntities[entity] ?? ''
  const code = entity.startsWith('#x') ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

const hex = /(?:[0-9a-f]{2}[\s:,-]?){6,}/gi
/** With line breaks, which encoders add. */
const base64 = /(?:[a-z0-9+/_-][\r\n]*){8,}/gi

/** All readings of a text that a secret is looked for in. A run of base64 may begin with characters that are none. */
function viewsOf(text: string): readonly View[] {
  const whole = original(text)
  const once = decoded(whole, escape, unescaped)
  const twice = decoded(once, escape, unescaped)
  const plain = [whole, ...(once.text === text ? [] : [once]), ...(twice.text === once.text ? [] : [twice])]
  const encoded = plain.flatMap((view) => [
    decoded(view, hex, fromHex),
    ...[0, 1, 2, 3].map((offset) =>
      decoded(view, base64, (run) => Buffer.from(run.slice(offset), 'base64').toString()),
    ),
  ])
  return [...plain, ...encoded]
}

const reversed = (text: string) => Array.from(text).toReversed().join('')

/** The ranges of the original that stand for one of `needles` in the view. */
function* rangesOf({ text, starts, ends }: View, needles: readonly string[]): Generator<readonly [number, number]> {
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      yield [starts[at] ?? 0, ends[at + needle.length - 1] ?? text.length]
    }
  }
}

const separators = /[^\p{L}\p{N}]+/gu

function secretRanges(text: string, parts: readonly string[]): (readonly [number, number])[] {
  const letters = parts.map((part) => part.replaceAll(separators, '')).filter(({ length }) => length >= MIN_LETTERS)
  const spaced = [...new Set([...letters, ...letters.map(reversed)])]
  return viewsOf(text).flatMap((view) => [
    ...rangesOf(view, parts),
    ...rangesOf(
      decoded(view, separators, () => ''),
      spaced,
    ),
  ])
}

/**
 * The first 1000 characters of a text, with all strings in `secrets` replaced by `***`, and without control characters.
 * A secret is found as it is, and in hexadecimal, base64, percent-encoding, HTML entities, JSON escapes, spaced out or
 * reversed.
 */
export function redact(text: string, secrets: readonly unknown[]): string {
  const all = new Set(secrets.flatMap(stringsIn).flatMap(partsOf))
  const parts = [...all].filter(({ length }) => length >= MIN_LENGTH)
  if (parts.length > MAX_PARTS) return '***'
  const seen = text.slice(0, WINDOW)
  let shown = ''
  let from = 0
  let end = 0
  const ranges = secretRanges(seen, parts).toSorted(([one], [other]) => one - other)
  for (const [start, to] of ranges) {
    if (to <= end) continue
    if (start >= end) shown += `${seen.slice(from, start)}***`
    end = to
    from = to
  }
  return `${shown}${seen.slice(from)}`
    .replace(/[^\P{Cc}\t\n]/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
    .toWellFormed()
}
