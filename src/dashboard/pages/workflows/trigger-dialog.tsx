// The dialog that triggers a workflow and sends real messages.
import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { CodeEditor, type CodeEditorProps } from '../../parts/code/code-editor.tsx'
import { contextInputs, contextKeysError, ContextKeysInput } from '../../parts/form/context-keys-input.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { jsonObjectError, optionalJsonError, parseJsonObject, parseOptionalJson } from '../../parts/form/json-object.ts'
import { paths } from '../../parts/paths.ts'
import { PayloadSource } from './payload-source.tsx'
import type { PreviewedTrigger } from './preview/previewed-trigger.ts'
import type { SamplePayloads } from './sample-payload.ts'
import { SubscribersInput } from './subscribers-input.tsx'
import { TopicsInput } from './topics-input.tsx'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const triggerEventMutation = graphql(`
  mutation TriggerWorkflow($input: TriggerEventInput!) {
    triggerEvent(input: $input) {
      event {
        id
        transactionId
        status
        detail
      }
      duplicate
      userErrors {
        message
        field
      }
    }
  }
`)

type Triggered = ResultOf<typeof triggerEventMutation>['triggerEvent']

interface TriggerDialogProps {
  readonly identifier: string
  readonly samples: SamplePayloads
  readonly previewed: PreviewedTrigger
  readonly dirty: boolean
  readonly onClose: () => void
}

interface TriggerValues {
  subscribers: string[]
  topics: string[]
  everyone: boolean
  payload: string
  /** A JSON object as text. Empty if nothing is overridden. */
  overrides: string
  contexts: string[]
  transactionId: string
}

const recipientInputs = ({
  subscribers,
  topics,
  everyone,
}: Pick<TriggerValues, 'subscribers' | 'topics' | 'everyone'>) => [
  ...subscribers.map((subscriberId) => ({ subscriber: { subscriberId } })),
  ...topics.map((topicKey) => ({ topic: { topicKey } })),
  ...(everyone ? [{ everyone }] : []),
]

export function TriggerDialog({ identifier, samples, previewed, dirty, onClose }: TriggerDialogProps) {
  const [trigger, pending] = useAct(triggerEventMutation)
  const [triggered, setTriggered] = useState<Triggered>()
  const form = useForm<TriggerValues>({
    initialValues: {
      subscribers: [],
      topics: [],
      everyone: false,
      payload: samples.variables,
      overrides: '',
      contexts: [],
      transactionId: '',
    },
    validate: {
      subscribers: (subscribers, { topics, everyone }) =>
        !everyone && subscribers.length + topics.length === 0
          ? 'Choose at least one subscriber or topic, or everyone.'
          : null,
      payload: jsonObjectError,
      overrides: optionalJsonError,
      contexts: contextKeysError,
    },
  })
  const [problems, report] = useFormProblems(form)

  const submit = async ({ payload, overrides, contexts, transactionId, ...recipients }: TriggerValues) => {
    const outcome = await trigger({
      workflowIdentifier: identifier,
      to: recipientInputs(recipients),
      payload: parseJsonObject(payload),
      overrides: parseOptionalJson(overrides),
      contexts: contextInputs(contexts),
      transactionId: transactionId === '' ? null : transactionId,
    })
    if (outcome.ok) {
      setTriggered(outcome.payload)
      form.resetDirty()
    } else report(outcome.problems)
  }
  return (
    <FormDialog onClose={onClose} size="lg" title={`Trigger ${identifier}`}>
      {triggered ? (
        <TriggerDone triggered={triggered} onClose={onClose} onAgain={() => setTriggered(undefined)} />
      ) : (
        <DialogForm form={form} onSubmit={submit}>
          <Text size="sm">
            The gateway sends real messages to these recipients.
            {dirty && ' It uses the saved workflow: your unsaved changes have no effect.'}
          </Text>
          <SubscribersInput {...form.getInputProps('subscribers')} />
          <TopicsInput {...form.getInputProps('topics')} />
          <Checkbox
            label="Everyone"
            description="Every subscriber of the environment, once each."
            {...form.getInputProps('everyone', { type: 'checkbox' })}
          />
          <PayloadSource
            values={form.values}
            samples={samples}
            previewed={previewed}
            onChoose={(chosen) => form.setValues(chosen)}
          />
          <CodeEditor label="Payload" language="json" {...form.getInputProps('payload')} />
          <OverridesInput {...form.getInputProps('overrides')} />
          <ContextKeysInput {...form.getInputProps('contexts')} />
          <TextInput
            label="Transaction id"
            description="A second trigger with the same id has no effect. Generated if it is empty."
            {...form.getInputProps('transactionId')}
          />
          <FormEnd problems={problems} submitLabel="Trigger for real" pending={pending} />
        </DialogForm>
      )}
    </FormDialog>
  )
}

/** Folded as long as it is empty, because few triggers have any. */
function OverridesInput(field: Pick<CodeEditorProps, 'value' | 'onChange' | 'error'>) {
  const [opened, { open }] = useDisclosure(field.value !== '')
  if (!opened) {
    return (
      <Button variant="subtle" size="compact-sm" style={{ alignSelf: 'flex-start' }} onClick={open}>
        Add overrides
      </Button>
    )
  }
  return (
    <CodeEditor
      label="Overrides"
      description='Replaces fields of the messages of this trigger only, such as {"email": {"subject": "Test"}}.'
      language="json"
      {...field}
    />
  )
}

interface TriggerDoneProps {
  readonly triggered: Triggered
  readonly onClose: () => void
  readonly onAgain: () => void
}

function TriggerDone({ triggered: { event, duplicate }, onClose, onAgain }: TriggerDoneProps) {
  const accepted = event?.status !== 'SKIPPED' && duplicate !== true
  return (
    <Stack>
      <Alert color={accepted ? 'green' : 'yellow'} role="status" title={accepted ? 'Triggered' : 'No effect'}>
        {duplicate === true
          ? 'An event with this transaction id already exists.'
          : (event?.detail ?? 'The gateway now runs the steps for each recipient.')}
      </Alert>
      <Group justify="flex-end">
        <Button variant="default" onClick={onAgain}>
          Trigger again
        </Button>
        {event && (
          <Button component={Link} to={paths.event(event.transactionId)} onClick={onClose}>
            Open the event
          </Button>
        )}
      </Group>
    </Stack>
  )
}
