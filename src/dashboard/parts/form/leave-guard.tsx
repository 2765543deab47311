// Asks for confirmation before unsaved changes are lost, by going to another page or closing the tab.
import { useWindowEvent } from '@mantine/hooks'
import { useSyncExternalStore } from 'react'
import { useBlocker } from 'react-router'
import { DiscardQuestion } from './discard-question.tsx'
import { discardAll, hasForms, isPageDirty, observeForms } from './unsaved.ts'

/** One for all forms, because the router asks a single guard. Other pages have none, and may have their own. */
export const LeaveGuard = () => (useSyncExternalStore(observeForms, hasForms) ? <Guard /> : null)

function Guard() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && isPageDirty(),
  )
  useWindowEvent('beforeunload', (event) => {
    if (isPageDirty()) event.preventDefault()
  })
  if (blocker.state !== 'blocked') return null
  const leave = () => {
    discardAll()
    blocker.proceed()
  }
  return (
    <DiscardQuestion onKeep={() => blocker.reset()} onDiscard={leave}>
      You are leaving the page. Your changes are not saved, and are lost if you leave.
    </DiscardQuestion>
  )
}
