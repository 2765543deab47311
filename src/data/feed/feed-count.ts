// Counts of notifications in feeds.
import { MAX_COUNT } from '../../lib/page.ts'
import { Prisma } from '../prisma/client.ts'
import type { Batch } from '../reading/loader.ts'
import { limitTo, sql } from '../statement/statement.ts'
import { rowsOf } from '../statement/table.ts'
import { type Feed, notificationTable } from './feed-filter.ts'

/** Counts of notifications that are neither archived nor snoozed, each at most `MAX_COUNT`. */
export interface FeedCounts {
  readonly unseen: number
  readonly unread: number
  readonly total: number
}

/** The counts of many feeds, in one statement. */
export const countsOfFeeds: Batch<Feed, FeedCounts> = {
  cacheKey: ({ subscriberId, contextKeys }) => JSON.stringify([subscriberId, contextKeys]),
  async load({ db, environmentId }, feeds) {
    const count = (condition: Prisma.Sql) => Prisma.sql`(
      SELECT count(*)::int FROM (
        SELECT 1 FROM notifications
        WHERE environment_id = ${environmentId}::uuid AND subscriber_id = feed.subscriber_id
          AND context_keys = feed.context_keys AND archived_at IS NULL AND snoozed_until IS NULL ${condition}
        ${limitTo(MAX_COUNT)}
      ) AS bounded
    )`
    return sql<FeedCounts>(db, 'feed-count.countsOfFeeds')`
      SELECT ${count(Prisma.sql`AND seen_at IS NULL`)} AS unseen, ${count(Prisma.sql`AND read_at IS NULL`)} AS unread,
             ${count(Prisma.empty)} AS total
      FROM ${rowsOf(notificationTable, feeds)} WITH ORDINALITY AS feed
      ORDER BY ordinality`
  },
}
