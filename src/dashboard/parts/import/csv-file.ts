// A CSV file in the browser: read in portions, so that the page stays responsive and never holds the whole file.

/** Maximum size in bytes. The command line imports larger files. */
const MAX_FILE = 200 * 1024 * 1024

/** The size of a portion in bytes. */
const PORTION = 256 * 1024

/** The maximum length of a row in characters. */
const MAX_ROW = 1024 * 1024

/** Rows in the preview. */
const SAMPLE = 10

export interface Row {
  /** The number of the row in a spreadsheet, where the header is row 1. */
  readonly number: number
  readonly cells: readonly string[]
}

type Newline = '\r\n' | '\n' | '\r'

export interface CsvFile {
  readonly name: string
  readonly file: Blob
  readonly delimiter: string
  readonly newline: Newline
  readonly header: readonly string[]
  /** The first rows after the header. */
  readonly sample: readonly Row[]
}

/** Rows, and the fraction of the file that was read so far, from 0 to 1. */
export interface Portion {
  readonly rows: readonly Row[]
  readonly done: number
}

const isEmpty = (cells: readonly string[]) => cells.every((cell) => cell === '')

const rowsOf = (records: readonly string[][], before: number): Row[] =>
  records.flatMap((cells, index) => (isEmpty(cells) ? [] : [{ number: before + index + 1, cells }]))

/** Papa loads only when someone chooses a file. */
const loadPapa = async () => (await import('papaparse')).default

const newlines: readonly Newline[] = ['\r\n', '\n', '\r']

/** Opens a file. @throws Error if it is too large, or has no header */
export async function openCsv(file: File): Promise<CsvFile> {
  if (file.size > MAX_FILE) {
    throw new Error('The file has more than 200 MiB. Import it with the command line.')
  }
  const [beginning, papa] = await Promise.all([file.slice(0, MAX_ROW).arrayBuffer(), loadPapa()])
  const text = new TextDecoder().decode(beginning)
  const { data, meta } = papa.parse<string[]>(text, {
    preview: SAMPLE + 1,
    delimitersToGuess: [',', ';', '\t', '|'],
  })
  const [header, ...records] = data
  if (header === undefined || isEmpty(header)) throw new Error('The file has no header: its first row is empty.')
  return {
    name: file.name,
    file,
    delimiter: meta.delimiter,
    newline: newlines.find((newline) => newline === meta.linebreak) ?? '\n',
    header: header.map((name) => name.trim()),
    sample: rowsOf(records, 1),
  }
}

/** The records of a text, and the position after each. */
async function recordsIn(text: string, { delimiter, newline }: CsvFile) {
  const papa = await loadPapa()
  const records: string[][] = []
  const ends: number[] = []
  papa.parse<string[]>(text, {
    delimiter,
    newline,
    step({ data, meta }) {
      records.push(data)
      ends.push(meta.cursor)
    },
  })
  return { records, ends }
}

/**
 * Reads all rows after the header, one portion after the other.
 *
 * @throws Error if a row is too long, usually because of a quote that is not closed, or if the file has changed
 */
export async function* readRows(csv: CsvFile): AsyncGenerator<Portion> {
  const { file } = csv
  const decoder = new TextDecoder()
  let text = ''
  let before = 0
  for (let offset = 0; offset < file.size; offset += PORTION) {
    const isLast = offset + PORTION >= file.size
    text += decoder.decode(await file.slice(offset, offset + PORTION).arrayBuffer(), { stream: !isLast })
    const { records, ends } = await recordsIn(text, csv)
    if (!isLast) {
      // The next portion continues the last record.
      records.pop()
      text = text.slice(ends.at(-2) ?? 0)
      if (text.length > MAX_ROW)
        throw new Error(`Row ${before + records.length + 1} is longer than 1 MiB. Is a quote not closed?`)
    }
    const rows = rowsOf(records, before).filter(({ number }) => number > 1)
    before += records.length
    yield { rows, done: isLast ? 1 : (offset + PORTION) / file.size }
  }
}
