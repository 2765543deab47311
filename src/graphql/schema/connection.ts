// Connections: a page of the domain in Relay's shape.
import type { ObjectRef } from '@pothos/core'
import type { OrderField, Page, PageRequest } from '../../lib/page.ts'
import { MAX_COUNT } from '../../lib/page.ts'
import { builder, type SchemaTypes } from './builder.ts'

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: `How many nodes the whole list has, whatever the page: counted only when asked, and up to ${MAX_COUNT}.`,
    resolve: async ({ total }) => (await total()).count,
  }),
)
builder.globalConnectionField('totalCountCapped', (t) =>
  t.boolean({
    description: `Whether the list has more than ${MAX_COUNT} nodes, so that totalCount is only a lower bound.`,
    resolve: async ({ total }) => (await total()).capped,
  }),
)

/** `<Noun>Connection` and `<Noun>Edge`, defined once for all the fields that return them. */
export function connectionOf<Row>(ref: ObjectRef<SchemaTypes, Row>, description: string) {
  return builder.connectionObject(
    { type: ref, name: `${ref.name}Connection`, description },
    { name: `${ref.name}Edge`, description: `A ${ref.name} and its place in the list.` },
  )
}

/** What a connection field resolves to. The parts that cost a statement are read when the query asks for them. */
export function toConnection<Row>(page: Page<Row>) {
  const edges = page.rows.map((node) => ({ node, cursor: page.cursorOf(node) }))
  let total: ReturnType<Page<Row>['total']> | undefined
  return {
    edges,
    get pageInfo() {
      return pageInfoOf(page, edges)
    },
    total: () => (total ??= page.total()),
  }
}

async function pageInfoOf<Row>(page: Page<Row>, edges: readonly { cursor: string }[]) {
  const [hasNextPage, hasPreviousPage] = await Promise.all([page.hasNext(), page.hasPrevious()])
  return {
    hasNextPage,
    hasPreviousPage,
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  }
}

/** The domain's page request out of a connection field's arguments. */
export function pageRequestOf({ first, after, last, before }: PageRequest): PageRequest {
  return { first, after, last, before }
}

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which end of an order comes first.',
  values: {
    ASC: { value: 'asc', description: 'Smallest or oldest first.' },
    DESC: { value: 'desc', description: 'Largest or newest first.' },
  } as const,
})

/** `<Noun>Order` and `<Noun>OrderField`: the orders in which a list can be read. */
export function orderInput(noun: string) {
  const fieldEnum = builder.enumType(`${noun}OrderField`, {
    description: `What a list of ${noun} objects can be ordered by. The id breaks ties.`,
    values: {
      CREATED_AT: { value: 'createdAt', description: 'When it was created.' },
      UPDATED_AT: { value: 'updatedAt', description: 'When it was last changed.' },
    } as const satisfies Record<string, { value: OrderField; description: string }>,
  })
  return builder.inputType(`${noun}Order`, {
    description: `The order of a list of ${noun} objects.`,
    fields: (t) => ({
      field: t.field({ type: fieldEnum, required: true, defaultValue: 'createdAt', description: 'What to order by.' }),
      direction: t.field({
        type: OrderDirection,
        required: true,
        defaultValue: 'desc',
        description: 'Which end comes first: by default the newest.',
      }),
    }),
  })
}
