// The in-app feed: writing many notifications at a time, and telling every process what was written.
import type { JsonObject } from '../lib/validation.ts'
import type { Tenant } from './loader.ts'
import type { Severity } from './prisma/client.ts'

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

/** The channel on which processes tell each other of the feeds. */
export const FEED_CHANNEL = 'notifications'

/** Ids in one announcement, which PostgreSQL wants to be shorter than 8000 bytes. */
const MAX_ANNOUNCED = 150

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
      SELECT id, (row_number() OVER (ORDER BY id) - 1) / ${MAX_ANNOUNCED}::int AS part FROM inserted
    )
    SELECT pg_notify(
      ${FEED_CHANNEL},
      jsonb_build_object('environmentId', ${environmentId}::text, 'received', jsonb_agg(id))::text
    )
    FROM announced GROUP BY part`
}
