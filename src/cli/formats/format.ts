// The formats of imports and exports.
import path from 'node:path'
import type { CommandStreams } from '../command/command.ts'
import type { Item, Transfer } from '../transfers/transfer.ts'
import { readJsonArray } from './json-array.ts'
import { csvHeaderOf, csvOf, readCsv } from './csv.ts'
import { jsonLinesOf, readJsonLines } from './json-lines.ts'
import type { FileLine } from './line.ts'
import { peek } from './peek.ts'

export const formatNames = ['csv', 'jsonl'] as const
export type FormatName = (typeof formatNames)[number]

interface Format {
  /** Reads lines. Memory use does not depend on their number. */
  readonly read: (transfer: Transfer, input: CommandStreams['input']) => AsyncGenerator<FileLine>
  /** Returns the lines of items. */
  readonly write: (transfer: Transfer, items: readonly Item[]) => string
  /** Returns the text before the first item. */
  readonly begin: (transfer: Transfer) => string
}

export const formats: Readonly<Record<FormatName, Format>> = {
  csv: { read: readCsv, write: csvOf, begin: csvHeaderOf },
  jsonl: { read: readJsonLines, write: jsonLinesOf, begin: () => '' },
}

/** Returns the format of a file by its name. Default: CSV. */
export const formatOfName = (file: string): FormatName =>
  ['.jsonl', '.ndjson', '.json'].includes(path.extname(file).toLowerCase()) ? 'jsonl' : 'csv'

/** Maximum bytes before the first character of a file: a byte order mark and spaces. */
const isIgnored = (byte: number) => [0xef, 0xbb, 0xbf, 0x20, 0x09, 0x0d, 0x0a].includes(byte)

const firstOf = (begun: Buffer) => begun.find((byte) => !isIgnored(byte))

/** The lines of a file. */
interface Opened {
  /** The unit in which the file is counted: lines or elements. */
  readonly place: 'line' | 'element'
  readonly lines: AsyncGenerator<FileLine>
}

/**
 * Opens a file in the format that its first character shows: the header of a CSV file never begins with a brace or
 * bracket. @param given the format, if known.
 */
export async function openFormat(
  transfer: Transfer,
  input: CommandStreams['input'],
  given: FormatName | undefined,
): Promise<Opened> {
  const { head, input: whole } = await peek(input, (begun) => firstOf(begun) !== undefined)
  const first = String.fromCharCode(firstOf(head) ?? 0)
  if (first === '[' && given !== 'csv') return { place: 'element', lines: readJsonArray(transfer, whole) }
  const name = given ?? (first === '{' ? 'jsonl' : 'csv')
  return { place: 'line', lines: formats[name].read(transfer, whole) }
}
