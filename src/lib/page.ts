// Pages and cursors of lists: page arguments, order, cursor encoding.
import { z } from 'zod'
import { Refusal, refuse } from './errors.ts'
import { parse } from './validation.ts'

export const DEFAULT_PAGE_SIZE = 20
export const MAX_PAGE_SIZE = 100
/** Maximum count. A list with more is "capped" (SPEC: Limits). */
export const MAX_COUNT = 50_000

const size = z.number().int().min(0).max(MAX_PAGE_SIZE).nullish()
const cursor = z.string().nullish()

const pageArguments = z
  .object({ first: size, after: cursor, last: size, before: cursor, includeCursor: z.boolean().nullish() })
  .refine(({ first, last }) => typeof first !== 'number' || typeof last !== 'number', {
    path: ['last'],
    message: 'must not be given together with first',
  })

/** The arguments of a page: Relay's four, and REST's `includeCursor`. */
export type PageRequest = z.input<typeof pageArguments>

/**
 * The input schema of a page in a resolver's input. It accepts everything: `windowOf` validates it, so that an error names
 * the argument as the caller knows it (`first`, not `page.first`).
 */
export const pageRequest = z.custom<PageRequest>()

const orderFields = ['createdAt', 'updatedAt'] as const
export type OrderField = (typeof orderFields)[number]

/** The order of a list. The id breaks ties, in the same direction. */
export interface Order {
  readonly field: OrderField
  readonly direction: 'asc' | 'desc'
}

/** The input schema of an order. Default: newest first. */
export const order = z
  .object({ field: z.enum(orderFields).default('createdAt'), direction: z.enum(['asc', 'desc']).default('desc') })
  .nullish()
  .transform((given): Order => given ?? { field: 'createdAt', direction: 'desc' })

/** A place in a list: the value of the order field, and the id of the row. */
export interface Place {
  readonly at: Date
  readonly id: string
}

/** The list of a cursor. Other lists reject its cursors. */
export interface List {
  /** Plural noun, such as `subscribers`. */
  readonly name: string
  /** Id of the environment of the rows. For environments, id of the organization. */
  readonly ownerId: string
}

/** The last millisecond of the year 9999. Both databases format later times differently. */
const MAX_TIME = Date.UTC(10_000, 0) - 1

const cursorParts = z.tuple([
  z.string(),
  z.enum(orderFields),
  z.uuid(),
  z.number().int().min(0).max(MAX_TIME),
  z.uuid(),
])

export function encodeCursor(list: List, { field }: Order, { at, id }: Place): string {
  const parts: z.input<typeof cursorParts> = [list.name, field, list.ownerId, at.getTime(), id]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** @throws Refusal `MALFORMED` if it is not a cursor, or one of another list, order or environment. */
function decodeCursor(list: List, { field }: Order, text: string, argument: 'after' | 'before'): Place {
  let parts: z.output<typeof cursorParts>
  try {
    parts = parse(cursorParts, JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof Refusal)
      throw refuse('MALFORMED', `${argument} is not a cursor`, argument, text)
    throw cause
  }
  const [name, orderedBy, ownerId, time, id] = parts
  if (name !== list.name || ownerId !== list.ownerId) {
    throw refuse('MALFORMED', `${argument} is a cursor of another list`, argument, text)
  }
  if (orderedBy !== field) {
    throw refuse(
      'MALFORMED',
      `${argument} is a cursor of a list ordered by ${orderedBy}, and this one is ordered by ${field}`,
      argument,
      text,
    )
  }
  return { at: new Date(time), id }
}

/** The part of an ordered list to read. */
export interface Window {
  /** Direction of reading. Reversed if the page is read from its end. */
  readonly direction: 'asc' | 'desc'
  readonly backwards: boolean
  readonly size: number
  readonly after: Place | undefined
  readonly before: Place | undefined
  readonly inclusive: boolean
}

/** @throws Refusal if an argument is out of bounds or a cursor belongs to another list. */
export function windowOf(list: List, request: PageRequest, { field, direction }: Order): Window {
  const { first, after, last, before, includeCursor } = parse(pageArguments, request)
  const ordered = { field, direction }
  const backwards = typeof last === 'number'
  return {
    direction: backwards ? (direction === 'asc' ? 'desc' : 'asc') : direction,
    backwards,
    size: last ?? first ?? DEFAULT_PAGE_SIZE,
    after: typeof after === 'string' ? decodeCursor(list, ordered, after, 'after') : undefined,
    before: typeof before === 'string' ? decodeCursor(list, ordered, before, 'before') : undefined,
    inclusive: includeCursor ?? false,
  }
}

export interface Count {
  readonly count: number
  /** True if there are more than `MAX_COUNT`. */
  readonly capped: boolean
}

/** @param found Number of counted rows, at most `MAX_COUNT + 1`. */
export function cappedCount(found: number): Count {
  return { count: Math.min(found, MAX_COUNT), capped: found > MAX_COUNT }
}

/** One page of a list. Fields that need another statement are functions. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The cursor of the row at an index of `rows`. */
  readonly cursorAt: (index: number) => string
  readonly hasNext: () => Promise<boolean>
  readonly hasPrevious: () => Promise<boolean>
  readonly total: () => Promise<Count>
  /** Identifies the list and its filter within the environment. Undefined if other environments write to the list. */
  readonly countKey: string | undefined
}
