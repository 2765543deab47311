// The page for an unknown path.
import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'

export function NotFound() {
  return (
    <Stack gap="xs">
      <Title order={1} size="h3">
        Page not found
      </Title>
      <Text>There is no page at this address.</Text>
      <Anchor component={Link} to="/">
        Go to the home page
      </Anchor>
    </Stack>
  )
}
