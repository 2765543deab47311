// The dialog that replaces the signing secret of a webhook subscription, and then shows the new one.
import { Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { NewSecret } from './new-secret.tsx'

const rotateSecretMutation = graphql(`
  mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) {
    rotateWebhookSecret(input: $input) {
      secret
      webhookSubscription {
        id
        formerSecretUntil
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const HOUR = 3_600

/** The times for which the former secret signs, too, by their seconds. */
const periods = [
  { value: '0', label: 'Not at all' },
  { value: String(HOUR), label: '1 hour' },
  { value: String(24 * HOUR), label: '1 day' },
  { value: String(3 * 24 * HOUR), label: '3 days' },
  { value: String(7 * 24 * HOUR), label: '7 days' },
]

interface RotateSecretProps {
  readonly id: string
  readonly onClose: () => void
}

export function RotateSecret({ id, onClose }: RotateSecretProps) {
  const [rotateSecret, pending] = useAct(rotateSecretMutation)
  const [secret, setSecret] = useState<string>()
  const form = useForm({ initialValues: { keepOldFor: String(24 * HOUR) } })
  const [problems, report] = useFormProblems(form)
  if (secret !== undefined) return <NewSecret title="Secret rotated" secret={secret} onDone={onClose} />
  const submit = async ({ keepOldFor }: typeof form.values) => {
    const outcome = await rotateSecret({ id, keepOldFor: Number(keepOldFor) })
    if (!outcome.ok) report(outcome.problems)
    else if (outcome.payload.secret === null) report([{ message: 'The gateway returned no secret.' }])
    else setSecret(outcome.payload.secret)
  }
  return (
    <FormDialog onClose={onClose} title="Rotate the secret">
      <DialogForm form={form} onSubmit={submit}>
        <Text size="sm">
          A new secret replaces the present one. Meanwhile each request has a signature with each of both, so that the
          receiver can change over without losing a message. A second rotation ends the oldest secret.
        </Text>
        <Select
          label="Keep the old secret for"
          allowDeselect={false}
          data={periods}
          {...form.getInputProps('keepOldFor')}
        />
        <FormEnd problems={problems} submitLabel="Rotate" pending={pending} />
      </DialogForm>
    </FormDialog>
  )
}
