// The warning that anyone can read the feeds of the environment.
import { Alert, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

export function UnsignedSessions() {
  return (
    <Alert role="status" color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Unsigned sessions are allowed">
      <Text size="sm">
        Anyone who knows the public identifier can read and mark the notifications of any subscriber. Sign sessions in
        the back end, then turn unsigned sessions off in the settings of the environment.
      </Text>
    </Alert>
  )
}
