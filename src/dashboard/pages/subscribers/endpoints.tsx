// The channel endpoints of a subscriber, and a button that creates one.
import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { Empty } from '../../parts/empty.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { ChannelEndpointTable } from '../channel-endpoints/channel-endpoint-table.tsx'
import { CreateChannelEndpoint } from '../channel-endpoints/create-channel-endpoint.tsx'

export function Component() {
  const { subscriberId = '' } = useParams()
  const canWrite = useCanWrite()
  const [creating, { open, close }] = useDisclosure(false)
  return (
    <Stack>
      {canWrite && (
        <Group>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
            Create channel endpoint
          </Button>
        </Group>
      )}
      <ChannelEndpointTable
        filter={{ subscriberId }}
        empty={
          <Empty title="No channel endpoints yet">
            A channel endpoint is an address of this subscriber on an integration, such as a user of a workspace chat.
          </Empty>
        }
      />
      {creating && <CreateChannelEndpoint subscriberId={subscriberId} onClose={close} />}
    </Stack>
  )
}
