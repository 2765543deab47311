// Keyset pages of rows by their parent: one statement per level of the graph, however many parents there are. The
// environment is the parent of a whole list.
import { groupBy } from '../lib/group-by.ts'
import { cappedCount, MAX_COUNT, type Order, type Page, type PageRequest, windowOf } from '../lib/page.ts'
import type { Batch, Tenant } from './loader.ts'
import { type Bound, boundsOf, isGreater, pageFrom } from './page.ts'
import { Prisma } from './prisma/client.ts'

/** A page of one parent's children. */
export interface ChildPageKey<Filter> {
  /** The value of the parent column. */
  readonly parent: string
  readonly order: Order
  readonly request: PageRequest
  readonly filter: Filter
}

export interface ChildList<Filter> {
  /** The list's name in cursors, the same as in the root list: its table's name in camelCase. */
  readonly name: string
  /** The column that refers to the parent. */
  readonly parentColumn: string
  /** The type of that column. Defaults to `text`. */
  readonly parentType?: 'text' | 'uuid'
  /** Prisma's names of the fields to read. Each is its column's name in camelCase. */
  readonly fields: readonly string[]
  /** Conditions on `child`, each with a leading AND; `Prisma.empty` for none. */
  readonly where: (filter: Filter) => Prisma.Sql
}

const snakeCase = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The table of a list. The name must come from the code, never from a caller. */
const tableOf = ({ name }: Pick<ChildList<never>, 'name'>) => snakeCase(name)

/** A select list that names columns by their fields. The names must come from the code, never from a caller. */
export function selectFields(fields: readonly string[], alias: string): Prisma.Sql {
  return Prisma.raw(fields.map((field) => `${alias}."${snakeCase(field)}" AS "${field}"`).join(', '))
}

interface ChildRow {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Groups keys that ask for the same window of different parents. */
function groupByWindow<Filter>(keys: readonly ChildPageKey<Filter>[]): ChildPageKey<Filter>[][] {
  return [...groupBy(keys, ({ order, request, filter }) => JSON.stringify([order, request, filter])).values()]
}

/** A batch of pages, which mean the same as those of the root list. */
export function childPageBatch<Row extends ChildRow, Filter>(
  list: ChildList<Filter>,
): Batch<ChildPageKey<Filter>, Page<Row>> {
  const cacheKey = (key: ChildPageKey<Filter>) => JSON.stringify(key)
  return {
    cacheKey,
    async load(tenant, keys) {
      const pages = new Map<string, Page<Row> | Error>()
      const read = async (group: readonly ChildPageKey<Filter>[]) => {
        try {
          for (const [key, page] of await readGroup<Row, Filter>(list, tenant, group)) pages.set(cacheKey(key), page)
        } catch (error) {
          // The pages of other groups may be valid.
          for (const key of group) pages.set(cacheKey(key), error instanceof Error ? error : new Error(String(error)))
        }
      }
      await Promise.all(groupByWindow(keys).map(read))
      return keys.map((key) => pages.get(cacheKey(key)) ?? new Error(`no page was read for a parent of ${list.name}`))
    },
  }
}

/** Pages of a whole list, by environment id. */
export function environmentPageBatch<Row extends ChildRow, Filter>(
  list: Omit<ChildList<Filter>, 'parentColumn' | 'parentType'>,
): Batch<ChildPageKey<Filter>, Page<Row>> {
  return childPageBatch({ ...list, parentColumn: 'environment_id', parentType: 'uuid' })
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
      const [column, value, type] = [Prisma.raw(`child."${snakeCase(field)}"`), filter[field], Prisma.raw(types[field])]
      return value === undefined ? [] : [Prisma.sql`AND ${column} = ${value}::${type}`]
    })
    return given.length === 0 ? Prisma.empty : Prisma.join(given, ' ')
  }
}

async function readGroup<Row extends ChildRow, Filter>(
  list: ChildList<Filter>,
  tenant: Tenant,
  group: readonly ChildPageKey<Filter>[],
): Promise<[ChildPageKey<Filter>, Page<Row>][]> {
  const [sample] = group
  if (sample === undefined) return []
  const { order } = sample
  const cursors = { name: list.name, ownerId: tenant.environmentId }
  const window = windowOf(cursors, sample.request, order)
  const children = childrenOf(list, tenant, group, sample)
  const byParent = await children.find<Row>(boundsOf(window), window.direction, window.size + 1)
  const total = once(() => children.count())
  const existence = new Map<Bound['side'], () => Promise<ReadonlySet<string>>>()
  const parentsWithin = (bound: Bound) => {
    const known = existence.get(bound.side) ?? once(() => children.exist(bound))
    existence.set(bound.side, known)
    return known()
  }
  return group.map((key) => [
    key,
    pageFrom(cursors, order, window, byParent.get(key.parent) ?? [], {
      exists: async (bound) => (await parentsWithin(bound)).has(key.parent),
      total: async () => cappedCount((await total()).get(key.parent) ?? 0),
      countKey: JSON.stringify([tableOf(list), list.parentColumn, key.parent, key.filter]),
    }),
  ])
}

/** The first call starts the work; every call gets its result. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => (result ??= work())
}

/** The statements over the children of a group's parents. Each is one statement for all parents. */
function childrenOf<Filter>(
  list: ChildList<Filter>,
  { db, environmentId }: Tenant,
  group: readonly ChildPageKey<Filter>[],
  { order, filter }: ChildPageKey<Filter>,
) {
  const column = Prisma.raw(`child."${snakeCase(order.field)}"`)
  const parentType = Prisma.raw(`${list.parentType ?? 'text'}[]`)
  const parents = Prisma.sql`unnest(${group.map(({ parent }) => parent)}::${parentType}) AS parent(key)`
  const isWholeList = list.parentColumn === 'environment_id'
  const ofParent = isWholeList
    ? Prisma.empty
    : Prisma.sql`AND ${Prisma.raw(`child."${list.parentColumn}"`)} = parent.key`
  const from = Prisma.sql`
    FROM ${Prisma.raw(`"${tableOf(list)}"`)} AS child
    WHERE child.environment_id = ${environmentId}::uuid
      ${ofParent} ${list.where(filter)}`
  const within = (bound: Bound) => {
    const comparison = Prisma.raw(`${isGreater(bound, order) ? '>' : '<'}${bound.inclusive ? '=' : ''}`)
    const { at, id } = bound.place
    return Prisma.sql`AND (${column}, child.id) ${comparison} (${at}::timestamptz, ${id}::uuid)`
  }
  return {
    /** At most `take` rows of each parent. */
    async find<Row>(bounds: readonly Bound[], direction: Order['direction'], take: number) {
      const towards = Prisma.raw(direction)
      const rows = await db.$queryRaw<(Row & { parentKey: string })[]>`
        SELECT parent.key AS "parentKey", page.*
        FROM ${parents}
        CROSS JOIN LATERAL (
          SELECT ${selectFields(list.fields, 'child')} ${from}
            ${bounds.length > 0 ? Prisma.join(bounds.map(within), ' ') : Prisma.empty}
          ORDER BY ${column} ${towards}, child.id ${towards}
          LIMIT ${take}
        ) AS page`
      return groupBy(rows, ({ parentKey }) => parentKey)
    },
    /** The parents that have a row within the bound. */
    async exist(bound: Bound): Promise<ReadonlySet<string>> {
      const rows = await db.$queryRaw<{ parentKey: string }[]>`
        SELECT parent.key AS "parentKey"
        FROM ${parents}
        CROSS JOIN LATERAL (
          SELECT 1 ${from} ${within(bound)}
          ORDER BY ${column} ${Prisma.raw(order.direction)}, child.id ${Prisma.raw(order.direction)}
          LIMIT 1
        ) AS found`
      return new Set(rows.map(({ parentKey }) => parentKey))
    },
    /** The number of rows of each parent, at most one more than `MAX_COUNT`. */
    async count(): Promise<ReadonlyMap<string, number>> {
      const rows = await db.$queryRaw<{ parentKey: string; count: number }[]>`
        SELECT parent.key AS "parentKey", counted.count
        FROM ${parents}
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS count FROM (SELECT 1 ${from} LIMIT ${MAX_COUNT + 1}) AS bounded
        ) AS counted`
      return new Map(rows.map((row) => [row.parentKey, row.count]))
    },
  }
}
