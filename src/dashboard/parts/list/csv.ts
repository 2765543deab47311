// A list as a CSV text.
import type { Column } from './column.ts'

/** The first characters of a formula. A spreadsheet would execute it, although it came from somebody else. */
const FORMULA = /^[=+\-@\t\r]/

/** A cell, quoted if necessary (RFC 4180). An apostrophe before a formula makes it a text. */
function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns the columns that have a text, with a header. Times are as in the graph: ISO 8601, in UTC. */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const exported = columns.flatMap(({ header, text }) => (text === undefined ? [] : [{ header, text }]))
  const lines = [
    exported.map(({ header }) => header),
    ...rows.map((row) => exported.map(({ text }) => String(text(row) ?? ''))),
  ]
  return lines.map((line) => `${line.map(cellOf).join(',')}\r\n`).join('')
}
