// One preference of a topic subscription: the workflows it is about, and its condition.
import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { JsonBlock } from '../../parts/json-block.tsx'
import { paths } from '../../parts/paths.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { type Preference, tagsOf, workflowsOf } from './preference-entries.ts'

export function PreferenceCard({ preference }: { readonly preference: Preference }) {
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group gap="xs">
          <StateBadge color={preference.enabled ? 'green' : 'gray'}>
            {preference.enabled ? 'Delivered' : 'Not delivered'}
          </StateBadge>
          {workflowsOf(preference).map(({ id, identifier, name }) => (
            <Anchor key={id} component={Link} to={paths.workflow(identifier)} size="sm">
              {name}
            </Anchor>
          ))}
          {tagsOf(preference).map((tag) => (
            <Text key={tag} size="sm" c="dimmed">
              workflows tagged {tag}
            </Text>
          ))}
        </Group>
        {preference.condition !== null && <JsonBlock value={preference.condition} label="Condition" />}
      </Stack>
    </Paper>
  )
}
