// The form of an integration. Its fields are those of the provider.
import { Fieldset, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Problem } from '../../graph/problem.ts'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { optionalJsonError } from '../../parts/form/json-object.ts'
import { ConditionInput } from '../../parts/condition/condition-input.tsx'
import { commonVariables } from '../../parts/condition/variables.ts'
import type { ProviderDefinition } from '../../parts/providers.ts'
import { hasFallbacks, type IntegrationValues, settingError, settingsOf } from './integration-values.ts'
import { providerGroups } from './provider-groups.ts'
import { RateLimitField } from './rate-limit-field.tsx'
import { SettingField } from './setting-field.tsx'
import { DialogForm } from '../../parts/form/dialog-form.tsx'

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
        conditions: optionalJsonError(values.conditions),
      }
    },
  })
  const [problems, report] = useFormProblems(form)
  const provider = definitionOf(form.values)
  const settings = settingsOf(provider, stored)
  return (
    <DialogForm form={form} onSubmit={async (values) => report(await onSubmit(values))}>
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
          {provider !== undefined && hasFallbacks(provider) && (
            <Switch
              label="Fallback"
              description="It is used if the other integrations of its channel cannot send. A primary integration is no fallback."
              {...form.getInputProps('isFallback', { type: 'checkbox' })}
            />
          )}
        </>
      )}
      <ConditionInput
        label="Conditions"
        description="When the integration is used."
        variables={['payload', ...commonVariables]}
        read={() => form.getValues().conditions}
        {...form.getInputProps('conditions')}
        value={form.values.conditions}
      />
      <RateLimitField form={form} />
      <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
    </DialogForm>
  )
}
