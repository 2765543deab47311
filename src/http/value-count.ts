// Counts the values of a JSON text while it arrives. Parsing a million values, or many different field names, blocks
// the event loop for up to a second.
import { Refusal } from '../lib/errors.ts'

/** Maximum number of values and field names in a body. Enough for every documented bulk request. */
export const MAX_BODY_VALUES = 400_000
/** Maximum number of different field names in a body. They take much longer to parse than repeated ones. */
const MAX_BODY_NAMES = 60_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const BRACKET = 0x5b
const BRACE = 0x7b

/** The constants of the hash function FNV-1a. */
const OFFSET_BASIS = 0x811c9dc5
const PRIME = 0x01000193

const tooMany = (limit: number, what: string) =>
  new Refusal('MALFORMED', `The body has more than ${limit} ${what}: send fewer at a time`)

/** Counts the values of one body. Invalid JSON is counted too; it is rejected later. */
export class ValueCount {
  #count = 0
  #isInText = false
  #isEscaped = false
  /** The hash of the last string, or of what has arrived of it. */
  #hash = 0
  readonly #names = new Set<number>()

  /** Counts the next bytes. @throws Refusal `MALFORMED` over a limit */
  add(bytes: Uint8Array): void {
    let count = this.#count
    let isInText = this.#isInText
    let isEscaped = this.#isEscaped
    let hash = this.#hash
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0
      if (isInText && (isEscaped || byte !== QUOTE)) {
        hash = Math.imul(hash ^ byte, PRIME)
        isEscaped = !isEscaped && byte === BACKSLASH
      } else if (byte === QUOTE) {
        isInText = !isInText
        if (isInText) hash = OFFSET_BASIS
      } else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
        count += 1
      } else if (byte === COLON) {
        count += 1
        this.#names.add(hash)
      }
    }
    this.#count = count
    this.#isInText = isInText
    this.#isEscaped = isEscaped
    this.#hash = hash
    if (count > MAX_BODY_VALUES) throw tooMany(MAX_BODY_VALUES, 'values and field names')
    if (this.#names.size > MAX_BODY_NAMES) throw tooMany(MAX_BODY_NAMES, 'different field names')
  }
}
