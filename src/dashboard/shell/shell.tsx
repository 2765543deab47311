// The frame of every page: header, navigation and the page itself.
import { AppShell, Burger, Group, ScrollArea, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBell } from '@tabler/icons-react'
import { useEffect, useSyncExternalStore } from 'react'
import { Outlet, useLocation } from 'react-router'
import { JobsPanel } from '../parts/bulk/jobs-panel.tsx'
import { LeaveGuard } from '../parts/form/leave-guard.tsx'
import { timeZone } from '../parts/moment.tsx'
import { useSession } from '../session/session-context.ts'
import { SessionMenu } from '../session/session-menu.tsx'
import { focusPage, useHeadingFocus } from './focus-return.ts'
import { Keyboard } from './keyboard.tsx'
import { MainNavigation } from './main-navigation.tsx'
import { CapturedEnvironment } from './captured-environment.tsx'
import { PausedEnvironment } from './paused-environment.tsx'

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false)
  const { color } = useSession()
  const { pathname } = useLocation()

  useEffect(close, [close, pathname])
  useHeadingFocus(pathname)

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
      // Animations of the frame would delay the first view of a page.
      transitionDuration={0}
    >
      <a className="skip-link" href="#page" onClick={skipToPage}>
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
            <CapturedEnvironment key={`sending ${pathname}`} />
            <PausedEnvironment key={pathname} />
            <Keyboard pathname={pathname} />
            <SessionMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Main">
        <ScrollArea type="auto">
          <MainNavigation pathname={pathname} />
        </ScrollArea>
      </AppShell.Navbar>
      <JobsPanel />
      <LeaveGuard />
      <AppShell.Main id="page" tabIndex={-1}>
        <PageAnnouncement />
        <Outlet />
        <Text component="footer" size="xs" c="dimmed" mt="xl">
          Times are in the time zone {timeZone()}.
        </Text>
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
function skipToPage(event: React.MouseEvent): void {
  event.preventDefault()
  focusPage()
}
