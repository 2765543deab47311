// Deliveries: the messages of a step, their destinations and attempts.
import { DeliveryStatus as statuses } from '../../data/prisma/enums.ts'
import { emailOf } from '../../domain/execution/email-envelope.ts'
import {
  attemptsOf,
  deliveriesOfStep,
  delivery,
  type Delivery as DeliveryRow,
  eventOfDelivery,
  nextAttemptOf,
  overridesOfDelivery,
  subscriberOfDelivery,
} from '../../domain/execution/delivery.ts'
import { reportsOfDelivery } from '../../domain/execution/delivery-report.ts'
import { circuitOpenUntil, shownRoutes } from '../../domain/execution/delivery-route.ts'
import { runOfStep, stepRun } from '../../domain/execution/run.ts'
import { integration } from '../../domain/integration.ts'
import { rateLimitedUntil } from '../../domain/execution/limited-delivery.ts'
import { channelEndpoint } from '../../domain/channel-endpoint.ts'
import { retryDelivery } from '../../engine/retry.ts'
import { Channel, Provider } from '../channel.ts'
import { ChannelEndpoint } from '../channel/channel-endpoint.ts'
import { Integration } from '../integration.ts'
import { DeliveryAttempt, DeliveryRoute } from './delivery-attempt.ts'
import { DeliveryReceipt, DeliveryReport } from './delivery-receipt.ts'
import { causeField } from './failure-cause.ts'
import { StepRun, WorkflowRun } from './run.ts'
import { EmailEnvelope } from './email-envelope.ts'
import { builder, type ObjectFields } from '../schema/builder.ts'
import { usualLength } from '../schema/complexity.ts'
import { mutationField } from '../schema/mutation.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { defineNode } from '../schema/node.ts'
import { edge } from '../schema/query.ts'
import { Subscriber } from '../subscriber.ts'
import { Event } from './event.ts'
import { IncidentAction } from '../workflow-step.ts'
import { createdAt, identifierOf, nodeIdOf, updatedAt } from '../schema/wording.ts'

export const DeliveryStatus = builder.enumType('DeliveryStatus', {
  description: 'The status of a delivery.',
  values: {
    PENDING: { value: statuses.pending, description: 'The message is being sent, or waits for the next attempt.' },
    SENT: { value: statuses.sent, description: 'Accepted by the provider.' },
    FAILED: {
      value: statuses.failed,
      description:
        'The delivery failed permanently or after the last attempt. Retry it with `retryDelivery`, or retry several with `retryDeliveries`.',
    },
    CANCELLED: { value: statuses.cancelled, description: 'Cancelled before the message was sent.' },
  } as const,
})

/** The description of the time until which a message is not sent because of a rate limit. */
export const waitsForRate = (what: string) =>
  `The time the rate limit of the integration allows messages again, if the message ${what}. Older messages, and messages of critical workflows, go first. Null otherwise.`

/** The description of the time until which a message is not sent because of a circuit. */
export const waitsForCircuit = (what: string) =>
  `The time of the next probe of the integration, whose circuit is open, if the message ${what}. Null otherwise, also if the message may go to another integration.`

const capturedDescription = (what: string) =>
  `True if the environment ${what} the message instead of sending it. It counts as sent, unless its address simulates a failure.`

/** The fields of a message, sent or previewed. */
export const messageFields = (t: ObjectFields<DeliveryRow>) => ({
  isCaptured: t.exposeBoolean('isCaptured', { description: capturedDescription('captured, or would capture,') }),
  providerId: t.expose('providerId', { type: Provider, description: 'The provider.' }),
  integrationIdentifier: t.exposeString('integrationIdentifier', {
    description: `${identifierOf('integration')} \`capture\` for a captured message without an integration.`,
  }),
  routes: t.field({
    type: [DeliveryRoute],
    description:
      'The integrations through which the message is tried, in order. Several only if it goes to an email address or phone number of the subscriber, and the channel has fallbacks.',
    complexity: usualLength(1),
    resolve: (row) => [...shownRoutes(row)],
  }),
  destination: t.exposeString('destination', {
    description:
      'The display name of the destination, without secrets. `a deleted subscriber` if the subscriber was deleted.',
  }),
  subject: t.string({
    nullable: true,
    description: 'The rendered subject, with masks instead of secret payload fields. Null if there is none.',
    resolve: ({ content }) => content.subject,
  }),
  body: t.string({
    description: 'The rendered body, with masks instead of secret payload fields. Empty if the subscriber was deleted.',
    resolve: ({ content }) => content.body,
  }),
  incidentKey: t.string({
    nullable: true,
    description: 'The rendered key of the incident. Null if its step has none.',
    resolve: ({ content }) => content.incident?.key ?? null,
  }),
  incidentAction: t.field({
    type: IncidentAction,
    nullable: true,
    description: 'What the message does with the incident. Null without a key.',
    resolve: ({ content }) => content.incident?.action ?? null,
  }),
  email: edge(t, {
    description:
      'The addresses, headers and parts of an email, with masks instead of secret payload fields. Null for other channels, and if the subscriber was deleted.',
    type: EmailEnvelope,
    nullable: true,
    resolver: emailOf,
    decode: ({ email }) => email,
  }),
  expiresAt: t.expose('expiresAt', {
    type: 'DateTime',
    nullable: true,
    description:
      'The time the message expires. If it is not sent by then, it is not attempted again. Null if its step has no `expiresAfter`.',
  }),
  timeLimitAt: t.expose('timeLimitAt', {
    type: 'DateTime',
    nullable: true,
    description:
      'The time the time limit ends. After it, the message is not attempted again. Null if its step has no `timeLimit`.',
  }),
})

export const Delivery = builder.objectRef<DeliveryRow>('Delivery')
defineNode(Delivery, {
  description: 'One message to one destination.',
  resolver: delivery,
  fields: (t) => ({
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    ...messageFields(t),
    overrides: edge(t, {
      description:
        'The part of the overrides of the event that is merged into the request to the provider. Null if there is none.',
      type: 'JSONObject',
      nullable: true,
      resolver: overridesOfDelivery,
      decode: ({ stepRunId, channel, providerId }) => ({ stepRunId, channel, providerId }),
    }),
    status: t.expose('status', { type: DeliveryStatus, description: 'The status.' }),
    cause: causeField(t, 'the message'),
    step: edge(t, {
      description: 'The step of the delivery.',
      type: StepRun,
      resolver: stepRun,
      decode: ({ stepRunId }) => ({ id: stepRunId }),
    }),
    workflowRun: edge(t, {
      description: 'The run of the delivery.',
      type: WorkflowRun,
      resolver: runOfStep,
      decode: ({ stepRunId }) => ({ stepRunId }),
    }),
    event: edge(t, {
      description: 'The event.',
      type: Event,
      resolver: eventOfDelivery,
      decode: ({ stepRunId }) => ({ stepRunId }),
    }),
    subscriber: edge(t, {
      description:
        'The recipient. Null if the recipient was deleted, even if another subscriber was created later under the same `subscriberId`.',
      type: Subscriber,
      nullable: true,
      resolver: subscriberOfDelivery,
      decode: ({ stepRunId }) => ({ stepRunId }),
    }),
    integration: edge(t, {
      description:
        'The integration. Null for a captured message without one, and if it was deleted, even if another integration was created later under the same identifier.',
      type: Integration,
      nullable: true,
      resolver: integration,
      decode: ({ integrationId }) => (integrationId === null ? null : { id: integrationId }),
    }),
    channelEndpoint: edge(t, {
      description: 'The channel endpoint that is the destination. Null for other destinations, and if it was deleted.',
      type: ChannelEndpoint,
      nullable: true,
      resolver: channelEndpoint,
      decode: ({ channelEndpointId }) => (channelEndpointId === null ? null : { id: channelEndpointId }),
    }),
    attemptCount: t.exposeInt('attemptCount', {
      description: 'The number of attempts since the delivery was created or last retried.',
    }),
    nextAttemptAt: edge(t, {
      description:
        'The time the message may be attempted again. Null if no attempt has failed or no attempt follows. A pause delays it.',
      type: 'DateTime',
      nullable: true,
      resolver: nextAttemptOf,
      decode: ({ id, status }) => (status === statuses.pending ? { deliveryId: id } : null),
    }),
    circuitOpenUntil: edge(t, {
      description: waitsForCircuit('waits for it'),
      type: 'DateTime',
      nullable: true,
      resolver: circuitOpenUntil,
      decode: ({ id, status, integrationId, attemptCount, routes }) => ({
        id,
        status,
        integrationId,
        attemptCount,
        routes,
      }),
    }),
    rateLimitedUntil: edge(t, {
      description: waitsForRate('waits for it'),
      type: 'DateTime',
      nullable: true,
      resolver: rateLimitedUntil,
      decode: ({ id, status, integrationId, attemptCount }) => ({ id, status, integrationId, attemptCount }),
    }),
    attempts: edge(t, {
      description: 'The attempts, oldest first.',
      type: [DeliveryAttempt],
      complexity: usualLength(3),
      resolver: attemptsOf,
      decode: ({ id, providerId, integrationIdentifier }) => ({ deliveryId: id, providerId, integrationIdentifier }),
    }),
    providerMessageId: t.exposeString('providerMessageId', {
      nullable: true,
      description: "The provider's id of the message. Null if it was not accepted, or the provider gave none.",
    }),
    receipt: t.field({
      type: DeliveryReceipt,
      description: 'What the provider reported about the message to its recipient. Reports about copies do not count.',
      resolve: (row) => row,
    }),
    reports: edge(t, {
      description: 'The reports of the provider, in the order in which they arrived.',
      type: [DeliveryReport],
      complexity: usualLength(2),
      resolver: reportsOfDelivery,
      decode: ({ id }) => ({ deliveryId: id }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('delivery') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('delivery') }),
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

mutationField('retryDelivery', {
  description:
    'Sends a failed message again, with a full set of attempts and a new time limit. An expired message cannot be retried.',
  input: (t) => ({ id: t.id({ required: true, description: nodeIdOf('delivery') }) }),
  resolver: retryDelivery,
  decode: ({ id }) => ({ id: rowIdOf(Delivery, id, 'id') }),
  payload: { delivery: Delivery },
})
