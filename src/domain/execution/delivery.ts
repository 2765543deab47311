// Deliveries: each is one message to one destination, as the execution log shows it.
import { z } from 'zod'
import {
  attemptsByDelivery,
  deliveriesById,
  deliveriesByStepRun,
  deliveriesBySubscriber,
  type DeliveryFilter,
  deliveryPages,
} from '../../data/delivery.ts'
import type { Delivery as Row } from '../../data/prisma/client.ts'
import { Channel, DeliveryStatus } from '../../data/prisma/enums.ts'
import { subscribersById } from '../../data/subscriber.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { createdConditions, order, pageRequest } from '../../lib/page.ts'
import { filterOf, text, storableText } from '../../lib/validation.ts'
import { loadEvent } from '../trigger/event.ts'
import { failureCauseCodes } from '../channel/failure-cause.ts'
import { contextKeysFilter } from '../context.ts'
import { type ProviderId, providerOf } from '../channel/provider-id.ts'
import { query } from '../resolver/resolver.ts'
import { loadRunOfStep } from './run.ts'
import { describeTarget, targetOf } from './target.ts'

/** A delivery without secrets. */
export type Delivery = Omit<Row, 'providerId' | 'target'> & {
  readonly providerId: ProviderId
  /** The display name of the destination, without secrets. */
  readonly destination: string
  /** The row id of the channel endpoint that is the destination. Null for other destinations. */
  readonly channelEndpointId: string | null
}

export function shown({ target: stored, ...row }: Row): Delivery {
  const target = targetOf(stored)
  return {
    ...row,
    providerId: providerOf(row.providerId),
    destination: describeTarget(target),
    channelEndpointId: target.kind === 'endpoint' ? target.id : null,
  }
}

export const delivery = query({
  name: 'delivery.get',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  async run({ load }, { id }) {
    const found = await load(deliveriesById, id)
    return found && shown(found)
  },
})

const ofStep = z.object({ stepRunId: z.uuid() })

/** Lists the deliveries of a step run, oldest first. Batched. */
export const deliveriesOfStep = query({
  name: 'delivery.listOfStep',
  permission: 'event:read',
  input: ofStep,
  run: async ({ load }, { stepRunId }) => (await load(deliveriesByStepRun, stepRunId)).map(shown),
})

/** Lists the attempts of a delivery, oldest first. Batched. */
export const attemptsOf = query({
  name: 'delivery.listAttempts',
  permission: 'event:read',
  input: z.object({ deliveryId: z.uuid() }),
  run: ({ load }, { deliveryId }) => load(attemptsByDelivery, deliveryId),
})

/** Returns the time from which a pending delivery may be attempted again. Null for other deliveries. Batched. */
export const nextAttemptOf = query({
  name: 'delivery.getNextAttempt',
  permission: 'event:read',
  input: z.object({ deliveryId: z.uuid() }),
  run: async ({ load }, { deliveryId }) => (await load(attemptsByDelivery, deliveryId)).at(-1)?.nextAt ?? null,
})

/** Reads the event of a delivery. Batched. @throws Refusal `NOT_FOUND` if it was just deleted. */
export const eventOfDelivery = query({
  name: 'delivery.getEvent',
  permission: 'event:read',
  input: ofStep,
  async run(scope, { stepRunId }) {
    const { eventId } = await loadRunOfStep(scope, stepRunId)
    return loadEvent(scope, eventId)
  },
})

/** Reads the recipient of a delivery. Batched. Null if it was deleted. */
export const subscriberOfDelivery = query({
  name: 'delivery.getSubscriber',
  permission: 'subscriber:read',
  input: ofStep,
  async run(scope, { stepRunId }) {
    const { subscriberRowId } = await loadRunOfStep(scope, stepRunId)
    return scope.load(subscribersById, subscriberRowId)
  },
})

const filter = filterOf({
  status: z.enum(DeliveryStatus),
  statuses: severalOf(z.enum(DeliveryStatus)),
  causes: severalOf(z.enum(failureCauseCodes)),
  channel: z.enum(Channel),
  channels: severalOf(z.enum(Channel)),
  integrationIdentifier: text(255),
  integrationIdentifiers: severalOf(text(255)),
  subscriberId: text(255),
  subscriberIds: severalOf(text(255)),
  workflowIdentifier: text(255),
  workflowIdentifiers: severalOf(text(255)),
  contextKeys: contextKeysFilter,
  transactionId: text(255),
  ...createdConditions,
})

const storedFilter = ({ contextKeys, transactionId, ...given }: z.output<typeof filter>): DeliveryFilter => ({
  contextKeys,
  transactionId,
  createdAfter: given.createdAfter,
  createdBefore: given.createdBefore,
  status: valuesOf(given.status, given.statuses),
  cause: valuesOf(undefined, given.causes),
  channel: valuesOf(given.channel, given.channels),
  integrationIdentifier: valuesOf(given.integrationIdentifier, given.integrationIdentifiers),
  subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
  workflowIdentifier: valuesOf(given.workflowIdentifier, given.workflowIdentifiers),
})

const listed = z.object({ page: pageRequest, orderBy: order, filter })

export const deliveries = query({
  name: 'delivery.list',
  permission: 'event:read',
  input: listed,
  async run({ load, environmentId }, { page, orderBy, filter }) {
    const key = { parent: environmentId, orderBy, page, filter: storedFilter(filter) }
    const found = await load(deliveryPages, key)
    return { ...found, rows: found.rows.map(shown) }
  },
})

/** Lists the deliveries to a subscriberId, including those to an earlier subscriber with the same id. Batched. */
export const deliveriesOfSubscriber = query({
  name: 'delivery.listOfSubscriber',
  permission: 'event:read',
  input: listed.extend({ subscriberId: storableText }),
  async run({ load }, { subscriberId, page, orderBy, filter }) {
    const key = { parent: subscriberId, orderBy, page, filter: storedFilter(filter) }
    const found = await load(deliveriesBySubscriber, key)
    return { ...found, rows: found.rows.map(shown) }
  },
})
