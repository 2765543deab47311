// Notifications: the feed of each subscriber and contexts, its pages, counts, writes and events.
import { z } from 'zod'
import { MAX_COUNT } from '../lib/page.ts'
import type { JsonObject } from '../lib/validation.ts'
import { childPageBatch, selectFields } from './child-page.ts'
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

/** The channel on which it is told. */
export const FEED_CHANNEL = 'notifications'

/** One feed: a subscriber under exactly one set of contexts (SPEC: Context). */
export interface Feed {
  readonly subscriberId: string
  /** Sorted and without repeats. */
  readonly contextKeys: readonly string[]
}

const environmentId = z.string()
const feedEvent = z.union([
  /** The ids of notifications that are new. */
  z.object({ environmentId, received: z.array(z.string()) }),
  /** A feed in which something was marked. */
  z.object({ environmentId, marked: z.object({ subscriberId: z.string(), contextKeys: z.array(z.string()) }) }),
])
export type FeedEvent = z.output<typeof feedEvent>
/** Ids in one announcement, of which PostgreSQL allows less than 8000 bytes. A feed is always shorter. */
export const MAX_RECEIVED = 150
/** @throws when it is no news: another version of the gateway may say other things. */
export function readFeedEvent(payload: string): FeedEvent {
  return feedEvent.parse(JSON.parse(payload))
}

/** A button of a notification. */
export interface NotificationAction {
  readonly label: string
  readonly url: string
}

/** A notification that is to be written. */
export interface NotificationRow {
  readonly id: string
  /** Of a subscriber who exists. */
  readonly subscriberId: string
  /** Sorted and without repeats. */
  readonly contextKeys: readonly string[]
  readonly eventId: string
  readonly stepRunId: string
  readonly workflowIdentifier: string
  readonly subject: string | null
  readonly body: string
  readonly avatar: string | null
  /** Where a click leads. */
  readonly url: string | null
  /** In their order. */
  readonly actions: readonly NotificationAction[]
  readonly data: JsonObject
  readonly severity: Severity
  readonly tags: readonly string[]
}

/**
 * Writes notifications, and announces them once they are committed. One that its step run has already is passed over,
 * however often the step is tried.
 */
export async function insertNotifications(
  { db, environmentId }: Tenant,
  rows: readonly NotificationRow[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return
  await db.$executeRaw`
    WITH inserted AS (
      INSERT INTO notifications (environment_id, id, subscriber_id, context_keys, event_id, step_run_id,
                                 workflow_identifier, subject, body, avatar, url, actions, data, severity, tags,
                                 created_at, updated_at)
      SELECT ${environmentId}::uuid, id, "subscriberId", "contextKeys", "eventId", "stepRunId", "workflowIdentifier",
             subject, body, avatar, url, actions, data, severity, tags, ${now}::timestamptz, ${now}::timestamptz
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS row(id uuid, "subscriberId" text, "contextKeys" text[], "eventId" uuid, "stepRunId" uuid,
               "workflowIdentifier" text, subject text, body text, avatar text, url text, actions jsonb, data jsonb,
               severity "Severity", tags text[])
      ORDER BY "stepRunId"
      ON CONFLICT (environment_id, step_run_id) DO NOTHING
      RETURNING id
    ), announced AS (
      SELECT id, (row_number() OVER (ORDER BY id) - 1) / ${MAX_RECEIVED}::int AS part FROM inserted
    )
    SELECT pg_notify(
      ${FEED_CHANNEL},
      jsonb_build_object('environmentId', ${environmentId}::text, 'received', jsonb_agg(id))::text
    )
    FROM announced GROUP BY part`
}

export const notificationMarks = ['seen', 'read', 'unread', 'archived', 'unarchived'] as const
export type NotificationMark = (typeof notificationMarks)[number]

/** What a mark writes, and which rows have it already: those keep the time at which they first got it. */
function writing(mark: NotificationMark, now: Date): { readonly set: Prisma.Sql; readonly missing: Prisma.Sql } {
  const at = Prisma.sql`${now}::timestamptz`
  const seen = Prisma.sql`seen_at = coalesce(seen_at, ${at})`
  const read = Prisma.sql`${seen}, read_at = coalesce(read_at, ${at})`
  switch (mark) {
    case 'seen':
      return { set: seen, missing: Prisma.sql`seen_at IS NULL` }
    case 'read':
      return { set: read, missing: Prisma.sql`read_at IS NULL` }
    case 'unread':
      return { set: Prisma.sql`read_at = NULL`, missing: Prisma.sql`read_at IS NOT NULL` }
    case 'archived':
      return { set: Prisma.sql`${read}, archived_at = ${at}`, missing: Prisma.sql`archived_at IS NULL` }
    case 'unarchived':
      return { set: Prisma.sql`archived_at = NULL`, missing: Prisma.sql`archived_at IS NOT NULL` }
  }
}

/**
 * Marks notifications of one feed, and announces the feed when that changed any.
 *
 * What is read has been seen, and what is archived has been read. Taking back `read` or `archived` takes back nothing
 * else.
 *
 * @param ids absent means all that the filter takes.
 * @returns how many had not been so before.
 */
export async function markRows(
  { db, environmentId }: Tenant,
  { subscriberId, contextKeys }: Feed,
  { ids, filter }: { readonly ids?: readonly string[] | undefined; readonly filter: NotificationFilter },
  mark: NotificationMark,
  now: Date,
): Promise<number> {
  const { set, missing } = writing(mark, now)
  const among = ids === undefined ? Prisma.empty : Prisma.sql`AND child.id = ANY (${[...ids]}::uuid[])`
  // In the order of their ids, so that two who mark the same feed wait for each other and never in a circle.
  const [counted] = await db.$queryRaw<{ changed: number }[]>`
    WITH held AS (
      SELECT child.id FROM notifications AS child
      WHERE child.environment_id = ${environmentId}::uuid AND child.subscriber_id = ${subscriberId}
        ${feedConditions({ contextKeys, ...filter })} ${among} AND ${missing}
      ORDER BY child.id FOR NO KEY UPDATE
    ), changed AS (
      UPDATE notifications SET ${set}, updated_at = ${now}::timestamptz
      FROM held WHERE notifications.environment_id = ${environmentId}::uuid AND notifications.id = held.id
      RETURNING notifications.id
    )
    SELECT count(*)::int AS changed, CASE WHEN count(*) > 0 THEN pg_notify(
      ${FEED_CHANNEL},
      ${JSON.stringify({ environmentId, marked: { subscriberId, contextKeys } })}
    )::text END FROM changed`
  return counted?.changed ?? 0
}
