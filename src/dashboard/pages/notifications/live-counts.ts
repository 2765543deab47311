// The counts of a feed, kept up to date by a stream from the gateway.
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { graphql } from '../../graph/graphql.ts'
import { useStream } from '../../graph/stream.ts'

const countsSubscription = graphql(`
  subscription FeedCounts($subscriberId: String!, $contextKeys: [String!]) {
    notificationCountsChanged(subscriberId: $subscriberId, contextKeys: $contextKeys) {
      unseen
      unread
      total
    }
  }
`)

interface Feed {
  readonly subscriberId: string
  readonly contextKeys: string[]
}

export interface Counts {
  readonly unseen: number
  readonly unread: number
  readonly total: number
}

const isSame = (one: Counts, other: Counts): boolean =>
  one.unseen === other.unseen && one.unread === other.unread && one.total === other.total

/**
 * Returns the latest counts, and whether the stream is open. The stream sends counts only when they differ from those
 * before, so a list that was read with the same counts is not read again.
 *
 * @param read the counts that were read with the list. Undefined while the query is in progress
 * @param onDifference is called once for counts of the stream that differ from those
 */
export function useLiveCounts(
  feed: Feed,
  read: Counts | undefined,
  onDifference: () => void,
): readonly [counts: Counts | undefined, isLive: boolean] {
  const [streamed, setStreamed] = useState<Counts>()
  const compared = useRef<Counts>(undefined)
  const isLive = useStream(countsSubscription, feed, ({ notificationCountsChanged }) =>
    setStreamed(notificationCountsChanged),
  )
  const differs = useEffectEvent(onDifference)
  useEffect(() => {
    if (read === undefined || streamed === undefined || compared.current === streamed) return
    compared.current = streamed
    if (!isSame(read, streamed)) differs()
  }, [read, streamed])
  return [streamed ?? read, isLive]
}
