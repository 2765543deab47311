// The fields of a workflow that say what subscribers turn off with it.
import { Select, SimpleGrid } from '@mantine/core'
import { useCategoryOptions } from '../../parts/suggestion/categories.ts'
import { clearButton } from '../../parts/clear-button.ts'
import { optionsOf } from '../../parts/options.ts'
import type { Unsubscribe } from './draft/workflow-values.ts'
import type { WorkflowForm } from './steps/step-form.ts'

const scopes = {
  CATEGORY: 'The category, or the workflow if it has none',
  WORKFLOW: 'The workflow',
  ALL: 'Everything',
  OFF: 'Nothing: emails have no links',
} as const satisfies Record<Unsubscribe, string>

export function ConsentFields({ form }: { readonly form: WorkflowForm }) {
  const { categoryKey, critical, unsubscribe } = form.values
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <Select
        label="Category"
        description="Subscribers turn a category on and off as a whole."
        placeholder="None"
        searchable
        clearable
        clearButtonProps={clearButton('Clear the category')}
        nothingFoundMessage="No category matches"
        data={useCategoryOptions(categoryKey === '' ? [] : [categoryKey])}
        {...form.getInputProps('categoryKey')}
        value={categoryKey === '' ? null : categoryKey}
        onChange={(key: string | null) => form.setFieldValue('categoryKey', key ?? '')}
      />
      <Select
        label="Unsubscribe links turn off"
        description={critical ? 'Emails of critical workflows have no links.' : 'In the emails of the workflow.'}
        allowDeselect={false}
        disabled={critical}
        data={[...optionsOf(scopes)]}
        {...form.getInputProps('unsubscribe')}
        value={critical ? 'OFF' : unsubscribe}
      />
    </SimpleGrid>
  )
}
