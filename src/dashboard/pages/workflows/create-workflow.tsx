// The dialog that creates a workflow.
import { TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const createWorkflowMutation = graphql(`
  mutation CreateWorkflow($input: CreateWorkflowInput!) {
    createWorkflow(input: $input) {
      workflow {
        id
        identifier
      }
      userErrors {
        message
        field
      }
    }
  }
`)

/** Returns an identifier from a name: `Order shipped` as `order-shipped`. */
const identifierOf = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

export function CreateWorkflow({ onClose }: { readonly onClose: () => void }) {
  const [createWorkflow, pending] = useAct(createWorkflowMutation)
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { name: '', identifier: '' },
    validate: { name: isNotEmpty('Enter a name.'), identifier: isNotEmpty('Enter an identifier.') },
  })
  const [problems, report] = useFormProblems(form)

  const submit = async ({ name, identifier }: typeof form.values) => {
    const outcome = await createWorkflow({ name, identifier })
    if (!outcome.ok) {
      report(outcome.problems)
      return
    }
    showDone(`Workflow ${name} created.`)
    await navigate(paths.workflow(identifier))
  }
  return (
    <FormDialog onClose={onClose} title="Create workflow">
      <DialogForm form={form} onSubmit={submit}>
        <TextInput
          label="Name"
          required
          data-autofocus
          {...form.getInputProps('name')}
          onChange={({ currentTarget: { value } }) => {
            const { name, identifier } = form.getValues()
            if (identifier === identifierOf(name)) form.setFieldValue('identifier', identifierOf(value))
            form.setFieldValue('name', value)
          }}
        />
        <TextInput
          label="Identifier"
          description="The identifier that triggers use. It cannot be changed."
          required
          {...form.getInputProps('identifier')}
        />
        <FormEnd problems={problems} submitLabel="Create" pending={pending} />
      </DialogForm>
    </FormDialog>
  )
}
