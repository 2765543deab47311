// The name of an environment with its color, as a link to its page.
import { ColorSwatch, Group } from '@mantine/core'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'

interface EnvironmentNameProps {
  readonly environment: { readonly id: string; readonly name: string; readonly color: string }
}

export function EnvironmentName({ environment: { id, name, color } }: EnvironmentNameProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <ColorSwatch color={color} size={14} withShadow={false} style={{ flexShrink: 0 }} aria-hidden />
      <RowLink to={paths.environment(id)}>{name}</RowLink>
    </Group>
  )
}
