// The version of the workflow that a retry executes, and whether a run can be retried with it.
import type { RetriedVersion } from '../../domain/trigger/current-workflow.ts'
import { isRetriable } from '../../engine/retry-runs.ts'
import { builder, type InputFields, type ObjectFields } from '../schema/builder.ts'
import { edgeView } from '../schema/query.ts'
import { byDefault } from '../schema/wording.ts'

const WorkflowVersion = builder.enumType('WorkflowVersion', {
  description:
    'The version of the workflow that a retry executes. Integrations and channel endpoints are always the current ones.',
  values: {
    TRIGGERED: {
      value: 'triggered',
      description: 'The workflow when the event was triggered. Failed messages are sent again as they are.',
    },
    CURRENT: {
      value: 'current',
      description:
        'The current workflow. Failed messages are replaced by new ones. A step is the same if it has the same `stepId` and type. Added steps are not executed, removed and inactive ones are not repeated, and the order stays.',
    },
  } as const satisfies Record<string, { readonly value: RetriedVersion; readonly description: string }>,
})

/** The input field for the version. */
export const retriedVersionField = (t: InputFields) =>
  t.field({
    type: WorkflowVersion,
    description: `The version of the workflow to execute. Runs whose workflow was deleted or is inactive have no current one. ${byDefault('`TRIGGERED`')}`,
  })

/** The field of a run that tells whether a retry has something to repeat. */
export const retriableField = (t: ObjectFields<{ readonly id: string }>) =>
  edgeView(t, {
    type: 'Boolean',
    description:
      'True if `retryWorkflowRun` with this version of the workflow has something to repeat: the run failed, or a step was not sent for a reason that may be gone. The current workflow may have changed or been deleted since, so both versions can differ.',
    args: (arg) => ({
      workflowVersion: arg({
        type: WorkflowVersion,
        description: `The version of the workflow to execute. ${byDefault('`TRIGGERED`')}`,
      }),
    }),
    resolver: isRetriable,
    decode: ({ id }, { workflowVersion }) => ({ id, workflowVersion }),
    view: (retriable) => retriable,
  })
