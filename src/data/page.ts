// Keyset pages of whole lists, and of rows by their parent: one statement for a level of the graph, however many parents.
import { cursorsOf, type Order, type Place } from '../lib/cursor.ts'
import { groupBy } from '../lib/group-by.ts'
import { cappedCount, MAX_COUNT, type Page, type PageRequest, type Window, windowOf } from '../lib/page.ts'
import { type Joined, joinedFields, joinOf, nest } from './joined-row.ts'
import type { Batch, Tenant } from './loader.ts'
import { Prisma } from './prisma/client.ts'
import { type Column, columnOf, selectList, type Table } from './row.ts'
import { limitTo, runStatement } from './statement.ts'

/** A page of one parent's rows. */
export interface PageKey<Filter> {
  /** The value of the parent column. Of a whole list, the id of its owner. */
  readonly parent: string
  readonly order: Order
  readonly request: PageRequest
  readonly filter: Filter
}

export interface RowList<Row, Filter> {
  /** The list's name in cursors, the same for a whole list and for the rows of one parent. */
  readonly name: string
  readonly table: Table<Row>
  /** Conditions on `child`, each with a leading AND; `Prisma.empty` for none. */
  readonly where: (filter: Filter) => Prisma.Sql
  /** Read with each row. Default: none. */
  readonly joined?: Joined
  /** True if the best plan depends on the filter's values, as `StatementOptions` says. Default: never. */
  readonly planForValues?: (filter: Filter) => boolean
}

/** Where the rows of a page come from. */
type Source =
  /** The rows of an owner, whose id is the parent. */
  | { readonly owner: 'environment_id' | 'organization_id' }
  /** Rows of the tenant's environment, by the column that refers to their parents. */
  | Column<string>

interface ListedRow {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/**
 * Conditions that columns equal the fields of a filter. Undefined fields match everything.
 *
 * @param types the SQL type of each field.
 */
export function equalTo<Filter extends object>(types: Readonly<Record<keyof Filter & string, string>>) {
  const fields = Object.keys(types) as (keyof Filter & string)[]
  return (filter: Filter): Prisma.Sql => {
    const given = fields.flatMap((field) => {
      const [column, value, type] = [Prisma.raw(`child.${columnOf(field)}`), filter[field], Prisma.raw(types[field])]
      return value === undefined ? [] : [Prisma.sql`AND ${column} = ${value}::${type}`]
    })
    return given.length === 0 ? Prisma.empty : Prisma.join(given, ' ')
  }
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
  column: Column<keyof Row & string>,
) => pageBatch<Row, Filter>(list, column)

function pageBatch<Row extends ListedRow, Filter>(
  list: RowList<Row, Filter>,
  source: Source,
): Batch<PageKey<Filter>, Page<Row>> {
  // The loader and the groups both ask for it.
  const texts = new WeakMap<PageKey<Filter>, string>()
  const windowText = (key: PageKey<Filter>) => {
    const text = texts.get(key) ?? JSON.stringify([key.order, key.request, key.filter])
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
          // The pages of other groups may be valid.
          for (const key of group) pages.set(key, error instanceof Error ? error : new Error(String(error)))
        }
      }
      // One statement reads the same window of many parents, but of one owner only.
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
  const { field } = sample.order
  const ownerId = 'owner' in source ? sample.parent : tenant.environmentId
  const cursors = cursorsOf({ name: list.name, ownerId }, field)
  const window = windowOf(cursors, sample.request)
  const sql = new ListSql(list, source, tenant, sample, group)
  const options = { planForValues: list.planForValues?.(sample.filter) ?? false }
  const rows = await runStatement<FoundRow<Row>>(tenant.db, sql.page(window), options)
  if (list.joined) for (const row of rows) nest(row, list.joined)
  const found = byParent(rows, window, sample.parent)
  let counting: Promise<CountedParent[]> | undefined
  const total = async (parent: string) => {
    const counts = await (counting ??= runStatement<CountedParent>(tenant.db, sql.count(), options))
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
          return cursors.encode({ at: row[field], id: row.id })
        },
        total: () => total(key.parent),
        // A list of an owner that is not the tenant's environment is written by other environments.
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
  /** Its parent. Absent in a whole list. */
  readonly parentKey?: string
  /** True if the list has rows before the cursor `after`. Absent without that cursor. */
  readonly hasPrevious?: boolean
  /** True if the list has rows after the cursor `before`. Absent without that cursor. */
  readonly hasNext?: boolean
}

interface CountedParent {
  readonly parentKey: string
  /** At most one more than `MAX_COUNT`. */
  readonly count: number
}

/**
 * The rows of each parent, in the order of the list, without the one that only tells if there are more.
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

type Comparison = '<' | '<=' | '>' | '>='

const opposites: Readonly<Record<Comparison, Comparison>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }

function comparisonOf(isGreater: boolean, inclusive: boolean): Comparison {
  if (isGreater) return inclusive ? '>=' : '>'
  return inclusive ? '<=' : '<'
}

/** The statements over the rows of a group's parents. Each is one statement for all parents. */
class ListSql<Row, Filter> {
  readonly #fields: Prisma.Sql
  readonly #order: Order
  readonly #column: Prisma.Sql
  /** The parents, as `parent("parentKey")`. */
  readonly #parents: Prisma.Sql
  readonly #isOwned: boolean
  readonly #table: Prisma.Sql
  readonly #join: Prisma.Sql
  readonly #where: Prisma.Sql
  /** The rows of one parent, as `child`. */
  readonly #rows: Prisma.Sql

  constructor(
    { table, where, joined }: RowList<Row, Filter>,
    source: Source,
    { environmentId }: Tenant,
    { order, filter, parent: owner }: PageKey<Filter>,
    group: readonly PageKey<Filter>[],
  ) {
    this.#order = order
    this.#column = Prisma.raw(`child.${columnOf(order.field)}`)
    this.#fields = joined
      ? Prisma.sql`${selectList(table, 'child')}, ${joinedFields(joined)}`
      : selectList(table, 'child')
    this.#isOwned = 'owner' in source
    this.#parents =
      'owner' in source
        ? Prisma.sql`(SELECT ${owner}::text AS "parentKey") AS parent`
        : Prisma.sql`unnest(${group.map(({ parent }) => parent)}::${Prisma.raw(source.type ?? 'text')}[]) AS parent("parentKey")`
    const ofParent =
      'owner' in source
        ? Prisma.sql`child.${Prisma.raw(source.owner)} = ${owner}::uuid`
        : Prisma.sql`child.environment_id = ${environmentId}::uuid AND child.${Prisma.raw(columnOf(source.field))} = "parentKey"`
    this.#table = Prisma.sql`FROM ${Prisma.raw(`"${table.name}"`)} AS child`
    this.#join = joined ? joinOf(joined) : Prisma.empty
    this.#where = Prisma.sql`WHERE ${ofParent} ${where(filter)}`
    this.#rows = Prisma.sql`${this.#table} ${this.#where}`
  }

  /** The rows of a window of each parent, in reading order, and one more if there are more. */
  page({ backwards, size, after, before, inclusive }: Window): Prisma.Sql {
    const isAscending = this.#order.direction === 'asc'
    const bounds = [
      ...(after ? [{ place: after, beyond: 'hasPrevious', within: comparisonOf(isAscending, inclusive) }] : []),
      ...(before ? [{ place: before, beyond: 'hasNext', within: comparisonOf(!isAscending, inclusive) }] : []),
    ]
    const flags = bounds.map(
      ({ place, beyond, within }) =>
        Prisma.sql`${this.#hasRow(opposites[within], place)} AS ${Prisma.raw(`"${beyond}"`)}`,
    )
    // Each column costs as much as the work on its rows, so those of a whole list do not repeat their owner.
    const columns = this.#isOwned ? flags : [Prisma.raw('"parentKey"'), ...flags]
    const conditions = bounds.map(({ place, within }) => this.#compared(within, place))
    // The limit is part of the text, because the plan depends on it.
    return Prisma.sql`
      WITH parent AS MATERIALIZED (SELECT ${sequence(columns, ', ')} FROM ${this.#parents})
      SELECT parent.*, page.*
      FROM parent LEFT JOIN LATERAL (
        SELECT ${this.#fields} ${this.#table} ${this.#join} ${this.#where} ${sequence(conditions)} ${this.#sorted(backwards)}
        ${limitTo(size + 1)}
      ) AS page ON true`
  }

  count(): Prisma.Sql {
    return Prisma.sql`
      SELECT "parentKey", counted.count
      FROM ${this.#parents}
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS count FROM (SELECT 1 ${this.#rows} ${limitTo(MAX_COUNT + 1)}) AS bounded
      ) AS counted`
  }

  #sorted(backwards = false): Prisma.Sql {
    const direction = Prisma.raw((this.#order.direction === 'asc') !== backwards ? 'ASC' : 'DESC')
    return Prisma.sql`ORDER BY ${this.#column} ${direction}, child.id ${direction}`
  }

  /** Rows on one side of a place. A comparison of rows, because an index scan can start at it. */
  #compared(comparison: Comparison, { at, id }: Place): Prisma.Sql {
    return Prisma.sql`AND (${this.#column}, child.id) ${Prisma.raw(comparison)} (${at}::timestamptz, ${id}::uuid)`
  }

  /** Not EXISTS, which ignores the order: the planner would expect to find a row early in a scan of the whole table. */
  #hasRow(comparison: Comparison, place: Place): Prisma.Sql {
    return Prisma.sql`(SELECT true ${this.#rows} ${this.#compared(comparison, place)} ${this.#sorted()} LIMIT 1) IS NOT NULL`
  }
}

/** Fragments one after the other. None is allowed. */
const sequence = (fragments: readonly Prisma.Sql[], separator = ' ') =>
  fragments.length === 0 ? Prisma.empty : Prisma.join([...fragments], separator)
