// Reading feeds: pages and counts of many at once.
import { MAX_COUNT } from '../lib/page.ts'
import { childPageBatch, selectFields } from './child-page.ts'
import type { Feed } from './feed-news.ts'
import type { Batch, Tenant } from './loader.ts'
import { type Notification, Prisma, type Severity } from './prisma/client.ts'

/** Which notifications of a feed: what is undefined does not matter. */
export interface NotificationFilter {
  readonly seen?: boolean | undefined
  readonly read?: boolean | undefined
  readonly archived?: boolean | undefined
  /** Any of these. */
  readonly severity?: readonly Severity[] | undefined
  /** At least one of these. */
  readonly tags?: readonly string[] | undefined
}

const dated = (column: string, is: boolean | undefined) =>
  is === undefined ? [] : [Prisma.raw(`AND child.${column} IS ${is ? 'NOT NULL' : 'NULL'}`)]

/** Conditions on `child`, with a leading AND each: of the exact contexts and of the filter. */
export function feedConditions({
  contextKeys,
  seen,
  read,
  archived,
  severity,
  tags,
}: NotificationFilter & Pick<Feed, 'contextKeys'>): Prisma.Sql {
  const all = [
    Prisma.sql`AND child.context_keys = ${[...contextKeys]}::text[]`,
    ...dated('seen_at', seen),
    ...dated('read_at', read),
    ...dated('archived_at', archived),
    ...(severity === undefined ? [] : [Prisma.sql`AND child.severity = ANY (${[...severity]}::"Severity"[])`]),
    ...(tags === undefined ? [] : [Prisma.sql`AND child.tags && ${[...tags]}::text[]`]),
  ]
  return Prisma.join(all, ' ')
}

const fields = Object.values(Prisma.NotificationScalarFieldEnum)

/** Pages of feeds, by their subscribers' ids. */
export const pagesOfFeeds = childPageBatch<Notification, NotificationFilter & Pick<Feed, 'contextKeys'>>({
  name: 'notifications',
  table: 'notifications',
  parentColumn: 'subscriber_id',
  fields,
  where: feedConditions,
})

/** Those of these notifications that are in feeds of these subscribers, oldest first. */
export function receivedBy(
  { db, environmentId }: Tenant,
  subscriberIds: readonly string[],
  ids: readonly string[],
): Promise<Notification[]> {
  return db.$queryRaw<Notification[]>`
    SELECT ${selectFields(fields, 'child')} FROM notifications AS child
    WHERE child.environment_id = ${environmentId}::uuid AND child.id = ANY (${[...ids]}::uuid[])
      AND child.subscriber_id = ANY (${[...subscriberIds]}::text[])
    ORDER BY child.created_at, child.id`
}

/** Of the notifications that are not archived. Each is counted up to `MAX_COUNT`. */
export interface FeedCounts {
  readonly unseen: number
  readonly unread: number
  readonly total: number
}

/** The counts of feeds, in one statement for all of them. */
export const countsOfFeeds: Batch<Feed, FeedCounts> = {
  cacheKey: ({ subscriberId, contextKeys }) => JSON.stringify([subscriberId, contextKeys]),
  async load({ db, environmentId }, feeds) {
    const count = (condition: Prisma.Sql) => Prisma.sql`(
      SELECT count(*)::int FROM (
        SELECT 1 FROM notifications
        WHERE environment_id = ${environmentId}::uuid AND subscriber_id = feed."subscriberId"
          AND context_keys = feed."contextKeys" AND archived_at IS NULL ${condition}
        LIMIT ${MAX_COUNT}
      ) AS bounded
    )`
    const rows = feeds.map((feed, position) => ({ ...feed, position }))
    return db.$queryRaw<FeedCounts[]>`
      SELECT ${count(Prisma.sql`AND seen_at IS NULL`)} AS unseen, ${count(Prisma.sql`AND read_at IS NULL`)} AS unread,
             ${count(Prisma.empty)} AS total
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS feed(position int, "subscriberId" text, "contextKeys" text[])
      ORDER BY position`
  },
}
