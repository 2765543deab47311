// Events: accepted triggers, their lists, and mutations that retry and cancel them.
import { contextsOf } from '../../domain/context.ts'
import {
  event,
  type Event as EventRow,
  events,
  eventsOfContext,
  eventsOfSubscriber,
  eventsOfWorkflow,
} from '../../domain/trigger/event.ts'
import { notesOf } from '../../domain/trigger/override-notes.ts'
import { recipientsAsJson } from '../../domain/trigger/recipient.ts'
import { workflow } from '../../domain/workflow.ts'
import { cancelEvent } from '../../engine/cancel.ts'
import { retryEvent } from '../../engine/retry.ts'
import { traceIdOf } from '../../lib/trace.ts'
import { Context } from '../context.ts'
import { addressOf } from '../schema/address.ts'
import { builder } from '../schema/builder.ts'
import { connectionOf, createdFields, listArgs } from '../schema/connection.ts'
import { formerNameOf, readWorkflowCondition, replacedBy, workflowConditions } from '../schema/former-name.ts'
import { mutationField, part } from '../schema/mutation.ts'
import { defineNode } from '../schema/node.ts'
import { edge, edgeList, queryField, queryList } from '../schema/query.ts'
import { Subscriber } from '../subscriber.ts'
import { Workflow } from '../workflow.ts'
import { EventOutcome, outcomeFields } from './event-outcome.ts'
import { EventReason, EventStatus, statusFields } from './event-status.ts'
import { anyOfThe, contextsIn, createdAt, exactContexts, identifierOf, newestFirst, keysIn } from '../schema/wording.ts'

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
      description:
        'The recipients in the trigger as JSON: a list of `{subscriberId}`, `{topicKey, exclude}` and `{everyone}`.',
      deprecationReason: replacedBy('to'),
      resolve: recipientsAsJson,
    }),
    payload: t.expose('payload', {
      type: 'JSONObject',
      description:
        "The payload, with the defaults of the workflow's payload schema, for templates and conditions. Secret fields have a mask instead of their value.",
    }),
    actor: t.exposeString('actor', {
      nullable: true,
      description: `${formerNameOf('actorSubscriberId')} Null if the trigger names no actor.`,
      deprecationReason: replacedBy('actorSubscriberId'),
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
      description: 'The overrides of the trigger, which change messages and the requests to providers.',
    }),
    notes: edge(t, {
      description:
        'Sentences about overrides that no step could use. Complete when the event has ended. Usually empty.',
      type: ['String'],
      resolver: notesOf,
      decode: (row) => ({ event: row }),
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

const named = addressOf(Event, { transactionId: 'The transaction id of the event.' })

queryField('event', {
  description: 'Finds an event by its transaction id or node id. Null if it does not exist.',
  type: Event,
  nullable: true,
  args: named.args,
  resolver: event,
  decode: named.decode,
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
  input: named.fields,
  resolver: retryEvent,
  decode: named.decode,
  payload: { event: Event },
})

mutationField('cancelEvent', {
  description: 'Cancels an event: its runs end, and messages that are not sent yet are cancelled.',
  input: named.fields,
  resolver: cancelEvent,
  decode: named.decode,
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
