// Notifications: the feed of each subscriber and contexts, its pages, counts, writes and events.
import { z } from 'zod'
import { MAX_COUNT } from '../lib/page.ts'
import type { JsonObject } from '../lib/validation.ts'
import type { Batch, Tenant } from './reading/loader.ts'
import { pagesBy } from './reading/page.ts'
import { type Notification, Prisma, type Severity } from './prisma/client.ts'
import { rowBy } from './reading/row.ts'
import { createdIn, insertRows, rowsOf, selectList, type Table } from './statement/table.ts'
import { limitTo, sql } from './statement/statement.ts'
import { markMessages } from './webhook/notification-message.ts'

const notificationTable: Table<Notification> = {
  name: 'notifications',
  fields: Object.values(Prisma.NotificationScalarFieldEnum),
}

export const notificationsById = rowBy(notificationTable, { field: 'id', type: 'uuid' })

export const notificationsByStepRun = rowBy(notificationTable, { field: 'stepRunId', type: 'uuid' })

/** One feed: a subscriber under exactly one set of contexts (SPEC: Context). */
export interface Feed {
  readonly subscriberId: string
  /** Sorted, duplicates removed. */
  readonly contextKeys: readonly string[]
}

/** Selects notifications of a feed. Undefined fields match everything. */
export interface NotificationFilter {
  readonly seen?: boolean | undefined
  readonly read?: boolean | undefined
  readonly archived?: boolean | undefined
  /** Any of these severities. */
  readonly severity?: readonly Severity[] | undefined
  /** At least one of these tags. */
  readonly tags?: readonly string[] | undefined
}

const dated = (column: string, isSet: boolean | undefined) =>
  isSet === undefined ? [] : [Prisma.raw(`AND child.${column} IS ${isSet ? 'NOT NULL' : 'NULL'}`)]

/** Conditions on `child`, each with a leading AND, for the exact contexts and the filter. */
function feedConditions({
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

/** Pages of feeds, by subscriberId. */
export const pagesOfFeeds = pagesBy<Notification, NotificationFilter & Pick<Feed, 'contextKeys'>>(
  {
    name: 'notifications',
    table: notificationTable,
    where: feedConditions,
  },
  { field: 'subscriberId' },
)

/** The given notifications that belong to the given subscribers, oldest first. */
export function receivedBy(
  { db, environmentId }: Tenant,
  subscriberIds: readonly string[],
  ids: readonly string[],
): Promise<Notification[]> {
  return sql<Notification>(db, 'notification.receivedBy')`
    SELECT ${selectList(notificationTable, 'child')} FROM notifications AS child
    WHERE child.environment_id = ${environmentId}::uuid AND child.id = ANY (${[...ids]}::uuid[])
      AND child.subscriber_id = ANY (${[...subscriberIds]}::text[])
    ORDER BY child.created_at, child.id`
}

/** Counts of notifications that are not archived, each at most `MAX_COUNT`. */
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
          AND context_keys = feed.context_keys AND archived_at IS NULL ${condition}
        ${limitTo(MAX_COUNT)}
      ) AS bounded
    )`
    return sql<FeedCounts>(db, 'notification.countsOfFeeds')`
      SELECT ${count(Prisma.sql`AND seen_at IS NULL`)} AS unseen, ${count(Prisma.sql`AND read_at IS NULL`)} AS unread,
             ${count(Prisma.empty)} AS total
      FROM ${rowsOf(notificationTable, feeds)} WITH ORDINALITY AS feed
      ORDER BY ordinality`
  },
}

/** The NOTIFY channel for feed events. */
export const FEED_CHANNEL = 'notifications'

/** Notification ids per event: PostgreSQL limits a NOTIFY payload to 8000 bytes. */
const MAX_RECEIVED = 150

const environmentId = z.string()

const feedEvent = z.union([
  /** Ids of new notifications. */
  z.object({ environmentId, received: z.array(z.string()) }),
  /** A feed in which notifications were marked or deleted. Always below the limit. */
  z.object({ environmentId, marked: z.object({ subscriberId: z.string(), contextKeys: z.array(z.string()) }) }),
])
export type FeedEvent = z.output<typeof feedEvent>

/** @throws Error if the payload is not a feed event, for example if another version of the gateway sent it. */
export function readFeedEvent(payload: string): FeedEvent {
  return feedEvent.parse(JSON.parse(payload))
}

/** A button of a notification. */
export interface NotificationAction {
  readonly label: string
  readonly url: string
}

/** A notification to insert. */
export interface NotificationRow {
  readonly id: string
  /** An existing subscriber. */
  readonly subscriberId: string
  /** Sorted, duplicates removed. */
  readonly contextKeys: readonly string[]
  readonly eventId: string
  readonly stepRunId: string
  readonly workflowIdentifier: string
  readonly subject: string | null
  readonly body: string
  readonly avatar: string | null
  /** The target of a click. */
  readonly url: string | null
  /** In display order. */
  readonly actions: readonly NotificationAction[]
  readonly data: JsonObject
  readonly payload: JsonObject | null
  readonly severity: Severity
  readonly tags: readonly string[]
}

/**
 * The statement that inserts notifications. Skips a step run that already has its notification, so that a step can be
 * repeated. Returns the inserted ids.
 */
export const notificationInsert = (
  tenant: Tenant,
  rows: readonly NotificationRow[],
  now: Date,
): Prisma.Sql => Prisma.sql`
  ${insertRows(notificationTable, rows, createdIn(tenant, now))}
  ON CONFLICT (environment_id, step_run_id) DO NOTHING
  RETURNING id, event_id, subscriber_id, workflow_identifier, context_keys`

/**
 * The query that sends the feed events of new notifications on commit.
 *
 * @param inserted the name of a part of the statement with their ids.
 */
export const notificationAnnouncement = ({ environmentId }: Tenant, inserted: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT pg_notify(
    ${FEED_CHANNEL},
    jsonb_build_object('environmentId', ${environmentId}::text, 'received', jsonb_agg(id))::text
  )
  FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / ${MAX_RECEIVED}::int AS part FROM ${inserted}) AS announced
  GROUP BY part`

export const notificationMarks = ['seen', 'read', 'unread', 'archived', 'unarchived'] as const
export type NotificationMark = (typeof notificationMarks)[number]

/** The columns that a mark sets, and the condition for rows without the mark. Rows that have it keep its first time. */
export function assignMark(
  mark: NotificationMark,
  now: Date,
): { readonly set: Prisma.Sql; readonly missing: Prisma.Sql } {
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

/** Notifications of a feed: those that have one of the ids, if given, and match the filter, if given. */
interface Selection {
  readonly ids?: readonly string[] | undefined
  readonly filter?: NotificationFilter | undefined
}

/** Selects notifications of a feed, and locks them in order of their ids, which prevents deadlocks. */
const held = (
  { environmentId }: Tenant,
  { subscriberId, contextKeys }: Feed,
  { ids, filter }: Selection,
  condition: Prisma.Sql = Prisma.empty,
) => Prisma.sql`
  SELECT child.id, child.seen_at AS was_seen_at, child.read_at AS was_read_at, child.event_id, child.subscriber_id, child.workflow_identifier,
         child.context_keys
  FROM notifications AS child
  WHERE child.environment_id = ${environmentId}::uuid AND child.subscriber_id = ${subscriberId}
    ${feedConditions({ contextKeys, ...filter })} ${condition}
    ${ids === undefined ? Prisma.empty : Prisma.sql`AND child.id = ANY (${[...ids]}::uuid[])`}
  ORDER BY child.id FOR UPDATE`

/** Selects the number of rows of the part `changed`, and sends a feed event on commit if there are any. */
const announceChanged = ({ environmentId }: Tenant, { subscriberId, contextKeys }: Feed): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS changed, CASE WHEN count(*) > 0 THEN pg_notify(
    ${FEED_CHANNEL},
    ${JSON.stringify({ environmentId, marked: { subscriberId, contextKeys } })}
  )::text END FROM changed`

/**
 * Marks notifications of one feed and sends a feed event if any changed.
 *
 * `read` implies `seen`, and `archived` implies `read`. Removing a mark does not remove the others.
 *
 * @param webhooks the types of webhook messages to write, one for each mark that a notification did not have before.
 * @returns the number of changed notifications.
 */
export async function markRows(
  tenant: Tenant,
  feed: Feed,
  selection: Selection,
  mark: NotificationMark,
  now: Date,
  webhooks: readonly string[] = [],
): Promise<number> {
  const { set, missing } = assignMark(mark, now)
  const told = webhooks.length === 0 ? undefined : markMessages(tenant, mark, webhooks, now)
  const parts = told
    ? Prisma.sql`, ${Prisma.join([...told.parts])}, woken AS MATERIALIZED (${told.wake})`
    : Prisma.empty
  const [counted] = await sql<{ changed: number }>(tenant.db, 'notification.markRows')`
    WITH held AS (${held(tenant, feed, selection, Prisma.sql`AND ${missing}`)}), changed AS (
      UPDATE notifications SET ${set}, updated_at = ${now}::timestamptz
      FROM held WHERE notifications.environment_id = ${tenant.environmentId}::uuid AND notifications.id = held.id
      RETURNING notifications.id
    ) ${parts} ${announceChanged(tenant, feed)} ${told ? Prisma.sql`WHERE (SELECT count(*) FROM woken) >= 0` : Prisma.empty}`
  return counted?.changed ?? 0
}

/**
 * Deletes notifications of one feed and sends a feed event if there were any. The execution log keeps the time.
 *
 * @returns their number.
 */
export async function deleteRows(tenant: Tenant, feed: Feed, selection: Selection, now: Date): Promise<number> {
  const [counted] = await sql<{ changed: number }>(tenant.db, 'notification.deleteRows')`
    WITH held AS (${held(tenant, feed, selection)}), changed AS (
      DELETE FROM notifications USING held
      WHERE notifications.environment_id = ${tenant.environmentId}::uuid AND notifications.id = held.id
      RETURNING notifications.id, notifications.step_run_id
    ), step AS (
      SELECT step_runs.id FROM changed
      JOIN step_runs ON step_runs.environment_id = ${tenant.environmentId}::uuid AND step_runs.id = changed.step_run_id
      ORDER BY step_runs.id FOR UPDATE OF step_runs
    ), noted AS (
      UPDATE step_runs SET notification_deleted_at = ${now}::timestamptz FROM step
      WHERE step_runs.environment_id = ${tenant.environmentId}::uuid AND step_runs.id = step.id
    ) ${announceChanged(tenant, feed)}`
  return counted?.changed ?? 0
}
