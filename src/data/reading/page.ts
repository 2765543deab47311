// Keyset pages of whole lists, and of rows by their parent. One statement reads a level of the graph, however many
// parents there are.
import { cursorsOf, isTextField } from '../../lib/cursor.ts'
import { groupBy } from '../../lib/group-by.ts'
import { cappedCount, type Page, type Window, windowOf } from '../../lib/page.ts'
import { nest } from './joined-row.ts'
import { hasSeveral } from './filter-parts.ts'
import type { Batch, Tenant } from './loader.ts'
import { Prisma } from '../prisma/client.ts'
import { ListSql, type PageKey, type RowList, SORT_TEXT, type Source } from './row-list.ts'
import { columnOf } from '../statement/table.ts'
import { sql } from '../statement/statement.ts'

interface ListedRow {
  readonly id: string
  /** The text by which the list sorts. Only in an order by text. */
  readonly [SORT_TEXT]?: string
  readonly createdAt: Date
  /** Absent from rows that never change. */
  readonly updatedAt?: Date
}

/** The condition that a column has one of these values. @param type in SQL. */
export const oneOf = (column: Prisma.Sql, values: readonly unknown[], type = Prisma.sql`text`): Prisma.Sql =>
  values.length === 1
    ? Prisma.sql`${column} = ${values[0]}::${type}`
    : Prisma.sql`${column} = ANY (${values}::${type}[])`

/** The condition that a column with a JSON list has an object with one of these values. */
export const containsOneOf = (column: Prisma.Sql, field: string, values: readonly string[]): Prisma.Sql =>
  Prisma.sql`${column} @> ANY (${values.map((value) => JSON.stringify([{ [field]: value }]))}::text[]::jsonb[])`

/**
 * Conditions that columns equal the fields of a filter, or one of the values of a list. Undefined fields match everything.
 *
 * @param types the SQL type of each field. A list in the field of an array is one value.
 */
export function equalTo<Filter extends object>(types: Readonly<Record<keyof Filter & string, string>>) {
  const fields = Object.keys(types) as (keyof Filter & string)[]
  return (filter: Filter): Prisma.Sql => {
    const given = fields.flatMap((field) => {
      const [column, value, type] = [Prisma.raw(`child.${columnOf(field)}`), filter[field], Prisma.raw(types[field])]
      if (value === undefined) return []
      if (!Array.isArray(value) || types[field].endsWith('[]')) return [Prisma.sql`AND ${column} = ${value}::${type}`]
      return [Prisma.sql`AND ${oneOf(column, value, type)}`]
    })
    return given.length === 0 ? Prisma.empty : Prisma.join(given, ' ')
  }
}

/**
 * The condition that a row has exactly these contexts, with a leading AND.
 *
 * @param filter its context keys are sorted, without duplicates.
 * @param isPartial true if the index of contexts only has the rows with contexts.
 */
export const inContexts = (
  { contextKeys }: { readonly contextKeys?: readonly string[] | undefined },
  isPartial = false,
): Prisma.Sql => {
  if (contextKeys === undefined) return Prisma.empty
  const equal = Prisma.sql`AND child.context_keys = ${[...contextKeys]}::text[]`
  return isPartial && contextKeys.length > 0 ? Prisma.sql`${equal} AND child.context_keys <> '{}'` : equal
}

/** Pages of a whole list, by environment id. */
export const environmentPages = <Row extends ListedRow, Filter>(list: RowList<Row, Filter>) =>
  pageBatch<Row, Filter>(list, { owner: 'environment_id' })

/** Pages of a whole list, by organization id. */
export const organizationPages = <Row extends ListedRow, Filter>(list: RowList<Row, Filter>) =>
  pageBatch<Row, Filter>(list, { owner: 'organization_id' })

/** Pages of rows by the value of the column that refers to their parent. */
export const pagesBy = <Row extends ListedRow, Filter>(
  list: RowList<Row, Filter>,
  column: Exclude<Source, { owner: unknown }>,
) => pageBatch<Row, Filter>(list, column)

function pageBatch<Row extends ListedRow, Filter>(
  list: RowList<Row, Filter>,
  source: Source,
): Batch<PageKey<Filter>, Page<Row>> {
  // Cached, because both the loader and the groups need it.
  const texts = new WeakMap<PageKey<Filter>, string>()
  const windowText = (key: PageKey<Filter>) => {
    const text = texts.get(key) ?? JSON.stringify([key.orderBy, key.page, key.filter])
    texts.set(key, text)
    return text
  }
  const cacheKey = (key: PageKey<Filter>) => `${windowText(key)}${key.parent}`
  return {
    cacheKey,
    async load(tenant, keys) {
      const pages = new Map<PageKey<Filter>, Page<Row> | Error>()
      const read = async (group: PageKey<Filter>[]) => {
        try {
          for (const [key, page] of await readGroup<Row, Filter>(list, source, tenant, group)) pages.set(key, page)
        } catch (error) {
          // The pages of other groups may still be valid.
          for (const key of group) pages.set(key, error instanceof Error ? error : new Error(String(error)))
        }
      }
      // One statement can read the same window for many parents, but only for one owner.
      const groups = groupBy(keys, 'owner' in source ? cacheKey : windowText)
      await Promise.all(Array.from(groups.values(), read))
      return keys.map((key) => pages.get(key) ?? new Error(`no page was read for a parent of ${list.name}`))
    },
  }
}

async function readGroup<Row extends ListedRow, Filter>(
  list: RowList<Row, Filter>,
  source: Source,
  tenant: Tenant,
  group: readonly PageKey<Filter>[],
): Promise<[PageKey<Filter>, Page<Row>][]> {
  const [sample] = group
  if (sample === undefined) return []
  const { field } = sample.orderBy
  const ownerId = 'owner' in source ? sample.parent : tenant.environmentId
  const cursors = cursorsOf({ name: list.name, ownerId }, field)
  const window = windowOf(cursors, sample.page)
  const texts = new ListSql(list, source, tenant, sample, group)
  const isSplit = list.parts !== undefined && hasSeveral(sample.filter)
  const options = { planForValues: isSplit || (list.planForValues?.(sample.filter) ?? false) }
  // Without the number of skipped rows, a plan would be for a tenth of all rows.
  const planForValues = options.planForValues || window.skip > 0
  const rows = await sql<FoundRow<Row>>(tenant.db, `${list.name}.page`, { planForValues })`${texts.page(window)}`
  if (list.joined) for (const row of rows) nest(row, list.joined)
  const found = byParent(rows, window, sample.parent)
  let counting: Promise<CountedParent[]> | undefined
  const total = async (parent: string) => {
    const counts = await (counting ??= sql<CountedParent>(tenant.db, `${list.name}.count`, options)`${texts.count()}`)
    return cappedCount(counts.find(({ parentKey }) => parentKey === parent)?.count ?? 0)
  }
  return group.map((key) => {
    const { rows, hasNext, hasPrevious } = found.get(key.parent) ?? { rows: [], hasNext: false, hasPrevious: false }
    return [
      key,
      {
        rows,
        hasNext,
        hasPrevious,
        cursorAt(index) {
          const row = rows[index]
          if (row === undefined) throw new Error(`the page has no row ${index}`)
          // A list without times of changes has no order by them.
          const at = isTextField(field) ? (row[SORT_TEXT] ?? '') : (row[field] ?? row.createdAt)
          return cursors.encode({ at, id: row.id })
        },
        total: () => total(key.parent),
        // If the list has another owner, other environments write to it too.
        countKey:
          ownerId === tenant.environmentId
            ? JSON.stringify([list.table.name, source, key.parent, key.filter])
            : undefined,
      },
    ]
  })
}

/** A row of a page. Null for a parent without rows in the window. */
type FoundRow<Row> = (Row | { readonly id: null }) & {
  /** The row's parent. Absent in a whole list. */
  readonly parentKey?: string
  /** True if the list has rows before the cursor `after`. Absent without that cursor. */
  readonly hasPrevious?: boolean
  /** True if the list has rows after the cursor `before`. Absent without that cursor. */
  readonly hasNext?: boolean
}

interface CountedParent {
  readonly parentKey: string
  /** At most `MAX_COUNT + 1`. */
  readonly count: number
}

/**
 * The rows of each parent, in the order of the list, without the extra row that shows whether there are more.
 *
 * @param owner the parent of rows without one.
 */
function byParent<Row extends ListedRow>(rows: readonly FoundRow<Row>[], { size, backwards }: Window, owner: string) {
  const parents = new Map<string, { rows: Row[]; hasNext: boolean; hasPrevious: boolean }>()
  for (const row of rows) {
    const { parentKey = owner, hasNext = false, hasPrevious = false } = row
    const found = parents.get(parentKey) ?? { rows: [], hasNext, hasPrevious }
    parents.set(parentKey, found)
    if (row.id === null) continue
    if (found.rows.length < size) found.rows.push(row)
    else found[backwards ? 'hasPrevious' : 'hasNext'] = true
  }
  if (backwards) for (const found of parents.values()) found.rows.reverse()
  return parents
}
