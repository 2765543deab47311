// The pages of the feed: how many notifications are read, and which of them are shown.
import { type Counts, type FeedNotification, readFeed } from './documents.ts'
import type { Session } from './session.ts'

export type Filter = 'all' | 'unread' | 'archived' | 'snoozed'

const filters = {
  all: {},
  unread: { read: false },
  archived: { archived: true },
  snoozed: { snoozed: true },
} as const

/** The number of notifications that one more page shows. */
export const PAGE = 20

/** The largest page of the gateway. */
const MAX_PAGE = 100

/** The largest number of new notifications that are added to a list. After that, its end leaves the list. */
const MAX_NEW = 100

interface Found {
  readonly counts: Counts
  readonly nodes: readonly FeedNotification[]
  /** True if there are more than were read. */
  readonly hasMore: boolean
}

/** Reads so many notifications, newest first. Undefined if the session has ended. */
export async function readNewest(
  session: Session,
  filter: Filter,
  count: number,
  after: string | null = null,
): Promise<Found | undefined> {
  const first = Math.min(count, MAX_PAGE)
  const { session: found } = await session.send(readFeed, {
    filter: filters[filter],
    first,
    after,
  })
  if (found === null) return undefined
  const { notificationCounts: counts, notifications } = found
  const { nodes, pageInfo } = notifications
  if (count === first || !pageInfo.hasNextPage) return { counts, nodes, hasMore: pageInfo.hasNextPage }
  const rest = await readNewest(session, filter, count - first, pageInfo.endCursor)
  return rest && { ...rest, nodes: [...nodes, ...rest.nodes] }
}

/** The number of notifications to read, so that what is shown stays shown below what is new. */
export const sizeToRead = (shown: readonly FeedNotification[], wanted: number): number =>
  Math.max(wanted, Math.min(shown.length + PAGE, wanted + MAX_NEW))

/** Those of the read notifications to show: as many as wanted, and down to the last one that was shown. */
export function listToShow(
  read: readonly FeedNotification[],
  shown: readonly FeedNotification[],
  wanted: number,
): readonly FeedNotification[] {
  const ids = new Set(shown.map(({ id }) => id))
  const reached = read.findLastIndex(({ id }) => ids.has(id)) + 1
  return read.slice(0, Math.max(wanted, Math.min(reached, wanted + MAX_NEW)))
}
