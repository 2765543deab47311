// Canonical JSON: equal values have the same text, so that they can be signed.
import type { Json } from './validation.ts'

type Quote = (text: string) => string

/**
 * Returns the value as JSON with sorted keys (by UTF-16 code units) and without spaces. Numbers as `JSON.stringify`
 * writes them (RFC 8785).
 *
 * @param quote writes strings. Default: as `JSON.stringify` does.
 */
export function canonicalJson(value: Json, quote: Quote = JSON.stringify): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, quote)).join()}]`
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${quote(key)}:${canonicalJson(member, quote)}`)
  return `{${members.join()}}`
}

/**
 * The same in the form of OLPC, which escapes only quotation marks and backslashes: a line break in a string stays as it
 * is.
 */
export const olpcJson = (value: Json): string =>
  canonicalJson(value, (text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
