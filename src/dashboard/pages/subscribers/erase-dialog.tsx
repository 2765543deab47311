// The dialog that erases a person. The id must be typed to confirm, because an erasure cannot be undone.
import { Button, Group, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { FormProblems } from '../../parts/form/form-problems.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { paths } from '../../parts/paths.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { CancelButton, FormDialog } from '../../parts/form/form-dialog.tsx'

const eraseSubscriberMutation = graphql(`
  mutation EraseSubscriber($input: EraseSubscriberInput!) {
    eraseSubscriber(input: $input) {
      erasure {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface EraseDialogProps {
  readonly subscriberId: string
  readonly onClose: () => void
}

export function EraseDialog({ subscriberId, onClose }: EraseDialogProps) {
  const [erase, pending] = useAct(eraseSubscriberMutation)
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { typed: '', also: [] as string[] },
    validate: { typed: (text) => (text === subscriberId ? null : 'This is not the id of the subscriber.') },
  })
  const [problems, report] = useFormProblems(form)
  const submit = async ({ also }: typeof form.values) => {
    const outcome = await erase({ subscriberId, also })
    if (!outcome.ok) {
      report(outcome.problems)
      return
    }
    onClose()
    if (outcome.payload.erasure) await navigate(paths.erasure(outcome.payload.erasure.id))
  }
  return (
    <FormDialog onClose={onClose} title="Erase the person">
      <DialogForm form={form} onSubmit={submit}>
        <Text size="sm">
          The subscriber <b className="wrap-anywhere">{subscriberId}</b> and every trace of the person in this
          environment are removed. This cannot be undone.
        </Text>
        <TagsInput
          label="Other texts to erase"
          description="Such as a former email address. Press Enter after each."
          {...form.getInputProps('also')}
        />
        <TextInput
          label="Type the subscriber id"
          required
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('typed')}
        />
        <FormProblems problems={problems} />
        <Group justify="flex-end">
          <CancelButton />
          <Button type="submit" color="red.9" loading={pending}>
            Erase
          </Button>
        </Group>
      </DialogForm>
    </FormDialog>
  )
}
