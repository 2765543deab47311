// Keeps what a page shows of events and messages up to date: repeats its query when events have changed.
import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useClient } from 'urql'
import { followChanges, type Followed } from './changes.ts'
import { type Query, sendAgain } from './query.ts'

/** Milliseconds from a change to the query, in which further changes are collected. */
const PAUSE = 300

/** The same for a query that reads much. */
export const LONG_PAUSE = 5_000

/** The longest pause while changes continue, and the factor by which it grows. */
const GROWTH = { max: 4_000, factor: 1.5 }

/** Milliseconds without a change after which the pause is the first one again. */
const QUIET = 3_000

/** The data of a query that follows changes. `changePosition` says from when it is. */
interface Positioned {
  readonly changePosition: string
}

/** Returns the pause before the next query, which grows while changes continue: a page need not show each of them. */
function usePause(first: number) {
  const last = useRef({ at: -Infinity, pause: first })
  return () => {
    const { at, pause } = last.current
    const now = performance.now()
    const isBusy = now - at < pause + QUIET
    const next = isBusy ? Math.min(pause * GROWTH.factor, Math.max(first, GROWTH.max)) : first
    last.current = { at: now, pause: next }
    return next
  }
}

/**
 * Repeats a query after changes of events, at most one request at a time. The query selects `changePosition`, so that it
 * is not repeated for what it has read.
 *
 * @param followed selects the events. Default: all
 * @param pause milliseconds from a change to the query
 */
export function useLive(query: Query<Positioned>, followed: Followed = {}, pause = PAUSE): void {
  const [{ data, error, fetching, stale }] = query
  const client = useClient()
  const isVisible = useDocumentVisibility() === 'visible'
  const [changes, setChanges] = useState(0)
  const [shown, setShown] = useState(0)
  const nextPause = usePause(pause)
  const given = JSON.stringify(followed)

  // What the cache has is from another time, and so is an error.
  const position = fetching || stale || error !== undefined ? undefined : data?.changePosition
  const currentPosition = useEffectEvent(() => position)
  const following = useRef<ReturnType<typeof followChanges>>(undefined)
  useEffect(() => {
    if (!isVisible) return
    const follower = { onChange: () => setChanges((count) => count + 1), position: currentPosition() }
    const joined = followChanges(client, JSON.parse(given) as Followed, follower)
    following.current = joined
    return () => joined.leave()
  }, [client, given, isVisible])
  useEffect(() => following.current?.settle(position), [position, isVisible])

  // A request in progress may have been answered before the change, so another one follows it.
  const isDue = changes !== shown && !fetching && !stale
  const refresh = useEffectEvent(() => {
    setShown(changes)
    sendAgain(query)
  })
  const pauseNow = useEffectEvent(nextPause)
  useEffect(() => {
    if (!isDue) return
    const timer = setTimeout(() => refresh(), pauseNow())
    return () => clearTimeout(timer)
  }, [isDue])
}
