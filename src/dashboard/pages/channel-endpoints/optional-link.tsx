// A link to an object, or a word if there is none.
import { RowLink } from '../../parts/row-link.tsx'
import { Text } from '@mantine/core'

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
    <RowLink to={path(to)}>{to}</RowLink>
  )
