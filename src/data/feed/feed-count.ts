// Counts of notifications in feeds.
import { MAX_COUNT } from '../../lib/page.ts'
import { Prisma } from '../prisma/client.ts'
import { Severity } from '../prisma/enums.ts'
import type { Batch } from '../reading/loader.ts'
import { limitTo, sql } from '../statement/statement.ts'
import { rowsOf } from '../statement/table.ts'
import { type Feed, feedConditions, type NotificationFilter, notificationTable } from './feed-filter.ts'

/** Counts by the severity of the unread notifications. Their sum is the number of these. */
export type SeverityCounts = Readonly<Record<Severity, number>>

/** Counts of notifications that are neither archived nor snoozed, each at most `MAX_COUNT`. */
export interface FeedCounts {
  readonly unseen: number
  readonly unread: number
  readonly total: number
  readonly unreadBySeverity: SeverityCounts
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
      SELECT ${count(Prisma.sql`AND seen_at IS NULL`)} AS unseen, unread.count AS unread,
             ${count(Prisma.empty)} AS total, unread.by_severity AS "unreadBySeverity"
      FROM ${rowsOf(notificationTable, feeds)} WITH ORDINALITY AS feed
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS count,
               jsonb_build_object(${Prisma.join(
                 Object.values(Severity).map(
                   (severity) =>
                     Prisma.sql`${severity}::text, count(*) FILTER (WHERE severity = ${severity}::"Severity")`,
                 ),
               )}) AS by_severity
        FROM (
          SELECT severity FROM notifications
          WHERE environment_id = ${environmentId}::uuid AND subscriber_id = feed.subscriber_id
            AND context_keys = feed.context_keys AND archived_at IS NULL AND snoozed_until IS NULL AND read_at IS NULL
          ${limitTo(MAX_COUNT)}
        ) AS bounded
      ) AS unread
      ORDER BY ordinality`
  },
}

/** A feed, and the filters to count its notifications by. */
export interface FilteredFeed {
  readonly feed: Feed
  readonly filters: readonly NotificationFilter[]
}

/** The counts of feeds by filters, each at most `MAX_COUNT`, in one statement however many feeds and filters there are. */
export const countsByFilters: Batch<FilteredFeed, readonly number[]> = {
  cacheKey: (key) => JSON.stringify(key),
  async load({ db, environmentId }, keys) {
    const counts = keys.map(
      ({ feed: { subscriberId, contextKeys }, filters }, place) => Prisma.sql`
        SELECT ${place}::int AS place, ARRAY[${Prisma.join(
          filters.map(
            (filter) => Prisma.sql`(
              SELECT count(*)::int FROM (
                SELECT 1 FROM notifications AS child
                WHERE child.environment_id = ${environmentId}::uuid AND child.subscriber_id = ${subscriberId}
                  ${feedConditions({ contextKeys, ...filter })}
                ${limitTo(MAX_COUNT)}
              ) AS bounded
            )`,
          ),
        )}] AS counts`,
    )
    const rows = await sql<{ counts: number[] }>(db, 'feed-count.countsByFilters')`
      ${Prisma.join(counts, ' UNION ALL ')} ORDER BY place`
    return rows.map((row) => row.counts)
  },
}
