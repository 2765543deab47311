// Deletes everything that matches a filter, in portions.
import { z } from 'zod'
import { refuse } from '../../lib/errors.ts'
import { MAX_COUNT, MAX_PAGE_SIZE, type Page } from '../../lib/page.ts'
import type { Scope } from './scope.ts'

/** Objects to delete in one transaction. */
const PORTION = MAX_PAGE_SIZE
/** Maximum objects that one call deletes. */
export const MAX_DELETED = 1_000
/** Maximum objects that are counted. */
export const MAX_DELETION_COUNT = MAX_COUNT

export interface DeletedAll {
  /** The number of objects that are deleted now. In a dry run, the number of those that would be. */
  readonly deleted: number
  /** The number of matching objects that are left, counted up to `MAX_DELETION_COUNT`. In a dry run, all that match. */
  readonly remaining: number
}

interface Deletion<Row> {
  /** Reads the oldest objects that match. */
  readonly find: (scope: Scope, first: number) => Promise<Pick<Page<Row>, 'rows' | 'total'>>
  /** Deletes them in one transaction, and returns how many there were. */
  readonly remove: (scope: Scope, rows: readonly Row[]) => Promise<number>
}

/** The input schema of a dry run. */
export const dryRun = z.boolean().nullish()

/**
 * Without a condition, a filter that someone forgot would delete everything. So would an empty search, which matches
 * everything.
 *
 * @throws Refusal `INVALID`
 */
export function assertCondition(filter: object): void {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  if (given.length === 0) throw refuse('INVALID', 'filter must have at least one field', 'filter')
  for (const [field, value] of given) {
    if (value === '') throw refuse('INVALID', `filter.${field} must not be empty`, ['filter', field], value)
  }
}

/** Deletes at most `MAX_DELETED`, oldest first, or only counts. A call that is interrupted is continued by the next. */
export async function deleteMatching<Row>(
  scope: Scope,
  isDryRun: boolean | null | undefined,
  { find, remove }: Deletion<Row>,
): Promise<DeletedAll> {
  let deleted = 0
  for (let met = 0; isDryRun !== true && met < MAX_DELETED; met += PORTION) {
    const size = await scope.transaction(async (inner) => {
      const { rows } = await find(inner, PORTION)
      if (rows.length > 0) deleted += await remove(inner, rows)
      return rows.length
    })
    if (size < PORTION) return { deleted, remaining: 0 }
  }
  const { total } = await find(scope, 0)
  const { count: remaining } = await total()
  return { deleted: isDryRun === true ? remaining : deleted, remaining }
}
