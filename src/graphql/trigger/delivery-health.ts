// The health of deliveries: failing integrations and workflows, dead letters and the queue.
import { MAX_FAILING, MAX_FAILURES, type WorkflowFailures } from '../../data/monitoring/delivery-health.ts'
import { MAX_COUNTED, type QueueState } from '../../data/queue/queue-state.ts'
import { delivery } from '../../domain/execution/delivery.ts'
import {
  type DeliveryHealth as DeliveryHealthValue,
  deliveryHealth,
  failedDeliveries,
  integrationHealth,
  type IntegrationHealth as IntegrationHealthValue,
  MAX_MINUTES,
  queueHealth,
  receiptHealth,
  type ReceiptHealth as ReceiptHealthValue,
  workflowHealth,
} from '../../domain/execution/delivery-health.ts'
import { integration } from '../../domain/integration.ts'
import { workflow } from '../../domain/workflow.ts'
import { Channel } from '../channel.ts'
import { Delivery } from './delivery.ts'
import { Integration } from '../integration.ts'
import { builder } from '../schema/builder.ts'
import { usualLength } from '../schema/complexity.ts'
import { edge, queryField } from '../schema/query.ts'
import { Workflow } from '../workflow.ts'
import { byDefault, contextsOfCounted, identifierOf } from '../schema/wording.ts'

const IntegrationHealth = builder.objectRef<IntegrationHealthValue>('IntegrationHealth').implement({
  description: 'The messages through an integration in the window.',
  fields: (t) => ({
    integrationIdentifier: t.exposeString('integrationIdentifier', {
      description: identifierOf('integration when it was selected'),
    }),
    integration: edge(t, {
      type: Integration,
      nullable: true,
      description: 'The integration. Null if no integration has the identifier any more.',
      resolver: integration,
      decode: ({ integrationIdentifier }) => ({ identifier: integrationIdentifier }),
    }),
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    failing: t.exposeBoolean('failing', { description: 'True if there were more failed attempts than sent messages.' }),
    sent: t.exposeInt('sent', { description: 'Messages that the provider accepted.' }),
    failed: t.exposeInt('failed', { description: 'Messages that failed permanently or after the last attempt.' }),
    failedAttempts: t.exposeInt('failedAttempts', {
      description: 'Failed attempts, including attempts that another attempt followed.',
    }),
    lastFailure: edge(t, {
      type: Delivery,
      nullable: true,
      description:
        'A recent message with a failed attempt. Its attempts contain the error. Null if the message was deleted.',
      resolver: delivery,
      decode: ({ failedDeliveryId }) => ({ id: failedDeliveryId }),
    }),
  }),
})

const WorkflowHealth = builder.objectRef<WorkflowFailures>('WorkflowHealth').implement({
  description: 'The failures of a workflow in the window.',
  fields: (t) => ({
    workflowIdentifier: t.exposeString('workflowIdentifier', { description: identifierOf('workflow') }),
    workflow: edge(t, {
      type: Workflow,
      nullable: true,
      description: 'The workflow, with its suspension. Null if it was deleted.',
      resolver: workflow,
      decode: ({ workflowIdentifier }) => ({ identifier: workflowIdentifier }),
    }),
    failedRuns: t.exposeInt('failedRuns', {
      description: `Failed runs that were not retried since. Only the last ${MAX_FAILURES} failed runs of all workflows are counted.`,
    }),
    failedMessages: t.exposeInt('failedMessages', {
      description:
        'Messages that failed permanently or after the last attempt, and steps whose message could not be rendered.',
    }),
  }),
})

const ReceiptHealth = builder.objectRef<ReceiptHealthValue>('ReceiptHealth').implement({
  description: 'The bounces and complaints of messages through an integration in the window.',
  fields: (t) => ({
    integrationIdentifier: t.exposeString('integrationIdentifier', {
      description: identifierOf('integration when it was selected'),
    }),
    sent: t.exposeInt('sent', { description: 'Messages that the provider accepted in the window.' }),
    bounced: t.exposeInt('bounced', { description: 'Messages that bounced in the window, whenever they were sent.' }),
    complained: t.exposeInt('complained', {
      description: 'Messages that were reported as spam in the window, whenever they were sent.',
    }),
    bounceRate: t.exposeFloat('bounceRate', {
      nullable: true,
      description: 'Bounced messages by sent message, from 0. Null if none was sent in the window.',
    }),
    complaintRate: t.exposeFloat('complaintRate', {
      nullable: true,
      description: 'Complaints by sent message, from 0. Null if none was sent in the window.',
    }),
  }),
})

const JobKind = builder.enumType('JobKind', {
  description: 'A part of the queue, with its own workers.',
  values: {
    EVENTS: { value: 'events', description: 'Creates the runs of events.' },
    RUNS: { value: 'runs', description: 'Executes the steps of runs, and erases persons.' },
    MESSAGES: { value: 'messages', description: 'Sends messages.' },
  } as const satisfies Record<Uppercase<QueueState['kind']>, { value: QueueState['kind']; description: string }>,
})

const QueueHealth = builder.objectRef<QueueState>('QueueHealth').implement({
  description: 'The jobs of the environment in a part of the queue.',
  fields: (t) => ({
    kind: t.expose('kind', { type: JobKind, description: 'The part of the queue.' }),
    due: t.exposeInt('due', { description: `Jobs that wait for a worker. At most ${MAX_COUNTED} are counted.` }),
    scheduled: t.exposeInt('scheduled', {
      description: `Jobs in progress, and jobs that are due later, such as delays and further attempts. At most ${MAX_COUNTED} are counted.`,
    }),
    paused: t.exposeInt('held', {
      description: `The number of jobs that a pause holds. At most ${MAX_COUNTED} are counted.`,
    }),
    rateLimited: t.exposeInt('limited', {
      description: `The number of messages that wait for the rate limit of an integration. They are not due. At most ${MAX_COUNTED} are counted.`,
    }),
    oldestDueSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The time since which the oldest job has waited for a worker. Null if no job waits.',
      resolve: ({ oldestSince }) => oldestSince,
    }),
  }),
})

const windowOf = ({ from, to, contextKeys }: DeliveryHealthValue) => ({
  from,
  to,
  contextKeys: contextKeys && [...contextKeys],
})

const DeliveryHealth = builder.objectRef<DeliveryHealthValue>('DeliveryHealth').implement({
  description: 'Current failures and queue lengths of the environment.',
  fields: (t) => ({
    since: t.field({
      type: 'DateTime',
      description: 'The start of the window in which failures are counted.',
      resolve: ({ from }) => from,
    }),
    integrations: edge(t, {
      type: [IntegrationHealth],
      description: `Integrations with a failure in the window, ordered by failed attempts, most first. At most ${MAX_FAILING}.`,
      resolver: integrationHealth,
      decode: windowOf,
    }),
    workflows: edge(t, {
      type: [WorkflowHealth],
      description: `Workflows that are suspended or have a failure in the window, in the order of their identifiers. At most ${MAX_FAILING}.`,
      resolver: workflowHealth,
      decode: windowOf,
    }),
    receipts: edge(t, {
      type: [ReceiptHealth],
      description: `Integrations with a bounce or a complaint in the window, most first. At most ${MAX_FAILING}.`,
      complexity: usualLength(3),
      resolver: receiptHealth,
      decode: windowOf,
    }),
    failedDeliveries: edge(t, {
      type: 'Int',
      description: `The number of failed deliveries, regardless of when they failed: dead letters. At most ${MAX_FAILURES} are counted.`,
      resolver: failedDeliveries,
      decode: ({ contextKeys }) => ({ contextKeys: contextKeys && [...contextKeys] }),
    }),
    queue: edge(t, {
      type: [QueueHealth],
      description: 'The parts of the queue.',
      complexity: usualLength(3),
      resolver: queueHealth,
      decode: () => ({}),
    }),
  }),
})

queryField('deliveryHealth', {
  description: 'Current failures and queue lengths of the environment.',
  type: DeliveryHealth,
  args: (arg) => ({
    minutes: arg.int({
      description: `The length of the window in which failures are counted: 1 to ${MAX_MINUTES} minutes. ${byDefault('60')}`,
    }),
    contextKeys: arg.stringList({
      description: `${contextsOfCounted('failures')} The queue is that of the whole environment. ${byDefault('the whole environment')}`,
    }),
  }),
  resolver: deliveryHealth,
})
