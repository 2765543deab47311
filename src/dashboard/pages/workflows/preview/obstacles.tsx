// What must be corrected before the workflow can be previewed.
import { Alert, List } from '@mantine/core'
import type { CheckedDraft } from '../draft/checked-draft.ts'
import { fieldLabel } from '../steps/field-labels.ts'
import type { StepValues } from '../draft/step-values.ts'
import { withoutPath } from '../draft/workflow-problems.ts'

interface ObstaclesProps extends Pick<CheckedDraft, 'obstacles'> {
  readonly steps: readonly StepValues[]
}

/** Says where a field is: `Step 2, Subject`. */
function placeOf(path: string, steps: readonly StepValues[]): string {
  const [root, position, name] = path.split('.')
  if (root !== 'steps') return 'Payload schema'
  const step = steps[Number(position)]
  if (step === undefined || name === undefined) return 'Steps'
  return `Step ${Number(position) + 1}, ${fieldLabel(step.type, name)}`
}

export function Obstacles({ obstacles, steps }: ObstaclesProps) {
  return (
    <Alert color="yellow" role="status" title="Complete the workflow to see the preview">
      <List size="sm" className="wrap-anywhere">
        {obstacles.map(([path, message], index) => (
          <List.Item key={index}>
            {placeOf(path, steps)}: {withoutPath(message)}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
