// The status of an event, with its reason and its counts of runs and messages.
import type { Event } from '../../data/prisma/client.ts'
import {
  eventAdviceOf,
  type EventReason as Reason,
  type EventStatus as Status,
  reasonOf,
  statusOf,
  type Tally,
  tallyOf,
} from '../../domain/trigger/event-status.ts'
import { builder, type ObjectFields } from '../schema/builder.ts'
import { edge, edgeView } from '../schema/query.ts'

export const EventStatus = builder.enumType('EventStatus', {
  description: 'The status of an event.',
  values: {
    ACCEPTED: { value: 'accepted', description: 'The event was accepted. The recipients have no runs yet.' },
    RUNNING: { value: 'running', description: 'Runs are being created, or some runs have not ended.' },
    COMPLETED: {
      value: 'completed',
      description: 'Every recipient has a run, and all runs have ended. Messages may still be in delivery.',
    },
    SKIPPED: { value: 'skipped', description: 'The event has no runs. `reason` says why.' },
    FAILED: {
      value: 'failed',
      description: 'Not every recipient has a run. `reason` says why. Retry the event with `retryEvent`.',
    },
    CANCELLED: {
      value: 'cancelled',
      description: 'The event was cancelled. `messageCounts` includes messages that were sent before.',
    },
  } as const satisfies Record<string, { value: Status; description: string }>,
})

export const EventReason = builder.enumType('EventReason', {
  description: 'The reason why an event was skipped or failed.',
  values: {
    WORKFLOW_INACTIVE: { value: 'workflow_inactive', description: 'Skipped: the workflow was not active.' },
    NO_STEPS: { value: 'no_steps', description: 'Skipped: the workflow had no steps.' },
    NO_ACTIVE_STEPS: { value: 'no_active_steps', description: 'Skipped: the workflow had no active steps.' },
    NO_SUBSCRIPTIONS: {
      value: 'no_subscriptions',
      description: 'Skipped: nobody was subscribed to the topics under exactly the contexts of the trigger.',
    },
    NO_SUBSCRIBERS: {
      value: 'no_subscribers',
      description: 'Skipped: the trigger was for everyone, and the environment had no subscribers.',
    },
    ALL_EXCLUDED: {
      value: 'all_excluded',
      description:
        'Skipped: the trigger excludes every subscriber of its topics or of the environment. The actor is always excluded.',
    },
    RECIPIENTS_DELETED: {
      value: 'recipients_deleted',
      description: 'Skipped: every recipient was deleted before its run was created.',
    },
    WORKFLOW_SUSPENDED: { value: 'workflow_suspended', description: 'Failed: the workflow was suspended.' },
    FAN_OUT_FAILED: {
      value: 'fan_out_failed',
      description: 'Failed: a fault of the gateway prevented the creation of runs at every attempt.',
    },
  } as const satisfies Record<string, { value: Reason; description: string }>,
})

const RunCounts = builder.objectRef<Tally['runs']>('RunCounts').implement({
  description: 'The number of runs of an event, by status.',
  fields: (t) => ({
    running: t.exposeInt('running', { description: 'Runs in progress.' }),
    waiting: t.exposeInt('waiting', { description: 'Waiting runs.' }),
    completed: t.exposeInt('completed', { description: 'Completed runs.' }),
    failed: t.exposeInt('failed', { description: 'Failed runs.' }),
    cancelled: t.exposeInt('cancelled', { description: 'Cancelled runs.' }),
  }),
})

const MessageCounts = builder.objectRef<Tally>('MessageCounts').implement({
  description: 'The number of messages of an event, by outcome.',
  fields: (t) => ({
    pending: t.int({ description: 'Messages in delivery.', resolve: ({ messages }) => messages.pending }),
    sent: t.int({ description: 'Messages that a provider accepted.', resolve: ({ messages }) => messages.sent }),
    failed: t.int({ description: 'Messages that failed.', resolve: ({ messages }) => messages.failed }),
    cancelled: t.int({ description: 'Cancelled messages.', resolve: ({ messages }) => messages.cancelled }),
    notifications: t.exposeInt('notifications', {
      description: 'Notifications written to in-app feeds, including deleted notifications.',
    }),
  }),
})

export const detailDescription = 'A sentence that explains the reason. Null if there is no reason.'

/** The fields that show an event's progress. */
export const statusFields = (t: ObjectFields<Event>) => ({
  status: edgeView(t, {
    type: EventStatus,
    description: 'The status.',
    resolver: tallyOf,
    decode: ({ id }) => ({ eventId: id }),
    view: ({ runs }, event) => statusOf(event, runs),
  }),
  reason: t.field({
    type: EventReason,
    nullable: true,
    description: 'The reason why the event was skipped or failed. Null for other events.',
    resolve: reasonOf,
  }),
  detail: t.exposeString('detail', { nullable: true, description: detailDescription }),
  advice: t.string({
    nullable: true,
    description: 'What to do, so that the workflow runs. Null if there is no reason.',
    resolve: eventAdviceOf,
  }),
  runCounts: edgeView(t, {
    type: RunCounts,
    description: 'The number of runs of the event, by status.',
    resolver: tallyOf,
    decode: ({ id }) => ({ eventId: id }),
    view: ({ runs }) => runs,
  }),
  messageCounts: edge(t, {
    description: 'The number of messages of the event, by outcome.',
    type: MessageCounts,
    resolver: tallyOf,
    decode: ({ id }) => ({ eventId: id }),
  }),
})
