// The outcomes of events and runs, and the counts of recipients by outcome.
import { RunOutcome as runOutcomes } from '../../data/prisma/enums.ts'
import {
  type EventOutcome as Outcome,
  type OutcomeCount,
  outcomeOf,
  type RecipientCounts as Counts,
  recipientCounts,
} from '../../domain/trigger/event-outcome.ts'
import type { Event } from '../../domain/trigger/event.ts'
import { builder, type ObjectFields } from '../schema/builder.ts'
import { edge, edgeView } from '../schema/query.ts'
import { runReasonFields } from './step-reason.ts'

export const RunOutcome = builder.enumType('RunOutcome', {
  description: 'The outcome of a run: whether anything arrived at its recipient.',
  values: {
    PENDING: { value: runOutcomes.pending, description: 'The run has not ended, or messages are in delivery.' },
    DELIVERED: {
      value: runOutcomes.delivered,
      description: 'A provider accepted at least one message, or a notification was written to the in-app feed.',
    },
    FAILED: {
      value: runOutcomes.failed,
      description:
        'Nothing arrived, because something failed: a message, a template, a condition, the run itself, or no integration was found. `reasonCode` says what.',
    },
    NOTHING: {
      value: runOutcomes.nothing,
      description:
        'Nothing arrived and nothing failed. `reasonCode` says why, such as a preference, a condition, a missing address, a digest or a cancellation.',
    },
  } as const,
})

export const EventOutcome = builder.enumType('EventOutcome', {
  description: 'The outcome of an event: whether anything arrived at its recipients.',
  values: {
    PENDING: {
      value: 'pending',
      description: 'Runs are being created, some runs have not ended, or messages are in delivery.',
    },
    DELIVERED: { value: 'delivered', description: 'Something arrived at every recipient.' },
    PARTLY: {
      value: 'partly',
      description:
        'Something arrived at some recipients, but not at all of them. Also if the event failed or was cancelled after that.',
    },
    FAILED: {
      value: 'failed',
      description: 'Nothing arrived, and at least one run failed, or the runs could not be created.',
    },
    NOTHING: {
      value: 'nothing',
      description: 'Nothing arrived and nothing failed: the event was skipped or cancelled, or all runs sent nothing.',
    },
  } as const satisfies Record<string, { value: Outcome; description: string }>,
})

export const reasonStepDescription =
  'The stepId of the step that decided the outcome. Null if there is no `reasonCode`, or if it is not the reason of a step.'

const RecipientGroup = builder.objectRef<OutcomeCount>('RecipientGroup').implement({
  description: 'The recipients of an event with the same outcome and reason.',
  fields: (t) => ({
    outcome: t.expose('outcome', { type: RunOutcome, description: 'The outcome of their runs.' }),
    ...runReasonFields(t),
    count: t.exposeInt('count', { description: 'The number of recipients.' }),
  }),
})

const RecipientCounts = builder.objectRef<Counts>('RecipientCounts').implement({
  description: 'The number of recipients of an event that have a run, by the outcome of the run.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'All recipients that have a run. The sum of the other numbers.' }),
    delivered: t.exposeInt('delivered', { description: 'Recipients at which something arrived.' }),
    failed: t.exposeInt('failed', { description: 'Recipients at which nothing arrived because something failed.' }),
    nothing: t.exposeInt('nothing', { description: 'Recipients at which nothing arrived although nothing failed.' }),
    pending: t.exposeInt('pending', { description: 'Recipients whose run or messages have not ended.' }),
    groups: t.expose('groups', {
      type: [RecipientGroup],
      description: 'The recipients by outcome and reason, the largest group first. Their counts add up to `total`.',
    }),
  }),
})

/** The fields that show what arrived of an event. */
export const outcomeFields = (t: ObjectFields<Event>) => ({
  outcome: edgeView(t, {
    type: EventOutcome,
    description: 'The outcome: whether anything arrived at the recipients. `status` is the progress of the gateway.',
    resolver: recipientCounts,
    decode: ({ id }) => ({ eventId: id }),
    view: (counts, event) => outcomeOf(event, counts),
  }),
  recipientCounts: edge(t, {
    type: RecipientCounts,
    description: 'The number of recipients, by the outcome of their runs.',
    resolver: recipientCounts,
    decode: ({ id }) => ({ eventId: id }),
  }),
})
