// The rows of a file that cannot be imported: the first ones to show, their reasons, and all of them as a CSV file.
import type { CsvFile, Row } from './csv-file.ts'

/** Maximum rows on the screen. The file has all of them. */
const SHOWN = 100

/** Maximum reasons that are counted separately. */
const REASONS = 20

export interface FaultyRow extends Row {
  readonly message: string
}

export interface Faulty {
  readonly count: number
  /** The first rows. */
  readonly shown: readonly FaultyRow[]
  /** The number of rows by reason, the most frequent one first. Null for all further reasons. */
  readonly reasons: readonly (readonly [message: string | null, count: number])[]
  /** All rows as CSV, in the columns of the file and one more with the reason. */
  readonly file: Blob
}

export const noneFaulty: Faulty = { count: 0, shown: [], reasons: [], file: new Blob() }

/** Collects faulty rows. Only the first ones stay in memory: the browser may keep the file elsewhere. */
export class FaultyRows {
  readonly #csv: CsvFile
  readonly #reasons = new Map<string | null, number>()
  #faulty = noneFaulty

  constructor(csv: CsvFile) {
    this.#csv = csv
  }

  get faulty(): Faulty {
    return this.#faulty
  }

  async add(rows: readonly FaultyRow[]): Promise<void> {
    if (rows.length === 0) return
    const { default: papa } = await import('papaparse')
    const { header } = this.#csv
    const { count, shown, file } = this.#faulty
    for (const { message } of rows) {
      const reason = this.#reasons.has(message) || this.#reasons.size < REASONS ? message : null
      this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1)
    }
    const lines = rows.map(({ cells, message }) => [...header.map((_, column) => cells[column] ?? ''), message])
    const text = papa.unparse(count === 0 ? [[...header, 'problem'], ...lines] : lines)
    this.#faulty = {
      count: count + rows.length,
      shown: [...shown, ...rows].slice(0, SHOWN),
      reasons: [...this.#reasons].toSorted(([, one], [, other]) => other - one),
      file: new Blob(count === 0 ? [text] : [file, '\r\n', text]),
    }
  }
}
