// Deliveries: one message to one destination, as the story of an event shows it.
import { z } from 'zod'
import { holdRunOf } from '../data/delivery-rows.ts'
import { groupBatch, rowBatch, type Tenant } from '../data/loader.ts'
import { pageOf } from '../data/page.ts'
import type { Delivery as Row, DeliveryAttempt, Prisma } from '../data/prisma/client.ts'
import { Channel, DeliveryStatus } from '../data/prisma/enums.ts'
import { enqueue } from '../data/queue.ts'
import { refuse } from '../lib/errors.ts'
import { order, pageRequest } from '../lib/page.ts'
import { text } from '../lib/validation.ts'
import { describeTarget, storedTarget } from './destination.ts'
import { type ProviderId, providerOf } from './provider.ts'
import { mutation, query } from './resolver.ts'

/** A delivery as it may be shown. */
export type Delivery = Omit<Row, 'providerId' | 'target'> & {
  readonly providerId: ProviderId
  /** What the destination is called; nothing that opens it. */
  readonly destination: string
}

function shown({ target, ...row }: Row): Delivery {
  return { ...row, providerId: providerOf(row.providerId), destination: describeTarget(storedTarget(target)) }
}

const deliveriesById = rowBatch<Delivery>(
  async ({ db, environmentId }, ids) =>
    (await db.delivery.findMany({ where: { environmentId, id: { in: ids } } })).map(shown),
  ({ id }) => id,
)

/** The messages of many steps, oldest first. */
export async function deliveriesIn(
  { db, environmentId }: Tenant,
  stepRunIds: readonly string[],
): Promise<readonly Delivery[]> {
  const rows = await db.delivery.findMany({
    where: { environmentId, stepRunId: { in: [...stepRunIds] } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(shown)
}

const deliveriesByStepRun = groupBatch<Delivery>(deliveriesIn, ({ stepRunId }) => stepRunId)

const attemptsByDelivery = groupBatch<DeliveryAttempt>(
  ({ db, environmentId }, deliveryIds) =>
    db.deliveryAttempt.findMany({
      where: { environmentId, deliveryId: { in: deliveryIds } },
      orderBy: [{ deliveryId: 'asc' }, { number: 'asc' }],
    }),
  ({ deliveryId }) => deliveryId,
)

export const delivery = query({
  name: 'delivery.get',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }) => load(deliveriesById, id),
})

/** The messages of one step of one run. Batched. */
export const deliveriesOfStep = query({
  name: 'delivery.listOfStep',
  permission: 'event:read',
  input: z.object({ stepRunId: z.uuid() }),
  run: ({ load }, { stepRunId }) => load(deliveriesByStepRun, stepRunId),
})

/** The tries of a message, oldest first. Batched. */
export const attemptsOf = query({
  name: 'delivery.listAttempts',
  permission: 'event:read',
  input: z.object({ deliveryId: z.uuid() }),
  run: ({ load }, { deliveryId }) => load(attemptsByDelivery, deliveryId),
})

export const deliveries = query({
  name: 'delivery.list',
  permission: 'event:read',
  input: z.object({
    page: pageRequest,
    orderBy: order,
    filter: z
      .object({
        status: z.enum(DeliveryStatus).nullish(),
        channel: z.enum(Channel).nullish(),
        integrationIdentifier: text(255).nullish(),
      })
      .nullish(),
  }),
  run({ db, environmentId }, { page, orderBy, filter }) {
    const where: Prisma.DeliveryWhereInput = {
      environmentId,
      status: filter?.status ?? undefined,
      channel: filter?.channel ?? undefined,
      integrationIdentifier: filter?.integrationIdentifier ?? undefined,
    }
    return pageOf({ name: 'deliveries', ownerId: environmentId }, orderBy, page, {
      find: async ({ where: keyset, ...reading }) =>
        (await db.delivery.findMany({ where: { ...where, ...keyset }, ...reading })).map(shown),
      count: (take) => db.delivery.count({ where, take }),
    })
  },
})

/** Tries a message again that was given up, as if it had never been tried. */
export const retryDelivery = mutation({
  name: 'delivery.retry',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }) {
    const { db, environmentId, now } = scope
    const where = { environmentId_id: { environmentId, id } }
    const found = await db.delivery.findUnique({ where, select: { stepRunId: true } })
    if (found === null) throw refuse('NOT_FOUND', `Delivery "${id}" not found`, 'id', id)
    await holdRunOf(scope, found.stepRunId)
    const { status } = await db.delivery.findUniqueOrThrow({ where, select: { status: true } })
    if (status !== 'failed') {
      throw refuse('CONFLICT', `Delivery "${id}" is ${status}: only one that failed is tried again`, 'id', id)
    }
    const updatedAt = now()
    const row = await db.delivery.update({ where, data: { status: 'pending', tries: 0, updatedAt } })
    await db.stepRun.update({
      where: { environmentId_id: { environmentId, id: found.stepRunId } },
      data: { status: 'sending', reason: null, detail: null, updatedAt },
    })
    await enqueue(scope, [{ queue: 'deliver', data: { deliveryId: id } }])
    return shown(row)
  },
})
