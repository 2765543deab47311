// Repeats a query at intervals while its result may change and the tab is visible.
import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useEffectEvent } from 'react'
import { type Query, sendAgain } from '../graph/query.ts'

/** Milliseconds between two requests. */
const PAUSE = 2000

/** Sends a query again every two seconds while `active` is true and the tab is visible. */
export function usePolling(active: boolean, query: Query<unknown>): void {
  const visible = useDocumentVisibility() === 'visible'
  const ask = useEffectEvent(() => sendAgain(query))
  useEffect(() => {
    if (!active || !visible) return
    const timer = setInterval(() => ask(), PAUSE)
    return () => clearInterval(timer)
  }, [active, visible])
}
