// Lines of a file: an item each, or why there is none.
import type { Item, Transfer } from '../transfer.ts'

export interface FileLine {
  /** From 1. For a record of several lines, the last one. */
  readonly number: number
  /** Undefined if the line is invalid. */
  readonly item?: Item
  /** Why the line is invalid. */
  readonly problem?: string
}

/** Characters of a line of CSV, bytes of a line of JSON. A longer one has a quote that is not closed, or is not text. */
export const MAX_LINE = 1024 * 1024

/** The replacement character of a decoder for bytes that are not UTF-8. */
export const REPLACEMENT = '\uFFFD'

/** Returns why the fields are not those of an item, or undefined. */
export function fieldProblem({ columns }: Pick<Transfer, 'columns'>, names: readonly string[]): string | undefined {
  const known = Object.keys(columns)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) return `${JSON.stringify(unknown)} is unknown: the fields are ${known.join(', ')}`
  const missing = known.find((name) => columns[name]?.required === true && !names.includes(name))
  return missing === undefined ? undefined : `${missing} is required`
}
