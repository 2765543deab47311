// Keyset pages: where a page starts and ends, and pages of lists that are read through Prisma.
import {
  cappedCount,
  encodeCursor,
  type List,
  MAX_COUNT,
  type Order,
  type Page,
  type PageRequest,
  type Place,
  type Window,
  windowOf,
} from '../lib/page.ts'

type Comparison = 'gt' | 'gte' | 'lt' | 'lte'

interface Keyed {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The part of a Prisma `where` that selects rows on one side of a place. Every listed model has these columns. */
interface KeysetWhere {
  AND: {
    createdAt?: { [Op in Comparison]?: Date }
    updatedAt?: { [Op in Comparison]?: Date }
    OR?: {
      createdAt?: { [Op in Comparison]?: Date }
      updatedAt?: { [Op in Comparison]?: Date }
      id?: { [Op in Comparison]?: string }
    }[]
  }[]
}

interface Reading {
  readonly where: KeysetWhere
  readonly orderBy: ({ createdAt?: 'asc' | 'desc'; updatedAt?: 'asc' | 'desc' } | { id: 'asc' | 'desc' })[]
  readonly take: number
}

export interface PageSource<Row> {
  readonly find: (reading: Reading) => Promise<Row[]>
  /** Counts at most `take` rows. */
  readonly count: (take: number) => Promise<number>
}

/** Rows on one side of a place in a list. */
export interface Bound {
  readonly place: Place
  /** In the order of the list. */
  readonly side: 'before' | 'after'
  /** True if the row at the place itself is included. */
  readonly inclusive: boolean
}

/** The bounds of a window: at most one for each of its cursors. */
export function boundsOf({ after, before, inclusive }: Window): readonly Bound[] {
  return [
    ...(after ? [{ place: after, side: 'after', inclusive } as const] : []),
    ...(before ? [{ place: before, side: 'before', inclusive } as const] : []),
  ]
}

/** True if a bound selects values greater than the place. */
export const isGreater = ({ side }: Bound, { direction }: Order): boolean =>
  (side === 'after') === (direction === 'asc')

/**
 * The page of a window, in the order of the list.
 *
 * `hasNext` and `hasPrevious` are exact, also if the row of a cursor was deleted: the list has a row after the page, or
 * before it. They cost a statement only when they are called and the rows do not already tell.
 *
 * @param found the rows in reading order, one more than the window's size if there are more.
 * @param exists tells if the list has a row within a bound.
 */
export function pageFrom<Row extends Keyed>(
  list: List,
  order: Order,
  window: Window,
  found: readonly Row[],
  {
    exists,
    ...counted
  }: { readonly exists: (bound: Bound) => Promise<boolean> } & Pick<Page<Row>, 'total' | 'countKey'>,
): Page<Row> {
  const { size, backwards, after, before, inclusive } = window
  const more = found.length > size
  const rows = found.slice(0, size)
  if (backwards) rows.reverse()
  // Without `inclusive`, the cursor's own row lies outside of the page, and so counts as before or after it.
  const isOutside = async (side: Bound['side'], place: Place | undefined) =>
    place !== undefined && exists({ place, side, inclusive: !inclusive })
  return {
    rows,
    cursorAt(index) {
      const row = rows[index]
      if (row === undefined) throw new Error(`the page has no row ${index}`)
      return encodeCursor(list, order, { at: row[order.field], id: row.id })
    },
    hasNext: async () => (more && !backwards) || isOutside('after', before),
    hasPrevious: async () => (more && backwards) || isOutside('before', after),
    ...counted,
  }
}

/** Two plain comparisons instead of a single OR, because an index scan can start at the first. */
function whereOf(order: Order, bound: Bound): KeysetWhere['AND'][number] {
  const { field } = order
  const { at, id } = bound.place
  const greater = isGreater(bound, order)
  const strict: Comparison = greater ? 'gt' : 'lt'
  const loose: Comparison = greater ? 'gte' : 'lte'
  return {
    [field]: { [loose]: at },
    OR: [{ [field]: { [strict]: at } }, { id: { [bound.inclusive ? loose : strict]: id } }],
  }
}

function reading(order: Order, direction: 'asc' | 'desc', bounds: readonly Bound[], take: number): Reading {
  return {
    where: { AND: bounds.map((bound) => whereOf(order, bound)) },
    orderBy: [{ [order.field]: direction }, { id: direction }],
    take,
  }
}

/** Reads one page of a short list. Long lists, and those with filters, are read by `childPageBatch`. */
export async function pageOf<Row extends Keyed>(
  list: List,
  order: Order,
  request: PageRequest,
  source: PageSource<Row>,
): Promise<Page<Row>> {
  const window = windowOf(list, request, order)
  const found = await source.find(reading(order, window.direction, boundsOf(window), window.size + 1))
  return pageFrom(list, order, window, found, {
    exists: async (bound) => (await source.find(reading(order, order.direction, [bound], 1))).length > 0,
    total: async () => cappedCount(await source.count(MAX_COUNT + 1)),
    countKey: undefined,
  })
}
