// Asks for confirmation before unsaved changes are lost, by going to another page or closing the tab.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useBlocker } from 'react-router'

export function LeaveGuard({ isDirty }: { readonly isDirty: () => boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isDirty() && currentLocation.pathname !== nextLocation.pathname,
  )
  useWindowEvent('beforeunload', (event) => {
    if (isDirty()) event.preventDefault()
  })
  if (blocker.state !== 'blocked') return null
  return (
    <Modal opened onClose={() => blocker.reset()} title="Leave without saving?">
      <Stack>
        <Text size="sm">Your changes to this workflow are not saved. They are lost if you leave.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.reset()}>
            Stay
          </Button>
          <Button color="red" onClick={() => blocker.proceed()}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
