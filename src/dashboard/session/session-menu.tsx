// The environment in the header: switch to another one, or sign out.
import { Button, ColorSwatch, Menu, Text } from '@mantine/core'
import { IconChevronDown, IconLogout } from '@tabler/icons-react'
import { removeSession, selectSession, useSessions } from './session.ts'
import { useSession } from './session-context.ts'

export function SessionMenu() {
  const session = useSession()
  const others = useSessions().filter(({ environmentId }) => environmentId !== session.environmentId)
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<ColorSwatch color={session.color} size={14} withShadow={false} />}
          rightSection={<IconChevronDown size={16} aria-hidden />}
        >
          <Text span truncate maw={180}>
            {session.environmentName}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {others.length > 0 && <Menu.Label>Switch to</Menu.Label>}
        {others.map((other) => (
          <Menu.Item
            key={other.environmentId}
            leftSection={<ColorSwatch color={other.color} size={14} withShadow={false} />}
            onClick={() => selectSession(other)}
          >
            {other.environmentName}
          </Menu.Item>
        ))}
        {others.length > 0 && <Menu.Divider />}
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => removeSession(session)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
