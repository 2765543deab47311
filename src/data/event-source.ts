// The sources of lists of events: conditions on an event, as `child`, and the ways from another row to its event.
import type { Tenant } from './reading/loader.ts'
import { Prisma } from './prisma/client.ts'
import type { Branch } from './reading/row-list.ts'

/** All events, or the events of a subscriber. */
export interface EventSource extends Pick<Branch, 'from' | 'key'> {
  readonly where: Prisma.Sql
}

/** All events of the environment. */
export const allEvents: EventSource = { from: Prisma.sql`"events" AS child`, where: Prisma.empty }

type Counted = 'event_tallies' | 'event_tally_changes' | 'event_outcome_changes'

/**
 * The condition that an event has no row in a table of counts. Uses neither NOT EXISTS nor IS NULL: the planner would
 * expect few such events, and read all of them instead of a page.
 */
export const hasNone = ({ environmentId }: Tenant, table: Counted) => Prisma.sql`AND coalesce((
  SELECT false FROM ${Prisma.raw(table)}
  WHERE environment_id = ${environmentId}::uuid AND event_id = child.id LIMIT 1
), true)`

/** The event of each preceding row, by one index lookup. */
export const eventOf = ({ environmentId }: Tenant, id: string) => Prisma.sql`CROSS JOIN LATERAL (
  SELECT * FROM "events" WHERE environment_id = ${environmentId}::uuid AND id = ${Prisma.raw(id)} LIMIT 1
) AS child`
