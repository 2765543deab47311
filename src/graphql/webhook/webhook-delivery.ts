// Deliveries of webhook messages in the graph: their log, tests, retries and replays.
import { WebhookDeliveryStatus as Status } from '../../data/prisma/enums.ts'
import {
  bodyOfWebhook,
  MAX_REPLAYED,
  replayWebhooks,
  retryWebhookDelivery,
  sendTestWebhook,
  webhookDeliveries,
  webhookDelivery,
  type WebhookAttempt as AttemptRow,
  type WebhookDelivery as Row,
} from '../../domain/webhook/webhook-delivery.ts'
import { typesAmong } from '../../domain/outbox/webhook-type.ts'
import { webhookSubscription } from '../../domain/webhook/webhook-subscription.ts'
import { builder } from '../schema/builder.ts'
import { connectionOf, listArgs } from '../schema/connection.ts'
import { mutationField, part } from '../schema/mutation.ts'
import { defineNode } from '../schema/node.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { edge, edgeList, queryField } from '../schema/query.ts'
import { anyOfThe, byDefault, createdAt, newestFirst, nodeIdOf, updatedAt } from '../schema/wording.ts'
import { namedSubscription, WebhookEventType, WebhookSubscription } from './webhook-subscription.ts'

const WebhookDeliveryStatus = builder.enumType('WebhookDeliveryStatus', {
  description: 'The status of a webhook message for one subscription.',
  values: {
    PENDING: { value: Status.pending, description: 'The message is sent for the first time, or again later.' },
    SUCCEEDED: { value: Status.succeeded, description: 'The receiver answered with a status from 200 to 299.' },
    FAILED: { value: Status.failed, description: 'The receiver did not accept the message, and no attempt follows.' },
  } as const satisfies Record<Uppercase<Status>, { value: Status; description: string }>,
})

const WebhookAttempt = builder.objectRef<AttemptRow>('WebhookAttempt').implement({
  description: 'One request with a webhook message.',
  fields: (t) => ({
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'The time the attempt started.' }),
    duration: t.exposeInt('duration', { description: 'The duration of the attempt in milliseconds.' }),
    statusCode: t.exposeInt('status', {
      nullable: true,
      description: 'The status code of the response. Null without a response.',
    }),
    answer: t.exposeString('answer', {
      nullable: true,
      description:
        'The beginning of the response: at most 1000 characters. Null without a response, or if it is empty.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the attempt failed. Null if the receiver accepted the message.',
    }),
  }),
})

const WebhookDelivery = builder.objectRef<Row>('WebhookDelivery')
defineNode(WebhookDelivery, {
  description: 'A webhook message for one subscription, with its attempts. Kept for 7 days.',
  resolver: webhookDelivery,
  fields: (t) => ({
    messageId: t.string({
      description: 'The `webhook-id` of the requests, which is the same in all attempts and for all subscriptions.',
      resolve: ({ messageId }) => `msg_${messageId}`,
    }),
    eventType: t.field({
      type: WebhookEventType,
      nullable: true,
      description: 'The type of the message. Null for a type of a newer version of the gateway.',
      resolve: ({ type }) => typesAmong([type])[0] ?? null,
    }),
    status: t.expose('status', { type: WebhookDeliveryStatus, description: 'The status.' }),
    attemptCount: t.exposeInt('attemptCount', { description: 'The number of attempts since it was queued last.' }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the next attempt is due. Null if it has ended.',
    }),
    attempts: t.field({
      type: [WebhookAttempt],
      description: 'The attempts, oldest first. Only the last 20 are kept.',
      resolve: ({ attempts }) => [...attempts],
    }),
    body: edge(t, {
      type: 'String',
      nullable: true,
      description:
        'The body of the request. Null if the message was just deleted. The names of an erased person are replaced.',
      resolver: bodyOfWebhook,
      decode: ({ messageId, subscriptionId }) => ({ messageId, subscriptionId }),
    }),
    webhookSubscription: edge(t, {
      type: WebhookSubscription,
      nullable: true,
      description: 'The webhook subscription. Null if it was just deleted.',
      resolver: webhookSubscription,
      decode: ({ subscriptionId }) => ({ id: subscriptionId }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('message') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('status') }),
  }),
})

queryField('webhookDelivery', {
  description: 'The delivery of a webhook message with this node id. Null if it does not exist.',
  type: WebhookDelivery,
  nullable: true,
  args: (arg) => ({ id: arg.id({ required: true, description: nodeIdOf('delivery') }) }),
  resolver: webhookDelivery,
  decode: ({ id }) => ({ id: rowIdOf(WebhookDelivery, id, 'id') }),
})

builder.objectField(WebhookSubscription, 'deliveries', (t) =>
  edgeList(t, {
    description: `The messages for the subscription of the last 7 days. ${newestFirst}`,
    connection: connectionOf(WebhookDelivery, 'A page of deliveries of webhook messages.'),
    args: listArgs('WebhookDelivery', (t) => ({
      status: t.field({ type: WebhookDeliveryStatus, description: 'The status.' }),
      statuses: t.field({ type: [WebhookDeliveryStatus], description: anyOfThe('statuses') }),
      eventType: t.field({ type: WebhookEventType, description: 'The type of the message.' }),
      eventTypes: t.field({ type: [WebhookEventType], description: anyOfThe('types') }),
    })),
    resolver: webhookDeliveries,
    decode: ({ id }, args) => ({ ...args, id }),
  }),
)

mutationField('sendTestWebhook', {
  description:
    'Sends an example message to a webhook subscription, which must be active. It is signed and logged like all others. Its body has `isTest: true`.',
  input: (t) => ({
    ...namedSubscription.fields(t),
    eventType: t.field({
      type: WebhookEventType,
      description: `The type of the message, whether the subscription wants it or not. ${byDefault('the first type that it wants')}`,
    }),
  }),
  resolver: sendTestWebhook,
  decode: namedSubscription.decode,
  payload: { webhookDelivery: WebhookDelivery },
})

mutationField('retryWebhookDelivery', {
  description:
    'Sends a webhook message again, whatever its status, with a full set of attempts. It keeps its `webhook-id`. While the subscription is inactive, the message waits.',
  input: (t) => ({ id: t.id({ required: true, description: nodeIdOf('delivery') }) }),
  resolver: retryWebhookDelivery,
  decode: ({ id }) => ({ id: rowIdOf(WebhookDelivery, id, 'id') }),
  payload: { webhookDelivery: WebhookDelivery },
})

mutationField('replayWebhooks', {
  description: `Sends the stored messages of a period to a webhook subscription again, also messages that it has received: oldest first, and at most ${MAX_REPLAYED} in one call. The gateway stores the messages that any subscription wanted at the time, for 7 days.`,
  input: (t) => ({
    ...namedSubscription.fields(t),
    from: t.field({ type: 'DateTime', required: true, description: 'The earliest time of the change. Inclusive.' }),
    to: t.field({
      type: 'DateTime',
      description: `The time before which the change happened. Exclusive. ${byDefault('now')}`,
    }),
    eventTypes: t.field({
      type: [WebhookEventType],
      description: `The types of the messages. ${byDefault('all that the subscription wants')}`,
    }),
  }),
  resolver: replayWebhooks,
  decode: namedSubscription.decode,
  payload: {
    queuedCount: (t) => part(t, 'Int', 'The number of messages that are sent again.', ({ count }) => count),
    continueFrom: (t) =>
      part(
        t,
        'DateTime',
        'The `from` of the next call. Null if all messages are sent.',
        // A nullable value, which the type of the field does not say.
        ({ continueFrom }) => continueFrom,
      ),
  },
})
