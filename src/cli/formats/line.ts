// Lines of a file: each is an item, or the reason why the line is invalid.
import type { Item, Transfer } from '../transfers/transfer.ts'

export interface FileLine {
  /** Counted from 1. For a record with several lines, the last one. */
  readonly number: number
  /** Undefined if the line is invalid. */
  readonly item?: Item
  /** Why the line is invalid. */
  readonly problem?: string
}

/**
 * Maximum characters of a CSV line and bytes of a JSON line. A longer line has a quote that is not closed, or is not
 * text.
 */
export const MAX_LINE = 1024 * 1024

/** The replacement character of a decoder for bytes that are not UTF-8. */
export const REPLACEMENT = '\uFFFD'

/** Returns why an item's fields are invalid, or undefined if they are valid. */
export function fieldProblem({ columns }: Pick<Transfer, 'columns'>, names: readonly string[]): string | undefined {
  const known = Object.keys(columns)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) return `${JSON.stringify(unknown)} is unknown: the fields are ${known.join(', ')}`
  const missing = known.find((name) => columns[name]?.required === true && !names.includes(name))
  return missing === undefined ? undefined : `${missing} is required`
}
