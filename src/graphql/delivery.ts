// Deliveries: the messages of a step, their destinations and attempts.
import type { DeliveryAttempt as AttemptRow } from '../data/prisma/client.ts'
import { DeliveryStatus as statuses } from '../data/prisma/enums.ts'
import { contentOf } from '../domain/content.ts'
import { attemptsOf, deliveries, deliveriesOfStep, delivery, type Delivery as DeliveryRow } from '../domain/delivery.ts'
import { retryDelivery } from '../engine/retry.ts'
import { Channel, Provider } from './channel.ts'
import { StepRun } from './run.ts'
import { builder, type ObjectFields } from './schema/builder.ts'
import { usualLength } from './schema/complexity.ts'
import { connectionOf, listArgs } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { rowIdOf } from './schema/node-id.ts'
import { defineNode } from './schema/node.ts'
import { edge, queryList } from './schema/query.ts'

const DeliveryStatus = builder.enumType('DeliveryStatus', {
  description: 'The status of a delivery.',
  values: {
    PENDING: { value: statuses.pending, description: 'In progress, or waiting for the next attempt.' },
    SENT: { value: statuses.sent, description: 'Accepted by the provider.' },
    FAILED: {
      value: statuses.failed,
      description: 'Failed permanently or after the last attempt. Retry it with `retryDelivery`.',
    },
    CANCELLED: { value: statuses.cancelled, description: 'Cancelled before the message was sent.' },
  } as const,
})

const DeliveryAttempt = builder.objectRef<AttemptRow>('DeliveryAttempt').implement({
  description: 'One attempt to deliver a message.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'The number of the attempt, from 1.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'The error message. Null if the attempt succeeded.',
    }),
    status: t.exposeInt('status', {
      nullable: true,
      description: "The status code of the provider's response. Null without a response.",
    }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: "The beginning of the provider's response. Null without a response.",
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'The time at which the attempt started.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', description: 'The time at which the attempt ended.' }),
  }),
})

/** The fields of a message, sent or previewed. */
export const messageFields = (t: ObjectFields<DeliveryRow>) => ({
  providerId: t.expose('providerId', { type: Provider, description: 'The provider.' }),
  integrationIdentifier: t.exposeString('integrationIdentifier', {
    description: 'The identifier of the integration.',
  }),
  destination: t.exposeString('destination', {
    description: 'A display name of the destination, without secrets. `a deleted subscriber` if it was deleted.',
  }),
  subject: t.string({
    nullable: true,
    description: 'The rendered subject. Null if there is none.',
    resolve: ({ content }) => contentOf(content).subject,
  }),
  body: t.string({
    description: 'The rendered body. Empty if the subscriber was deleted.',
    resolve: ({ content }) => contentOf(content).body,
  }),
})

export const Delivery = builder.objectRef<DeliveryRow>('Delivery')
defineNode(Delivery, {
  description: 'One message to one destination.',
  resolver: delivery,
  fields: (t) => ({
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    ...messageFields(t),
    status: t.expose('status', { type: DeliveryStatus, description: 'The status.' }),
    attempts: edge(t, {
      description: 'The attempts, oldest first.',
      type: [DeliveryAttempt],
      complexity: usualLength(3),
      resolver: attemptsOf,
      decode: ({ id }) => ({ deliveryId: id }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The time of the last change.' }),
  }),
})

builder.objectField(StepRun, 'deliveries', (t) =>
  edge(t, {
    description: 'The messages of the step, one for each destination. Empty if it sent none.',
    type: [Delivery],
    complexity: usualLength(2),
    resolver: deliveriesOfStep,
    decode: ({ id }) => ({ stepRunId: id }),
  }),
)

queryList('deliveries', {
  description: 'The deliveries of the environment. Newest first by default.',
  connection: connectionOf(Delivery, 'A page of deliveries.'),
  args: listArgs('Delivery', (t) => ({
    status: t.field({ type: DeliveryStatus, description: 'The status. `FAILED` lists dead letters.' }),
    channel: t.field({ type: Channel, description: 'The channel.' }),
    integrationIdentifier: t.string({ description: 'The identifier of the integration.' }),
  })),
  resolver: deliveries,
  decode: (_root, args) => args,
})

mutationField('retryDelivery', {
  description: 'Sends a failed message again, with a full set of attempts.',
  input: (t) => ({ id: t.id({ required: true, description: 'The node id of the delivery.' }) }),
  resolver: retryDelivery,
  decode: ({ id }) => ({ id: rowIdOf(Delivery, id, 'id') }),
  payload: { delivery: Delivery },
})
