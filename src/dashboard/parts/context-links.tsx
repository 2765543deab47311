// The contexts of an object, each as a link.
import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from './paths.ts'

export function ContextLinks({ keys }: { readonly keys: readonly string[] }) {
  if (keys.length === 0)
    return (
      <Text inherit c="dimmed">
        none
      </Text>
    )
  return (
    <Group gap="xs">
      {keys.map((key) => (
        <Anchor key={key} inherit component={Link} to={paths.context(key)}>
          {key}
        </Anchor>
      ))}
    </Group>
  )
}
