// The form of an integration. Its fields are those of the provider.
import { Fieldset, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Problem } from '../../graph/problem.ts'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { JsonObjectInput } from '../../parts/form/json-object-input.tsx'
import type { ProviderDefinition } from '../../parts/providers.ts'
import { conditionsError, type IntegrationValues, settingError, settingsOf } from './integration-values.ts'
import { providerGroups } from './provider-groups.ts'
import { SettingField } from './setting-field.tsx'

interface IntegrationFormProps {
  readonly initial: IntegrationValues
  readonly providers: readonly ProviderDefinition[]
  /**
   * For an existing integration, the names of stored settings whose values are not returned. Its provider cannot be
   * changed.
   */
  readonly hidden?: readonly string[]
  readonly submitLabel: string
  readonly pending: boolean
  /** Returns the errors. */
  readonly onSubmit: (values: IntegrationValues) => Promise<readonly Problem[]>
}

export function IntegrationForm({ initial, providers, hidden, submitLabel, pending, onSubmit }: IntegrationFormProps) {
  const definitionOf = ({ providerId }: IntegrationValues) =>
    providers.find((provider) => provider.providerId === providerId)
  const stored = hidden ?? []
  const form = useForm<IntegrationValues>({
    initialValues: initial,
    validate: (values) => {
      const errors = settingsOf(definitionOf(values), stored).map((setting): [string, string | null] => {
        const { name } = setting
        return [`settings.${name}`, settingError(setting, values.settings[name] ?? '', stored.includes(name))]
      })
      return {
        ...Object.fromEntries(errors),
        providerId: values.providerId === null ? 'Choose a provider.' : null,
        identifier: hidden !== undefined && values.identifier === '' ? 'Enter an identifier.' : null,
        conditions: conditionsError(values.conditions),
      }
    },
  })
  const [problems, report] = useFormProblems(form)
  const provider = definitionOf(form.values)
  const settings = settingsOf(provider, stored)
  return (
    <form onSubmit={form.onSubmit(async (values) => report(await onSubmit(values)))}>
      <Stack>
        {hidden === undefined && (
          <Select
            label="Provider"
            required
            searchable
            nothingFoundMessage="No provider matches"
            data-autofocus
            data={providerGroups(providers)}
            {...form.getInputProps('providerId')}
          />
        )}
        <TextInput label="Name" placeholder={provider?.name} {...form.getInputProps('name')} />
        <TextInput
          label="Identifier"
          description={
            hidden === undefined
              ? 'Unique in the environment. Generated if it is empty.'
              : 'Unique in the environment. Channel endpoints keep pointing to the integration.'
          }
          {...form.getInputProps('identifier')}
        />
        {provider !== undefined && !provider.supported && (
          <Text size="sm" c="dimmed">
            This gateway cannot send through {provider.name} yet.
          </Text>
        )}
        {settings.length > 0 && (
          <Fieldset legend={`Settings of ${provider?.name ?? 'the provider'}`}>
            <Stack>
              {settings.map((setting) => (
                <SettingField key={setting.name} setting={setting} isKept={stored.includes(setting.name)} form={form} />
              ))}
            </Stack>
          </Fieldset>
        )}
        {hidden === undefined && (
          <>
            <Switch
              label="Active"
              description="Messages are sent through it."
              {...form.getInputProps('active', { type: 'checkbox' })}
            />
            <Switch
              label="Primary"
              description="The preferred integration of its channel. It replaces the current primary integration."
              {...form.getInputProps('primary', { type: 'checkbox' })}
            />
          </>
        )}
        <JsonObjectInput
          label="Conditions"
          description="A JSON-logic condition. If it is empty, the integration is always used."
          minRows={2}
          {...form.getInputProps('conditions')}
        />
        <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
      </Stack>
    </form>
  )
}
