// Redacts a provider's response before it is stored: it may echo secrets, in any encoding, or have any content.
import { decoded, fromHex, original, unescaped, type View } from '../../lib/text-view.ts'

/** Characters that are kept. */
const MAX_LENGTH = 1000

/** Characters that are searched. Redaction shortens the text, so this is more than is kept. */
const WINDOW = 8 * 1024

/** Shorter strings are not treated as secrets: replacing them would make the text unreadable. */
const MIN_LENGTH = 6

/** The same for secret values of a payload, such as one-time codes. They are found spaced out from this length. */
const MIN_CODE_LETTERS = 4

/** Letters and digits of a secret that is also found spaced out or reversed. Shorter secrets would match by chance. */
const MIN_LETTERS = 8

/** Searching for more strings than this is too slow: nothing of the text is kept. */
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

const hex = /(?:[0-9a-f]{2}[\s:,-]?){6,}/gi
/** Some encoders add line breaks. */
const base64 = /(?:[a-z0-9+/_-][\r\n]*){8,}/gi

/** Decodes runs of base64. A run may begin with characters that are not base64. */
const fromBase64 = (view: View): View[] =>
  [0, 1, 2, 3].map((offset) => decoded(view, base64, (run) => Buffer.from(run.slice(offset), 'base64').toString()))

/** Length of decoded base64 text that is decoded again. Texts in other encodings have shorter runs. */
const longBase64 = /[a-z0-9+/_-]{16}/i

/** All decodings of a text that are searched for a secret. */
function viewsOf(text: string): readonly View[] {
  const whole = original(text)
  const once = unescaped(whole)
  const twice = unescaped(once)
  const plain = [whole, ...(once === whole ? [] : [once]), ...(twice === once ? [] : [twice])]
  const inBase64 = plain.flatMap(fromBase64)
  const inTwo = inBase64.filter((view) => longBase64.test(view.text)).flatMap(fromBase64)
  return [...plain, ...plain.map((view) => decoded(view, hex, fromHex)), ...inBase64, ...inTwo]
}

const reversed = (text: string) => Array.from(text).toReversed().join('')

/** The ranges of the original text in which the view contains one of `needles`. */
function* rangesOf({ text, starts, ends }: View, needles: readonly string[]): Generator<readonly [number, number]> {
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      yield [starts[at] ?? 0, ends[at + needle.length - 1] ?? text.length]
    }
  }
}

const separators = /[^\p{L}\p{N}]+/gu

const inAnyCase = (texts: readonly string[]) => texts.flatMap((text) => [text, text.toUpperCase(), text.toLowerCase()])

const lettersOf = (texts: readonly string[], least: number) =>
  texts.map((text) => text.replaceAll(separators, '')).filter(({ length }) => length >= least)

function secretRanges(
  text: string,
  secrets: readonly string[],
  codes: readonly string[],
): (readonly [number, number])[] {
  const given = inAnyCase(secrets)
  const parts = [...new Set([...given, ...inAnyCase(codes)])]
  const letters = [...lettersOf(given, MIN_LETTERS), ...lettersOf(inAnyCase(codes), MIN_CODE_LETTERS)]
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
 * A secret is found as it is, in upper and lower case, and in hexadecimal, base64 (also twice), percent-encoding, HTML
 * entities, JSON escapes, spaced out or reversed. Not in ciphers such as ROT13, nor as a list of character codes: a
 * provider that returns a secret like that disguises it, and no list of disguises is complete.
 *
 * @param codes secret values of a payload, which may be short.
 */
export function redact(text: string, secrets: readonly unknown[], codes: readonly string[] = []): string {
  const all = new Set(secrets.flatMap(stringsIn).flatMap(partsOf))
  const parts = [...all].filter(({ length }) => length >= MIN_LENGTH)
  if (parts.length + codes.length > MAX_PARTS) return '***'
  const seen = text.slice(0, WINDOW)
  let shown = ''
  let from = 0
  let end = 0
  const ranges = secretRanges(seen, parts, codes).toSorted(([one], [other]) => one - other)
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
