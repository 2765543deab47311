// Subscribers: pages, and writes of subscribers with their credentials, each in one statement.
import type { JsonObject } from '../lib/validation.ts'
import { exactly, searchFor } from './reading/like-filter.ts'
import { rowBatch, type Tenant } from './reading/loader.ts'
import { environmentPages, equalTo } from './reading/page.ts'
import { Prisma, type Subscriber as Row } from './prisma/client.ts'
import { rowBy } from './reading/row.ts'
import { selectList, type Table } from './statement/table.ts'
import { sql } from './statement/statement.ts'
import { credentialInsert, type CredentialRow } from './subscriber-credential.ts'
import { subscriberMessages, tellingUpdate } from './webhook/subscriber-message.ts'
import type { WebhookParts } from './webhook/webhook-message.ts'

/** A subscriber, without the columns that the database generates for searches. */
export type Subscriber = Omit<Row, 'name' | 'searchText'>

export const subscriberTable: Table<Subscriber> = {
  name: 'subscribers',
  fields: Object.values(Prisma.SubscriberScalarFieldEnum).filter((field) => field !== 'name' && field !== 'searchText'),
}

export const subscribersById = rowBy(subscriberTable, { field: 'id', type: 'uuid' })
export const subscribersBySubscriberId = rowBy(subscriberTable, { field: 'subscriberId' })

/** Selects subscribers. Undefined fields match everything. */
interface SubscriberFilter {
  readonly subscriberId?: string
  readonly email?: string
  readonly phone?: string
  readonly name?: string
  /** A part of one of these fields. If it is short, the beginning of one. */
  readonly search?: string
}

const withId = equalTo<Pick<SubscriberFilter, 'subscriberId'>>({ subscriberId: 'text' })
const searched = { substring: ['search_text'], prefix: ['subscriber_id', 'email', 'phone', 'name'] }

export const subscriberPages = environmentPages<Subscriber, SubscriberFilter>({
  name: 'subscribers',
  table: subscriberTable,
  texts: { name: 'coalesce(child.name, child.subscriber_id)', identifier: 'child.subscriber_id' },
  where: ({ search, email, phone, name, ...exact }) =>
    Prisma.sql`${withId(exact)} ${exactly({ email, phone, name })} ${searchFor(search, searched)}`,
  planForValues: ({ search }) => search !== undefined,
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

const allFields = selectList(subscriberTable, 'subscriber')
const keys = selectList({ fields: ['id', 'subscriberId'] }, 'subscriber')

type SubscriberKey = Pick<Subscriber, 'id' | 'subscriberId'>

/** A subscriber as it was read. */
export interface StoredSubscriber extends Subscriber {
  /** False if the subscriber had no credentials when it was read. Undefined if that was not checked. */
  readonly hasCredentials?: boolean
}

const subscriberWithCredentials = ({
  environmentId,
}: Pick<Tenant, 'environmentId'>) => Prisma.sql`${allFields}, EXISTS (
  SELECT FROM subscriber_credentials AS credential
  WHERE credential.environment_id = ${environmentId}::uuid AND credential.subscriber_id = subscriber.subscriber_id
) AS "hasCredentials"`

/** Subscribers by subscriberId, with `hasCredentials`. */
export const subscribersWithCredentials = rowBatch<StoredSubscriber>(
  ({ db, environmentId }, ids) =>
    sql<StoredSubscriber>(db, 'subscriber.subscribersWithCredentials')`
      SELECT ${subscriberWithCredentials({ environmentId })} FROM subscribers AS subscriber
      WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ANY (${ids}::text[])`,
  ({ subscriberId }) => subscriberId,
)

/** A subscriber, by its subscriberId or by the id of its row. */
export type SubscriberReference = { readonly subscriberId: string } | { readonly id: string }

const isNamed = (named: SubscriberReference) =>
  'id' in named ? Prisma.sql`id = ${named.id}::uuid` : Prisma.sql`subscriber_id = ${named.subscriberId}`

/**
 * Reads a subscriber and locks it until the transaction ends. Rows that only refer to it can still be written.
 *
 * @returns undefined if it does not exist.
 */
export async function lockSubscriber(
  { db, environmentId }: Tenant,
  named: SubscriberReference,
): Promise<Subscriber | undefined> {
  const [locked] = await sql<Subscriber>(db, 'subscriber.lockSubscriber')`
    SELECT ${allFields} FROM subscribers AS subscriber
    WHERE environment_id = ${environmentId}::uuid AND ${isNamed(named)}
    FOR NO KEY UPDATE`
  return locked
}

/**
 * Assigns the fields of a patch to the columns of `subscriber`. Without fields, not even `updated_at` changes.
 *
 * OFFSET makes PostgreSQL compute the patch once instead of for each mention.
 */
const assign = (patch: Prisma.Sql, now: Date) => Prisma.sql`
  (first_name, last_name, email, phone, avatar, locale, timezone, data, updated_at) = (
    SELECT CASE WHEN patch ? 'firstName' THEN patch->>'firstName' ELSE subscriber.first_name END,
           CASE WHEN patch ? 'lastName' THEN patch->>'lastName' ELSE subscriber.last_name END,
           CASE WHEN patch ? 'email' THEN patch->>'email' ELSE subscriber.email END,
           CASE WHEN patch ? 'phone' THEN patch->>'phone' ELSE subscriber.phone END,
           CASE WHEN patch ? 'avatar' THEN patch->>'avatar' ELSE subscriber.avatar END,
           CASE WHEN patch ? 'locale' THEN patch->>'locale' ELSE subscriber.locale END,
           CASE WHEN patch ? 'timezone' THEN patch->>'timezone' ELSE subscriber.timezone END,
           CASE WHEN patch ? 'data' THEN coalesce(nullif(patch->'data', 'null'), '{}') ELSE subscriber.data END,
           CASE WHEN patch - 'subscriberId' = '{}' THEN subscriber.updated_at ELSE ${now}::timestamptz END
    FROM (SELECT ${patch} AS patch OFFSET 0) AS own
  )`

/** What happens to existing subscribers. `keep` leaves their credentials unchanged too. */
type Existing = 'update' | 'keep'

/** Subscribers to write. */
interface SubscriberWrites {
  /** At most one per subscriberId. */
  readonly patches: readonly SubscriberPatch[]
  /** Credentials of these subscribers. They replace credentials of the same provider and integration. */
  readonly credentials?: readonly CredentialRow[]
  readonly newId: () => string
  readonly now: Date
  /** The types of webhook messages to write about new and changed subscribers. Default: none. */
  readonly webhooks?: readonly string[] | undefined
}

/** The parts of a statement that inserts or updates subscribers. It returns `fields` of the written rows. */
function partsOf(
  tenant: Tenant,
  { patches, credentials = [], newId, now, webhooks = [] }: SubscriberWrites,
  existing: Existing,
  fields: Prisma.Sql,
  condition = Prisma.sql`true`,
) {
  const ordered = patches.toSorted((one, other) => (one.subscriberId < other.subscriberId ? -1 : 1))
  const byId = new Map(ordered.map((patch) => [newId(), patch]))
  // Concatenated as text, because an object with hundreds of random keys is slow.
  const entries = Array.from(byId, ([id, patch]) => `"${id}":${JSON.stringify(patch)}`)
  const given = Prisma.sql`given AS (SELECT ${`{${entries.join()}}`}::jsonb AS patches)`
  const own = Prisma.sql`(SELECT patches -> excluded.id::text FROM given)`
  // Rows are locked in the order of their key, which prevents deadlocks.
  const insert = Prisma.sql`
    INSERT INTO subscribers AS subscriber (environment_id, id, subscriber_id, first_name, last_name, email, phone, avatar,
                                           locale, timezone, data, created_at, updated_at)
    SELECT ${tenant.environmentId}::uuid, id::uuid, patch->>'subscriberId', patch->>'firstName', patch->>'lastName',
           patch->>'email', patch->>'phone', patch->>'avatar', patch->>'locale', patch->>'timezone',
           coalesce(nullif(patch->'data', 'null'), '{}'), ${now}::timestamptz, ${now}::timestamptz
    FROM given, jsonb_each(patches) AS entry(id, patch)
    WHERE ${condition}
    ORDER BY patch->>'subscriberId'
    ON CONFLICT (environment_id, subscriber_id)
      DO ${existing === 'update' ? Prisma.sql`UPDATE SET ${assign(own, now)}` : Prisma.sql`NOTHING`}
    RETURNING ${fields}`
  const ofWritten = Prisma.sql`JOIN written ON written."subscriberId" = given.subscriber_id`
  const withCredentials =
    credentials.length === 0
      ? []
      : [Prisma.sql`credentials AS (${credentialInsert(tenant, credentials, now, ofWritten)})`]
  const told = webhooks.length === 0 ? undefined : subscriberMessages(tenant, webhooks, now)
  const all = [given, Prisma.sql`written AS (${insert})`, ...withCredentials, ...(told?.parts ?? [])]
  return { byId, given, insert, all, wake: told?.wake }
}

/** Inserts or updates subscribers, with their credentials. @returns `fields` of the written rows. */
async function writeSubscribers<Row extends SubscriberKey>(
  tenant: Tenant,
  writes: SubscriberWrites,
  existing: Existing,
  fields: Prisma.Sql,
): Promise<(Row & { readonly created: boolean })[]> {
  if (writes.patches.length === 0) return []
  const { byId, given, insert, all, wake } = partsOf(tenant, writes, existing, fields)
  const woken =
    wake &&
    Prisma.sql`, woken AS MATERIALIZED (${wake}) SELECT written.* FROM written WHERE (SELECT count(*) FROM woken) >= 0`
  const statement =
    all.length > 2
      ? Prisma.sql`WITH ${Prisma.join(all)} ${woken ?? Prisma.sql`SELECT * FROM written`}`
      : Prisma.sql`WITH ${given} ${insert}`
  const written = await sql<Row>(tenant.db, 'subscriber.writeSubscribers')`${statement}`
  // A row that existed has another id than the one given here.
  return written.map((row) => ({ ...row, created: byId.has(row.id) }))
}

/**
 * The parts of a statement that inserts or updates the subscribers of triggers if `condition` holds. Existing
 * subscribers without changes are not written. A subscriber may have several patches.
 */
export function subscriberParts(
  tenant: Tenant,
  writes: SubscriberWrites,
  condition: Prisma.Sql,
): Pick<WebhookParts, 'parts'> & Partial<WebhookParts> {
  const patches = merged(writes.patches)
  const withCredentials = [...new Set(writes.credentials?.map(({ subscriberId }) => subscriberId))]
  // With NOT EXISTS, PostgreSQL may read all subscribers of the environment into a hash table.
  const isChanged = Prisma.sql`(
    patch - 'subscriberId' <> '{}' OR patch->>'subscriberId' = ANY (${withCredentials}::text[]) OR (
      SELECT stored.id FROM subscribers AS stored
      WHERE stored.environment_id = ${tenant.environmentId}::uuid AND stored.subscriber_id = patch->>'subscriberId'
    ) IS NULL
  )`
  const { all, wake } = partsOf(
    tenant,
    { ...writes, patches },
    'update',
    keys,
    Prisma.sql`${condition} AND ${isChanged}`,
  )
  return { parts: all, wake }
}

export interface WrittenSubscriber {
  readonly subscriber: StoredSubscriber
  /** False if the subscriber existed. */
  readonly created: boolean
}

/** Inserts or updates one subscriber. @returns undefined if it exists and must be kept. */
export async function writeSubscriber(
  tenant: Tenant,
  writes: Omit<SubscriberWrites, 'patches'> & { readonly patch: SubscriberPatch },
  existing: Existing,
): Promise<WrittenSubscriber | undefined> {
  const { patch, ...others } = writes
  const all = { ...others, patches: [patch] }
  const [written] = await writeSubscribers<StoredSubscriber>(tenant, all, existing, subscriberWithCredentials(tenant))
  if (written === undefined) return undefined
  const { created, hasCredentials, ...subscriber } = written
  // A statement does not see its own writes.
  const wroteCredentials = others.credentials !== undefined && others.credentials.length > 0
  return { subscriber: { ...subscriber, hasCredentials: hasCredentials || wroteCredentials }, created }
}

/** Updates a subscriber. @returns undefined if it does not exist. */
export async function updateSubscriber(
  tenant: Tenant,
  named: SubscriberReference,
  patch: Omit<SubscriberPatch, 'subscriberId'>,
  { now, expectedVersion = null, webhooks }: SubscriberUpdate,
): Promise<StoredSubscriber | undefined> {
  const { environmentId } = tenant
  const isExpected = expectedVersion === null ? Prisma.empty : Prisma.sql`AND version = ${expectedVersion}`
  const update = Prisma.sql`
    UPDATE subscribers AS subscriber SET ${assign(Prisma.sql`${JSON.stringify(patch)}::jsonb`, now)}
    WHERE environment_id = ${environmentId}::uuid AND ${isNamed(named)} ${isExpected}
    RETURNING ${subscriberWithCredentials(tenant)}`
  const statement = webhooks.length === 0 ? update : tellingUpdate(tenant, webhooks, update, now)
  const [updated] = await sql<StoredSubscriber>(tenant.db, 'subscriber.updateSubscriber')`${statement}`
  return updated
}

interface SubscriberUpdate {
  readonly now: Date
  /** Null or absent for any version. */
  readonly expectedVersion?: number | null | undefined
  /** The types of webhook messages to write about the change. */
  readonly webhooks: readonly string[]
}

/** Inserts subscribers. Existing ones stay unchanged. */
export async function insertSubscribers(tenant: Tenant, writes: SubscriberWrites): Promise<void> {
  await writeSubscribers(tenant, writes, 'keep', keys)
}

/** Merges the patches of each subscriber. Later values win, as in consecutive writes. */
function merged(patches: readonly SubscriberPatch[]): readonly SubscriberPatch[] {
  const byId = new Map<string, SubscriberPatch>()
  for (const patch of patches) {
    const earlier = byId.get(patch.subscriberId)
    byId.set(patch.subscriberId, earlier ? { ...earlier, ...patch } : patch)
  }
  return [...byId.values()]
}

/**
 * Inserts or updates subscribers. A subscriber may have several patches. @returns their row ids, one per subscriber.
 */
export async function upsertSubscribers(
  tenant: Tenant,
  writes: SubscriberWrites,
): Promise<readonly (SubscriberKey & { readonly created: boolean })[]> {
  return writeSubscribers(tenant, { ...writes, patches: merged(writes.patches) }, 'update', keys)
}
