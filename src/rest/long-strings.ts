// Long strings in a JSON body, such as files in base64. They are set aside before the body is parsed, because a parsed
// string takes as much memory again.
import { randomUUID } from 'node:crypto'

/** Strings with more bytes than this are set aside. */
const LONG = 64 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Characters of base64 that are decoded at a time. A multiple of four, because four characters are three bytes. */
const WINDOW = 64 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the position of the quotation mark that ends a string. -1 if there is none. */
function endOf(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let backslashes = 0
    while (bytes[end - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
  return -1
}

/** Parses a string of JSON without its quotation marks. @throws SyntaxError or TypeError if it is not valid. */
const parseString = (bytes: Buffer) => JSON.parse(`"${utf8.decode(bytes)}"`) as string

/**
 * Decodes base64 in its own memory, which needs no other: the result is the beginning of `text`, the rest is undefined.
 *
 * @returns undefined if the text is not base64, with or without padding.
 */
export function decodeInPlace(text: Buffer): Buffer | undefined {
  const [last, beforeLast] = [text.at(-1), text.at(-2)].map((code) => String.fromCharCode(code ?? 0))
  const padding = last !== '=' ? 0 : beforeLast === '=' ? 2 : 1
  const isWhole = padding === 0 ? text.length % 4 !== 1 : text.length % 4 === 0
  if (!isWhole) return undefined
  let decoded = 0
  for (let start = 0; start < text.length; start += WINDOW) {
    const piece = Buffer.from(text.toString('latin1', start, start + WINDOW), 'base64')
    piece.copy(text, decoded)
    decoded += piece.byteLength
  }
  // Node skips other characters, which makes the result shorter.
  return decoded === Math.floor(((text.length - padding) * 3) / 4) ? text.subarray(0, decoded) : undefined
}

/** A body whose long strings have been replaced by placeholders. */
export class ShortenedBody {
  /** The body as JSON. @throws TypeError if it is not UTF-8. */
  readonly text: string
  readonly #strings = new Map<string, Buffer>()
  /** Nobody can guess it. */
  readonly #mark = randomUUID()

  /** @param bytes the body, whose memory is used for what is decoded. */
  constructor(bytes: Buffer) {
    const parts: Uint8Array[] = []
    let copied = 0
    for (let start = bytes.indexOf(QUOTE); start !== -1;) {
      const end = endOf(bytes, start)
      // The parser says what is wrong.
      if (end === -1) break
      if (end - start > LONG) {
        const placeholder = `${this.#mark}-${this.#strings.size}`
        this.#strings.set(placeholder, bytes.subarray(start + 1, end))
        parts.push(bytes.subarray(copied, start + 1), Buffer.from(placeholder))
        copied = end
      }
      start = bytes.indexOf(QUOTE, end + 1)
    }
    parts.push(bytes.subarray(copied))
    this.text = utf8.decode(Buffer.concat(parts))
  }

  /**
   * Decodes the base64 of a long string, once.
   *
   * @returns undefined if it is not base64. `absent` if the text is no placeholder.
   */
  takeBase64(placeholder: string): Buffer | undefined | 'absent' {
    const bytes = this.#strings.get(placeholder)
    if (bytes === undefined) return 'absent'
    this.#strings.delete(placeholder)
    // Some serializers escape slashes.
    if (!bytes.includes(BACKSLASH)) return decodeInPlace(bytes)
    return decodeInPlace(Buffer.from(parseString(bytes), 'latin1'))
  }

  /** Puts the long strings that were not taken back into a JSON text. @throws SyntaxError or TypeError if one is invalid. */
  restore(text: string): string {
    const placeholders = new RegExp(`"(${this.#mark}-\\d+)"`, 'g')
    return text.replace(placeholders, (given, placeholder: string) => {
      const bytes = this.#strings.get(placeholder)
      return bytes === undefined ? given : JSON.stringify(parseString(bytes))
    })
  }
}
