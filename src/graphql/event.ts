// Events in the graph: triggers, and what was accepted.
import { contextsOf } from '../domain/context.ts'
import {
  event,
  type Event as EventRow,
  events,
  type eventStatuses,
  MAX_EVENTS,
  MAX_PAYLOAD,
  MAX_RECIPIENTS,
  type Triggered,
  triggerEvent,
  triggerEvents,
} from '../domain/event.ts'
import { workflow } from '../domain/workflow.ts'
import { cancelEvent } from '../engine/cancel.ts'
import { Context, ContextInput, readContexts } from './context.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { calls } from './schema/resolver-extension.ts'
import { profileFields, subscriberIdField } from './subscriber.ts'
import { Workflow } from './workflow.ts'

export const Event = builder.objectRef<EventRow>('Event')
builder.node(Event, {
  description: 'A trigger that was accepted.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => event(scope, { id }))),
  fields: (t) => ({
    transactionId: t.exposeString('transactionId', {
      description:
        "The caller's own, or made for it: unique in the environment. A second trigger with it changes nothing.",
    }),
    workflowIdentifier: t.exposeString('workflowIdentifier', { description: 'The workflow that was triggered.' }),
    workflow: t.field({
      type: Workflow,
      nullable: true,
      description: 'The workflow as it is now. Null when it was deleted.',
      resolve: ({ workflowIdentifier }, _args, { scope }) => workflow(scope, { identifier: workflowIdentifier }),
    }),
    recipients: t.expose('recipients', {
      type: 'JSON',
      description: 'Who was named: a list of `{subscriberId}` and `{topicKey, exclude}`.',
    }),
    payload: t.expose('payload', {
      type: 'JSONObject',
      description: 'What the trigger gave to templates and conditions.',
    }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: 'The keys of the contexts that it was triggered in, each `<type>:<identifier>`, sorted.',
    }),
    contexts: t.field({
      type: [Context],
      description: 'The contexts that it was triggered in, without those that were deleted.',
      resolve: (row, _args, { scope }) => contextsOf(scope, row),
    }),
    cancelledAt: t.expose('cancelledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When what had not been sent was cancelled. Null when it was not.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was accepted.' }),
  }),
})

const EventConnection = connectionOf(Event, 'A page of events.')

const EventFilter = builder.inputType('EventFilter', {
  description: 'Which events: those that meet all that is given.',
  fields: (t) => ({
    workflow: t.string({ description: 'Exactly of the workflow with this identifier.' }),
    contextKeys: t.stringList({
      description: 'In exactly these contexts, in whichever order; an empty list means without context.',
    }),
  }),
})
const EventOrder = orderInput('Event')

builder.queryFields((t) => ({
  event: t.field({
    ...calls(event),
    type: Event,
    nullable: true,
    description: 'The event of this transaction id. Null when there is none.',
    args: { transactionId: t.arg.string({ required: true, description: "The caller's own, or made for it." }) },
    resolve: (_root, args, { scope }) => event(scope, args),
  }),
  events: t.connection(
    {
      ...calls(events),
      type: Event,
      description: 'The events of the environment, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: EventFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: EventOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await events(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    EventConnection,
  ),
}))

const SubscriberRecipientInput = builder.inputType('SubscriberRecipientInput', {
  description: 'A subscriber, with what is to be written of its profile: it is created when it does not exist.',
  fields: (t) => ({ subscriberId: subscriberIdField(t), ...profileFields(t) }),
})

const TopicRecipientInput = builder.inputType('TopicRecipientInput', {
  description: 'All subscribers of a topic.',
  fields: (t) => ({
    topicKey: t.string({ required: true, description: 'The key of the topic.' }),
    exclude: t.stringList({ description: 'The subscriberIds of those who are left out: at most 1000.' }),
  }),
})

const RecipientInput = builder.inputType('RecipientInput', {
  description: 'Whom to notify.',
  isOneOf: true,
  fields: (t) => ({
    subscriber: t.field({ type: SubscriberRecipientInput, description: 'One subscriber.' }),
    topic: t.field({ type: TopicRecipientInput, description: 'All subscribers of a topic.' }),
  }),
})

type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>

/** What a trigger says, whether it is done or only tried out. */
export const triggerFields = (t: InputFields) => ({
  name: t.string({ required: true, description: "The workflow's identifier." }),
  to: t.field({ type: [RecipientInput], required: true, description: `1 to ${MAX_RECIPIENTS} recipients.` }),
  payload: t.field({
    type: 'JSONObject',
    description: `For templates and conditions: at most ${MAX_PAYLOAD} bytes of JSON.`,
  }),
  contexts: t.field({ type: [ContextInput], description: 'The contexts to trigger in. Absent means none.' }),
  overrides: t.field({ type: 'JSONObject', description: 'For providers: at most 64 KiB of JSON.' }),
  actor: t.field({
    type: SubscriberRecipientInput,
    description: 'Who caused it, and is left out of every topic that is named.',
  }),
})

const newTriggerFields = (t: InputFields) => ({
  ...triggerFields(t),
  transactionId: t.string({
    description: "The caller's own: a second trigger with it changes nothing. Absent means one is made.",
  }),
})

const TriggerInput = builder.inputType('TriggerInput', {
  description: 'One trigger of many.',
  fields: newTriggerFields,
})
type Trigger = typeof TriggerInput.$inferInput

/** A trigger as the domain takes it. */
export function readTrigger<Given extends Omit<Trigger, 'transactionId'>>({ to, contexts, ...given }: Given) {
  return {
    ...given,
    to: to.map((one) => one.subscriber ?? { ...one.topic, type: 'Topic' as const }),
    context: readContexts(contexts),
  }
}

/** Where a part of a recipient is in an input that names what it is. */
function locateRecipient(
  path: readonly (string | number)[],
  { to }: Pick<Trigger, 'to'>,
): readonly (string | number)[] {
  const [field, index, ...rest] = path
  const member = typeof index === 'number' ? Object.keys(to[index] ?? {})[0] : undefined
  return field === 'to' && index !== undefined && member !== undefined ? [field, index, member, ...rest] : path
}

export const TriggerStatus = builder.enumType('TriggerStatus', {
  description: 'What became of a trigger.',
  values: {
    PROCESSED: { value: 'processed', description: 'It was accepted, and is carried out.' },
    ERROR: { value: 'error', description: 'It was refused.' },
    TRIGGER_NOT_ACTIVE: {
      value: 'trigger_not_active',
      description: 'It was accepted and does nothing: the workflow is not active.',
    },
    NO_WORKFLOW_STEPS_DEFINED: {
      value: 'no_workflow_steps_defined',
      description: 'It was accepted and does nothing: the workflow has no steps.',
    },
    NO_WORKFLOW_ACTIVE_STEPS_DEFINED: {
      value: 'no_workflow_active_steps_defined',
      description: 'It was accepted and does nothing: no step of the workflow is active.',
    },
    NO_TENANT_FOUND: { value: 'no_tenant_found', description: 'Not used: contexts are made on first use.' },
    INVALID_RECIPIENTS: { value: 'invalid_recipients', description: 'Not used: such a trigger is refused.' },
  } as const satisfies Record<string, { value: (typeof eventStatuses)[number]; description: string }>,
})

mutationField('triggerEvent', {
  description:
    'Triggers a workflow: writes the subscribers that are given, makes contexts on first use, and records the event.',
  input: newTriggerFields,
  resolver: triggerEvent,
  decode: (input) => readTrigger(input),
  locate: (path, input) => locateRecipient(path, input),
  payload: (t) => ({
    event: t.field({
      type: Event,
      nullable: true,
      description: 'The event. Null when refused.',
      resolve: ({ result }) => result?.event,
    }),
    status: t.field({
      type: TriggerStatus,
      nullable: true,
      description: 'What became of it. Null when refused.',
      resolve: ({ result }) => result?.status,
    }),
  }),
})

const TriggerResult = builder.objectRef<Triggered>('TriggerResult').implement({
  description: 'What became of one trigger of many.',
  fields: (t) => ({
    event: t.field({
      type: Event,
      nullable: true,
      description: 'The event. Null when it was refused.',
      resolve: (result) => result.event,
    }),
    errors: t.stringList({
      description: 'Why it was refused, or does nothing. Empty when it is carried out.',
      resolve: ({ errors }) => [...errors],
    }),
    status: t.expose('status', { type: TriggerStatus, description: 'What became of it.' }),
  }),
})

mutationField('triggerEvents', {
  description: `Triggers 1 to ${MAX_EVENTS} times, each as by itself: one that is refused leaves the others alone.`,
  input: (t) => ({
    events: t.field({ type: [TriggerInput], required: true, description: `1 to ${MAX_EVENTS} triggers.` }),
  }),
  resolver: triggerEvents,
  decode: ({ events }) => ({ events: events.map(readTrigger) }),
  payload: (t) => ({
    results: t.field({
      type: [TriggerResult],
      nullable: true,
      description: 'What became of each, in their order. Null when the whole was refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('cancelEvent', {
  description: 'Cancels what of an event has not been sent yet.',
  input: (t) => ({
    transactionId: t.string({ required: true, description: "The event's transaction id." }),
  }),
  resolver: cancelEvent,
  decode: (input) => input,
  payload: (t) => ({
    cancelled: t.boolean({
      nullable: true,
      description:
        'Whether it is cancelled now: false when there is no such event, or it was cancelled before. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})
