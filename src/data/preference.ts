// Preferences of subscribers: those of many subscribers, and bulk updates.
import { type Batch, groupBatch, type Tenant } from './reading/loader.ts'
import { Prisma, type SubscriberPreference } from './prisma/client.ts'
import { rowsOfKeys, type Table } from './reading/row.ts'
import { limitTo, runStatement } from './statement/statement.ts'

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

/** The maximum number of sets of contexts that are listed for a subscriber. */
export const MAX_PREFERENCE_CONTEXTS = 100

/**
 * The sets of contexts under which subscribers have made a choice, sorted. A preference whose choices were all removed does
 * not count. LATERAL reads the sets of each subscriber in the order of the index, no further than the limit.
 */
export const preferenceContexts: Batch<string, readonly PreferenceKey[]> = groupBatch(
  ({ db, environmentId }, subscriberIds) =>
    runStatement<PreferenceKey>(
      db,
      Prisma.sql`
        SELECT given.id AS "subscriberId", stored.context_keys AS "contextKeys"
        FROM unnest(${subscriberIds}::text[]) AS given(id) CROSS JOIN LATERAL (
          SELECT DISTINCT context_keys FROM subscriber_preferences
          WHERE environment_id = ${environmentId}::uuid AND subscriber_id = given.id
            AND (enabled IS NOT NULL OR channels <> '{}')
          ORDER BY context_keys ${limitTo(MAX_PREFERENCE_CONTEXTS)}
        ) AS stored
        ORDER BY stored.context_keys`,
    ),
  ({ subscriberId }) => subscriberId,
)

/**
 * Removes the choices for these channels from all workflow preferences of a subscriber under exactly these contexts.
 */
export async function takeBackChannels(
  { db, environmentId }: Tenant,
  { subscriberId, contextKeys }: PreferenceKey,
  channels: readonly string[],
): Promise<void> {
  if (channels.length === 0) return
  await db.$executeRaw`
    UPDATE subscriber_preferences SET channels = channels - ${[...channels]}::text[]
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ${subscriberId}
      AND context_keys = ${[...contextKeys]}::text[] AND workflow_id IS NOT NULL`
}
