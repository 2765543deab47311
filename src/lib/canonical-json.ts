// JSON in one form: what is equal reads the same, so that it can be signed.
import type { Json } from './validation.ts'

/**
 * The keys of every object sorted by their UTF-16 code units, no spaces; texts and numbers as `JSON.stringify` writes
 * them (RFC 8785).
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join()}}`
}
