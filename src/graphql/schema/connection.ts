// Connections: pages of the domain in Relay's format.
import type { ArgBuilder, InputFieldMap, InputType, ObjectRef } from '@pothos/core'
import type { Order, OrderField, TimeField } from '../../lib/cursor.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { MAX_COUNT } from '../../lib/page.ts'
import { builder, type InputFields, type SchemaTypes } from './builder.ts'
import { newestFirst, pluralOf, withArticle, wordsOf } from './wording.ts'

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: `The number of nodes in the whole list, up to ${MAX_COUNT}. Counted only if selected.`,
    resolve: async ({ total }) => (await total()).count,
  }),
)
builder.globalConnectionField('totalCountCapped', (t) =>
  t.boolean({
    description: `True if the list has more than ${MAX_COUNT} nodes and \`totalCount\` is only a lower bound.`,
    resolve: async ({ total }) => (await total()).capped,
  }),
)

/** Defines `<Noun>Connection` and `<Noun>Edge`, once for all fields that return them. */
export function connectionOf<Row>(node: ObjectRef<SchemaTypes, Row>, description: string) {
  const connection = builder.connectionObject(
    { type: node, name: `${node.name}Connection`, description },
    { name: `${node.name}Edge`, description: `An edge of a page: ${withArticle(wordsOf(node.name))} with its cursor.` },
  )
  return Object.assign(connection, { node })
}

/** A connection type, and the type of its nodes. */
export type ConnectionRef<Row> = ReturnType<typeof connectionOf<Row>>

/** One row of a page. A class, because creating objects with their own getters takes ten times as long. */
class Edge<Row> {
  readonly node: Row
  readonly #page: Page<Row>
  readonly #index: number

  constructor(page: Page<Row>, node: Row, index: number) {
    this.node = node
    this.#page = page
    this.#index = index
  }

  get cursor() {
    return this.#page.cursorAt(this.#index)
  }
}

class PageInfo<Row> {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly #page: Page<Row>

  constructor(page: Page<Row>) {
    this.hasNextPage = page.hasNext
    this.hasPreviousPage = page.hasPrevious
    this.#page = page
  }

  get startCursor() {
    return this.#cursorIfAny(0)
  }

  get endCursor() {
    return this.#cursorIfAny(this.#page.rows.length - 1)
  }

  #cursorIfAny(index: number) {
    return this.#page.rows.length > 0 ? this.#page.cursorAt(index) : null
  }
}

/** The value of a connection field. Computes cursors and the count only if the query selects them. */
export function toConnection<Row>(page: Page<Row>) {
  let total: ReturnType<Page<Row>['total']> | undefined
  return {
    edges: page.rows.map((node, index) => new Edge(page, node, index)),
    pageInfo: new PageInfo(page),
    total: () => (total ??= page.total()),
  }
}

/** Returns the domain's page request for the arguments of a connection field. */
export function pageRequestOf({ first, after, last, before }: PageRequest): PageRequest {
  return { first, after, last, before }
}

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction of a sort order.',
  values: {
    ASC: { value: 'asc', description: 'Smallest or oldest first.' },
    DESC: { value: 'desc', description: 'Largest or newest first.' },
  } as const,
})

/** A type's objects in words: `topic subscriptions`. */
const listed = (noun: string) => pluralOf(wordsOf(noun))

/** Values of `<Noun>OrderField`. */
type Orders<Field extends OrderField> = Readonly<
  Record<string, { readonly value: Field; readonly description: string }>
>

const byCreation = { CREATED_AT: { value: 'createdAt', description: 'The time of creation.' } } as const
const byTime = {
  ...byCreation,
  UPDATED_AT: { value: 'updatedAt', description: 'The time of the last change.' },
} as const

/** How a list sorts texts. */
const inWords = 'Case-insensitive. Only the first 200 characters count.'

/** The order by name. @param fallback what takes the place of a missing name. */
export const byName = (fallback?: string) =>
  ({
    NAME: {
      value: 'name',
      description: `The name${fallback === undefined ? '' : `, or the ${fallback} if there is none`}. ${inWords}`,
    },
  }) as const

/** The order by the identifier that callers choose, under the name of its field, such as `SUBSCRIBER_ID`. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the inferred result has the name
export const byIdentifier = <Name extends string>(name: Name, description: string) =>
  ({ [name]: { value: 'identifier', description: `${description} ${inWords}` } }) as const

const newestByDefault = { direction: 'desc', description: newestFirst } as const
const oldestByDefault = { direction: 'asc', description: 'Oldest first by default.' } as const

/** The argument `orderBy` of environments, of which an organization has few. */
export function environmentOrderArg() {
  const order = orderInput('Environment', { ...byCreation, ...byName() }, oldestByDefault)
  return (arg: ArgBuilder<SchemaTypes>) => ({
    orderBy: arg({ type: order, description: `The sort order. ${oldestByDefault.description}` }),
  })
}

/** Defines `<Noun>Order` and `<Noun>OrderField`: the orders in which a list can be read. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the inferred result has the fields
function orderInput<Field extends OrderField>(
  noun: string,
  orders: Orders<Field | 'createdAt'>,
  { direction, description }: { direction: Order['direction']; description: string } = newestByDefault,
) {
  const fieldEnum = builder.enumType(`${noun}OrderField`, {
    description: `The fields by which a list of ${listed(noun)} can be sorted. The id breaks ties.`,
    values: orders,
  })
  return builder.inputType(`${noun}Order`, {
    description: `The sort order of a list of ${listed(noun)}.`,
    fields: (t) => ({
      field: t.field({
        type: fieldEnum,
        required: true,
        // `orders` has this value, but the compiler cannot follow it through the conditional types of Pothos.
        defaultValue: 'createdAt' as never,
        description: 'The field to sort by.',
      }),
      direction: t.field({
        type: OrderDirection,
        required: true,
        defaultValue: direction,
        description: `The direction of the sort. ${description}`,
      }),
    }),
  })
}

/** Defines `<Noun>Filter`. */
function filterInput<Fields extends InputFieldMap>(noun: string, fields: (t: InputFields) => Fields) {
  return builder.inputType(`${noun}Filter`, {
    description: `Filters a list of ${listed(noun)}. All conditions must match. A null condition is ignored.`,
    fields,
  })
}

/** The fields of a filter by the time of creation. */
export const createdFields = (t: InputFields) => ({
  createdAfter: t.field({ type: 'DateTime', description: 'The earliest time of creation. Inclusive.' }),
  createdBefore: t.field({
    type: 'DateTime',
    description: 'The time before which the object was created. Exclusive.',
  }),
})

/** The argument `filter` of a list. */
const filterArg = <Filter extends InputType<SchemaTypes>>(arg: ArgBuilder<SchemaTypes>, filter: Filter) =>
  arg({ type: filter, description: 'Filters the list. All conditions must match.' })

/** The same arguments as of `listArgs`, for rows that never change. */
export function unchangingListArgs<Fields extends InputFieldMap>(noun: string, fields: (t: InputFields) => Fields) {
  const filter = filterInput(noun, fields)
  const order = orderInput(noun, byCreation)
  return (arg: ArgBuilder<SchemaTypes>) => ({
    filter: filterArg(arg, filter),
    orderBy: arg({ type: order, description: `The sort order. ${newestFirst}` }),
  })
}

/**
 * The arguments `filter` and `orderBy` of the lists of a noun, with their input types. `filter` of the function is that of
 * the filter.
 *
 * @param orders the orders besides those by time.
 */
export function listArgs<Fields extends InputFieldMap, Field extends OrderField = TimeField>(
  noun: string,
  fields: (t: InputFields) => Fields,
  orders: Orders<Field> = {},
) {
  const filter = filterInput(noun, fields)
  const order = orderInput(noun, { ...byTime, ...orders })
  const args = (arg: ArgBuilder<SchemaTypes>) => ({
    filter: filterArg(arg, filter),
    orderBy: arg({ type: order, description: `The sort order. ${newestFirst}` }),
  })
  return Object.assign(args, { filter })
}
