// What can be done with a workflow: save, trigger and delete it.
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDeviceFloppy, IconSend, IconTrash } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { confirmDelete } from '../../parts/confirm-delete.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TriggerDialog } from './trigger-dialog.tsx'
import type { Workflow } from './workflow-values.ts'

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
  /** The payload to start a trigger from, as text. */
  readonly samplePayload: string
  readonly dirty: boolean
  readonly saving: boolean
  readonly onSave: () => Promise<void>
  /** Is called before the page is left: there is nothing to save any more. */
  readonly onDelete: () => void
}

export function WorkflowActions({ workflow, samplePayload, dirty, saving, onSave, onDelete }: WorkflowActionsProps) {
  const { identifier } = workflow
  const [triggering, { open, close }] = useDisclosure(false)
  const [deleteWorkflow] = useAct(deleteWorkflowMutation)
  const navigate = useNavigate()

  const askToDelete = () =>
    confirmDelete({
      what: `workflow ${identifier}`,
      consequence:
        'Triggers of it are rejected from then on, and preferences for it are deleted. Past events stay. This cannot be undone.',
      onConfirm: async () => {
        const outcome = await deleteWorkflow({ identifier })
        if (!outcome.ok) {
          showProblems(outcome.problems)
          return
        }
        onDelete()
        showDone(`Workflow ${identifier} deleted.`)
        await navigate(paths.workflows)
      },
    })
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
      <Button variant="default" leftSection={<IconSend size={16} aria-hidden />} onClick={open}>
        Trigger
      </Button>
      <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={askToDelete}>
        Delete
      </Button>
      {triggering && (
        <TriggerDialog identifier={identifier} samplePayload={samplePayload} dirty={dirty} onClose={close} />
      )}
    </>
  )
}
