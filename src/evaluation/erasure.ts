// Removes persons from the columns of a row. The time is linear in their text, but a row may have megabytes of it.
import { createReplacer, type Marked, type Replacer } from '../lib/marks.ts'

export interface ErasedRow {
  /** The same object for all rows of a batch, so that the search is prepared once. */
  readonly persons: readonly Marked[]
  /** The indexes of persons that the row is about, even if it contains none of their own marks. */
  readonly about: readonly number[]
  readonly columns: readonly unknown[]
}

export interface RowWithoutPersons {
  /** The indexes of the persons that the row is about or names. If there are none, the columns are unchanged. */
  readonly persons: readonly number[]
  readonly columns: readonly unknown[]
}

const replacers = new WeakMap<readonly Marked[], Replacer>()

function replacerOf(persons: readonly Marked[]): Replacer {
  const found = replacers.get(persons) ?? createReplacer(persons)
  replacers.set(persons, found)
  return found
}

export function withoutPersons({ persons, about, columns }: ErasedRow): RowWithoutPersons {
  const { namedIn, replace } = replacerOf(persons)
  // Column by column, because column names are not text from callers.
  const found = new Set([...about, ...columns.flatMap((column) => [...namedIn(column)])])
  if (found.size === 0) return { persons: [], columns }
  return { persons: [...found], columns: columns.map((column) => replace(column, found)) }
}
