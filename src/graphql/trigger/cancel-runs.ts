// Cancellation of one run, and of all runs that match a filter, in the graph.
import { MAX_CANCELLED, MAX_COUNTED_RUNS } from '../../engine/cancel-all.ts'
import { type CancelledRuns, cancelWorkflowRun, cancelWorkflowRuns } from '../../engine/cancel-runs.ts'
import { readWorkflowCondition } from '../schema/former-name.ts'
import { mutationField, part, type PayloadFields } from '../schema/mutation.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { byDefault, nodeIdOf } from '../schema/wording.ts'
import { runArgs, WorkflowRun } from './run.ts'

mutationField('cancelWorkflowRun', {
  description:
    'Cancels a run that is not over: its open steps and unsent messages are cancelled, and it leaves an open digest. What was sent stays. The event continues for its other recipients. `CONFLICT` if the run is over.',
  input: (t) => ({ id: t.id({ required: true, description: nodeIdOf('run') }) }),
  resolver: cancelWorkflowRun,
  decode: ({ id }) => ({ id: rowIdOf(WorkflowRun, id, 'id') }),
  payload: { workflowRun: WorkflowRun },
})

mutationField('cancelWorkflowRuns', {
  description: `Cancels all matching runs that are not over, each as \`cancelWorkflowRun\` does. Runs that are created later are not affected, so use \`cancelEvents\` to stop events whose runs are still being created. One call cancels at most ${MAX_CANCELLED}: repeat it until \`remainingCount\` is 0. It works in portions, so other requests do not wait. If it is interrupted, the same call continues.`,
  input: (t) => ({
    filter: t.field({
      type: runArgs.filter,
      required: true,
      description: 'Selects the runs, as in a list of runs. At least one field is required.',
    }),
    dryRun: t.boolean({
      description: `True counts the runs, up to ${MAX_COUNTED_RUNS}, and cancels none. ${byDefault('false')}`,
    }),
  }),
  resolver: cancelWorkflowRuns,
  decode: readWorkflowCondition,
  payload: {
    cancelledCount: (t: PayloadFields<CancelledRuns>) =>
      part(
        t,
        'Int',
        'The number of runs that are now cancelled. In a dry run, the number of runs that would be.',
        ({ cancelled }) => cancelled,
      ),
    remainingCount: (t: PayloadFields<CancelledRuns>) =>
      part(
        t,
        'Int',
        `The number of matching runs that are not over yet, counted up to ${MAX_COUNTED_RUNS}. In a dry run, all that match.`,
        ({ remaining }) => remaining,
      ),
  },
})
