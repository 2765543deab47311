// The page for a defect of the dashboard, or for a page whose files a newer release has replaced.
import { Button, Code, Stack, Text, Title } from '@mantine/core'
import { useRouteError } from 'react-router'

export function PageFailed() {
  const error = useRouteError()
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={1} size="h3">
        The page could not be shown
      </Title>
      <Text>If the gateway was just updated, reload the page. If the error persists, report it with this text:</Text>
      <Code block>{error instanceof Error ? error.message : String(error)}</Code>
      <Button onClick={() => window.location.reload()}>Reload</Button>
    </Stack>
  )
}
