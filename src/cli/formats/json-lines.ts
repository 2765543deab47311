// JSON Lines: one JSON object per line.
import type { CommandStreams } from '../command/command.ts'
import type { Item, Transfer } from '../transfers/transfer.ts'
import { readJson } from './json-object.ts'
import { type FileLine, MAX_LINE } from './line.ts'

const NEWLINE = 0x0a

/** Splits bytes into lines. Yields undefined for a line that is too long. */
async function* linesOf(input: CommandStreams['input']): AsyncGenerator<Buffer | undefined> {
  let parts: Uint8Array[] = []
  let length = 0
  const take = (part: Uint8Array) => {
    length += part.length
    if (length <= MAX_LINE) parts.push(part)
  }
  const end = () => {
    const line = length > MAX_LINE ? undefined : Buffer.concat(parts)
    parts = []
    length = 0
    return line
  }
  for await (const chunk of input) {
    let start = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, at))
      yield end()
      start = at + 1
    }
    take(chunk.subarray(start))
  }
  if (length > 0) yield end()
}

export async function* readJsonLines(transfer: Transfer, input: CommandStreams['input']): AsyncGenerator<FileLine> {
  let number = 0
  for await (const bytes of linesOf(input)) {
    number += 1
    const line = readJson(transfer, bytes, 'line')
    if (line !== undefined) yield { number, ...line }
  }
}

/** Returns the lines of items. */
export const jsonLinesOf = (_transfer: Transfer, items: readonly Item[]): string =>
  items.map((item) => `${JSON.stringify(item)}\n`).join('')
