// Cancellation of all events that match a filter, in the graph.
import { cancelEvents, type CancelledAll, MAX_CANCELLED, MAX_COUNTED_RUNS } from '../../engine/cancel-all.ts'
import { builder, type ObjectFields } from '../schema/builder.ts'
import { createdFields } from '../schema/connection.ts'
import { readWorkflowCondition, workflowConditions } from '../schema/former-name.ts'
import { mutationField, part, type PayloadFields } from '../schema/mutation.ts'
import { anyOfThe, byDefault, exactContexts, keyOf } from '../schema/wording.ts'

const CancelEventsFilter = builder.inputType('CancelEventsFilter', {
  description: 'Filters a list of unfinished events. All conditions must match. A null condition is ignored.',
  fields: (t) => ({
    ...workflowConditions(t),
    workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
    subscriberId: t.string({
      description:
        "The subscriberId of a recipient. Only this subscriber's runs are cancelled, and the event continues for its other recipients.",
    }),
    subscriberIds: t.stringList({
      description: `${anyOfThe('recipients, by subscriberId')} Only the runs of these subscribers are cancelled.`,
    }),
    topicKey: t.string({ description: keyOf('topic that the event names as a recipient') }),
    topicKeys: t.stringList({ description: anyOfThe('topics that the event names as recipients, by key') }),
    contextKeys: t.stringList({ description: exactContexts('events') }),
    ...createdFields(t),
  }),
})

interface Count {
  readonly description: string
  readonly read: (cancelled: CancelledAll) => number
}

const counts = {
  eventCount: {
    description: 'The number of events that are now cancelled. In a dry run, the number of events that match.',
    read: ({ events }) => events,
  },
  runCount: {
    description: 'The number of runs that are now cancelled. In a dry run, the number of runs that would be.',
    read: ({ runs }) => runs,
  },
  remainingEventCount: {
    description: 'The number of matching events that are not over yet.',
    read: ({ remaining }) => remaining.events,
  },
  remainingRunCount: {
    description: `The number of matching runs that are not over yet, counted up to ${MAX_COUNTED_RUNS}.`,
    read: ({ remaining }) => remaining.runs,
  },
} as const satisfies Record<string, Count>

const moreRemains = 'True if the call reached its limit and more remains: repeat it.'

/** The payload field with a count. */
const countOf =
  ({ description, read }: Count) =>
  (t: PayloadFields<CancelledAll>) =>
    part(t, 'Int', description, read)

const fieldOf = (t: ObjectFields<CancelledAll>, { description, read }: Count) => t.int({ description, resolve: read })

export const Cancellation = builder.objectRef<CancelledAll>('Cancellation').implement({
  description: 'The result of a cancellation of events that are not over.',
  fields: (t) => ({
    eventCount: fieldOf(t, counts.eventCount),
    runCount: fieldOf(t, counts.runCount),
    remainingEventCount: fieldOf(t, counts.remainingEventCount),
    remainingRunCount: fieldOf(t, counts.remainingRunCount),
    hasMore: t.exposeBoolean('hasMore', { description: moreRemains }),
  }),
})

mutationField('cancelEvents', {
  description: `Cancels all matching events that are not over: their runs end, and messages that are not sent yet are cancelled. Later triggers are not affected. One call cancels at most ${MAX_CANCELLED} runs: repeat it while \`hasMore\` is true. It works in portions, so other requests do not wait. If it is interrupted, the same call continues.`,
  input: (t) => ({
    filter: t.field({
      type: CancelEventsFilter,
      required: true,
      description: 'Selects the events. At least one field is required.',
    }),
    dryRun: t.boolean({
      description: `True counts what would be cancelled, up to ${MAX_COUNTED_RUNS} runs, and cancels nothing. ${byDefault('false')}`,
    }),
  }),
  resolver: cancelEvents,
  decode: readWorkflowCondition,
  payload: {
    eventCount: countOf(counts.eventCount),
    runCount: countOf(counts.runCount),
    remainingEventCount: countOf(counts.remainingEventCount),
    remainingRunCount: countOf(counts.remainingRunCount),
    hasMore: (t) => part(t, 'Boolean', moreRemains, ({ hasMore }) => hasMore),
  },
})
