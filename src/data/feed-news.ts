// What processes tell each other of the feeds, through NOTIFY: it is heard when the write is committed, and never else.
import { z } from 'zod'

/** The channel on which it is told. */
export const FEED_CHANNEL = 'notifications'

/** One feed: a subscriber under exactly one set of contexts (SPEC: Context). */
export interface Feed {
  readonly subscriberId: string
  /** Sorted and without repeats. */
  readonly contextKeys: readonly string[]
}

const environmentId = z.string()

const news = z.union([
  /** The ids of notifications that are new. */
  z.object({ environmentId, received: z.array(z.string()) }),
  /** A feed in which something was marked. */
  z.object({ environmentId, marked: z.object({ subscriberId: z.string(), contextKeys: z.array(z.string()) }) }),
])
export type FeedNews = z.output<typeof news>

/** Ids in one announcement, of which PostgreSQL allows less than 8000 bytes. A feed is always shorter. */
export const MAX_RECEIVED = 150

/** @throws when it is no news: another version of the gateway may say other things. */
export function readNews(payload: string): FeedNews {
  return news.parse(JSON.parse(payload))
}
