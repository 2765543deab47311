// The actions on a workflow: save, trigger and delete.
import { Button, Group } from '@mantine/core'
import { IconDeviceFloppy, IconSend, IconTrash } from '@tabler/icons-react'
import { graphql } from '../../graph/graphql.ts'
import { useDeletion } from '../../parts/action/deletion.ts'
import { paths } from '../../parts/paths.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { PauseWorkflow } from './pause-workflow.tsx'
import { StopWorkflow } from './stop-workflow.tsx'
import type { Workflow } from './draft/workflow-values.ts'

const deleteWorkflowMutation = graphql(`
  mutation DeleteWorkflow($input: DeleteWorkflowInput!) {
    deleteWorkflow(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

interface WorkflowActionsProps {
  readonly workflow: Workflow
  readonly dirty: boolean
  readonly saving: boolean
  readonly onSave: () => Promise<void>
  readonly onTrigger: () => void
  /** Called with the workflow after it was stopped. */
  readonly onInactive: (saved: Workflow) => void
  /** Called before leaving the page, because no changes need saving any more. */
  readonly onDelete: () => void
}

export function WorkflowActions(props: WorkflowActionsProps) {
  const { workflow, dirty, saving, onSave, onTrigger, onInactive, onDelete } = props
  const { identifier } = workflow
  const deleteWorkflow = useDeletion(deleteWorkflowMutation)

  const askToDelete = () =>
    deleteWorkflow(
      { identifier },
      {
        what: `workflow ${identifier}`,
        consequence:
          'Triggers of the workflow are rejected, and preferences for it are deleted. Past events stay. This cannot be undone.',
        list: paths.workflows,
        onDeleted: onDelete,
      },
    )
  return (
    <>
      {dirty && (
        <Group>
          <StateBadge color="yellow">Unsaved changes</StateBadge>
        </Group>
      )}
      <Button
        leftSection={<IconDeviceFloppy size={16} aria-hidden />}
        loading={saving}
        disabled={!dirty}
        onClick={() => void onSave()}
      >
        Save
      </Button>
      <Button variant="default" leftSection={<IconSend size={16} aria-hidden />} onClick={onTrigger}>
        Trigger
      </Button>
      <PauseWorkflow workflow={workflow} />
      <StopWorkflow workflow={workflow} onInactive={onInactive} />
      <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={askToDelete}>
        Delete
      </Button>
    </>
  )
}
