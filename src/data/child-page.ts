// Keyset pages of many parents' children at once: one statement for a level of the graph, however many parents.
import {
  cappedCount,
  type Count,
  encodeCursor,
  MAX_COUNT,
  type Order,
  type Page,
  type PageRequest,
  windowOf,
} from '../lib/page.ts'
import type { Batch, Tenant } from './loader.ts'
import { Prisma } from './prisma/client.ts'

/** The children of one parent that are asked for. */
export interface ChildPageKey<Filter> {
  /** The value of the parent column. */
  readonly parent: string
  readonly order: Order
  readonly request: PageRequest
  readonly filter: Filter
}

export interface ChildList<Filter> {
  /** The list's name in cursors, the same as in the list of all. */
  readonly name: string
  readonly table: string
  /** The column that names the parent. */
  readonly parentColumn: string
  /** Of that column. */
  readonly parentType?: 'text' | 'uuid'
  /** Prisma's names of the fields to read: each is its column in camelCase. */
  readonly fields: readonly string[]
  /** Conditions on `child`, with a leading AND each; `Prisma.empty` for none. */
  readonly where: (filter: Filter) => Prisma.Sql
}

const snakeCase = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A select list that names columns by their fields. The names come from the code, never from a caller. */
export function selectFields(fields: readonly string[], alias: string): Prisma.Sql {
  return Prisma.raw(fields.map((field) => `${alias}."${snakeCase(field)}" AS "${field}"`).join(', '))
}

interface ChildRow {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Keys that ask for the same window of different parents, in one group each. */
function alike<Filter>(keys: readonly ChildPageKey<Filter>[]): ChildPageKey<Filter>[][] {
  const groups = new Map<string, ChildPageKey<Filter>[]>()
  for (const key of keys) {
    const shape = JSON.stringify([key.order, key.request, key.filter])
    const group = groups.get(shape)
    if (group) group.push(key)
    else groups.set(shape, [key])
  }
  return [...groups.values()]
}

/**
 * A batch of pages. `hasNext` and `hasPrevious` are exact at the end that was read to, and say at the other end that
 * there is more when a cursor was given: the cursor's own row is there.
 */
export function childPageBatch<Row extends ChildRow, Filter>(
  list: ChildList<Filter>,
): Batch<ChildPageKey<Filter>, Page<Row>> {
  const counts = childCountBatch(list)
  const cacheKey = (key: ChildPageKey<Filter>) => JSON.stringify(key)
  return {
    cacheKey,
    async load(tenant, keys) {
      const pages = new Map<string, Page<Row>>()
      for (const group of alike(keys)) {
        for (const [key, page] of await readGroup<Row, Filter>(list, counts, tenant, group))
          pages.set(cacheKey(key), page)
      }
      return keys.map((key) => {
        const page = pages.get(cacheKey(key))
        if (page === undefined) throw new Error(`no page was read for a parent of ${list.name}`)
        return page
      })
    },
  }
}

async function readGroup<Row extends ChildRow, Filter>(
  list: ChildList<Filter>,
  countOf: (tenant: Tenant, group: readonly ChildPageKey<Filter>[]) => (parent: string) => Promise<Count>,
  tenant: Tenant,
  group: readonly ChildPageKey<Filter>[],
): Promise<[ChildPageKey<Filter>, Page<Row>][]> {
  const [sample] = group
  if (sample === undefined) return []
  const { order } = sample
  const cursors = { name: list.name, ownerId: tenant.environmentId }
  const { size, backwards, direction, after, before, inclusive } = windowOf(cursors, sample.request, order)
  const column = Prisma.raw(`child."${snakeCase(order.field)}"`)
  const bounds = [
    ...(after ? [{ place: after, greater: order.direction === 'asc' }] : []),
    ...(before ? [{ place: before, greater: order.direction === 'desc' }] : []),
  ].map(({ place, greater }) => {
    const comparison = Prisma.raw(`${greater ? '>' : '<'}${inclusive ? '=' : ''}`)
    return Prisma.sql`AND (${column}, child.id) ${comparison} (${place.at}::timestamptz, ${place.id}::uuid)`
  })
  const towards = Prisma.raw(direction)
  const rows = await tenant.db.$queryRaw<(Row & { parentKey: string })[]>`
    SELECT parent.key AS "parentKey", page.*
    FROM unnest(${group.map(({ parent }) => parent)}::${Prisma.raw(`${list.parentType ?? 'text'}[]`)}) AS parent(key)
    CROSS JOIN LATERAL (
      SELECT ${selectFields(list.fields, 'child')} FROM ${Prisma.raw(`"${list.table}"`)} AS child
      WHERE child.environment_id = ${tenant.environmentId}::uuid
        AND ${Prisma.raw(`child."${list.parentColumn}"`)} = parent.key
        ${list.where(sample.filter)}
        ${bounds.length > 0 ? Prisma.join(bounds, ' ') : Prisma.empty}
      ORDER BY ${column} ${towards}, child.id ${towards}
      LIMIT ${size + 1}
    ) AS page`
  const byParent = new Map<string, Row[]>()
  for (const row of rows) {
    const siblings = byParent.get(row.parentKey)
    if (siblings) siblings.push(row)
    else byParent.set(row.parentKey, [row])
  }
  const countParent = countOf(tenant, group)
  return group.map((key) => {
    const found = byParent.get(key.parent) ?? []
    const more = found.length > size
    const page = found.slice(0, size)
    if (backwards) page.reverse()
    return [
      key,
      {
        rows: page,
        cursorOf: (row) => encodeCursor(cursors, order, { at: row[order.field], id: row.id }),
        hasNext: async () => (more && !backwards) || before !== undefined,
        hasPrevious: async () => (more && backwards) || after !== undefined,
        total: () => countParent(key.parent),
      },
    ]
  })
}

/** Counts for a group of parents: the first that is asked for counts them all, in one statement. */
function childCountBatch<Filter>(list: ChildList<Filter>) {
  return (tenant: Tenant, group: readonly ChildPageKey<Filter>[]) => {
    const [sample] = group
    let counted: Promise<Map<string, number>> | undefined
    const countAll = async () => {
      if (sample === undefined) return new Map<string, number>()
      const rows = await tenant.db.$queryRaw<{ parentKey: string; count: number }[]>`
        SELECT parent.key AS "parentKey", counted.count
        FROM unnest(${group.map(({ parent }) => parent)}::${Prisma.raw(`${list.parentType ?? 'text'}[]`)}) AS parent(key)
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS count FROM (
            SELECT 1 FROM ${Prisma.raw(`"${list.table}"`)} AS child
            WHERE child.environment_id = ${tenant.environmentId}::uuid
              AND ${Prisma.raw(`child."${list.parentColumn}"`)} = parent.key
              ${list.where(sample.filter)}
            LIMIT ${MAX_COUNT + 1}
          ) AS bounded
        ) AS counted`
      return new Map(rows.map((row) => [row.parentKey, row.count]))
    }
    return async (parent: string): Promise<Count> => {
      counted ??= countAll()
      return cappedCount((await counted).get(parent) ?? 0)
    }
  }
}
