// The dialog that creates an API key, and then shows it.
import { Radio, Stack, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useState } from 'react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { type Access, accesses } from '../../session/access.ts'
import { useSession } from '../../session/session-context.ts'
import { COPY_KEY } from './copy-key.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const createApiKeyMutation = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      newApiKey {
        key
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const isAccess = (value: string): value is Access => value in accesses

interface CreateApiKeyProps {
  readonly environmentId: string
  readonly onClose: () => void
}

export function CreateApiKey({ environmentId, onClose }: CreateApiKeyProps) {
  const session = useSession()
  const [createApiKey, pending] = useAct(createApiKeyMutation)
  const [key, setKey] = useState<string>()
  const form = useForm<{ name: string; access: Access }>({
    initialValues: { name: '', access: 'FULL' },
    validate: { name: isNotEmpty('Enter a name.') },
  })
  const [problems, report] = useFormProblems(form)

  if (key !== undefined) {
    return (
      <ShownOnce
        title="API key created"
        label="API key"
        copyLabel="Copy key"
        value={key}
        warning={COPY_KEY}
        onDone={onClose}
      />
    )
  }
  const submit = async ({ name, access }: typeof form.values) => {
    const outcome = await createApiKey({ environmentId, name, access })
    if (!outcome.ok) {
      report(outcome.problems)
      return
    }
    setKey(outcome.payload.newApiKey?.key)
  }
  const choices = Object.entries(accesses).filter(([access]) => access !== 'ADMIN' || session.access === 'ADMIN')
  return (
    <FormDialog onClose={onClose} title="Create API key">
      <DialogForm form={form} onSubmit={submit}>
        <TextInput
          label="Name"
          description="The application or person that uses the key."
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Radio.Group
          label="Access"
          value={form.getValues().access}
          error={form.errors['access']}
          onChange={(access) => isAccess(access) && form.setFieldValue('access', access)}
        >
          <Stack gap="xs" mt="xs">
            {choices.map(([access, { label, description }]) => (
              <Radio key={access} value={access} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
        <FormEnd problems={problems} submitLabel="Create" pending={pending} />
      </DialogForm>
    </FormDialog>
  )
}
