// The file format of backups: lines of text, compressed with gzip. First comes a JSON line with the header. Each table
// follows as a JSON line with its columns, its rows in the text format of COPY, a line `\.` and a JSON line with the
// number of rows and their hash. The last line is the end, in JSON.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { type TableContent, RowSum, type StoredTable } from './dump.ts'

const FORMAT = 'notification-gateway backup'
const VERSION = 1

const header = z.object({
  format: z.literal(FORMAT),
  version: z.number().int(),
  /** The time at which the backup started. */
  createdAt: z.string(),
  /** The migrations that created the tables, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** The recorded encryption keys, without the keys themselves. */
  encryptionKeys: z.array(z.object({ id: z.string(), checkValue: z.string() })),
})
const table = z.object({ name: z.string(), columns: z.array(z.string()) })
const content = z.object({ rows: z.number().int(), hash: z.string() })
const end = z.object({
  /** The ids of the encryption keys that the rows need. */
  neededKeys: z.array(z.string()),
  tables: z.number().int(),
})

export type BackupHeader = Omit<z.output<typeof header>, 'format' | 'version'>
export type BackupEnd = Pick<z.output<typeof end>, 'neededKeys'>

const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`)
const END_OF_ROWS = Buffer.from('\\.\n')
const LINE_FEED = 0x0a
/** Bytes to read at a time. */
const CHUNK = 1024 * 1024

export interface TableDump {
  readonly table: StoredTable
  readonly rows: AsyncGenerator<Buffer, TableContent>
}

async function* encode(
  first: BackupHeader,
  dumps: Iterable<TableDump>,
  last: () => BackupEnd,
): AsyncGenerator<Buffer, void> {
  yield line({ format: FORMAT, version: VERSION, ...first })
  let tables = 0
  for (const { table, rows } of dumps) {
    yield line(table)
    const found = yield* rows
    yield END_OF_ROWS
    yield line(found)
    tables += 1
  }
  yield line({ ...last(), tables })
}

/** Writes a backup in compressed portions. @returns the number of bytes. */
export async function writeBackup(
  write: (portion: Buffer) => Promise<void>,
  first: BackupHeader,
  dumps: Iterable<TableDump>,
  last: () => BackupEnd,
): Promise<number> {
  let bytes = 0
  const target = new Writable({
    write(portion: Buffer, _encoding, done: (error?: Error | null) => void) {
      bytes += portion.length
      write(portion).then(() => done(), done)
    },
  })
  await pipeline(Readable.from(encode(first, dumps, last), { objectMode: true }), createGzip({ level: 4 }), target)
  return bytes
}

/** Splits a stream of bytes into pieces of whole lines, each with its line feed. */
async function* wholeLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let begun: Buffer[] = []
  for await (const chunk of source) {
    const at = chunk.lastIndexOf(LINE_FEED) + 1
    if (at === 0) {
      begun.push(chunk)
      continue
    }
    yield Buffer.concat([...begun, chunk.subarray(0, at)])
    begun = at < chunk.length ? [chunk.subarray(at)] : []
  }
  if (begun.length > 0) throw new Error('the backup is incomplete')
}

/** Receives the content of a backup. */
export interface BackupReader {
  readonly onHeader?: (header: BackupHeader) => Promise<void> | void
  readonly onTable?: (table: StoredTable) => Promise<void> | void
  /** Receives rows in text format, each with its line feed. */
  readonly onRows?: (rows: Buffer) => Promise<void> | void
  /** Called after a table's rows were compared with their recorded number and hash. */
  readonly onContent?: (table: StoredTable, content: TableContent) => Promise<void> | void
  /** Called after each chunk, with the number of bytes read so far and the size of the file. */
  readonly onBytes?: (read: number, all: number) => void
  readonly onEnd?: (end: BackupEnd) => Promise<void> | void
}

function parse<Value>(schema: z.ZodType<Value>, text: Buffer): Value {
  try {
    return schema.parse(JSON.parse(text.toString()))
  } catch (cause) {
    throw new Error('the file is not a backup, or it is damaged', { cause })
  }
}

function parseHeader(text: Buffer): BackupHeader {
  const { version, ...found } = parse(header, text)
  if (version !== VERSION) throw new Error(`the backup has the format ${version}; this version reads ${VERSION}`)
  return found
}

/** Reads the lines of a backup in order. */
class Decoder {
  readonly #reader: BackupReader
  #state: 'header' | 'table' | 'rows' | 'content' | 'end' = 'header'
  #table: StoredTable = { name: '', columns: [] }
  #sum = new RowSum()
  #tables = 0

  constructor(reader: BackupReader) {
    this.#reader = reader
  }

  get isComplete(): boolean {
    return this.#state === 'end'
  }

  /** @param lines whole lines. */
  async read(lines: Buffer): Promise<void> {
    for (let from = 0; from < lines.length;) {
      if (this.#state === 'rows') {
        from = await this.#readRows(lines, from)
      } else {
        const to = lines.indexOf(LINE_FEED, from) + 1
        await this.#readLine(lines.subarray(from, to))
        from = to
      }
    }
  }

  /** @returns the position at which the rows end. */
  async #readRows(lines: Buffer, start: number): Promise<number> {
    let from = start
    for (; from < lines.length;) {
      const to = lines.indexOf(LINE_FEED, from) + 1
      const row = lines.subarray(from, to)
      if (row.equals(END_OF_ROWS)) {
        this.#state = 'content'
        break
      }
      this.#sum.add(row)
      from = to
    }
    if (from > start) await this.#reader.onRows?.(lines.subarray(start, from))
    return this.#state === 'content' ? from + END_OF_ROWS.length : from
  }

  async #readLine(text: Buffer): Promise<void> {
    switch (this.#state) {
      case 'header':
        await this.#reader.onHeader?.(parseHeader(text))
        this.#state = 'table'
        return
      case 'table': {
        const found = parse(z.union([table, end]), text)
        if ('name' in found) await this.#beginTable(found)
        else await this.#end(found)
        return
      }
      case 'content': {
        const given = parse(content, text)
        const { rows, hash } = this.#sum.content()
        if (given.rows !== rows || given.hash !== hash)
          throw new Error(`the backup is damaged: the rows of ${this.#table.name} do not have their hash`)
        await this.#reader.onContent?.(this.#table, given)
        this.#state = 'table'
        return
      }
      default:
        throw new Error('the file is not a backup, or it is damaged')
    }
  }

  async #beginTable(found: StoredTable): Promise<void> {
    this.#table = found
    this.#sum = new RowSum()
    this.#tables += 1
    this.#state = 'rows'
    await this.#reader.onTable?.(found)
  }

  async #end(found: z.output<typeof end>): Promise<void> {
    if (found.tables !== this.#tables) throw new Error('the backup is damaged: it lacks a table')
    this.#state = 'end'
    await this.#reader.onEnd?.(found)
  }
}

/** @throws Error if the file is not a complete backup or has a newer format. */
export async function readBackupFile(file: string, reader: BackupReader): Promise<void> {
  const decoder = new Decoder(reader)
  const { size } = await stat(file)
  const source = createReadStream(file, { highWaterMark: CHUNK })
  const text = createGunzip({ chunkSize: CHUNK })
  source.on('error', (error) => text.destroy(error)).pipe(text)
  try {
    for await (const lines of wholeLines(text)) {
      await decoder.read(lines)
      reader.onBytes?.(source.bytesRead, size)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!code.startsWith('Z_')) throw error
    throw new Error('the file is not a backup, or it is damaged or incomplete', { cause: error })
  } finally {
    source.destroy()
    text.destroy()
  }
  if (!decoder.isComplete) throw new Error('the backup is incomplete')
}
