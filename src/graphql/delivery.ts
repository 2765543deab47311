// Deliveries in the graph: each message of a step, where it went, and what was answered.
import type { DeliveryAttempt as AttemptRow } from '../data/prisma/client.ts'
import { DeliveryStatus as statuses } from '../data/prisma/enums.ts'
import { storedContent } from '../domain/content.ts'
import { attemptsOf, deliveries, deliveriesOfStep, delivery, type Delivery as DeliveryRow } from '../domain/delivery.ts'
import { retryDelivery } from '../engine/retry.ts'
import { Channel, Provider } from './channel.ts'
import { StepRun } from './run.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { rowIdOf } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'

const DeliveryStatus = builder.enumType('DeliveryStatus', {
  description: 'What became of a message.',
  values: {
    PENDING: { value: statuses.pending, description: 'It is on its way, or will be tried again.' },
    SENT: { value: statuses.sent, description: 'The provider took it.' },
    FAILED: { value: statuses.failed, description: 'It was refused for good, or given up. It can be retried.' },
    CANCELLED: { value: statuses.cancelled, description: 'Its event was cancelled before.' },
  } as const,
})

const DeliveryAttempt = builder.objectRef<AttemptRow>('DeliveryAttempt').implement({
  description: 'One try of a message.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'From 1.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it did not arrive. Null when it did.' }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'The status that the provider answered with. Null when it did not answer.',
    }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: 'The beginning of what it answered. Null when it did not answer.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the try began.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', description: 'When it ended.' }),
  }),
})

/** What a message is and where it goes, whether it is sent or only previewed. */
export const messageFields = (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, DeliveryRow>) => ({
  providerId: t.expose('providerId', { type: Provider, description: 'Who delivers.' }),
  integrationIdentifier: t.exposeString('integrationIdentifier', {
    description: 'The key of the integration that it goes through.',
  }),
  destination: t.exposeString('destination', { description: 'Where it goes, in words that open nothing.' }),
  subject: t.string({
    nullable: true,
    description: 'Its subject, rendered. Null when it has none.',
    resolve: ({ content }) => storedContent(content).subject,
  }),
  body: t.string({ description: 'Its body, rendered.', resolve: ({ content }) => storedContent(content).body }),
})

export const Delivery = builder.objectRef<DeliveryRow>('Delivery')
builder.node(Delivery, {
  description: 'One message to one destination.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => delivery(scope, { id }))),
  fields: (t) => ({
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    ...messageFields(t),
    status: t.expose('status', { type: DeliveryStatus, description: 'What became of it.' }),
    attempts: t.field({
      type: [DeliveryAttempt],
      description: 'Each try, oldest first.',
      resolve: async ({ id }, _args, { scope }) => [...(await attemptsOf(scope, { deliveryId: id }))],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
})

builder.objectFields(StepRun, (t) => ({
  deliveries: t.field({
    type: [Delivery],
    description: 'The messages, one for each destination. Empty of a step that sent none.',
    resolve: async ({ id }, _args, { scope }) => [...(await deliveriesOfStep(scope, { stepRunId: id }))],
  }),
}))

const DeliveryFilter = builder.inputType('DeliveryFilter', {
  description: 'Which messages: those that meet all that is given.',
  fields: (t) => ({
    status: t.field({ type: DeliveryStatus, description: 'Those of this status. `FAILED` are the dead letters.' }),
    channel: t.field({ type: Channel, description: 'Those of this channel.' }),
    integrationIdentifier: t.string({ description: 'Exactly those through the integration of this key.' }),
  }),
})
const DeliveryOrder = orderInput('Delivery')

builder.queryFields((t) => ({
  deliveries: t.connection(
    {
      ...calls(deliveries),
      type: Delivery,
      description: 'The messages of the environment, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: DeliveryFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: DeliveryOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await deliveries(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    connectionOf(Delivery, 'A page of messages.'),
  ),
}))

mutationField('retryDelivery', {
  description: 'Tries a message again that failed, as if it had never been tried.',
  input: (t) => ({ id: t.id({ required: true, description: 'The node id of the message.' }) }),
  resolver: retryDelivery,
  decode: ({ id }) => ({ id: rowIdOf(Delivery, id, 'id') }),
  payload: (t) => ({
    delivery: t.field({
      type: Delivery,
      nullable: true,
      description: 'The message. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})
