// Routes of webhook subscriptions and of their deliveries.
import { z } from 'zod'
import { WebhookDeliveryStatus } from '../../data/prisma/enums.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { webhookEventTypes } from '../../domain/outbox/webhook-type.ts'
import {
  bodyOfWebhook,
  MAX_REPLAYED,
  replayWebhooks,
  retryWebhookDelivery,
  sendTestWebhook,
  webhookDeliveries,
  webhookDelivery,
  type WebhookDelivery,
} from '../../domain/webhook/webhook-delivery.ts'
import { rotateWebhookSecret } from '../../domain/webhook/webhook-rotation.ts'
import {
  createWebhookSubscription,
  deleteWebhookSubscription,
  updateWebhookSubscription,
  webhookSubscription,
  type WebhookSubscription,
  webhookSubscriptions,
} from '../../domain/webhook/webhook-subscription.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { dateOf, flag, found, timestamp, valuesField, versionField } from '../views.ts'

const eventType = z.enum(webhookEventTypes).meta({ id: 'WebhookEventType', description: 'Type of a webhook message.' })

const subscriptionView = z
  .object({
    _id: z.string(),
    identifier: z.string(),
    url: z.string().nullable().meta({ description: 'URL of the receiver. Null if it cannot be decrypted.' }),
    description: z.string().nullable(),
    eventTypes: z.array(eventType),
    active: z.boolean().meta({ description: 'True if messages are sent.' }),
    disabledReason: z.string().nullable().meta({ description: 'Why the gateway deactivated it. Null if it did not.' }),
    includeContent: z.boolean(),
    contextKeys: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Exact set of contexts whose messages are sent. Null for all messages.' }),
    failingSince: timestamp
      .nullable()
      .meta({ description: 'Time of the first failed attempt since the last that succeeded. Null if it succeeded.' }),
    formerSecretUntil: timestamp
      .nullable()
      .meta({ description: 'Time until which the former secret signs, too. Null if it does not.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: versionField,
  })
  .meta({ id: 'WebhookSubscription', description: 'A receiver of messages about changes.' })

const withSecretView = subscriptionView
  .extend({ secret: z.string().meta({ description: 'Signing secret. It cannot be read again.' }) })
  .meta({ id: 'WebhookSubscriptionWithSecret', description: 'A webhook subscription with its new secret.' })

function showSubscription(row: WebhookSubscription): z.input<typeof subscriptionView> {
  const { id, environmentId: _environmentId, failingSince, formerSecretUntil, createdAt, updatedAt, ...rest } = row
  return {
    _id: id,
    ...rest,
    eventTypes: [...row.eventTypes],
    contextKeys: row.contextKeys && [...row.contextKeys],
    failingSince: failingSince?.toISOString() ?? null,
    formerSecretUntil: formerSecretUntil?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

const deliveryView = z
  .object({
    _id: z.string(),
    messageId: z.string().meta({ description: '`webhook-id` of the requests.' }),
    eventType: z.string(),
    status: z.enum(WebhookDeliveryStatus),
    attemptCount: z.int().meta({ description: 'Number of attempts since it was queued last.' }),
    nextAttemptAt: timestamp.nullable().meta({ description: 'Time of the next attempt. Null if it has ended.' }),
    attempts: z
      .array(
        z.object({
          startedAt: timestamp,
          duration: z.number().meta({ description: 'Milliseconds.' }),
          statusCode: z.number().int().nullable(),
          answer: z.string().nullable().meta({ description: 'Beginning of the response.' }),
          error: z.string().nullable().meta({ description: 'Null if the receiver accepted the message.' }),
        }),
      )
      .meta({ description: 'Attempts, oldest first. Only the last 20 are kept.' }),
    body: z.string().nullable().meta({ description: 'Body of the request. Null if the message was just deleted.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'WebhookDelivery', description: 'A webhook message for one subscription.' })

async function showDelivery(row: WebhookDelivery, scope: DoorScope): Promise<z.input<typeof deliveryView>> {
  const { id, messageId, subscriptionId, type, status, attemptCount, nextAttemptAt, attempts } = row
  return {
    _id: id,
    messageId: `msg_${messageId}`,
    eventType: type,
    ...{ status, attemptCount, nextAttemptAt: nextAttemptAt?.toISOString() ?? null },
    attempts: attempts.map(({ startedAt, status: statusCode, ...attempt }) => ({
      ...attempt,
      statusCode,
      startedAt: startedAt.toISOString(),
    })),
    body: await bodyOfWebhook(scope, { messageId, subscriptionId }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const byIdentifier = z.object({
  identifier: z.string().meta({ description: 'Identifier of the webhook subscription.' }),
})
const byDeliveryId = z.object({ id: z.uuid().meta({ description: '`_id` of the delivery.' }) })

const NOUN = 'Webhook subscription'
const path = '/v2/webhook-subscriptions/{identifier}'
const unnamed = { identifier: true, id: true } as const

export const webhookSubscriptionRoutes = [
  route({
    method: 'get',
    path: '/v2/webhook-subscriptions',
    summary: 'List webhook subscriptions',
    query: pageQuery.extend({
      active: flag.optional().meta({ description: 'True matches active subscriptions, false inactive subscriptions.' }),
    }),
    resolver: webhookSubscriptions,
    input: ({ query: { active, ...query } }) => ({ ...pageOfQuery(query), filter: { active } }),
    statuses: [200],
    response: pageSchema(subscriptionView),
    view: (page, scope) => showPage(scope, page, showSubscription),
  }),
  route({
    method: 'post',
    path: '/v2/webhook-subscriptions',
    summary: 'Create a webhook subscription; the response has its secret',
    example: {
      identifier: 'crm',
      url: 'https://crm.example.com/hooks',
      eventTypes: ['message.sent', 'message.failed'],
    },
    body: createWebhookSubscription.definition.input,
    resolver: createWebhookSubscription,
    statuses: [201],
    response: withSecretView,
    view: ({ subscription, secret }) => ({ ...showSubscription(subscription), secret }),
  }),
  route({
    method: 'get',
    path,
    summary: 'Read a webhook subscription',
    params: byIdentifier,
    resolver: webhookSubscription,
    statuses: [200],
    version: (row) => row?.version,
    response: subscriptionView,
    view: (row, _scope, { params }) => showSubscription(found(row, NOUN, params.identifier)),
  }),
  route({
    method: 'patch',
    path,
    summary: 'Update a webhook subscription; activating it sends its pending messages',
    example: { active: true },
    params: byIdentifier,
    body: updateWebhookSubscription.definition.input.omit(unnamed),
    conditional: true,
    resolver: updateWebhookSubscription,
    input: ({ params, body, condition }) => ({ ...body, ...condition, ...params }),
    statuses: [200],
    version: ({ version }) => version,
    response: subscriptionView,
    view: showSubscription,
  }),
  route({
    method: 'delete',
    path,
    summary: 'Delete a webhook subscription and the log of its deliveries',
    params: byIdentifier,
    resolver: deleteWebhookSubscription,
    statuses: [200],
    response: z.object({ acknowledged: z.boolean() }),
    view: () => ({ acknowledged: true }),
  }),
  route({
    method: 'post',
    path: `${path}/rotate-secret`,
    summary: 'Replace the secret; the former one signs, too, for a while',
    example: { keepOldFor: 86_400 },
    params: byIdentifier,
    body: rotateWebhookSecret.definition.input.omit(unnamed).optional(),
    resolver: rotateWebhookSecret,
    input: ({ params, body }) => ({ ...body, ...params }),
    statuses: [200],
    response: withSecretView,
    view: ({ subscription, secret }) => ({ ...showSubscription(subscription), secret }),
  }),
  route({
    method: 'post',
    path: `${path}/test`,
    summary: 'Send an example message to an active webhook subscription',
    example: { eventType: 'message.sent' },
    params: byIdentifier,
    body: sendTestWebhook.definition.input.omit(unnamed).optional(),
    resolver: sendTestWebhook,
    input: ({ params, body }) => ({ ...body, ...params }),
    statuses: [202],
    response: deliveryView,
    view: showDelivery,
  }),
  route({
    method: 'post',
    path: `${path}/replay`,
    summary: `Send the stored messages of a period again: oldest first, and at most ${MAX_REPLAYED}`,
    example: { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' },
    params: byIdentifier,
    // Without a misspelled end, more messages would be sent.
    body: z.strictObject({
      from: timestamp.meta({ description: 'Earliest time of the change. Inclusive.' }),
      to: timestamp.nullish().meta({ description: 'Time before which the change happened. Exclusive. Default: now.' }),
      eventTypes: replayWebhooks.definition.input.shape.eventTypes.meta({
        description: 'Types of the messages. Default: all that the subscription wants.',
      }),
    }),
    resolver: replayWebhooks,
    input: ({ params, body: { from, to, eventTypes } }) => ({
      ...params,
      from: new Date(from),
      to: dateOf(to ?? undefined),
      eventTypes,
    }),
    statuses: [202],
    response: z.object({
      queuedCount: z.int().meta({ description: 'Number of messages that are sent again.' }),
      continueFrom: timestamp.nullable().meta({ description: '`from` of the next call. Null if all are sent.' }),
    }),
    view: ({ count, continueFrom }) => ({ queuedCount: count, continueFrom: continueFrom?.toISOString() ?? null }),
  }),
  route({
    method: 'get',
    path: `${path}/deliveries`,
    summary: 'List the messages for a webhook subscription of the last 7 days',
    params: byIdentifier,
    query: pageQuery.extend({
      status: z.enum(WebhookDeliveryStatus).optional().meta({ description: 'Filter by status.' }),
      statuses: valuesField(z.enum(WebhookDeliveryStatus), 'statuses'),
      eventType: eventType.optional().meta({ description: 'Filter by type.' }),
      eventTypes: valuesField(z.enum(webhookEventTypes), 'types'),
    }),
    resolver: webhookDeliveries,
    input: ({ params, query: { status, statuses, eventType, eventTypes, ...query } }) => ({
      ...params,
      ...pageOfQuery(query),
      filter: { status, statuses, eventType, eventTypes },
    }),
    statuses: [200],
    response: pageSchema(deliveryView),
    view: (page, scope) => showPage(scope, page, (row) => showDelivery(row, scope)),
  }),
  route({
    method: 'get',
    path: '/v2/webhook-deliveries/{id}',
    summary: 'Read a webhook message with its attempts',
    params: byDeliveryId,
    resolver: webhookDelivery,
    statuses: [200],
    response: deliveryView,
    view: (row, scope, { params }) => showDelivery(found(row, 'Webhook delivery', params.id), scope),
  }),
  route({
    method: 'post',
    path: '/v2/webhook-deliveries/{id}/retry',
    summary: 'Send a webhook message again, whatever its status',
    params: byDeliveryId,
    resolver: retryWebhookDelivery,
    statuses: [202],
    response: deliveryView,
    view: showDelivery,
  }),
]
