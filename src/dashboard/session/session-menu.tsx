// The environment in the header: switch to another one, or sign out.
import { Badge, Button, ColorSwatch, Loader, Menu, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconKey, IconLogout } from '@tabler/icons-react'
import { type MouseEvent } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { useQuery } from 'urql'
import { listOf, paths } from '../parts/paths.ts'
import { accesses } from './access.ts'
import { addressOf, openAddress } from './address.ts'
import { environmentsQuery } from './environments.ts'
import { closeSession } from './open-session.ts'
import { type Session, useSessions } from './session.ts'
import { useSession } from './session-context.ts'
import { KeyForm } from './sign-in.tsx'
import { FormDialog } from '../parts/form/form-dialog.tsx'

export function SessionMenu() {
  const session = useSession()
  const [opened, { toggle, close }] = useDisclosure(false)
  const [adding, addKey] = useDisclosure(false)
  const follow = async ({ slug }: Session) => {
    addKey.close()
    openAddress(slug, '')
    return undefined
  }
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
        <FormDialog onClose={addKey.close} title="Use another API key">
          <KeyForm onDone={follow} />
        </FormDialog>
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
  // The object of the current page does not exist in the other environment.
  const list = listOf(useLocation().pathname)
  const isAdmin = session.access === 'ADMIN'
  const [{ data, fetching }] = useQuery({ query: environmentsQuery, variables: {}, pause: !isAdmin })

  const known = sessions.map(({ environmentId: id, environmentName: name, ...shown }) => ({ id, name, ...shown }))
  const reachable = [...known, ...(data?.environments.nodes ?? [])]
  const others = [...new Map(reachable.map((each) => [each.id, each])).values()].filter(
    ({ id }) => id !== session.environmentId,
  )

  const switchTo = (event: MouseEvent, slug: string) => {
    onSwitch()
    // The browser opens another tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void navigate(paths.otherEnvironment(slug, list))
  }

  if (isAdmin && fetching) return <Loader size="sm" mx="md" my="xs" role="status" aria-label="Loading environments" />
  if (others.length === 0) return null
  return (
    <>
      <Menu.Label>Switch to</Menu.Label>
      {others.map(({ id, name, color, slug }) => (
        <Menu.Item
          key={id}
          component="a"
          href={addressOf(slug, list)}
          leftSection={<ColorSwatch color={color} size={14} withShadow={false} />}
          onClick={(event: MouseEvent) => switchTo(event, slug)}
        >
          {name}
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  )
}
