// Deliveries of webhook messages: their log, tests, retries and replays.
import { z } from 'zod'
import type { WebhookDelivery as Row } from '../../data/prisma/client.ts'
import { WebhookDeliveryStatus } from '../../data/prisma/enums.ts'
import {
  deliveriesOfSubscriptions,
  requeueDelivery,
  webhookDeliveriesById,
  webhookMessagesById,
} from '../../data/webhook/webhook-delivery.ts'
import { insertTestMessage, replayMessages } from '../../data/webhook/webhook-message.ts'
import { webhookSubscriptionsById } from '../../data/webhook/webhook-subscription.ts'
import { refuse } from '../../lib/errors.ts'
import { order, pageRequest, time } from '../../lib/page.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf } from '../../lib/validation.ts'
import { typesAmong, webhookEventTypes, webhookTypes } from '../outbox/webhook-type.ts'
import { notFound } from '../resolver/reference.ts'
import { mutation, query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { webhookBody } from './webhook-body.ts'
import { requireSubscription, webhookSubscriptionReference } from './webhook-subscription.ts'

/** Maximum messages that one call replays. */
export const MAX_REPLAYED = 5_000

/** An attempt, as the log shows it. */
const attempt = z.object({
  startedAt: z.string().transform((text) => new Date(text)),
  duration: z.number(),
  status: z.number().nullable(),
  answer: z.string().nullable(),
  error: z.string().nullable(),
})
const attempts = z.array(attempt)
export type WebhookAttempt = z.output<typeof attempt>

/** A delivery with its last attempts, oldest first. */
export type WebhookDelivery = Omit<Row, 'attempts'> & { readonly attempts: readonly WebhookAttempt[] }

const shown = (row: Row): WebhookDelivery => ({ ...row, attempts: attempts.parse(row.attempts) })

const read = 'webhookSubscription:read'
const write = 'webhookSubscription:write'

export const webhookDelivery = query({
  name: 'webhookSubscription.getDelivery',
  permission: read,
  input: z.object({ id: z.uuid() }),
  async run({ load }, { id }) {
    const found = await load(webhookDeliveriesById, id)
    return found && shown(found)
  },
})

/** Returns what the request of a delivery has as its body. Null if the message was just deleted. Batched. */
export const bodyOfWebhook = query({
  name: 'webhookSubscription.getBody',
  permission: read,
  input: z.object({ messageId: z.uuid(), subscriptionId: z.uuid() }),
  async run(scope, { messageId, subscriptionId }) {
    const [message, subscription] = await Promise.all([
      scope.load(webhookMessagesById, messageId),
      scope.load(webhookSubscriptionsById, subscriptionId),
    ])
    if (message === null || subscription === null) return null
    return webhookBody(scope, { ...message, occurredAt: message.createdAt }, subscription.includeContent)
  },
})

const filter = filterOf({
  status: z.enum(WebhookDeliveryStatus),
  statuses: severalOf(z.enum(WebhookDeliveryStatus)),
  eventType: z.enum(webhookEventTypes),
  eventTypes: severalOf(z.enum(webhookEventTypes)),
})

/** Lists the deliveries of a subscription. Batched. @throws Refusal `NOT_FOUND` */
export const webhookDeliveries = query({
  name: 'webhookSubscription.listDeliveries',
  permission: read,
  input: z.object({ ...webhookSubscriptionReference, page: pageRequest, orderBy: order, filter }),
  async run(scope, { identifier, id, page, orderBy, filter }) {
    const subscription = await requireSubscription(scope, { identifier, id })
    const found = await scope.load(deliveriesOfSubscriptions, {
      parent: subscription.id,
      orderBy,
      page,
      filter: {
        status: valuesOf(filter.status, filter.statuses),
        type: valuesOf(filter.eventType, filter.eventTypes),
      },
    })
    return { ...found, rows: found.rows.map(shown) }
  },
})

async function requireDelivery({ db, environmentId }: Scope, id: string): Promise<WebhookDelivery> {
  const found = await db.webhookDelivery.findUnique({ where: { environmentId_id: { environmentId, id } } })
  if (found === null) throw notFound('Webhook delivery', { id })
  return shown(found)
}

/**
 * Sends an example message to a subscription, in the background. It is signed, attempted and logged like all others, and
 * says that it is a test.
 *
 * @throws Refusal `CONFLICT` if the subscription is not active.
 */
export const sendTestWebhook = mutation({
  name: 'webhookSubscription.sendTest',
  permission: write,
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ ...webhookSubscriptionReference, eventType: z.enum(webhookEventTypes).nullish() }),
  async run(scope, { eventType, ...named }): Promise<WebhookDelivery> {
    const subscription = await requireSubscription(scope, named)
    if (!subscription.active) {
      const message = `Webhook subscription "${subscription.identifier}" is not active`
      throw refuse('CONFLICT', message, named.identifier ? 'identifier' : 'id')
    }
    const [first = 'message.sent'] = typesAmong(subscription.eventTypes)
    const type = eventType ?? first
    const deliveryId = scope.newId()
    const message = { id: scope.newId(), data: webhookTypes[type].example, contextKeys: [] }
    await insertTestMessage(scope, { subscriptionId: subscription.id, deliveryId, type, message }, scope.now())
    return requireDelivery(scope, deliveryId)
  },
})

/**
 * Queues a message again, whatever its status, with a full set of attempts. It keeps its `webhook-id`. If the subscription
 * is not active, the message waits until it is.
 */
export const retryWebhookDelivery = mutation({
  name: 'webhookSubscription.retryDelivery',
  permission: write,
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }): Promise<WebhookDelivery> {
    if ((await requeueDelivery(scope, id, scope.now())) === undefined) throw notFound('Webhook delivery', { id })
    return requireDelivery(scope, id)
  },
})

interface Replayed {
  /** The number of queued messages. */
  readonly count: number
  /** The `from` of the next call. Null if all messages were queued. */
  readonly continueFrom: Date | null
}

/** Queues the stored messages of a period for a subscription again, oldest first and at most `MAX_REPLAYED`. */
export const replayWebhooks = mutation({
  name: 'webhookSubscription.replay',
  permission: write,
  rate: { category: 'configuration', cost: 100 },
  input: z.object({
    ...webhookSubscriptionReference,
    from: time,
    to: time.nullish(),
    eventTypes: z.array(z.enum(webhookEventTypes)).min(1).max(webhookEventTypes.length).nullish(),
  }),
  async run(scope, { from, to: end, eventTypes, ...named }): Promise<Replayed> {
    const now = scope.now()
    const to = end ?? now
    if (to <= from) throw refuse('INVALID', 'to must be after from', 'to', to)
    const { id: subscriptionId } = await requireSubscription(scope, named)
    const replay = { subscriptionId, from, to, types: eventTypes ?? undefined }
    const { count, last } = await replayMessages(scope, replay, MAX_REPLAYED, now)
    return { count, continueFrom: count < MAX_REPLAYED ? null : last }
  },
})
