// A JSON array of objects, as many programs export it. It is read one element at a time, never as a whole.
import type { CommandStreams } from '../command/command.ts'
import type { Transfer } from '../transfers/transfer.ts'
import { readJson } from './json-object.ts'
import { type FileLine, MAX_LINE } from './line.ts'

const codeOf = (character: string) => character.charCodeAt(0)
const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map(codeOf)
const opening = new Set(['[', '{'].map(codeOf))
const closing = new Set([']', '}'].map(codeOf))

/** Finds the ends of the elements: the commas and the bracket outside of elements and strings. */
class Splitter {
  /** The number of open brackets and braces. */
  #depth = 0
  #isText = false
  #isEscaped = false

  get isClosed(): boolean {
    return this.#depth === 0
  }

  /** @returns true if the byte is between elements of the array, or at its beginning or end. */
  isBoundary(byte: number): boolean {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) this.#isText = false
      return false
    }
    if (byte === QUOTE) this.#isText = true
    if (opening.has(byte)) return (this.#depth += 1) === 1
    if (closing.has(byte)) return (this.#depth -= 1) === 0
    return byte === COMMA && this.#depth === 1
  }
}

/** Yields the bytes of each element. Yields undefined for an element that is too long. */
async function* elementsOf(input: CommandStreams['input']): AsyncGenerator<Buffer | undefined> {
  const splitter = new Splitter()
  let [parts, length]: [Uint8Array[], number] = [[], 0]
  const take = (part: Uint8Array) => {
    length += part.length
    if (length <= MAX_LINE) parts.push(part)
  }
  for await (const chunk of input) {
    let start = 0
    for (const [at, byte] of chunk.entries()) {
      if (!splitter.isBoundary(byte)) continue
      take(chunk.subarray(start, at))
      yield length > MAX_LINE ? undefined : Buffer.concat(parts)
      ;[parts, length, start] = [[], 0, at + 1]
    }
    take(chunk.subarray(start))
  }
  if (!splitter.isClosed) throw new Error('the JSON array is not closed: the file is incomplete')
  if (Buffer.concat(parts).toString().trim() !== '') throw new Error('the file has text after the JSON array')
}

/** @throws Error if the array does not end, or if anything follows it. */
export async function* readJsonArray(transfer: Transfer, input: CommandStreams['input']): AsyncGenerator<FileLine> {
  let number = 0
  for await (const bytes of elementsOf(input)) {
    const element = readJson(transfer, bytes, 'element')
    // There are spaces before the first element and in an empty array.
    if (element !== undefined) yield { number: (number += 1), ...element }
  }
}
