// The dialog that edits the keywords of text messages, and what is answered to them.
import { TagsInput, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { clearButton } from '../../parts/clear-button.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { showDone } from '../../parts/messages.ts'
import type { Integration } from './integration-values.ts'

const setTextRepliesMutation = graphql(`
  mutation SetTextReplies($input: SetTextRepliesInput!) {
    setTextReplies(input: $input) {
      textReplies {
        helpText
      }
      userErrors {
        message
        field
      }
    }
  }
`)

/** Maximum length of an answer, in characters. */
const MAX_ANSWER = 1_600

const textOf = (answer: string) => (answer.trim() === '' ? null : answer)

interface EditTextRepliesProps {
  readonly integrationId: string
  readonly replies: NonNullable<Integration['textReplies']>
  readonly onClose: () => void
}

export function EditTextReplies({ integrationId, replies, onClose }: EditTextRepliesProps) {
  const [setTextReplies, pending] = useAct(setTextRepliesMutation)
  const form = useForm({
    initialValues: {
      stopWords: [...replies.stopWords],
      stopText: replies.stopText ?? '',
      startWords: [...replies.startWords],
      startText: replies.startText ?? '',
      helpText: replies.helpText ?? '',
    },
  })
  const [problems, report] = useFormProblems(form)
  const submit = async ({ stopWords, stopText, startWords, startText, helpText }: typeof form.values) => {
    const outcome = await setTextReplies({
      ...{ integrationId, stopWords, startWords },
      ...{ stopText: textOf(stopText), startText: textOf(startText), helpText: textOf(helpText) },
    })
    if (!outcome.ok) {
      report(outcome.problems)
      return
    }
    showDone('Replies saved.')
    onClose()
  }
  const words = { clearable: true, maxTags: 20 }
  const answer = { autosize: true, minRows: 2, maxLength: MAX_ANSWER, placeholder: 'Nothing is answered' }
  return (
    <FormDialog onClose={onClose} title="Edit replies by SMS">
      <DialogForm form={form} onSubmit={submit}>
        <Text size="sm">
          A text that consists of a keyword stops or allows text messages to the number. Nothing is answered if the
          provider has answered already.
        </Text>
        <TagsInput
          label="Further words for STOP"
          {...words}
          clearButtonProps={clearButton('Clear the words for STOP')}
          {...form.getInputProps('stopWords')}
        />
        <Textarea label="Answer to STOP" {...answer} {...form.getInputProps('stopText')} />
        <TagsInput
          label="Further words for START"
          {...words}
          clearButtonProps={clearButton('Clear the words for START')}
          {...form.getInputProps('startWords')}
        />
        <Textarea label="Answer to START" {...answer} {...form.getInputProps('startText')} />
        <Textarea label="Answer to HELP" {...answer} {...form.getInputProps('helpText')} />
        <FormEnd problems={problems} submitLabel="Save" pending={pending} />
      </DialogForm>
    </FormDialog>
  )
}
