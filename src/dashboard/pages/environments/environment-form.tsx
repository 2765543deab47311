// The form of an environment, to create or edit one.
import { ColorInput, NumberInput, Select, TextInput } from '@mantine/core'
import { isNotEmpty, matches, useForm } from '@mantine/form'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import type { Problem } from '../../graph/problem.ts'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { environmentTypes } from './environment-type.ts'
import { environmentLabels, type EnvironmentValues } from './environment-values.ts'
import { SendingFields } from './sending-fields.tsx'
import { UnsignedSessionFields } from './unsigned-session-fields.tsx'
import { DialogForm } from '../../parts/form/dialog-form.tsx'

const parentsQuery = graphql(`
  query ParentEnvironments {
    environments(first: 100) {
      nodes {
        id
        name
      }
    }
  }
`)

/** Colors that are easy to tell apart in the header of the page. */
const swatches = ['#2563eb', '#0d9488', '#16a34a', '#ca8a04', '#ea580c', '#dc2626', '#db2777', '#7c3aed', '#475569']

/** What the gateway does with the messages of a new environment. */
const standardSending = { DEV: 'CAPTURE', PROD: 'LIVE' } as const

const DAYS = { min: 0, max: 3650, allowDecimal: false, clampBehavior: 'strict', placeholder: 'As configured' } as const

interface EnvironmentFormProps {
  readonly initial: EnvironmentValues
  /** The id of an existing environment. A new environment has no retention of its own yet. */
  readonly id?: string
  readonly submitLabel: string
  readonly pending: boolean
  /** Returns the errors. */
  readonly onSubmit: (values: EnvironmentValues) => Promise<readonly Problem[]>
}

export function EnvironmentForm({ initial, id, submitLabel, pending, onSubmit }: EnvironmentFormProps) {
  const [{ data }] = useQuery({ query: parentsQuery })
  const form = useForm<EnvironmentValues>({
    initialValues: initial,
    validate: {
      name: isNotEmpty('Enter a name.'),
      color: matches(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, 'Enter a hex color, such as #7c3aed.'),
    },
  })
  const [problems, report] = useFormProblems(form)
  const parents = (data?.environments.nodes ?? []).filter((each) => each.id !== id)
  return (
    <DialogForm form={form} onSubmit={async (values) => report(await onSubmit(values))}>
      {id === undefined && (
        <Select
          label="Type"
          description="Development captures its messages unless you choose otherwise below, so that nobody gets them by accident."
          data={Object.entries(environmentTypes).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('type')}
          onChange={(value) => {
            const type = value === 'DEV' ? 'DEV' : 'PROD'
            form.setValues({ type, sending: standardSending[type] })
          }}
        />
      )}
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <ColorInput
        label="Color"
        description="The color of the page header, which tells environments apart."
        required
        withEyeDropper={false}
        swatches={swatches}
        swatchesPerRow={9}
        {...form.getInputProps('color')}
      />
      <Select
        label="Parent"
        description="The environment that this one is derived from."
        placeholder="None"
        data={parents.map((each) => ({ value: each.id, label: each.name }))}
        clearable
        clearButtonProps={{ 'aria-label': 'No parent' }}
        {...form.getInputProps('parentId')}
      />
      <SendingFields form={form} />
      {id !== undefined && (
        <>
          <NumberInput
            label={environmentLabels.retentionDays}
            description="Finished events and their execution logs are deleted afterwards. 0 keeps them. If it is empty, the configuration of the gateway applies."
            {...DAYS}
            {...form.getInputProps('retentionDays')}
          />
          <NumberInput
            label={environmentLabels.feedRetentionDays}
            description="Notifications in feeds are deleted afterwards. 0 keeps them."
            {...DAYS}
            {...form.getInputProps('feedRetentionDays')}
          />
          <UnsignedSessionFields form={form} />
        </>
      )}
      <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
    </DialogForm>
  )
}
