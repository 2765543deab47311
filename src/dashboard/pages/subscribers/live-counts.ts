// The counts of a feed, kept up to date by a stream from the gateway.
import { useEffect, useEffectEvent, useState } from 'react'
import { useClient } from 'urql'
import { graphql } from '../../graph/graphql.ts'

const countsSubscription = graphql(`
  subscription FeedCounts($subscriberId: String!, $contextKeys: [String!]) {
    notificationCountsChanged(subscriberId: $subscriberId, contextKeys: $contextKeys) {
      unread
      total
    }
  }
`)

/** Milliseconds before an ended stream is opened again. */
const PAUSE = 2_000

interface Feed {
  readonly subscriberId: string
  readonly contextKeys: string[]
}

interface Counts {
  readonly unread: number
  readonly total: number
}

/**
 * Returns the counts, undefined until the first arrive, and whether the stream is open.
 *
 * @param onChange is called with every change, and once at the start of each stream: earlier changes are not streamed
 */
export function useLiveCounts(
  { subscriberId, contextKeys }: Feed,
  onChange: () => void,
): readonly [counts: Counts | undefined, isLive: boolean] {
  const client = useClient()
  const [counts, setCounts] = useState<Counts>()
  const [isLive, setIsLive] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const changed = useEffectEvent(onChange)
  const feed = JSON.stringify({ subscriberId, contextKeys } satisfies Feed)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stream = client.subscription(countsSubscription, JSON.parse(feed) as Feed).subscribe(({ data, hasNext }) => {
      setIsLive(hasNext)
      if (data) {
        setCounts(data.notificationCountsChanged)
        changed()
      }
      // The gateway ends a stream when it restarts, and when events may have been lost.
      if (!hasNext) timer = setTimeout(() => setAttempt(attempt + 1), PAUSE)
    })
    return () => {
      clearTimeout(timer)
      stream.unsubscribe()
    }
  }, [client, feed, attempt])

  return [counts, isLive]
}
