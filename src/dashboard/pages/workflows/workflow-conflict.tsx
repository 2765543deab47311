// The version of a workflow that somebody else saved, beside the one in the editor.
import { differencesOf, EditConflict } from '../../parts/form/edit-conflict.tsx'
import { comparedValues, type Workflow, type WorkflowValues, workflowValues } from './draft/workflow-values.ts'

interface WorkflowConflictProps {
  readonly theirs: Workflow
  readonly mine: WorkflowValues
  readonly pending: boolean
  readonly onLoad: () => void
  readonly onOverwrite: () => void
  readonly onClose: () => void
}

const labels = {
  name: 'Name',
  description: 'Description',
  active: 'Active',
  critical: 'Critical',
  severity: 'Severity',
  categoryKey: 'Category',
  unsubscribe: 'Unsubscribe links',
  tags: 'Tags',
  channelsOff: 'Channels that are off',
  data: 'Data',
  payloadSchema: 'Payload schema',
  validatePayload: 'Check payloads',
  steps: 'Steps',
} as const satisfies Record<keyof WorkflowValues, string>

export const WorkflowConflict = ({ theirs, mine, ...choices }: WorkflowConflictProps) => (
  <EditConflict
    what={`workflow ${theirs.identifier}`}
    differences={differencesOf(labels, comparedValues(workflowValues(theirs)), comparedValues(mine))}
    {...choices}
  />
)
