// Events: accepted triggers, their lists, and mutations that retry and cancel them.
import { contextsOf } from '../../domain/context.ts'
import {
  event,
  type Event as EventRow,
  events,
  eventsOfContext,
  eventsOfSubscriber,
  eventsOfWorkflow,
  notesOf,
} from '../../domain/trigger/event.ts'
import { namedRecipientsOf } from '../../domain/trigger/recipient.ts'
import { workflow } from '../../domain/workflow.ts'
import { cancelEvent } from '../../engine/cancel.ts'
import { retryEvent } from '../../engine/retry.ts'
import { traceIdOf } from '../../lib/trace.ts'
import { Context } from '../context.ts'
import { builder } from '../schema/builder.ts'
import { connectionOf, createdFields, listArgs } from '../schema/connection.ts'
import { readWorkflowCondition, workflowConditions } from '../schema/former-name.ts'
import { mutationField, part } from '../schema/mutation.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { defineNode } from '../schema/node.ts'
import { edge, edgeList, queryField, queryList } from '../schema/query.ts'
import { Subscriber } from '../subscriber.ts'
import { Workflow } from '../workflow.ts'
import { EventOutcome, outcomeFields } from './event-outcome.ts'
import { EventReason, EventStatus, statusFields } from './event-status.ts'
import {
  anyOfThe,
  contextsIn,
  createdAt,
  exactContexts,
  identifierOf,
  newestFirst,
  nodeIdOf,
  keysIn,
} from '../schema/wording.ts'

export const Event = builder.objectRef<EventRow>('Event')
defineNode(Event, {
  description: 'An accepted trigger.',
  resolver: event,
  fields: (t) => ({
    transactionId: t.exposeString('transactionId', {
      description:
        'The transaction id, given by the client or generated. Unique in the environment: another trigger with the same id has no effect.',
    }),
    workflowIdentifier: t.exposeString('workflowIdentifier', {
      description: identifierOf('triggered workflow'),
    }),
    workflow: edge(t, {
      description: 'The current version of the workflow. Null if it was deleted.',
      type: Workflow,
      nullable: true,
      resolver: workflow,
      decode: ({ workflowIdentifier }) => ({ identifier: workflowIdentifier }),
    }),
    recipients: t.field({
      type: 'JSON',
      description: 'The recipients in the trigger: a list of `{subscriberId}` and `{topicKey, exclude}`.',
      resolve: namedRecipientsOf,
    }),
    payload: t.expose('payload', {
      type: 'JSONObject',
      description:
        "The payload, with the defaults of the workflow's payload schema, for templates and conditions. Secret fields have a mask instead of their value.",
    }),
    actor: t.exposeString('actor', {
      nullable: true,
      description:
        'The subscriberId of the actor, the subscriber that caused the trigger. Null if the trigger names no actor.',
    }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: keysIn('trigger'),
    }),
    contexts: edge(t, {
      description: contextsIn('trigger'),
      type: [Context],
      resolver: contextsOf,
      decode: ({ contextKeys }) => ({ contextKeys }),
    }),
    ...statusFields(t),
    ...outcomeFields(t),
    overrides: t.expose('overrides', {
      type: 'JSONObject',
      description: 'The overrides for providers in the trigger. Providers do not apply them yet: see `notes`.',
    }),
    notes: t.stringList({
      description: 'Sentences about parts of the trigger that the gateway did not apply. Usually empty.',
      resolve: notesOf,
    }),
    traceId: t.string({
      nullable: true,
      description:
        'The trace id of the request: 32 hexadecimal digits, from the header `traceparent` or generated. The log contains the trace id, and providers receive it. Null for events of earlier versions.',
      resolve: ({ traceparent }) => (traceparent === null ? null : traceIdOf({ traceparent })),
    }),
    cancelledAt: t.expose('cancelledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the event was cancelled. Null if the event was not cancelled.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('event') }),
  }),
})

queryField('event', {
  description: 'Finds an event by its transaction id. Null if it does not exist.',
  type: Event,
  nullable: true,
  args: (arg) => ({ transactionId: arg.string({ required: true, description: 'The transaction id.' }) }),
  resolver: event,
})

const EventConnection = connectionOf(Event, 'A page of events.')

const eventArgs = listArgs('Event', (t) => ({
  transactionId: t.string({ description: 'The exact transaction id.' }),
  ...workflowConditions(t),
  workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
  subscriberId: t.string({
    description: 'The subscriberId of a recipient that has a run. The subscriber may have been deleted since.',
  }),
  subscriberIds: t.stringList({ description: anyOfThe('recipients that have a run, by subscriberId') }),
  contextKeys: t.stringList({ description: exactContexts('events') }),
  status: t.field({ type: EventStatus, description: 'The status.' }),
  statuses: t.field({ type: [EventStatus], description: anyOfThe('statuses') }),
  outcome: t.field({ type: EventOutcome, description: 'The outcome. `FAILED` lists events of which nothing arrived.' }),
  outcomes: t.field({ type: [EventOutcome], description: anyOfThe('outcomes') }),
  reason: t.field({
    type: EventReason,
    description: 'The reason why the event was skipped or failed. `FAN_OUT_FAILED` lists dead letters.',
  }),
  reasons: t.field({ type: [EventReason], description: anyOfThe('reasons') }),
  ...createdFields(t),
}))

queryList('events', {
  description: `The events of the environment. ${newestFirst}`,
  connection: EventConnection,
  args: eventArgs,
  resolver: events,
  decode: readWorkflowCondition,
})

builder.objectField(Subscriber, 'events', (t) =>
  edgeList(t, {
    description: `The events with a run for the subscriber. ${newestFirst}`,
    connection: EventConnection,
    args: eventArgs,
    resolver: eventsOfSubscriber,
    decode: ({ subscriberId }, args) => ({ ...readWorkflowCondition(args), subscriberId }),
  }),
)

builder.objectField(Context, 'events', (t) =>
  edgeList(t, {
    description: `The events with exactly this context. Events with other contexts too are found with \`Query.events\`. ${newestFirst}`,
    connection: EventConnection,
    args: eventArgs,
    resolver: eventsOfContext,
    decode: ({ key }, args) => ({ ...readWorkflowCondition(args), key }),
  }),
)

builder.objectField(Workflow, 'events', (t) =>
  edgeList(t, {
    description: `The events of all versions of the workflow. ${newestFirst}`,
    connection: EventConnection,
    args: eventArgs,
    resolver: eventsOfWorkflow,
    decode: ({ identifier }, args) => ({ ...readWorkflowCondition(args), identifier }),
  }),
)

mutationField('retryEvent', {
  description: 'Creates the missing runs of a failed event. Existing runs do not change.',
  input: (t) => ({ id: t.id({ required: true, description: nodeIdOf('event') }) }),
  resolver: retryEvent,
  decode: ({ id }) => ({ id: rowIdOf(Event, id, 'id') }),
  payload: { event: Event },
})

mutationField('cancelEvent', {
  description: 'Cancels an event: its runs end, and messages that are not sent yet are cancelled.',
  input: (t) => ({
    transactionId: t.string({ required: true, description: "The event's transaction id." }),
  }),
  resolver: cancelEvent,
  payload: {
    cancelled: (t) =>
      part(
        t,
        'Boolean',
        'True if the event is now cancelled. False if it does not exist or was already cancelled.',
        (cancelled) => cancelled,
      ),
  },
})
