// CSV (RFC 4180) with a header, separated by commas, semicolons or tabs. An empty cell has no value.
import { CsvError, type CsvErrorCode, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CommandStreams } from '../command/command.ts'
import type { Item, Transfer } from '../transfers/transfer.ts'
import { fieldProblem, type FileLine, MAX_LINE, REPLACEMENT } from './line.ts'
import { peek } from './peek.ts'

/** @throws Error that names a column that is unknown, missing or repeated. */
function checkHeader(transfer: Transfer, header: readonly string[]): string[] {
  const names = header.map((name) => name.trim())
  const twice = names.find((name, index) => names.indexOf(name) < index)
  const problem =
    twice === undefined ? fieldProblem(transfer, names) : `the column ${JSON.stringify(twice)} appears twice`
  if (problem !== undefined) throw new Error(`the header is invalid: ${problem}`)
  return names
}

const countOf = (list: unknown) => (Array.isArray(list) ? list.length : 0)

/** Replaces messages of the parser library. */
const problems: Partial<Record<CsvErrorCode, (error: CsvError) => string>> = {
  CSV_RECORD_INCONSISTENT_COLUMNS: ({ record, columns }) =>
    `the line has ${countOf(record)} fields, the header has ${countOf(columns)}`,
  CSV_MAX_RECORD_SIZE: () => `the line must be at most ${MAX_LINE} characters long: is a quote not closed?`,
}

const problemOf = (error: CsvError) => problems[error.code]?.(error) ?? error.message

/**
 * Cells that a spreadsheet would treat as a formula, such as `=HYPERLINK("…")`, are written with a leading apostrophe
 * and read without it. Cells that already begin like that get another one. Numbers and phone numbers need none, because
 * their value stays the same.
 */
const formula = /^'*[=+\-@\t\r]/
const plainNumber = /^[+-]?\d[\d .()-]*$/

const shielded = (cell: string) => (formula.test(cell) && !plainNumber.test(cell) ? `'${cell}` : cell)
const unshielded = (cell: string) => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

type Cells = Readonly<Record<string, string>>

/** Reads a record. */
function itemOf({ columns }: Transfer, cells: Cells): Omit<FileLine, 'number'> {
  const item: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(cells)) {
    const cell = unshielded(text)
    if (cell.includes(REPLACEMENT)) return { problem: `${name} must be UTF-8` }
    if (cell === '') continue
    try {
      item[name] = columns[name]?.json === true ? JSON.parse(cell) : cell
    } catch {
      return { problem: `${name} must be JSON` }
    }
  }
  const problem = fieldProblem({ columns }, Object.keys(item))
  return problem === undefined ? { item } : { problem }
}

interface Parsed {
  readonly record: Cells
  readonly info: { readonly lines: number }
}

/** The separators that spreadsheets write between cells. Column names do not contain them. */
const separators = [',', ';', '\t']
const NEWLINE = '\n'.charCodeAt(0)

/** Returns the most frequent separator in the header. */
function separatorOf(head: Buffer): string {
  const [header = ''] = head.toString('latin1').split('\n', 1)
  const counts = separators.map((separator) => ({ separator, count: header.split(separator).length }))
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).separator
}

/** @throws Error if the header is invalid, or a quote is not closed. */
export async function* readCsv(transfer: Transfer, input: CommandStreams['input']): AsyncGenerator<FileLine> {
  const skipped: FileLine[] = []
  const { head, input: whole } = await peek(input, (begun) => begun.includes(NEWLINE) || begun.length > MAX_LINE)
  const parser = parse({
    bom: true,
    delimiter: separatorOf(head),
    columns: (header: string[]) => checkHeader(transfer, header),
    info: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_LINE,
  })
  parser.on('skip', (error: CsvError) => skipped.push({ number: Number(error['lines']), problem: problemOf(error) }))
  // The reader below receives errors of the input.
  pipeline(Readable.from(whole), parser).catch(() => {})
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      yield* skipped.splice(0)
      yield { number: info.lines, ...itemOf(transfer, record) }
    }
  } catch (error) {
    throw error instanceof CsvError ? new Error(`line ${String(error['lines'])}: ${problemOf(error)}`) : error
  }
  yield* skipped
}

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  return typeof value === 'object' && Object.keys(value).length === 0 ? '' : JSON.stringify(value)
}

/** The columns of an export. */
const exported = ({ columns }: Transfer) => Object.keys(columns).filter((name) => columns[name]?.secret !== true)

export const csvHeaderOf = (transfer: Transfer): string => stringify([exported(transfer)])

/** Returns the lines of items. */
export const csvOf = (transfer: Transfer, items: readonly Item[]): string =>
  stringify(items.map((item) => exported(transfer).map((name) => shielded(cellOf(item[name])))))
