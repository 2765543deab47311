// The frame of every page: header, navigation and the page itself.
import { AppShell, Burger, Group, NavLink, ScrollArea, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBell } from '@tabler/icons-react'
import { useEffect, useSyncExternalStore } from 'react'
import { Link, Outlet, useLocation } from 'react-router'
import { useSession } from '../session/session-context.ts'
import { SessionMenu } from '../session/session-menu.tsx'
import { navigation } from './navigation.ts'
import { PausedEnvironment } from './paused-environment.tsx'

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false)
  const { color } = useSession()
  const { pathname } = useLocation()

  useEffect(close, [close, pathname])

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
      // Animations of the frame would delay the first view of a page.
      transitionDuration={0}
    >
      <a className="skip-link" href="#page" onClick={focusPage}>
        Skip to the page
      </a>
      <AppShell.Header style={{ borderTop: `4px solid ${color}` }}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <IconBell aria-hidden />
            <Text fw={600} visibleFrom="sm">
              Notification gateway
            </Text>
          </Group>
          <Group gap="sm" wrap="nowrap">
            {/* Read again on each page, because someone else may have paused or resumed the environment. */}
            <PausedEnvironment key={pathname} />
            <SessionMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Main">
        <ScrollArea type="auto">
          {navigation.map(({ group, destinations }) => (
            <div key={group}>
              <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4}>
                {group}
              </Text>
              {destinations.map(({ label, path, icon: Icon, isOutside = false }) => {
                const appearance = { label, leftSection: <Icon size={18} aria-hidden /> }
                if (isOutside) return <NavLink key={path} href={path} {...appearance} />
                const active = path === '/' ? pathname === path : pathname.startsWith(path)
                return (
                  <NavLink
                    key={path}
                    component={Link}
                    to={path}
                    active={active}
                    aria-current={active ? 'page' : undefined}
                    {...appearance}
                  />
                )
              })}
            </div>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <PageAnnouncement />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

function observeTitle(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.head, { childList: true, characterData: true, subtree: true })
  return () => observer.disconnect()
}

/**
 * Announces the title of the page to screen readers. A page sets its title after the frame, and again with its data.
 */
function PageAnnouncement() {
  const title = useSyncExternalStore(observeTitle, () => document.title)
  return <VisuallyHidden aria-live="polite">{title}</VisuallyHidden>
}

/** The link must not change the fragment, which is the path of the page. */
function focusPage(event: React.MouseEvent): void {
  event.preventDefault()
  document.getElementById('page')?.focus()
}
