// A link to an object, or a word if there is none.
import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'

interface OptionalLinkProps {
  /** The identifier of the object, which is also the link text. */
  readonly to: string | null
  readonly path: (identifier: string) => string
}

export const OptionalLink = ({ to, path }: OptionalLinkProps) =>
  to === null ? (
    <Text inherit span c="dimmed">
      none
    </Text>
  ) : (
    <Anchor inherit component={Link} to={path(to)}>
      {to}
    </Anchor>
  )
