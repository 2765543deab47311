// The columns of an import: which field each column fills, and how its cells are read. The gateway checks the values.
import { parseJsonObject } from '../../../parts/form/json-object.ts'
import { channelInputs, type ProviderId } from './import-credentials.ts'
import type { Item } from './import-mutation.ts'

/** The fields, which are the same as in the command line. */
export const fields = [
  'subscriberId',
  'firstName',
  'lastName',
  'email',
  'phone',
  'avatar',
  'locale',
  'timezone',
  'data',
  'channels',
] as const

export type Field = (typeof fields)[number]

/** The field of each column of the file, or null for a column that is left out. */
export type Mapping = readonly (Field | null)[]

const bare = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')

/** Returns the field that matches the name of each column, ignoring case and punctuation. */
export function mappingOf(header: readonly string[]): Mapping {
  const found = header.map((name) => fields.find((field) => bare(field) === bare(name)) ?? null)
  return found.map((field, index) => (found.indexOf(field) === index ? field : null))
}

/** Returns why the mapping is invalid, or null. */
export function mappingError(mapping: Mapping): string | null {
  const twice = fields.find((field) => mapping.filter((other) => other === field).length > 1)
  if (twice !== undefined) return `Two columns fill ${twice}. Choose another field for one of them.`
  return mapping.includes('subscriberId') ? null : 'Choose the column that has the subscriberId.'
}

export interface CellProblem {
  /** The position of the column. Null for an error of the whole row. */
  readonly column: number | null
  readonly message: string
}

/** The replacement character for bytes that are not UTF-8. */
const REPLACEMENT = '�'

type Read = { readonly item: Item } | { readonly problems: readonly [CellProblem, ...CellProblem[]] }

/**
 * Reads a row. An empty cell has no value and leaves the field unchanged.
 *
 * @param header the names of the columns
 * @param providers all providers of the graph
 */
export function readRow(
  cells: readonly string[],
  header: readonly string[],
  mapping: Mapping,
  providers: readonly ProviderId[],
): Read {
  if (cells.length !== header.length) {
    return { problems: [{ column: null, message: `has ${cells.length} cells, the header has ${header.length}` }] }
  }
  const problems: CellProblem[] = []
  const item: Item = { subscriberId: '' }
  for (const [column, field] of mapping.entries()) {
    const cell = cells[column] ?? ''
    if (field === null || cell === '') continue
    if (cell.includes(REPLACEMENT)) {
      problems.push({ column, message: 'must be UTF-8: save the file as “CSV UTF-8”' })
      continue
    }
    try {
      if (field === 'data') item[field] = parseJsonObject(cell)
      else if (field === 'channels') item[field] = channelInputs(cell, providers)
      else item[field] = cell
    } catch (error) {
      problems.push({ column, message: `must be JSON: ${error instanceof Error ? error.message : String(error)}` })
    }
  }
  const [first, ...others] = problems
  return first === undefined ? { item } : { problems: [first, ...others] }
}
