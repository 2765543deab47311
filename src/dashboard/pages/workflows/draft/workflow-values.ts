// A workflow while it is edited: converted from the graph to the values of fields, and back to an input.
import { graphql, type ResultOf, type VariablesOf } from '../../../graph/graphql.ts'
import type { Channel } from '../../../parts/channel-labels.ts'
import { formatJson, parseJsonObject } from '../../../parts/form/json-object.ts'
import { pauseFields } from '../../../parts/paused.tsx'
import { stepFields } from './step-fields.ts'
import { stepInput, stepValues, type StepValues } from './step-values.ts'

export const workflowFields = graphql(
  `
    fragment WorkflowFields on Workflow @_unmask {
      id
      identifier
      name
      description
      active
      critical
      severity
      tags
      data
      payloadSchema
      validatePayload
      unsubscribe
      category {
        id
        key
        name
      }
      channels {
        channel
        enabled
      }
      steps {
        ...StepFields
      }
      suspension {
        reason
        since
      }
      pause {
        ...PauseFields
      }
      version
      createdAt
      updatedAt
    }
  `,
  [stepFields, pauseFields],
)

export const workflowQuery = graphql(
  `
    query Workflow($identifier: String!) {
      workflow(identifier: $identifier) {
        ...WorkflowFields
      }
    }
  `,
  [workflowFields],
)

export const updateWorkflowMutation = graphql(
  `
    mutation UpdateWorkflow($input: UpdateWorkflowInput!) {
      updateWorkflow(input: $input) {
        workflow {
          ...WorkflowFields
        }
        userErrors {
          message
          field
        }
      }
    }
  `,
  [workflowFields],
)

export type Workflow = ResultOf<typeof workflowFields>
type WorkflowInput = VariablesOf<typeof updateWorkflowMutation>['input']
export type Unsubscribe = ReturnType<typeof graphql.scalar<'UnsubscribeScope'>>
export type Severity = ReturnType<typeof graphql.scalar<'Severity'>>

export interface WorkflowValues {
  name: string
  /** Empty for none. */
  description: string
  active: boolean
  critical: boolean
  severity: Severity
  /** Empty for none. */
  categoryKey: string
  /** What applies to the stored workflow, until another is chosen. */
  unsubscribe: Unsubscribe
  tags: string[]
  /** The channels that are off by default. */
  channelsOff: Channel[]
  /** A JSON object as text. */
  data: string
  /** A JSON object as text. Empty allows any payload. */
  payloadSchema: string
  /** False if the payload schema does not apply to triggers. */
  validatePayload: boolean
  steps: StepValues[]
}

/**
 * Returns what the unsubscribe links turn off. A critical workflow has none, whatever is stored. Without a category, the
 * links of the category are those of the workflow.
 */
const unsubscribeOf = ({ critical, category, unsubscribe }: Workflow): Unsubscribe =>
  critical || (category === null && unsubscribe === 'WORKFLOW') ? 'CATEGORY' : unsubscribe

/** Returns the values of a stored workflow. */
export const workflowValues = (workflow: Workflow): WorkflowValues => ({
  name: workflow.name,
  description: workflow.description ?? '',
  active: workflow.active,
  critical: workflow.critical,
  severity: workflow.severity,
  categoryKey: workflow.category?.key ?? '',
  unsubscribe: unsubscribeOf(workflow),
  tags: [...workflow.tags],
  channelsOff: workflow.channels.flatMap(({ channel, enabled }) => (enabled ? [] : [channel])),
  data: formatJson(workflow.data),
  payloadSchema: workflow.payloadSchema === null ? '' : formatJson(workflow.payloadSchema),
  validatePayload: workflow.validatePayload,
  steps: workflow.steps.map(stepValues),
})

/** Returns the values without the identity of the steps on the page, to compare two versions. */
export const comparedValues = ({ steps, ...values }: WorkflowValues) => ({
  ...values,
  steps: steps.map(({ uid: _, ...step }) => step),
})

/** Returns the payload schema as mutation input. @throws SyntaxError if it is not a JSON object. */
export const payloadSchemaInput = ({ payloadSchema }: WorkflowValues): Record<string, unknown> | null =>
  payloadSchema.trim() === '' ? null : parseJsonObject(payloadSchema)

/**
 * Returns the workflow as mutation input, without `unsubscribe`, of which the values have only what applies.
 *
 * @throws SyntaxError if one of its JSON texts is not an object.
 */
export const workflowInput = (identifier: string, values: WorkflowValues): WorkflowInput => ({
  identifier,
  name: values.name,
  description: values.description.trim() === '' ? null : values.description,
  active: values.active,
  critical: values.critical,
  severity: values.severity,
  categoryKey: values.categoryKey === '' ? null : values.categoryKey,
  tags: values.tags,
  channels: values.channelsOff.map((channel) => ({ channel, enabled: false })),
  data: parseJsonObject(values.data),
  payloadSchema: payloadSchemaInput(values),
  validatePayload: values.validatePayload,
  steps: values.steps.map(stepInput),
})
