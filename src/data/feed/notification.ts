// Notifications: the feed of each subscriber and contexts, its pages and new rows.
import { cursorsOf } from '../../lib/cursor.ts'
import type { JsonObject } from '../../lib/validation.ts'
import { type Notification, Prisma, type Severity } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { pagesBy } from '../reading/page.ts'
import { rowBy } from '../reading/row.ts'
import { sql } from '../statement/statement.ts'
import { createdIn, insertRows, selectList } from '../statement/table.ts'
import { type Feed, feedConditions, type NotificationFilter, notificationTable } from './feed-filter.ts'

export const notificationsById = rowBy(notificationTable, { field: 'id', type: 'uuid' })

export const notificationsByStepRun = rowBy(notificationTable, { field: 'stepRunId', type: 'uuid' })

const LIST = 'notifications'

/** The cursor of a notification in its feed. */
export const cursorOfNotification = ({ environmentId, createdAt, id }: Notification): string =>
  cursorsOf({ name: LIST, ownerId: environmentId }, 'createdAt').encode({ at: createdAt, id })

/** Pages of feeds, by subscriberId. */
export const pagesOfFeeds = pagesBy<Notification, NotificationFilter & Pick<Feed, 'contextKeys'>>(
  {
    name: LIST,
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

/** A button of a notification. */
export interface NotificationAction {
  readonly label: string
  readonly url: string
  /** Where the link opens, in the words of HTML. Absent if the step does not say. */
  readonly target?: string
  /** When the action was completed, in ISO 8601. Absent if it is open. */
  readonly completedAt?: string
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
  /** Where the link opens, in the words of HTML. Null if the step does not say. */
  readonly target: string | null
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
  ${insertRows(notificationTable, rows, { ...createdIn(tenant, now), deliveredAt: Prisma.sql`'{}'::timestamptz[]` })}
  ON CONFLICT (environment_id, step_run_id) DO NOTHING
  RETURNING id, event_id, subscriber_id, workflow_identifier, context_keys`
