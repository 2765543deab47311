// Feeds, and the conditions that select notifications in them.
import type { JsonObject } from '../../lib/validation.ts'
import { type Notification, Prisma, type Severity } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import type { Table } from '../statement/table.ts'

export const notificationTable: Table<Notification> = {
  name: 'notifications',
  fields: Object.values(Prisma.NotificationScalarFieldEnum),
}

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
  readonly snoozed?: boolean | undefined
  /** Any of these severities. */
  readonly severity?: readonly Severity[] | undefined
  /** At least one of these tags. */
  readonly tags?: readonly string[] | undefined
  /** At least one tag of each group. */
  readonly tagGroups?: readonly (readonly string[])[] | undefined
  /** Values of the data, each a text, a number, a boolean or null. */
  readonly data?: JsonObject | undefined
  /** The first and the last time of creation. */
  readonly createdGte?: Date | undefined
  readonly createdLte?: Date | undefined
}

const dated = (column: string, isSet: boolean | undefined) =>
  isSet === undefined ? [] : [Prisma.raw(`AND child.${column} IS ${isSet ? 'NOT NULL' : 'NULL'}`)]

const taggedWith = (tags: readonly string[]) => Prisma.sql`AND child.tags && ${[...tags]}::text[]`

const creation = Prisma.sql`coalesce(child.first_created_at, child.created_at)`

/** Conditions on `child`, each with a leading AND, for the exact contexts and the filter. */
export function feedConditions({
  contextKeys,
  seen,
  read,
  archived,
  snoozed,
  severity,
  tags,
  tagGroups = [],
  data,
  createdGte,
  createdLte,
}: NotificationFilter & Pick<Feed, 'contextKeys'>): Prisma.Sql {
  const all = [
    Prisma.sql`AND child.context_keys = ${[...contextKeys]}::text[]`,
    ...dated('seen_at', seen),
    ...dated('read_at', read),
    ...dated('archived_at', archived),
    ...dated('snoozed_until', snoozed),
    ...(severity === undefined ? [] : [Prisma.sql`AND child.severity = ANY (${[...severity]}::"Severity"[])`]),
    ...(tags === undefined ? tagGroups : [tags, ...tagGroups]).map(taggedWith),
    ...(data === undefined ? [] : [Prisma.sql`AND child.data @> ${JSON.stringify(data)}::jsonb`]),
    // A return moves the indexed column ahead only.
    ...(createdGte === undefined
      ? []
      : [Prisma.sql`AND child.created_at >= ${createdGte}::timestamptz AND ${creation} >= ${createdGte}::timestamptz`]),
    ...(createdLte === undefined ? [] : [Prisma.sql`AND ${creation} <= ${createdLte}::timestamptz`]),
  ]
  return Prisma.join(all, ' ')
}

/** Notifications of a feed: those that have one of the ids, if given, and match the filter, if given. */
export interface SelectedNotifications {
  readonly ids?: readonly string[] | undefined
  readonly filter?: NotificationFilter | undefined
}

/** Selects notifications of a feed, and locks them in order of their ids, which prevents deadlocks. */
export const heldNotifications = (
  { environmentId }: Tenant,
  { subscriberId, contextKeys }: Feed,
  { ids, filter }: SelectedNotifications,
  condition: Prisma.Sql = Prisma.empty,
) => Prisma.sql`
  SELECT child.id, child.seen_at AS was_seen_at, child.read_at AS was_read_at, child.event_id,
         child.subscriber_id, child.workflow_identifier, child.context_keys
  FROM notifications AS child
  WHERE child.environment_id = ${environmentId}::uuid AND child.subscriber_id = ${subscriberId}
    ${feedConditions({ contextKeys, ...filter })} ${condition}
    ${ids === undefined ? Prisma.empty : Prisma.sql`AND child.id = ANY (${[...ids]}::uuid[])`}
  ORDER BY child.id FOR UPDATE`
