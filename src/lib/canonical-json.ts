// Canonical JSON: equal values have the same text, so that they can be signed.
import type { Json } from './validation.ts'

/**
 * Returns the value as JSON with sorted keys (by UTF-16 code units) and without spaces. Strings and numbers as
 * `JSON.stringify` writes them (RFC 8785).
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join()}}`
}
