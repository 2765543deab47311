// JSON Lines: one JSON object a line.
import type { CommandStreams } from '../command.ts'
import type { Item, Transfer } from '../transfer.ts'
import { fieldProblem, type FileLine, MAX_LINE } from './line.ts'

const NEWLINE = 0x0a

/** Splits bytes into lines, without keeping one that is too long: it is undefined. */
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

const decoder = new TextDecoder('utf-8', { fatal: true })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a line. @returns undefined if it is empty. */
function read(transfer: Transfer, bytes: Buffer | undefined): Omit<FileLine, 'number'> | undefined {
  if (bytes === undefined) return { problem: `the line must be at most ${MAX_LINE} bytes long` }
  let text: string
  try {
    text = decoder.decode(bytes).trim()
  } catch {
    return { problem: 'the line must be UTF-8' }
  }
  if (text === '') return undefined
  const item = parsed(text)
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return { problem: 'the line must be a JSON object' }
  }
  const problem = fieldProblem(transfer, Object.keys(item))
  return problem === undefined ? { item: { ...item } } : { problem }
}

export async function* readJsonLines(transfer: Transfer, input: CommandStreams['input']): AsyncGenerator<FileLine> {
  let number = 0
  for await (const bytes of linesOf(input)) {
    number += 1
    const line = read(transfer, bytes)
    if (line !== undefined) yield { number, ...line }
  }
}

/** Returns the lines of items. */
export const jsonLinesOf = (_transfer: Transfer, items: readonly Item[]): string =>
  items.map((item) => `${JSON.stringify(item)}\n`).join('')
