// Preferences of subscribers: reads for many subscribers, and bulk updates.
import { type Batch, groupBatch, type Tenant } from '../reading/loader.ts'
import { Prisma, type SubscriberPreference } from '../prisma/client.ts'
import { rowsOfKeys } from '../reading/row.ts'
import { createdIn, insertRows, type Table } from '../statement/table.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'

const preferenceTable: Table<SubscriberPreference> = {
  name: 'subscriber_preferences',
  fields: Object.values(Prisma.SubscriberPreferenceScalarFieldEnum),
}

/** A subscriber under one set of contexts. */
export interface PreferenceKey {
  readonly subscriberId: string
  /** Sorted, duplicates removed. */
  readonly contextKeys: readonly string[]
}

/** The preferences of many subscribers, each under exactly these contexts. */
export const preferenceRows: Batch<PreferenceKey, readonly SubscriberPreference[]> = {
  cacheKey: ({ subscriberId, contextKeys }) => JSON.stringify([subscriberId, contextKeys]),
  load: (tenant, keys) =>
    rowsOfKeys(
      tenant,
      preferenceTable,
      keys,
      Prisma.sql`"subscriberId" text, "contextKeys" text[]`,
      Prisma.sql`child.subscriber_id = given."subscriberId" AND child.context_keys = given."contextKeys"`,
    ),
}

/** The maximum number of context sets that are listed for a subscriber. */
export const MAX_PREFERENCE_CONTEXTS = 100

/**
 * The sets of contexts under which subscribers have made a choice, sorted. A preference whose choices were all removed
 * does not count. LATERAL reads each subscriber's sets in index order, and stops at the limit.
 */
export const preferenceContexts: Batch<string, readonly PreferenceKey[]> = groupBatch(
  ({ db, environmentId }, subscriberIds) =>
    sql<PreferenceKey>(db, 'preference.preferenceContexts')`
      SELECT given.id AS "subscriberId", stored.context_keys AS "contextKeys"
      FROM unnest(${subscriberIds}::text[]) AS given(id) CROSS JOIN LATERAL (
        SELECT DISTINCT context_keys FROM subscriber_preferences
        WHERE environment_id = ${environmentId}::uuid AND subscriber_id = given.id
          AND (enabled IS NOT NULL OR channels <> '{}' OR schedule IS NOT NULL)
        ORDER BY context_keys ${limitTo(MAX_PREFERENCE_CONTEXTS)}
      ) AS stored
      ORDER BY stored.context_keys`,
  ({ subscriberId }) => subscriberId,
)

type PreferenceRow = Omit<SubscriberPreference, 'environmentId' | 'createdAt' | 'updatedAt'>

/** Writes preferences, new ones and others, in one statement. Their subscribers must be locked. */
export async function writePreferences(tenant: Tenant, rows: readonly PreferenceRow[], now: Date): Promise<void> {
  if (rows.length === 0) return
  await sqlCount(tenant.db, 'preference.writePreferences')`
    ${insertRows(preferenceTable, rows, createdIn(tenant, now))}
    ORDER BY given.id
    ON CONFLICT (environment_id, id) DO UPDATE SET
      enabled = excluded.enabled, channels = excluded.channels, schedule = excluded.schedule, updated_at = excluded.updated_at`
}

/** Deletes preferences by id. Their subscribers must be locked. */
export async function deletePreferences({ db, environmentId }: Tenant, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sqlCount(db, 'preference.deletePreferences')`
    WITH held AS MATERIALIZED (
      SELECT id FROM subscriber_preferences
      WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[]) ORDER BY id FOR UPDATE
    )
    DELETE FROM subscriber_preferences AS preference USING held
    WHERE preference.environment_id = ${environmentId}::uuid AND preference.id = held.id`
}
