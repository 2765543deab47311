// Pages of lists: page arguments, order, windows and counts.
import { z } from 'zod'
import { type Cursors, MAX_TIME, type Order, type OrderField, type Place, timeFields } from './cursor.ts'
import { parse } from './validation.ts'

export const DEFAULT_PAGE_SIZE = 20
export const MAX_PAGE_SIZE = 100
/** Maximum count. A list with more is "capped" (SPEC: Limits). */
export const MAX_COUNT = 50_000

/** Maximum rows that a page can skip. The database reads them. */
export const MAX_SKIP = 50_000

const size = z.number().int().min(0).max(MAX_PAGE_SIZE).nullish()
const cursor = z.string().nullish()

const pageArguments = z
  .object({ first: size, after: cursor, last: size, before: cursor, includeCursor: z.boolean().nullish() })
  .extend({ skip: z.number().int().min(0).max(MAX_SKIP).nullish() })
  .refine(({ first, last }) => typeof first !== 'number' || typeof last !== 'number', {
    path: ['last'],
    message: 'must not be given together with first',
  })

/** The arguments of a page: Relay's four, REST's `includeCursor`, and `skip` for clients that number their pages. */
export type PageRequest = z.input<typeof pageArguments>

/**
 * The input schema of a page in a resolver's input. Accepts any value, because `windowOf` validates it: its errors name
 * the argument as the caller knows it (`first`, not `page.first`).
 */
export const pageRequest = z.custom<PageRequest>()

/** The input schema of an order by one of these fields. Default: by the time of creation. */
const orderBy = <const Fields extends readonly OrderField[]>(fields: Fields, byDefault: Order['direction'] = 'desc') =>
  z
    .object({
      field: z.enum(fields).optional(),
      direction: z.enum(['asc', 'desc']).optional(),
    })
    .nullish()
    .transform((given): Order => ({ field: given?.field ?? 'createdAt', direction: given?.direction ?? byDefault }))

/** The order of environments, which are listed oldest first. */
export const orderOfEnvironments = orderBy(['createdAt', 'name'], 'asc')

/** The order of a list that sorts by time. */
export const order = orderBy(timeFields)

/** The order of a list that also sorts by the identifier that callers choose. */
export const orderWithIdentifier = orderBy([...timeFields, 'identifier'])

/** The order of a list that also sorts by name and by identifier. */
export const orderWithName = orderBy([...timeFields, 'name', 'identifier'])

/** The order of a list whose rows have positions. */
export const orderWithPosition = orderBy([...timeFields, 'name', 'identifier', 'position'])

/** The order of a list whose rows never change. */
export const orderOfCreation = orderBy(['createdAt'])

/** The input schema of a time in a filter. */
export const time = z.date().min(new Date(0)).max(new Date(MAX_TIME))

/** Conditions of a filter: rows created at `createdAfter` or later, and before `createdBefore`. */
export const createdConditions = { createdAfter: time, createdBefore: time }

/** The part of an ordered list to read. */
export interface Window {
  /** True if the page is read from the end of the list. */
  readonly backwards: boolean
  readonly size: number
  readonly after: Place | undefined
  readonly before: Place | undefined
  readonly inclusive: boolean
  /** Rows to skip, from where the page would begin. */
  readonly skip: number
}

/** @throws Refusal if an argument is out of bounds or a cursor belongs to another list. */
export function windowOf(cursors: Cursors, request: PageRequest): Window {
  const { first, after, last, before, includeCursor, skip } = parse(pageArguments, request)
  return {
    backwards: typeof last === 'number',
    size: last ?? first ?? DEFAULT_PAGE_SIZE,
    after: typeof after === 'string' ? cursors.decode(after, 'after') : undefined,
    before: typeof before === 'string' ? cursors.decode(before, 'before') : undefined,
    inclusive: includeCursor ?? false,
    skip: skip ?? 0,
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

/** One page of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Returns the cursor of the row at an index of `rows`. */
  readonly cursorAt: (index: number) => string
  /** True if the list has rows after the page. Exact even if the row of a cursor was deleted. */
  readonly hasNext: boolean
  /** True if the list has rows before the page. Exact even if the row of a cursor was deleted. */
  readonly hasPrevious: boolean
  /** Counts the list, in another statement. */
  readonly total: () => Promise<Count>
  /**
   * Identifies the list and its filter within the environment. Undefined if other environments can write to the list.
   */
  readonly countKey: string | undefined
}
