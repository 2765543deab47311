// A CSV file in the browser: read in portions, so that the page stays responsive.
import type { Parser, ParseResult } from 'papaparse'

/** Maximum size in bytes. The command line imports larger files. */
const MAX_FILE = 200 * 1024 * 1024

/** The length of a portion in characters. A longer line is an error. */
const PORTION = 1024 * 1024

/** Rows in the preview. */
const SAMPLE = 10

export interface Row {
  /** The number of the row in a spreadsheet, where the header is row 1. */
  readonly number: number
  readonly cells: readonly string[]
}

export interface CsvFile {
  readonly name: string
  readonly text: string
  readonly delimiter: string
  readonly header: readonly string[]
  /** The first rows after the header. */
  readonly sample: readonly Row[]
}

const isEmpty = (cells: readonly string[]) => cells.every((cell) => cell === '')

const rowsOf = (records: readonly string[][], before: number): Row[] =>
  records.flatMap((cells, index) => (isEmpty(cells) ? [] : [{ number: before + index + 1, cells }]))

/** Opens a file. @throws Error if it is too large, or has no header */
export async function openCsv(file: File): Promise<CsvFile> {
  if (file.size > MAX_FILE) {
    throw new Error('The file has more than 200 MiB. Import it with the command line: import subscribers.')
  }
  const [text, { default: papa }] = await Promise.all([file.text(), import('papaparse')])
  const { data, meta } = papa.parse<string[]>(text.slice(0, PORTION), {
    preview: SAMPLE + 1,
    delimitersToGuess: [',', ';', '\t', '|'],
  })
  const [header, ...records] = data
  if (header === undefined || isEmpty(header)) throw new Error('The file has no header: its first row is empty.')
  const names = header.map((name) => name.trim())
  return { name: file.name, text, delimiter: meta.delimiter, header: names, sample: rowsOf(records, 1) }
}

/** Takes rows. `done` is the fraction of the file that was read, from 0 to 1. Returns false to stop. */
type Take = (rows: readonly Row[], done: number) => Promise<boolean>

/**
 * Reads all rows after the header. @throws Error if a line is too long, usually because of a quote that is not closed
 */
export async function readRows({ text, delimiter }: CsvFile, take: Take): Promise<void> {
  const { default: papa } = await import('papaparse')
  await new Promise<void>((resolve, reject) => {
    let seen = 0
    papa.parse<string[]>(text, {
      delimiter,
      chunkSize: PORTION,
      chunk({ data, meta }: ParseResult<string[]>, parser: Parser) {
        parser.pause()
        const rows = rowsOf(data, seen).filter(({ number }) => number > 1)
        const tooLong = data.length === 0 && meta.cursor < text.length
        seen += data.length
        const taken = tooLong
          ? Promise.reject(new Error(`Row ${seen + 1} is longer than 1 MiB. Is a quote not closed?`))
          : take(rows, text.length === 0 ? 1 : Math.min(1, meta.cursor / text.length))
        taken.then(
          (goesOn) => {
            if (goesOn) {
              parser.resume()
              return
            }
            parser.abort()
            resolve()
          },
          (error: unknown) => {
            parser.abort()
            reject(error instanceof Error ? error : new Error(String(error)))
          },
        )
      },
      complete: () => resolve(),
    })
  })
}
