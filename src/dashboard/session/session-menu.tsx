// The environment in the header: switch to another one, or sign out.
import { Badge, Button, ColorSwatch, Loader, Menu, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconKey, IconLogout } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { useQuery } from 'urql'
import { graphql } from '../graph/graphql.ts'
import { showProblems } from '../parts/messages.ts'
import { accesses } from './access.ts'
import { closeSession, openSession } from './open-session.ts'
import { selectSession, useSessions } from './session.ts'
import { useSession } from './session-context.ts'
import { KeyForm } from './sign-in.tsx'

const environmentsQuery = graphql(`
  query Environments {
    environments(first: 100) {
      nodes {
        id
        name
        color
      }
    }
  }
`)

export function SessionMenu() {
  const session = useSession()
  const [opened, { toggle, close }] = useDisclosure(false)
  const [adding, addKey] = useDisclosure(false)
  return (
    <>
      <Menu position="bottom-end" width={280} opened={opened} onChange={toggle}>
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
          <Menu.Label>
            Access <Badge variant="light">{accesses[session.access].label}</Badge>
          </Menu.Label>
          {opened && <Environments onSwitch={close} />}
          <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={addKey.open}>
            Use another API key
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void closeSession(session)}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {adding && (
        <Modal opened onClose={addKey.close} title="Use another API key">
          <KeyForm onDone={addKey.close} />
        </Modal>
      )}
    </>
  )
}

/**
 * ADMIN sessions reach every environment of the organization. Other sessions reach the environments whose keys were
 * used in this tab.
 */
function Environments({ onSwitch }: { readonly onSwitch: () => void }) {
  const session = useSession()
  const sessions = useSessions()
  const navigate = useNavigate()
  const isAdmin = session.access === 'ADMIN'
  const [{ data, fetching }] = useQuery({ query: environmentsQuery, pause: !isAdmin })

  const known = sessions.map(({ environmentId: id, environmentName: name, color }) => ({ id, name, color }))
  const reachable = [...known, ...(data?.environments.nodes ?? [])]
  const others = [...new Map(reachable.map((each) => [each.id, each])).values()].filter(
    ({ id }) => id !== session.environmentId,
  )

  const switchTo = async (environmentId: string) => {
    onSwitch()
    // The current page's object does not exist in the other environment.
    await navigate('/')
    const open = sessions.find((each) => each.environmentId === environmentId)
    if (open !== undefined) {
      selectSession(open)
      return
    }
    const problem = await openSession({ environmentId }, session)
    if (problem !== undefined) showProblems([problem])
  }

  if (isAdmin && fetching) return <Loader size="sm" mx="md" my="xs" role="status" aria-label="Loading environments" />
  if (others.length === 0) return null
  return (
    <>
      <Menu.Label>Switch to</Menu.Label>
      {others.map(({ id, name, color }) => (
        <Menu.Item
          key={id}
          leftSection={<ColorSwatch color={color} size={14} withShadow={false} />}
          onClick={() => void switchTo(id)}
        >
          {name}
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  )
}
