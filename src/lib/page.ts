// Pages and cursors of every list: what may be asked for, and how a place in a list is written down.
import { z } from 'zod'
import { Refusal, refuse } from './errors.ts'
import { parse } from './validation.ts'

export const DEFAULT_PAGE_SIZE = 20
export const MAX_PAGE_SIZE = 100
/** Counting stops here; one more is "capped" (SPEC: Limits). */
export const MAX_COUNT = 50_000

const size = z.number().int().min(0).max(MAX_PAGE_SIZE).nullish()
const cursor = z.string().nullish()

const pageArguments = z
  .object({ first: size, after: cursor, last: size, before: cursor, includeCursor: z.boolean().nullish() })
  .refine(({ first, last }) => typeof first !== 'number' || typeof last !== 'number', {
    path: ['last'],
    message: 'must not be given together with first',
  })

/** Which page of a list: Relay's four arguments, and REST's `includeCursor`. */
export type PageRequest = z.input<typeof pageArguments>

/**
 * The input schema of a page. It lets everything pass: `windowOf` reads it, so that a refusal names the argument as the
 * caller knows it, `first`, and not where it lies in a resolver's input.
 */
export const pageRequest = z.custom<PageRequest>()

const orderFields = ['createdAt', 'updatedAt'] as const
export type OrderField = (typeof orderFields)[number]

/** How a list is ordered. The id breaks ties, in the same direction. */
export interface Order {
  readonly field: OrderField
  readonly direction: 'asc' | 'desc'
}

/** Input schema of an order. Default: newest first. */
export const order = z
  .object({ field: z.enum(orderFields).default('createdAt'), direction: z.enum(['asc', 'desc']).default('desc') })
  .nullish()
  .transform((given): Order => given ?? { field: 'createdAt', direction: 'desc' })

/** A place in a list: the value that the list is ordered by, and the id of the row that has it. */
export interface Place {
  readonly at: Date
  readonly id: string
}

/** A list that a cursor belongs to. Its cursors are refused elsewhere. */
export interface List {
  /** The noun in the plural, such as `subscribers`. */
  readonly name: string
  /** The environment that its rows belong to; of environments themselves, the organization. */
  readonly ownerId: string
}

/** The last millisecond of the year 9999: what comes later, both databases write in another form. */
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

/** @throws Refusal `MALFORMED` when it is no cursor, or one of another list, order or environment. */
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

/** What is to be read of an ordered list, whichever statement reads it. */
export interface Window {
  /** Of the reading: reversed when a page is read from its end. */
  readonly direction: 'asc' | 'desc'
  readonly backwards: boolean
  readonly size: number
  readonly after: Place | undefined
  readonly before: Place | undefined
  readonly inclusive: boolean
}

/** @throws Refusal when an argument is out of bounds or a cursor is not of this list. */
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
  /** True when there are more than `MAX_COUNT`. */
  readonly capped: boolean
}

/** @param found rows that were counted, at most one more than `MAX_COUNT`. */
export function cappedCount(found: number): Count {
  return { count: Math.min(found, MAX_COUNT), capped: found > MAX_COUNT }
}

/** One page of a list. What costs a statement of its own is a function, and runs when asked. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly cursorOf: (row: Row) => string
  readonly hasNext: () => Promise<boolean>
  readonly hasPrevious: () => Promise<boolean>
  readonly total: () => Promise<Count>
}
