// The formats of imports and exports.
import path from 'node:path'
import type { CommandStreams } from '../command.ts'
import type { Item, Transfer } from '../transfer.ts'
import { csvHeaderOf, csvOf, readCsv } from './csv.ts'
import { jsonLinesOf, readJsonLines } from './json-lines.ts'
import type { FileLine } from './line.ts'

export const formatNames = ['csv', 'jsonl'] as const
export type FormatName = (typeof formatNames)[number]

interface Format {
  /** Reads lines. Memory does not grow with their number. */
  readonly read: (transfer: Transfer, input: CommandStreams['input']) => AsyncGenerator<FileLine>
  /** Returns the lines of items. */
  readonly write: (transfer: Transfer, items: readonly Item[]) => string
  /** Returns what is before the first item. */
  readonly begin: (transfer: Transfer) => string
}

export const formats: Readonly<Record<FormatName, Format>> = {
  csv: { read: readCsv, write: csvOf, begin: csvHeaderOf },
  jsonl: { read: readJsonLines, write: jsonLinesOf, begin: () => '' },
}

/** Returns the format of a file by its name. Default: CSV. */
export const formatOfName = (file: string): FormatName =>
  ['.jsonl', '.ndjson', '.json'].includes(path.extname(file).toLowerCase()) ? 'jsonl' : 'csv'

/** Bytes of the beginning of a file that may stand before its first character: a byte order mark and spaces. */
const isIgnored = (byte: number) => [0xef, 0xbb, 0xbf, 0x20, 0x09, 0x0d, 0x0a].includes(byte)

/** Reads the format of a file from its first character. No header of a CSV file begins with a brace. */
export async function detectFormat(input: CommandStreams['input']) {
  const chunks = input[Symbol.asyncIterator]()
  const begun: Uint8Array[] = []
  let first: number | undefined
  while (first === undefined) {
    const next: IteratorResult<Uint8Array, unknown> = await chunks.next()
    if (next.done === true) break
    begun.push(next.value)
    first = next.value.find((byte) => !isIgnored(byte))
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield* begun
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const name: FormatName = first === '{'.charCodeAt(0) ? 'jsonl' : 'csv'
  return { name, input: whole() }
}
