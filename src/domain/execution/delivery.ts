// Deliveries: each is one message to one destination, as the execution log shows it.
import { z } from 'zod'
import { attemptsByDelivery, deliveriesById, deliveriesByStepRun } from '../../data/delivery.ts'
import { deliveriesBySubscriber, type DeliveryFilter, deliveryPages } from '../../data/delivery-list.ts'
import type { DeliveryAttempt as AttemptRow, Delivery as Row } from '../../data/prisma/client.ts'
import { type RouteReason, routeReasons } from '../../data/queue/delivery-route.ts'
import { Channel, DeliveryStatus } from '../../data/prisma/enums.ts'
import { stepRunsById } from '../../data/step-run.ts'
import { subscribersById } from '../../data/subscriber.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { createdConditions, order, pageRequest } from '../../lib/page.ts'
import { filterOf, text, storableText } from '../../lib/validation.ts'
import { merged } from '../channel/json-merge.ts'
import { asObject } from '../channel/stored-json.ts'
import { loadEvent } from '../trigger/event.ts'
import { requestOverrides } from '../trigger/overrides.ts'
import { failureCauseCodes } from '../channel/failure-cause.ts'
import type { Content } from '../channel/content.ts'
import { contextKeysFilter } from '../context.ts'
import { type ProviderId, providerId, providerOf } from '../channel/provider-id.ts'
import { contentOf } from '../channel/sent-content.ts'
import { query } from '../resolver/resolver.ts'
import { receiptStates } from './receipt.ts'
import { loadRunOfStep } from './run.ts'
import { describeTarget, type Target, targetOf } from './target.ts'

/** A delivery without secrets. */
export type Delivery = Omit<Row, 'providerId' | 'target' | 'content'> & {
  readonly providerId: ProviderId
  readonly content: Content
  /** The display name of the destination, without secrets. */
  readonly destination: string
  /** The row id of the channel endpoint that is the destination. Null for other destinations. */
  readonly channelEndpointId: string | null
  /** What the envelope of an email consists of. Null for other messages, and if the subscriber was deleted. */
  readonly email: {
    readonly content: Content
    readonly integrationId: string | null
    readonly to: string | null
  } | null
}

function emailOf({ channel, integrationId }: Row, content: Content, target: Target): Delivery['email'] {
  if (channel !== 'email' || target.kind === 'deleted') return null
  return { content, integrationId, to: target.kind === 'email' ? target.address : null }
}

export function shown(stored: Row): Delivery {
  const { target: _target, ...row } = stored
  const target = targetOf(stored.target)
  const content = contentOf(stored)
  return {
    ...row,
    content,
    providerId: providerOf(row.providerId),
    destination: describeTarget(target),
    channelEndpointId: target.kind === 'endpoint' ? target.id : null,
    email: emailOf(stored, content, target),
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

/** An attempt, with the integration that made it. */
export type ShownAttempt = Omit<AttemptRow, 'providerId' | 'integrationIdentifier' | 'nextRouteReason'> & {
  readonly providerId: ProviderId
  readonly integrationIdentifier: string
  readonly nextRouteReason: RouteReason | null
}

/** Lists the attempts of a delivery, oldest first. Batched. */
export const attemptsOf = query({
  name: 'delivery.listAttempts',
  permission: 'event:read',
  input: z.object({ deliveryId: z.uuid(), providerId: z.string(), integrationIdentifier: z.string() }),
  async run({ load }, { deliveryId, ...only }): Promise<readonly ShownAttempt[]> {
    const attempts = await load(attemptsByDelivery, deliveryId)
    return attempts.map(({ providerId, integrationIdentifier, nextRouteReason, ...attempt }) => ({
      ...attempt,
      // A delivery with one integration does not repeat it in each attempt.
      providerId: providerOf(providerId ?? only.providerId),
      integrationIdentifier: integrationIdentifier ?? only.integrationIdentifier,
      nextRouteReason: routeReasons.find((reason) => reason === nextRouteReason) ?? null,
    }))
  },
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

const jsonOf = z.record(z.string(), z.json())

/** Reads what the overrides of the event change in the request of a delivery. Null if they change nothing. Batched. */
export const overridesOfDelivery = query({
  name: 'delivery.getOverrides',
  permission: 'event:read',
  input: ofStep.extend({ channel: z.enum(Channel), providerId }),
  async run(scope, { stepRunId, ...through }) {
    const [{ eventId }, step] = await Promise.all([
      loadRunOfStep(scope, stepRunId),
      scope.load(stepRunsById, stepRunId),
    ])
    const { overrides } = await loadEvent(scope, eventId)
    const found = requestOverrides(asObject(overrides), { ...through, stepId: step?.stepId ?? '' })
    return found.length === 0 ? null : jsonOf.parse(found.reduce<object>(merged, {}))
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
  stepIds: severalOf(text(255)),
  contextKeys: contextKeysFilter,
  transactionId: text(255),
  receipt: z.enum(receiptStates),
  receipts: severalOf(z.enum(receiptStates)),
  isCaptured: z.boolean(),
  search: text(320),
  ...createdConditions,
})

const storedFilter = ({ contextKeys, transactionId, ...given }: z.output<typeof filter>): DeliveryFilter => ({
  contextKeys,
  transactionId,
  receipt: valuesOf(given.receipt, given.receipts),
  isCaptured: given.isCaptured,
  search: given.search,
  createdAfter: given.createdAfter,
  createdBefore: given.createdBefore,
  status: valuesOf(given.status, given.statuses),
  cause: valuesOf(undefined, given.causes),
  channel: valuesOf(given.channel, given.channels),
  integrationIdentifier: valuesOf(given.integrationIdentifier, given.integrationIdentifiers),
  subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
  workflowIdentifier: valuesOf(given.workflowIdentifier, given.workflowIdentifiers),
  stepId: valuesOf(undefined, given.stepIds),
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
