// Feed events: how processes tell each other about changes to feeds.
import { z } from 'zod'
import { Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import type { Feed } from './feed-filter.ts'

/** The NOTIFY channel for feed events. */
export const FEED_CHANNEL = 'notifications'

/** Notification ids per event: PostgreSQL limits a NOTIFY payload to 8000 bytes. */
const MAX_RECEIVED = 150

const environmentId = z.string()

const feedEvent = z.union([
  /** Ids of notifications that are new, or that have returned from a snooze. */
  z.object({ environmentId, received: z.array(z.string()) }),
  /** A feed in which notifications were marked or deleted. Always below the limit. */
  z.object({ environmentId, marked: z.object({ subscriberId: z.string(), contextKeys: z.array(z.string()) }) }),
])
export type FeedEvent = z.output<typeof feedEvent>

/** @throws Error if the payload is not a feed event, for example if another version of the gateway sent it. */
export function readFeedEvent(payload: string): FeedEvent {
  return feedEvent.parse(JSON.parse(payload))
}

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

/** Selects the number of rows of the part `changed`, and sends a feed event on commit if there are any. */
export const announceChanged = (
  { environmentId }: Tenant,
  { subscriberId, contextKeys }: Feed,
): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS changed, CASE WHEN count(*) > 0 THEN pg_notify(
    ${FEED_CHANNEL},
    ${JSON.stringify({ environmentId, marked: { subscriberId, contextKeys } })}
  )::text END FROM changed`
