// The fields of a topic subscription's preferences, one card for each entry.
import { Button, Card, Group, Stack, Switch, TagsInput, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { ConditionInput } from '../../parts/condition/condition-input.tsx'
import { commonVariables } from '../../parts/condition/variables.ts'
import { placeOf } from '../../parts/form/place-of.ts'
import { newEntry, type PreferenceEntry } from './preference-entries.ts'
import type { SubscriptionValues } from './subscription-values.ts'

const workflowSuggestionsQuery = graphql(`
  query WorkflowSuggestions {
    workflows(first: 100) {
      nodes {
        id
        identifier
        tags
      }
    }
  }
`)

export function PreferenceFields({ form }: { readonly form: UseFormReturnType<SubscriptionValues> }) {
  const [{ data }] = useQuery({ query: workflowSuggestionsQuery })
  const workflows = data?.workflows.nodes ?? []
  return (
    <Stack gap="xs" role="group" aria-label="Preferences">
      <Text size="sm" fw={500}>
        Preferences
      </Text>
      <Text size="xs" c="dimmed">
        Without preferences, every workflow triggered for the topic reaches this subscription.
      </Text>
      {form.values.preferences.map((entry, index) => {
        const field = (name: keyof PreferenceEntry) => `preferences.${index}.${name}`
        // An undo may come after another entry was removed.
        const placeNow = () => placeOf(form.getValues().preferences, entry)
        return (
          <Card key={entry.uid} withBorder padding="sm" role="group" aria-label={`Preference ${index + 1}`}>
            <Stack gap="xs">
              <TagsInput
                label="Workflows"
                description="Identifiers of workflows."
                data={workflows.map(({ identifier }) => identifier)}
                {...form.getInputProps(field('workflows'))}
              />
              <TagsInput
                label="Tags"
                description="All workflows with one of these tags, including future ones."
                data={[...new Set(workflows.flatMap(({ tags }) => tags))]}
                {...form.getInputProps(field('tags'))}
              />
              <Switch
                label={entry.enabled ? 'These workflows are delivered' : 'These workflows are not delivered'}
                {...form.getInputProps(field('enabled'), { type: 'checkbox' })}
              />
              <ConditionInput
                label="Condition"
                description="When the entry applies."
                variables={['payload', ...commonVariables]}
                read={() => form.getValues().preferences[placeNow()]?.condition ?? ''}
                error={form.errors[field('condition')]}
                value={entry.condition}
                onChange={(condition) => {
                  const place = placeNow()
                  if (place !== -1) form.setFieldValue(`preferences.${place}.condition`, condition)
                }}
              />
              <Group justify="flex-end">
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconTrash size={14} aria-hidden />}
                  onClick={() => form.removeListItem('preferences', index)}
                >
                  Remove preference {index + 1}
                </Button>
              </Group>
            </Stack>
          </Card>
        )
      })}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => form.insertListItem('preferences', newEntry())}
        >
          Add preference
        </Button>
      </Group>
    </Stack>
  )
}
