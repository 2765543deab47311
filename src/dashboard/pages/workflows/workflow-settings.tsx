// The settings of a workflow, which apply to all of its steps.
import { Fieldset, Select, SimpleGrid, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { clearButton } from '../../parts/clear-button.ts'
import { CodeEditor } from '../../parts/code/code-editor.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { ConsentFields } from './consent-fields.tsx'
import { ChannelDefaults } from './channel-defaults.tsx'
import { useFieldError } from './steps/field-error.ts'
import type { WorkflowForm } from './steps/step-form.ts'
import type { Severity } from './draft/workflow-values.ts'

const severities = {
  NONE: 'Not specified',
  LOW: 'Low',
  MEDIUM: 'Medium',
  HIGH: 'High',
} as const satisfies Record<Severity, string>

export function WorkflowSettings({ form }: { readonly form: WorkflowForm }) {
  const canWrite = useCanWrite()
  return (
    <Fieldset variant="unstyled" maw={760} disabled={!canWrite} aria-label="Settings">
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label="Name" required {...form.getInputProps('name')} />
          <Select
            label="Severity"
            allowDeselect={false}
            data={Object.entries(severities).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('severity')}
          />
        </SimpleGrid>
        <TextInput label="Description" {...form.getInputProps('description')} />
        <TagsInput
          label="Tags"
          description="Preferences can select several workflows by a tag."
          clearable
          clearButtonProps={clearButton('Clear the tags')}
          {...form.getInputProps('tags')}
        />
        <ConsentFields form={form} />
        <Fieldset legend="Execution">
          <Stack gap="sm">
            <Switch
              label="Active"
              description="Triggers of an inactive workflow have no effect."
              {...form.getInputProps('active', { type: 'checkbox' })}
            />
            <Switch
              label="Critical"
              description="A critical workflow ignores the preferences of subscribers."
              {...form.getInputProps('critical', { type: 'checkbox' })}
            />
          </Stack>
        </Fieldset>
        <ChannelDefaults form={form} />
        <CodeEditor
          label="Payload schema"
          description='A JSON Schema that the payload of triggers must match. Empty allows any payload. Give a property "writeOnly": true if its value is secret, such as a one-time code: it is sent, and never shown.'
          language="json"
          readOnly={!canWrite}
          {...form.getInputProps('payloadSchema')}
          error={useFieldError(form)('payloadSchema')}
        />
        <Switch
          label="Check payloads"
          description="The payload schema applies to triggers. Otherwise only its secret properties have an effect."
          {...form.getInputProps('validatePayload', { type: 'checkbox' })}
        />
        <CodeEditor
          label="Data"
          description="Your own data, as a JSON object."
          language="json"
          readOnly={!canWrite}
          {...form.getInputProps('data')}
        />
      </Stack>
    </Fieldset>
  )
}
