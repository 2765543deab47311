// The dialog that deletes an environment. Everything in it is lost, so the name must be typed to confirm.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type SyntheticEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import type { Problem } from '../../graph/problem.ts'
import { FormProblems } from '../../parts/form/form-problems.tsx'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'

const deleteEnvironmentMutation = graphql(`
  mutation DeleteEnvironment($input: DeleteEnvironmentInput!) {
    deleteEnvironment(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

interface DeleteEnvironmentProps {
  readonly environment: { readonly id: string; readonly name: string }
  readonly onClose: () => void
}

export function DeleteEnvironment({ environment: { id, name }, onClose }: DeleteEnvironmentProps) {
  const [deleteEnvironment, pending] = useAct(deleteEnvironmentMutation)
  const [typed, setTyped] = useState('')
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const navigate = useNavigate()

  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    const outcome = await deleteEnvironment({ id })
    if (!outcome.ok) {
      setProblems(outcome.problems)
      return
    }
    showDone(`Environment ${name} deleted.`)
    await navigate(paths.environments)
  }
  return (
    <Modal opened onClose={onClose} title={`Delete environment ${name}?`}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <Text size="sm">
            Its subscribers, topics, workflows, integrations, events and notifications are deleted too, and its API keys
            stop working. This cannot be undone.
          </Text>
          <TextInput
            label={`Type ${name} to confirm`}
            autoComplete="off"
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <FormProblems problems={problems} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" loading={pending} disabled={typed !== name}>
              Delete
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
