// The content of an object's page if the object does not exist.
import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'

interface MissingProps {
  /** The object that was not found, such as `topic with the key x`. */
  readonly what: string
  readonly list: { readonly label: string; readonly to: string }
}

export function Missing({ what, list }: MissingProps) {
  return (
    <Stack gap="xs">
      <Text>
        There is no {what} in this environment. It was deleted, or it belongs to another environment: you can switch to
        one at the top right.
      </Text>
      <Anchor component={Link} to={list.to}>
        {list.label}
      </Anchor>
    </Stack>
  )
}
