// The form of a category, to create or edit one.
import { Fieldset, Select, SimpleGrid, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import type { EditedForm } from '../../parts/form/edit-dialog.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { optionsOf } from '../../parts/options.ts'
import { type CategoryValues, channelOptions, defaultLabels } from './category-values.ts'

interface CategoryFormProps extends EditedForm<CategoryValues> {
  /** The key of an existing category cannot be changed. */
  readonly keyIsFixed?: boolean
}

export function CategoryForm({ initial, keyIsFixed = false, submitLabel, pending, onSubmit }: CategoryFormProps) {
  const form = useForm<CategoryValues>({
    initialValues: initial,
    validate: { key: isNotEmpty('Enter a key.'), name: isNotEmpty('Enter a name.') },
  })
  const [problems, report] = useFormProblems(form)
  return (
    <DialogForm form={form} onSubmit={async (values) => report(await onSubmit(values))}>
      {!keyIsFixed && (
        <TextInput
          label="Key"
          description="The identifier that workflows and preferences use. It cannot be changed."
          required
          data-autofocus
          {...form.getInputProps('key')}
        />
      )}
      <TextInput label="Name" description="What subscribers read." required {...form.getInputProps('name')} />
      <Textarea
        label="Description"
        description="What subscribers receive in this category, for the preference page."
        autosize
        minRows={2}
        maxLength={1000}
        {...form.getInputProps('description')}
      />
      <Switch
        label="Hidden"
        description="Preference pages and the inbox do not show the category, so subscribers cannot turn it off there."
        {...form.getInputProps('isHidden', { type: 'checkbox' })}
      />
      <Fieldset legend="Channel defaults">
        <Text size="sm" c="dimmed" mb="sm">
          For subscribers without a preference of their own. A default comes before those of the workflows.
        </Text>
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm">
          {channelOptions.map(({ value, label }) => (
            <Select
              key={value}
              label={label}
              size="xs"
              allowDeselect={false}
              data={[...optionsOf(defaultLabels)]}
              {...form.getInputProps(`channels.${value}`)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
    </DialogForm>
  )
}
