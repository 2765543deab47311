// The dialog that deletes an environment. Everything in it is lost, so the name must be typed to confirm.
import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import type { Problem } from '../../graph/problem.ts'
import { FormProblems } from '../../parts/form/form-problems.tsx'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { CancelButton, FormDialog } from '../../parts/form/form-dialog.tsx'

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
  const form = useForm({ initialValues: { typed: '' } })
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const navigate = useNavigate()

  const submit = async () => {
    const outcome = await deleteEnvironment({ id })
    if (!outcome.ok) {
      setProblems(outcome.problems)
      return
    }
    showDone(`Environment ${name} deleted.`)
    await navigate(paths.environments)
  }
  return (
    <FormDialog onClose={onClose} title={`Delete environment ${name}?`}>
      <DialogForm form={form} onSubmit={submit}>
        <Text size="sm">
          Its subscribers, topics, workflows, integrations, events and notifications are deleted too, and its API keys
          stop working. This cannot be undone.
        </Text>
        <TextInput
          label={`Type ${name} to confirm`}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('typed')}
        />
        <FormProblems problems={problems} />
        <Group justify="flex-end">
          <CancelButton />
          <Button type="submit" color="red.9" loading={pending} disabled={form.values.typed !== name}>
            Delete
          </Button>
        </Group>
      </DialogForm>
    </FormDialog>
  )
}
