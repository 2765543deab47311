// Subscribers: pages, and bulk writes of subscribers and their credentials, each in one statement.
import type { JsonObject } from '../lib/validation.ts'
import { environmentPageBatch, equalTo } from './child-page.ts'
import { exactly, searchFor } from './like-filter.ts'
import type { Tenant } from './loader.ts'
import { Prisma, type Subscriber } from './prisma/client.ts'

/** Selects subscribers. Undefined fields match everything. */
interface SubscriberFilter {
  readonly subscriberId?: string
  readonly email?: string
  readonly phone?: string
  readonly name?: string
  /** A part of one of these fields; if it is short, the beginning of one. */
  readonly search?: string
}

const withId = equalTo<Pick<SubscriberFilter, 'subscriberId'>>({ subscriberId: 'text' })
const searched = { substring: ['search_text'], prefix: ['subscriber_id', 'email', 'phone', 'name'] }

export const subscriberPages = environmentPageBatch<Subscriber, SubscriberFilter>({
  name: 'subscribers',
  fields: Object.values(Prisma.SubscriberScalarFieldEnum),
  where: ({ search, email, phone, name, ...exact }) =>
    Prisma.sql`${withId(exact)} ${exactly({ email, phone, name })} ${searchFor(search, searched)}`,
})

/** Changes to a subscriber's profile. Omitted fields stay unchanged, null clears a field. */
export interface SubscriberPatch {
  readonly subscriberId: string
  readonly firstName?: string | null
  readonly lastName?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly avatar?: string | null
  readonly locale?: string | null
  readonly timezone?: string | null
  readonly data?: JsonObject | null
}

export interface CredentialRow {
  /** Used if there are no credentials of this provider and integration yet. */
  readonly id: string
  readonly subscriberId: string
  readonly providerId: string
  /** Empty string for all integrations of the provider. */
  readonly integrationIdentifier: string
  /** Encrypted. */
  readonly webhookUrl: string | null
  /** Encrypted. */
  readonly encryptedTokens: string | null
}

/** Row ids by subscriberId. */
type RowIds = ReadonlyMap<string, string>

interface Identity {
  readonly id: string
  readonly subscriberId: string
}

const rowIdsOf = (rows: readonly Identity[]): RowIds => new Map(rows.map(({ id, subscriberId }) => [subscriberId, id]))

/** Patches in the order of their key, which prevents deadlocks. */
const inOrder = (patches: readonly SubscriberPatch[]) =>
  patches.toSorted((one, other) => (one.subscriberId < other.subscriberId ? -1 : 1))

/**
 * Inserts subscribers. Skips those that exist.
 *
 * @param patches at most one per subscriberId.
 * @returns the row ids of the new ones, by subscriberId.
 */
export async function insertSubscribers(
  { db, environmentId }: Tenant,
  patches: readonly SubscriberPatch[],
  newId: () => string,
  now: Date,
): Promise<RowIds> {
  if (patches.length === 0) return new Map()
  const rows = inOrder(patches).map((patch) => ({ id: newId(), patch }))
  const inserted = await db.$queryRaw<Identity[]>`
    INSERT INTO subscribers (environment_id, id, subscriber_id, first_name, last_name, email, phone, avatar, locale,
                             timezone, data, created_at, updated_at)
    SELECT ${environmentId}::uuid, id, patch->>'subscriberId', patch->>'firstName', patch->>'lastName', patch->>'email',
           patch->>'phone', patch->>'avatar', patch->>'locale', patch->>'timezone',
           coalesce(nullif(patch->'data', 'null'), '{}'), ${now}::timestamptz, ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(id uuid, patch jsonb)
    ON CONFLICT (environment_id, subscriber_id) DO NOTHING
    RETURNING id, subscriber_id AS "subscriberId"`
  return rowIdsOf(inserted)
}

/**
 * Updates those that exist. A patch without fields changes nothing, not even `updatedAt`.
 *
 * @param patches at most one per subscriberId.
 * @returns the row ids of those that exist, by subscriberId.
 */
export async function updateSubscribers(
  { db, environmentId }: Tenant,
  patches: readonly SubscriberPatch[],
  now: Date,
): Promise<RowIds> {
  if (patches.length === 0) return new Map()
  const rows = patches.map((patch) => ({ patch }))
  const found = await db.$queryRaw<Identity[]>`
    WITH given AS (
      SELECT patch->>'subscriberId' AS subscriber_id, patch
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(patch jsonb)
    ), held AS (
      SELECT id, subscriber_id FROM subscribers
      WHERE environment_id = ${environmentId}::uuid AND subscriber_id IN (SELECT subscriber_id FROM given)
      ORDER BY subscriber_id FOR NO KEY UPDATE
    ), changed AS (
      UPDATE subscribers SET
        first_name = CASE WHEN patch ? 'firstName' THEN patch->>'firstName' ELSE first_name END,
        last_name = CASE WHEN patch ? 'lastName' THEN patch->>'lastName' ELSE last_name END,
        email = CASE WHEN patch ? 'email' THEN patch->>'email' ELSE email END,
        phone = CASE WHEN patch ? 'phone' THEN patch->>'phone' ELSE phone END,
        avatar = CASE WHEN patch ? 'avatar' THEN patch->>'avatar' ELSE avatar END,
        locale = CASE WHEN patch ? 'locale' THEN patch->>'locale' ELSE locale END,
        timezone = CASE WHEN patch ? 'timezone' THEN patch->>'timezone' ELSE timezone END,
        data = CASE WHEN patch ? 'data' THEN coalesce(nullif(patch->'data', 'null'), '{}') ELSE data END,
        updated_at = ${now}::timestamptz
      FROM given JOIN held USING (subscriber_id)
      WHERE subscribers.environment_id = ${environmentId}::uuid AND subscribers.subscriber_id = given.subscriber_id
        AND patch - 'subscriberId' <> '{}'
    )
    SELECT id, subscriber_id AS "subscriberId" FROM held`
  return rowIdsOf(found)
}

/** One patch per subscriber. Later values win, as in consecutive writes. */
function merged(patches: readonly SubscriberPatch[]): readonly SubscriberPatch[] {
  const byId = new Map<string, SubscriberPatch>()
  for (const patch of patches) byId.set(patch.subscriberId, { ...byId.get(patch.subscriberId), ...patch })
  return [...byId.values()]
}

/**
 * Inserts or updates subscribers.
 *
 * @returns the row ids of the new ones and of the others, by subscriberId.
 */
export async function upsertSubscribers(
  tenant: Tenant,
  patches: readonly SubscriberPatch[],
  newId: () => string,
  now: Date,
): Promise<{ readonly created: RowIds; readonly updated: RowIds }> {
  const created = new Map<string, string>()
  const updated = new Map<string, string>()
  // A subscriber deleted between the two statements is neither inserted nor found, so it is tried again.
  for (let left = merged(patches); left.length > 0;) {
    for (const [subscriberId, id] of await insertSubscribers(tenant, left, newId, now)) created.set(subscriberId, id)
    const existing = left.filter(({ subscriberId }) => !created.has(subscriberId))
    for (const [subscriberId, id] of await updateSubscribers(tenant, existing, now)) updated.set(subscriberId, id)
    left = existing.filter(({ subscriberId }) => !updated.has(subscriberId))
  }
  return { created, updated }
}

/**
 * Replaces the credentials of each subscriber, provider and integration given. Of duplicates, the last wins.
 * The transaction must hold locks on the subscribers, which prevents deadlocks.
 */
export async function writeCredentials(
  { db, environmentId }: Tenant,
  credentials: readonly CredentialRow[],
  now: Date,
): Promise<void> {
  if (credentials.length === 0) return
  const byChannel = new Map(
    credentials.map((row) => [JSON.stringify([row.subscriberId, row.providerId, row.integrationIdentifier]), row]),
  )
  await db.$executeRaw`
    INSERT INTO subscriber_credentials (environment_id, id, subscriber_id, provider_id, integration_identifier,
                                        webhook_url, encrypted_tokens, created_at, updated_at)
    SELECT ${environmentId}::uuid, id, "subscriberId", "providerId", "integrationIdentifier", "webhookUrl",
           "encryptedTokens", ${now}::timestamptz, ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify([...byChannel.values()])}::jsonb)
      AS row(id uuid, "subscriberId" text, "providerId" text, "integrationIdentifier" text, "webhookUrl" text,
             "encryptedTokens" text)
    ON CONFLICT (environment_id, subscriber_id, provider_id, integration_identifier) DO UPDATE
      SET webhook_url = excluded.webhook_url, encrypted_tokens = excluded.encrypted_tokens, updated_at = excluded.updated_at`
}
