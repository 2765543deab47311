// Lists of rows: the sources of their rows, and the statements that read a window of a list and count it.
import { isTextField, MAX_SORT_TEXT, type Order, type Place, type TextField } from '../../lib/cursor.ts'
import { MAX_COUNT, type PageRequest, type Window } from '../../lib/page.ts'
import { type Joined, joinedFields, joinOf } from './joined-row.ts'
import type { Tenant } from './loader.ts'
import { Prisma } from '../prisma/client.ts'
import type { Column } from './row.ts'
import { columnOf, selectList, type Table } from '../statement/table.ts'
import { limitTo } from '../statement/statement.ts'

/** A page of one parent's rows. */
export interface PageKey<Filter> {
  /** The value of the parent column. For a whole list, the id of its owner. */
  readonly parent: string
  readonly orderBy: Order
  readonly page: PageRequest
  readonly filter: Filter
}

/** Rows that an index has in the order of the list: tables, including the list's own as `child`, and conditions. */
export interface Branch {
  /** The FROM clause, without the keyword. */
  readonly from: Prisma.Sql
  /** Conditions besides those of the list, each with a leading AND. */
  readonly where: Prisma.Sql
  /**
   * Columns of another table that equal `child.created_at` and `child.id` in each row, in SQL, if an index of that
   * table has the rows in the order of creation. Default: the columns of `child`.
   */
  readonly key?: { readonly createdAt: string; readonly id: string }
}

export interface RowList<Row, Filter> {
  /** The list's name in cursors, the same for a whole list and for the rows of one parent. */
  readonly name: string
  readonly table: Table<Row>
  /**
   * The texts by which the list sorts, in SQL: columns of `child`, never null. An index has `sortText` of each. Default:
   * none.
   */
  readonly texts?: Readonly<Partial<Record<TextField, string>>>
  /** Conditions on `child`, each with a leading AND; `Prisma.empty` for none. */
  readonly where: (filter: Filter, tenant: Tenant) => Prisma.Sql
  /** Filters that match parts of the rows of a filter. The pages of the parts are merged. Default: the filter. */
  readonly parts?: (filter: Filter, order: Order) => readonly Filter[]
  /** True if a row can be in several parts of a filter. Default: never. */
  readonly overlaps?: (filter: Filter) => boolean
  /** Disjoint parts of the list whose pages are merged. Default: the table. */
  readonly branches?: (filter: Filter, tenant: Tenant, order: Order) => readonly Branch[]
  /** Another row that is read with each row. Default: none. */
  readonly joined?: Joined
  /** True if the best plan depends on the filter's values (see `StatementOptions`). Default: never. */
  readonly planForValues?: (filter: Filter) => boolean
}

/** The source of the rows of a page. */
export type Source =
  /** The rows of an owner. The parent is the owner's id. */
  | { readonly owner: 'environment_id' | 'organization_id' }
  /**
   * Rows of the tenant's environment, by the column that refers to their parents. The column belongs to `child` or
   * another table.
   */
  | (Column<string> & { readonly of?: string })
  /** Rows with exactly one context. The parent is its key. `isPartial` if the index only has the rows with contexts. */
  | { readonly by: 'context'; readonly isPartial?: boolean }

/** The column of a page with the text by which its rows are sorted. */
export const SORT_TEXT = 'sortText'

/**
 * The value by which a list sorts a text: case-insensitive, and otherwise by code point, so that both databases have the
 * same order. Indexes have the same expression.
 */
const sortText = (text: string): string => `left(lower(${text}), ${MAX_SORT_TEXT}) COLLATE "C"`

/** Limits on when rows were created. */
export interface CreatedWithin {
  /** The earliest time. */
  readonly createdAfter?: Date | undefined
  /** The time before which rows were created. */
  readonly createdBefore?: Date | undefined
}

/** The condition that a row belongs to `"parentKey"`. */
const isOf = (source: Exclude<Source, { owner: unknown }>): Prisma.Sql =>
  'by' in source
    ? Prisma.raw(
        `child.context_keys = ARRAY["parentKey"]${source.isPartial === true ? ` AND child.context_keys <> '{}'` : ''}`,
      )
    : Prisma.raw(`${source.of ?? 'child'}.${columnOf(source.field)} = "parentKey"`)

/** Conditions that a row was created within these limits, each with a leading AND. @param column in SQL. */
export function createdWithin({ createdAfter, createdBefore }: CreatedWithin, column = 'child.created_at'): Prisma.Sql {
  const created = Prisma.raw(column)
  return sequence([
    ...(createdAfter ? [Prisma.sql`AND ${created} >= ${createdAfter}::timestamptz`] : []),
    ...(createdBefore ? [Prisma.sql`AND ${created} < ${createdBefore}::timestamptz`] : []),
  ])
}

type Comparison = '<' | '<=' | '>' | '>='

const opposites: Readonly<Record<Comparison, Comparison>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }

function comparisonOf(isGreater: boolean, inclusive: boolean): Comparison {
  if (isGreater) return inclusive ? '>=' : '>'
  return inclusive ? '<=' : '<'
}

/** The statements for all parents of a group. Each is one statement. */
export class ListSql<Row, Filter> {
  readonly #fields: Prisma.Sql
  readonly #order: Order
  /** The type of the values by which the list sorts, in SQL. */
  readonly #type: 'timestamptz' | 'text'
  /** The parents, as `parent("parentKey")`. */
  readonly #parents: Prisma.Sql
  readonly #isOwned: boolean
  readonly #join: Prisma.Sql
  /** The rows of one parent, as `child`. */
  readonly #branches: readonly OrderedBranch[]
  /** True if several branches can have the same row. */
  readonly #overlaps: boolean

  constructor(
    { name, table, texts, where, branches, joined, parts, overlaps }: RowList<Row, Filter>,
    source: Source,
    tenant: Tenant,
    { orderBy, filter, parent: owner }: PageKey<Filter>,
    group: readonly PageKey<Filter>[],
  ) {
    this.#order = orderBy
    const text = isTextField(orderBy.field) ? texts?.[orderBy.field] : undefined
    if (isTextField(orderBy.field) && text === undefined) throw new Error(`${name} have no order by ${orderBy.field}`)
    this.#type = text === undefined ? 'timestamptz' : 'text'
    this.#fields = sequence(
      [
        selectList(table, 'child'),
        ...(joined ? [joinedFields(joined)] : []),
        ...(text === undefined ? [] : [Prisma.raw(`${sortText(text)} AS "${SORT_TEXT}"`)]),
      ],
      ', ',
    )
    this.#isOwned = 'owner' in source
    const type = 'type' in source ? source.type : 'text'
    this.#parents =
      'owner' in source
        ? Prisma.sql`(SELECT ${owner}::text AS "parentKey") AS parent`
        : Prisma.sql`unnest(${group.map(({ parent }) => parent)}::${Prisma.raw(type ?? 'text')}[]) AS parent("parentKey")`
    const ofParent =
      'owner' in source
        ? Prisma.sql`child.${Prisma.raw(source.owner)} = ${owner}::uuid`
        : Prisma.sql`child.environment_id = ${tenant.environmentId}::uuid AND ${isOf(source)}`
    this.#join = joined ? joinOf(joined, tenant.environmentId) : Prisma.empty
    const whole = [{ from: Prisma.raw(`"${table.name}" AS child`), where: Prisma.empty }]
    const filters = parts?.(filter, orderBy) ?? [filter]
    this.#branches = filters.flatMap((part) =>
      (branches?.(part, tenant, orderBy) ?? whole).map((branch) => ({
        from: Prisma.sql`FROM ${branch.from}`,
        where: Prisma.sql`WHERE ${ofParent} ${where(part, tenant)} ${branch.where}`,
        key: text === undefined ? keyOf(orderBy, branch) : ([sortText(text), 'child.id'] as const),
      })),
    )
    this.#overlaps = filters.length > 1 && (overlaps?.(filter) ?? false)
  }

  /** The window of each parent's rows, in reading order, plus one row if there are more. */
  page({ backwards, size, after, before, inclusive, skip }: Window): Prisma.Sql {
    const isAscending = this.#order.direction === 'asc'
    const bounds = [
      ...(after ? [{ place: after, beyond: 'hasPrevious', within: comparisonOf(isAscending, inclusive) }] : []),
      ...(before ? [{ place: before, beyond: 'hasNext', within: comparisonOf(!isAscending, inclusive) }] : []),
    ]
    const flags = bounds.map(
      ({ place, beyond, within }) =>
        Prisma.sql`${this.#hasRow(opposites[within], place)} AS ${Prisma.raw(`"${beyond}"`)}`,
    )
    // Each column costs as much as the work on its rows, so rows of a whole list do not repeat their owner.
    const columns = this.#isOwned ? flags : [Prisma.raw('"parentKey"'), ...flags]
    const direction = this.#direction(backwards)
    // The limit is part of the text, because the plan depends on it.
    const limit = limitTo(size + 1)
    // A number of skipped rows that is in the text would make a statement for each page.
    const skipped = skip === 0 ? limit : Prisma.sql`${limit} OFFSET ${skip}::int`
    const isMerged = this.#branches.length > 1
    const ofPart = !isMerged ? skipped : skip === 0 ? limit : Prisma.sql`LIMIT ${size + 1 + skip}::int`
    const parts = this.#branches.map(({ from, where, key }) => {
      const conditions = bounds.map(({ place, within }) => compared(key, this.#type, within, place))
      return Prisma.sql`SELECT ${this.#fields} ${from} ${this.#join} ${where} ${sequence(conditions)}
        ${sortedBy(key, direction)} ${ofPart}`
    })
    const [only] = parts
    const rows = only !== undefined && !isMerged ? only : this.#merged(parts, direction, skipped)
    return Prisma.sql`
      WITH parent AS MATERIALIZED (SELECT ${sequence(columns, ', ')} FROM ${this.#parents})
      SELECT parent.*, page.* FROM parent LEFT JOIN LATERAL (${rows}) AS page ON true`
  }

  count(): Prisma.Sql {
    const limit = limitTo(MAX_COUNT + 1)
    const [column, distinct] = this.#overlaps ? ['child.id', 'DISTINCT id'] : ['1', '1']
    const parts = this.#branches.map(
      ({ from, where }) => Prisma.sql`SELECT ${Prisma.raw(column)} ${from} ${where} ${limit}`,
    )
    const [only, ...others] = parts
    const rows =
      only !== undefined && others.length === 0
        ? only
        : Prisma.sql`SELECT ${Prisma.raw(distinct)} FROM (${united(parts)}) AS part ${limit}`
    return Prisma.sql`
      SELECT "parentKey", counted.count
      FROM ${this.#parents}
      CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (${rows}) AS bounded) AS counted`
  }

  /** The first rows of the branches. The first rows of each contain them, also if several branches have the same row. */
  #merged(parts: readonly Prisma.Sql[], direction: 'ASC' | 'DESC', limit: Prisma.Sql): Prisma.Sql {
    const at = this.#type === 'text' ? `"${SORT_TEXT}" COLLATE "C"` : `"${this.#order.field}"`
    const key = [at, 'id'] as const
    const distinct = this.#overlaps ? Prisma.raw(`DISTINCT ON (${key.join(', ')})`) : Prisma.empty
    return Prisma.sql`SELECT ${distinct} * FROM (${united(parts)}) AS part ${sortedBy(key, direction)} ${limit}`
  }

  #direction(backwards = false): 'ASC' | 'DESC' {
    return (this.#order.direction === 'asc') !== backwards ? 'ASC' : 'DESC'
  }

  /** Not EXISTS, which ignores the order: the planner would expect to find a row early in a scan of the whole table. */
  #hasRow(comparison: Comparison, place: Place): Prisma.Sql {
    const found = this.#branches.map(
      ({ from, where, key }) => Prisma.sql`(
        SELECT true ${from} ${where} ${compared(key, this.#type, comparison, place)} ${sortedBy(key, this.#direction())} LIMIT 1
      ) IS NOT NULL`,
    )
    return Prisma.sql`(${Prisma.join(found, ' OR ')})`
  }
}

/** The columns of a place in a list, in SQL. */
type Key = readonly [at: string, id: string]

/** A branch whose rows are in the order of the list. */
interface OrderedBranch extends Pick<Branch, 'from' | 'where'> {
  readonly key: Key
}

const keyOf = ({ field }: Order, { key }: Branch): Key =>
  field === 'createdAt' && key !== undefined ? [key.createdAt, key.id] : [`child.${columnOf(field)}`, 'child.id']

const sortedBy = ([at, id]: Key, direction: 'ASC' | 'DESC'): Prisma.Sql =>
  Prisma.raw(`ORDER BY ${at} ${direction}, ${id} ${direction}`)

/** Rows on one side of a position. Compares rows, because an index scan can start at a row. */
const compared = (key: Key, type: 'timestamptz' | 'text', comparison: Comparison, { at, id }: Place): Prisma.Sql =>
  Prisma.sql`AND (${Prisma.raw(key.join(', '))}) ${Prisma.raw(comparison)} (${at}::${Prisma.raw(type)}, ${id}::uuid)`

/** Statements that may have a LIMIT, one after the other. */
const united = (parts: readonly Prisma.Sql[]): Prisma.Sql =>
  Prisma.join(
    parts.map((part) => Prisma.sql`(${part})`),
    ' UNION ALL ',
  )

/** Fragments one after the other. None is allowed. */
const sequence = (fragments: readonly Prisma.Sql[], separator = ' ') =>
  fragments.length === 0 ? Prisma.empty : Prisma.join([...fragments], separator)
