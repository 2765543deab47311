// Cancellation of all events that match a filter, in the graph.
import { cancelEvents, MAX_CANCELLED, MAX_COUNTED_RUNS } from '../../engine/cancel-all.ts'
import { builder } from '../schema/builder.ts'
import { createdFields } from '../schema/connection.ts'
import { readWorkflowCondition, workflowConditions } from '../schema/former-name.ts'
import { mutationField, part } from '../schema/mutation.ts'
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
    contextKeys: t.stringList({ description: exactContexts('events') }),
    ...createdFields(t),
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
    eventCount: (t) =>
      part(
        t,
        'Int',
        'The number of events that are now cancelled. In a dry run, the number of events that match.',
        ({ events }) => events,
      ),
    runCount: (t) =>
      part(
        t,
        'Int',
        'The number of runs that are now cancelled. In a dry run, the number of runs that would be.',
        ({ runs }) => runs,
      ),
    hasMore: (t) =>
      part(t, 'Boolean', 'True if the call reached its limit, so more may match.', ({ hasMore }) => hasMore),
  },
})
