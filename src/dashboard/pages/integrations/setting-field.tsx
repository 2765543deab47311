// The field of one provider setting. Secrets can be written but not read.
import { Checkbox, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { JsonObjectInput } from '../../parts/form/json-object-input.tsx'
import type { IntegrationValues, Setting } from './integration-values.ts'

interface SettingFieldProps {
  readonly setting: Setting
  /** True if there is a stored value that the graph does not return. */
  readonly isKept: boolean
  readonly form: UseFormReturnType<IntegrationValues>
}

const booleans = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

function SettingInput({ setting, isKept, form }: SettingFieldProps) {
  const { name, label, description, type, options, required, secret, default: standard } = setting
  const absent = standard === null ? 'Default' : `Default: ${standard}`
  const common = {
    label,
    description: description.replaceAll('`', ''),
    required: required && !isKept,
    placeholder: isKept ? 'Set. Leave it empty to keep it.' : (standard ?? undefined),
    ...form.getInputProps(`settings.${name}`),
    // Absent until it is first edited.
    value: form.values.settings[name] ?? '',
  }
  switch (type) {
    case 'BOOLEAN':
      return <Select {...common} allowDeselect={false} data={[{ value: '', label: absent }, ...booleans]} />
    case 'ENUM':
      return <Select {...common} allowDeselect={false} data={[{ value: '', label: absent }, ...options]} />
    case 'INTEGER':
      return <TextInput {...common} inputMode="numeric" />
    case 'JSON':
      return <JsonObjectInput {...common} autoComplete="off" />
    case 'STRING':
      return secret || isKept ? <PasswordInput {...common} autoComplete="off" /> : <TextInput {...common} />
  }
}

export function SettingField(props: SettingFieldProps) {
  const { setting, isKept, form } = props
  const { removed } = form.values
  const isRemoved = removed.includes(setting.name)
  return (
    <Stack gap="xs">
      {!isRemoved && <SettingInput {...props} />}
      {isKept && !setting.required && (
        <Checkbox
          label={`Remove ${setting.label}`}
          checked={isRemoved}
          onChange={() =>
            form.setFieldValue(
              'removed',
              isRemoved ? removed.filter((name) => name !== setting.name) : [...removed, setting.name],
            )
          }
        />
      )}
    </Stack>
  )
}
