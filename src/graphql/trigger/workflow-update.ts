// Updates of workflows in the graph. A deactivation can also cancel what the workflow has begun.
import { MAX_CANCELLED } from '../../engine/cancel-all.ts'
import { updateWorkflow } from '../../engine/workflow-update.ts'
import { mutationField, part } from '../schema/mutation.ts'
import { byDefault, expectedVersionOf } from '../schema/wording.ts'
import { locateStep, readSteps } from '../workflow-step-input.ts'
import { readChannels } from '../channel-default.ts'
import { namedWorkflow, Workflow, workflowFields } from '../workflow.ts'
import { Cancellation } from './cancel-all.ts'

mutationField('updateWorkflow', {
  description:
    'Updates the given fields of a workflow. Absent or null fields do not change, except that null removes the description, the payload schema and the category, and restores the default of `unsubscribe`. Tags, data, steps and channels are replaced.',
  input: (t) => ({
    ...namedWorkflow.fields(t),
    name: t.string({ description: 'The display name: 1 to 255 characters.' }),
    ...workflowFields(t),
    cancelPending: t.boolean({
      description: `True also cancels the workflow's events that are not over, like \`cancelEvents\`, after the workflow was deactivated. Requires \`active: false\`. One call cancels at most ${MAX_CANCELLED} runs: repeat it while \`cancellation.hasMore\` is true. ${byDefault('false')}`,
    }),
    expectedVersion: t.int({ description: expectedVersionOf('workflow') }),
  }),
  resolver: updateWorkflow,
  decode: ({
    expectedVersion,
    cancelPending,
    identifier,
    id,
    name,
    description,
    active,
    critical,
    severity,
    tags,
    data,
    steps,
    payloadSchema,
    validatePayload,
    channels,
    categoryKey,
    unsubscribe,
  }) => ({
    ...namedWorkflow.decode({ identifier, id }),
    name: name ?? undefined,
    description,
    active: active ?? undefined,
    critical: critical ?? undefined,
    severity: severity ?? undefined,
    tags: tags ?? undefined,
    data: data ?? undefined,
    steps: steps ? readSteps(steps) : undefined,
    payloadSchema,
    validatePayload: validatePayload ?? undefined,
    channels: channels ? readChannels(channels) : undefined,
    categoryKey,
    unsubscribe,
    cancelPending,
    expectedVersion,
  }),
  locate: (path, { steps }) => locateStep(path, steps),
  payload: {
    workflow: (t) => part(t, Workflow, 'The workflow.', ({ workflow }) => workflow),
    cancellation: (t) =>
      part(
        t,
        Cancellation,
        'What `cancelPending` has cancelled. Null without `cancelPending`.',
        ({ cancellation }) => cancellation,
      ),
  },
})
