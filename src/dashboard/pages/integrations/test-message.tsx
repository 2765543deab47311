// The dialog that sends a test message, and shows the provider's response.
import { Alert, Button, Code, Group, PasswordInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useState } from 'react'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { CopyText } from '../../parts/copyable.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { FormProblems } from '../../parts/form/form-problems.tsx'
import { useProviders } from '../../parts/providers.ts'
import { EndpointFields } from '../channel-endpoints/endpoint-fields.tsx'
import { type EndpointValues, noValues } from '../channel-endpoints/endpoint-values.ts'
import type { Integration } from './integration-values.ts'
import { destinationOf, targetGroups, targetsOf } from './test-targets.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const sendTestMessageMutation = graphql(`
  mutation SendTestMessage($input: SendTestMessageInput!) {
    sendTestMessage(input: $input) {
      result {
        accepted
        statusCode
        answer
        error
        duration
      }
      userErrors {
        message
        field
      }
    }
  }
`)

type Result = NonNullable<NonNullable<ResultOf<typeof sendTestMessageMutation>['sendTestMessage']>['result']>

function TestResult({ accepted, statusCode, answer, error, duration }: Result) {
  return (
    <Alert color={accepted ? 'green' : 'red'} role="status">
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          {accepted ? 'The provider accepted the message' : 'The message was not accepted'}
        </Text>
        {error !== null && <Text size="sm">{error}</Text>}
        <Text size="sm">
          {statusCode === null ? 'No response' : `Status ${statusCode}`} after {duration} ms.
        </Text>
        {answer !== null && answer !== '' && (
          <>
            <Code block className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
              {answer}
            </Code>
            <CopyText value={answer} label="response" />
          </>
        )}
      </Stack>
    </Alert>
  )
}

interface TestValues extends EndpointValues {
  /** The id of a target. */
  readonly target: string | null
  readonly address: string
  readonly subject: string
  readonly body: string
}

interface TestMessageProps {
  readonly integration: Integration
  readonly onClose: () => void
}

export function TestMessage({ integration, onClose }: TestMessageProps) {
  const provider = useProviders().find(({ providerId }) => providerId === integration.providerId)
  const targets = provider === undefined ? [] : targetsOf(provider)
  const [sendTestMessage, pending] = useAct(sendTestMessageMutation)
  const [result, setResult] = useState<Result | null>(null)
  const form = useForm<TestValues>({
    initialValues: { ...noValues, target: targets[0]?.id ?? null, address: '', subject: '', body: '' },
    validate: { target: isNotEmpty('Choose a destination.') },
  })
  const [problems, report] = useFormProblems(form)
  const target = targets.find(({ id }) => id === form.values.target)
  const AddressInput = target !== undefined && 'address' in target && target.address.secret ? PasswordInput : TextInput

  const send = async (values: TestValues) => {
    setResult(null)
    if (target === undefined) return
    const outcome = await sendTestMessage({
      integrationId: integration.id,
      to: destinationOf(target, values.address, values),
      subject: values.subject === '' ? null : values.subject,
      body: values.body === '' ? null : values.body,
    })
    report(outcome.ok ? [] : outcome.problems)
    if (!outcome.ok) return
    setResult(outcome.payload.result)
    form.resetDirty()
  }
  return (
    <FormDialog onClose={onClose} title="Send a test message">
      {provider?.supported === false ? (
        <Text>This gateway cannot send through {provider.name} yet.</Text>
      ) : (
        <DialogForm form={form} onSubmit={send}>
          <Text size="sm" c="dimmed">
            One real message is sent now. Nothing is stored, and a failure is not repeated.
          </Text>
          <Select
            label="Send to"
            required
            allowDeselect={false}
            data={targetGroups(targets)}
            {...form.getInputProps('target')}
          />
          {target !== undefined && 'address' in target && (
            <AddressInput required autoComplete="off" label={target.address.label} {...form.getInputProps('address')} />
          )}
          {target !== undefined && 'endpointType' in target && (
            <EndpointFields type={target.endpointType} inputProps={form.getInputProps} />
          )}
          <TextInput label="Subject" placeholder="Test message" {...form.getInputProps('subject')} />
          <Textarea
            label="Body"
            placeholder="A sentence that says that this is a test."
            autosize
            minRows={2}
            {...form.getInputProps('body')}
          />
          <FormProblems problems={problems} />
          {result !== null && <TestResult {...result} />}
          <Group justify="flex-end">
            <Button type="submit" loading={pending}>
              Send
            </Button>
          </Group>
        </DialogForm>
      )}
    </FormDialog>
  )
}
