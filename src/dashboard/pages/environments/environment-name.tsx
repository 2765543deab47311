// The name of an environment with its color, as a link to its page.
import { Anchor, ColorSwatch, Group } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '../../parts/paths.ts'

interface EnvironmentNameProps {
  readonly environment: { readonly id: string; readonly name: string; readonly color: string }
}

export function EnvironmentName({ environment: { id, name, color } }: EnvironmentNameProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <ColorSwatch color={color} size={14} withShadow={false} style={{ flexShrink: 0 }} aria-hidden />
      <Anchor inherit component={Link} to={paths.environment(id)}>
        {name}
      </Anchor>
    </Group>
  )
}
