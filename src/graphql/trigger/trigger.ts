// Triggers: their input, and the mutations that trigger a workflow.
import { MAX_ATTACHMENTS } from '../../domain/channel/attachment-file.ts'
import { MAX_EVENTS, triggerEvent, triggerEvents } from '../../domain/trigger/event.ts'
import { MAX_RECIPIENTS } from '../../domain/trigger/recipient.ts'
import { MAX_PAYLOAD } from '../../domain/trigger/trigger-input.ts'
import type { eventStatuses, Triggered } from '../../domain/trigger/trigger.ts'
import { ContextInput, readContexts } from '../context.ts'
import type { Path } from '../../lib/errors.ts'
import { builder, type InputFields } from '../schema/builder.ts'
import { formerNameOf, locateNames, replacedBy, requiredName } from '../schema/former-name.ts'
import { located, mutationField, part } from '../schema/mutation.ts'
import { newSubscriberFields } from '../subscriber.ts'
import { AttachmentInput, readAttachments } from './attachment.ts'
import { Event } from './event.ts'
import { byDefault, identifierOf, keyOf } from '../schema/wording.ts'

const SubscriberRecipientInput = builder.inputType('SubscriberRecipientInput', {
  description: 'A subscriber, with changes to its profile and credentials. Created if it does not exist.',
  fields: newSubscriberFields,
})

const TopicRecipientInput = builder.inputType('TopicRecipientInput', {
  description: 'All subscribers of a topic.',
  fields: (t) => ({
    topicKey: t.string({ required: true, description: keyOf('topic') }),
    exclude: t.stringList({ description: 'The subscriberIds to exclude: at most 1000.' }),
  }),
})

const RecipientInput = builder.inputType('RecipientInput', {
  description: 'A recipient: a subscriber, a topic, or everyone.',
  isOneOf: true,
  fields: (t) => ({
    subscriber: t.field({ type: SubscriberRecipientInput, description: 'One subscriber.' }),
    topic: t.field({ type: TopicRecipientInput, description: 'All subscribers of a topic.' }),
    everyone: t.boolean({
      description: 'Every subscriber of the environment, under the contexts of the trigger. Must be true.',
    }),
  }),
})

/** The fields of a trigger, executed or previewed. */
export const triggerFields = (t: InputFields) => ({
  workflowIdentifier: t.string({ description: `${identifierOf('workflow')} Required.` }),
  name: t.string({
    description: formerNameOf('workflowIdentifier'),
    deprecationReason: replacedBy('workflowIdentifier'),
  }),
  to: t.field({ type: [RecipientInput], required: true, description: `1 to ${MAX_RECIPIENTS} recipients.` }),
  payload: t.field({
    type: 'JSONObject',
    description: `The payload, for templates and conditions: at most ${MAX_PAYLOAD} bytes of JSON.`,
  }),
  attachments: t.field({
    type: [AttachmentInput],
    description: `The files of the emails: at most ${MAX_ATTACHMENTS}. ${byDefault('none')}`,
  }),
  contexts: t.field({ type: [ContextInput], description: `The contexts of the trigger. ${byDefault('none')}` }),
  overrides: t.field({
    type: 'JSONObject',
    description:
      'Overrides of the content of messages and of the requests to providers, for this event only: `email`, `sms`, `push`, `chat`, `providers`, `steps`, `severity`. At most 64 KiB of JSON.',
  }),
  actor: t.field({
    type: SubscriberRecipientInput,
    description: 'The subscriber that caused the trigger. It is excluded from topics and from everyone.',
  }),
})

const newTriggerFields = (t: InputFields) => ({
  ...triggerFields(t),
  transactionId: t.string({
    description: `The transaction id. Another trigger with the same id has no effect. ${byDefault('a generated id')}`,
  }),
})

const TriggerInput = builder.inputType('TriggerInput', {
  description: 'One trigger in a bulk request.',
  fields: newTriggerFields,
})
type Trigger = typeof TriggerInput.$inferInput

function readRecipient({ subscriber, topic, everyone }: typeof RecipientInput.$inferInput) {
  if (typeof everyone === 'boolean') return { everyone }
  return subscriber ?? { ...topic, type: 'Topic' as const }
}

/**
 * Converts a trigger to the domain's input.
 *
 * @param at the path of the trigger in the mutation's input.
 */
export function readTrigger<Given extends Omit<Trigger, 'transactionId'>>(
  { to, contexts, attachments, workflowIdentifier, name, ...given }: Given,
  at: Path = [],
) {
  return {
    ...given,
    name: requiredName({ workflowIdentifier, name }, at),
    to: to.map(readRecipient),
    context: readContexts(contexts),
    attachments: readAttachments(attachments, at),
  }
}

const locateName = locateNames({ name: 'workflowIdentifier' })

/**
 * Converts a path in the domain's input to the mutation's: `name` to `workflowIdentifier`, and `to.0.email` to
 * `to.0.subscriber.email`.
 */
function locateInTrigger(path: Path, input: Omit<Trigger, 'transactionId'>): Path {
  const [field, index, ...rest] = path
  if (field === 'name') return locateName(path, input)
  const member = typeof index === 'number' ? Object.keys(input.to[index] ?? {})[0] : undefined
  const isGroup = member === 'subscriber' || member === 'topic'
  return field === 'to' && index !== undefined && isGroup ? [field, index, member, ...rest] : path
}

export const TriggerStatus = builder.enumType('TriggerStatus', {
  description: 'The outcome of a trigger.',
  values: {
    PROCESSED: { value: 'processed', description: 'Accepted. The workflow is executed.' },
    ERROR: { value: 'error', description: 'Rejected.' },
    TRIGGER_NOT_ACTIVE: {
      value: 'trigger_not_active',
      description: 'Accepted without effect: the workflow is not active.',
    },
    NO_WORKFLOW_STEPS_DEFINED: {
      value: 'no_workflow_steps_defined',
      description: 'Accepted without effect: the workflow has no steps.',
    },
    NO_WORKFLOW_ACTIVE_STEPS_DEFINED: {
      value: 'no_workflow_active_steps_defined',
      description: 'Accepted without effect: the workflow has no active steps.',
    },
    NO_TENANT_FOUND: { value: 'no_tenant_found', description: 'Not used: contexts are created on first use.' },
    INVALID_RECIPIENTS: {
      value: 'invalid_recipients',
      description: 'Not used: a trigger with invalid recipients is rejected.',
    },
  } as const satisfies Record<string, { value: (typeof eventStatuses)[number]; description: string }>,
})

mutationField('triggerEvent', {
  description:
    'Triggers a workflow. Creates or updates the given subscribers, creates new contexts, and records the event.',
  input: newTriggerFields,
  resolver: triggerEvent,
  decode: (input) => readTrigger(input),
  locate: (path, input) => locateInTrigger(path, input),
  payload: {
    event: (t) => part(t, Event, 'The event.', ({ event }) => event),
    status: (t) =>
      part(t, TriggerStatus, 'The outcome, in the words of the REST API.', ({ status }) => status, {
        deprecationReason: 'Use `Event.status` and `Event.reason`, or `duplicate`.',
      }),
    duplicate: (t) =>
      part(
        t,
        'Boolean',
        'True if an event with this transaction id exists. Then `event` is the existing event, and the trigger had no effect.',
        ({ duplicate }) => duplicate,
      ),
  },
})

const TriggerResult = builder.objectRef<Triggered>('TriggerResult').implement({
  description: 'The outcome of one trigger in a bulk request.',
  fields: (t) => ({
    event: t.field({
      type: Event,
      nullable: true,
      description: 'The event. Null if the trigger was rejected.',
      resolve: (result) => result.event,
    }),
    errors: t.stringList({
      description: 'The reasons why the trigger was rejected or has no effect. Empty if it is processed.',
      resolve: ({ errors }) => [...errors],
    }),
    status: t.expose('status', {
      type: TriggerStatus,
      description: 'The outcome, in the words of the REST API.',
      deprecationReason: 'Use `Event.status` and `Event.reason`, or `errors` if `event` is null.',
    }),
    duplicate: t.exposeBoolean('duplicate', {
      description:
        'True if an event with this transaction id exists. Then `event` is the existing event, and the trigger had no effect.',
    }),
  }),
})

/** Returns the outcome of a trigger with its errors in the words of the mutation. */
function wordResult(result: Triggered, input: Trigger): Triggered {
  if (result.refusal === null) return result
  const refusal = located(result.refusal, (path) => locateInTrigger(path, input))
  const messages = refusal.issues.map(({ message }) => message)
  return { ...result, refusal, errors: messages.length > 0 ? messages : result.errors }
}

mutationField('triggerEvents', {
  description: `Executes 1 to ${MAX_EVENTS} triggers independently: a rejected trigger does not affect the others.`,
  input: (t) => ({
    events: t.field({ type: [TriggerInput], required: true, description: `1 to ${MAX_EVENTS} triggers.` }),
  }),
  resolver: triggerEvents,
  decode: ({ events }) => ({ events: events.map((event, index) => readTrigger(event, ['events', index])) }),
  word: (results, { events }) =>
    results.map((result, index) => {
      const event = events[index]
      return event ? wordResult(result, event) : result
    }),
  rejections: (results, { events }) =>
    results.flatMap(({ refusal }, index) => (refusal === null ? [] : { given: events[index], refusal })),
  payload: {
    results: (t) => part(t, [TriggerResult], 'The outcomes, in the order of the triggers.', (results) => results),
  },
})
