// The buttons that pause and resume. Pausing asks for a reason.
import { Button, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import type { TypedDocumentNode } from 'urql'
import { type Payload, useAct } from '../../graph/act.ts'
import { FormEnd } from '../form/form-end.tsx'
import { useFormProblems } from '../form/form-problem-state.ts'
import { showDone, showProblems } from '../messages.ts'
import { DialogForm } from '../form/dialog-form.tsx'
import { FormDialog } from '../form/form-dialog.tsx'

/** Maximum characters of a reason. */
const MAX_REASON = 255

type Mutation<Result extends Payload, Input> = TypedDocumentNode<Readonly<Record<string, Result>>, { input: Input }>

interface PauseDialogProps<Paused extends Payload, Input> {
  /** The object to pause, such as `integration acme-sms`. */
  readonly what: string
  /** The objects that wait during the pause, in a sentence. */
  readonly consequence: string
  readonly input: Input
  readonly pause: Mutation<Paused, Input & { reason: string | null }>
}

interface PauseButtonProps<Paused extends Payload, Resumed extends Payload, Input> extends PauseDialogProps<
  Paused,
  Input
> {
  readonly isPaused: boolean
  readonly resume: Mutation<Resumed, Input>
}

const startOf = (what: string) => `${what.charAt(0).toUpperCase()}${what.slice(1)}`

/** Pauses after confirmation, and resumes immediately. */
export function PauseButton<Paused extends Payload, Resumed extends Payload, Input>({
  isPaused,
  resume,
  ...dialog
}: PauseButtonProps<Paused, Resumed, Input>) {
  const [asking, { open, close }] = useDisclosure(false)
  const [doResume, resuming] = useAct(resume)
  const { what, input } = dialog

  const send = async () => {
    const outcome = await doResume(input)
    if (outcome.ok) showDone(`${startOf(what)} resumed.`)
    else showProblems(outcome.problems)
  }
  if (isPaused) {
    return (
      <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} loading={resuming} onClick={() => void send()}>
        Resume
      </Button>
    )
  }
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={open}>
        Pause
      </Button>
      {asking && <PauseDialog {...dialog} onClose={close} />}
    </>
  )
}

function PauseDialog<Paused extends Payload, Input>({
  what,
  consequence,
  input,
  pause,
  onClose,
}: PauseDialogProps<Paused, Input> & { readonly onClose: () => void }) {
  const [doPause, pausing] = useAct(pause)
  const form = useForm({ initialValues: { reason: '' } })
  const [problems, report] = useFormProblems(form)

  const submit = async ({ reason }: { readonly reason: string }) => {
    const given = reason.trim()
    const outcome = await doPause({ ...input, reason: given === '' ? null : given })
    if (outcome.ok) {
      showDone(`${startOf(what)} paused.`)
      onClose()
    } else report(outcome.problems)
  }
  return (
    <FormDialog onClose={onClose} title={`Pause ${what}?`}>
      <DialogForm form={form} onSubmit={submit}>
        <Text size="sm">{consequence}</Text>
        <TextInput
          label="Reason"
          description="A note for others, shown where something waits."
          maxLength={MAX_REASON}
          data-autofocus
          {...form.getInputProps('reason')}
        />
        <FormEnd problems={problems} submitLabel="Pause" pending={pausing} />
      </DialogForm>
    </FormDialog>
  )
}
