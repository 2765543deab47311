// Keyset pages of a whole list, read through Prisma.
import {
  cappedCount,
  encodeCursor,
  type List,
  MAX_COUNT,
  type Order,
  type Page,
  type PageRequest,
  type Place,
  windowOf,
} from '../lib/page.ts'

type Comparison = 'gt' | 'gte' | 'lt' | 'lte'
interface Keyed {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The part of a Prisma `where` that a place in the list adds. Every listed model has these columns. */
export interface KeysetWhere {
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

export interface Reading {
  readonly where: KeysetWhere
  readonly orderBy: ({ createdAt?: 'asc' | 'desc'; updatedAt?: 'asc' | 'desc' } | { id: 'asc' | 'desc' })[]
  readonly take: number
}

export interface PageSource<Row> {
  readonly find: (reading: Reading) => Promise<Row[]>
  /** Counts at most `take` rows. */
  readonly count: (take: number) => Promise<number>
}

type Side = 'past' | 'short of'

/**
 * Rows on one side of a place. Said with two plain comparisons, the first of which the index can start at: the form
 * with only an OR reads the index from its beginning.
 */
function bound({ field, direction }: Order, side: Side, { at, id }: Place, inclusive: boolean) {
  const greater = (direction === 'asc') === (side === 'past')
  const strict: Comparison = greater ? 'gt' : 'lt'
  const loose: Comparison = greater ? 'gte' : 'lte'
  return {
    [field]: { [loose]: at },
    OR: [{ [field]: { [strict]: at } }, { id: { [inclusive ? loose : strict]: id } }],
  }
}

function reading(order: Order, direction: 'asc' | 'desc', bounds: KeysetWhere['AND'], take: number): Reading {
  return { where: { AND: bounds }, orderBy: [{ [order.field]: direction }, { id: direction }], take }
}

/**
 * One page of a list, in the list's order whichever end it was read from. Whether the list goes on is exact at both
 * ends, also when the row that a cursor names is gone.
 */
export async function pageOf<Row extends Keyed>(
  list: List,
  order: Order,
  request: PageRequest,
  source: PageSource<Row>,
): Promise<Page<Row>> {
  const { size, backwards, direction, after, before, inclusive } = windowOf(list, request, order)
  const found = await source.find(
    reading(
      order,
      direction,
      [
        ...(after ? [bound(order, 'past', after, inclusive)] : []),
        ...(before ? [bound(order, 'short of', before, inclusive)] : []),
      ],
      size + 1,
    ),
  )
  const more = found.length > size
  const rows = found.slice(0, size)
  if (backwards) rows.reverse()

  // The row that a cursor names lies beyond the page, unless the page includes it.
  const anyBeyond = async (side: Side, cursor: Place | undefined) =>
    cursor !== undefined &&
    (await source.find(reading(order, order.direction, [bound(order, side, cursor, !inclusive)], 1))).length > 0

  return {
    rows,
    cursorOf: (row) => encodeCursor(list, order, { at: row[order.field], id: row.id }),
    hasNext: async () => (more && !backwards) || anyBeyond('past', before),
    hasPrevious: async () => (more && backwards) || anyBeyond('short of', after),
    total: async () => cappedCount(await source.count(MAX_COUNT + 1)),
  }
}
