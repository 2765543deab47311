// Suppressions: rows, pages, and the statements that add and find many at a time.
import type { Batch, Tenant } from '../reading/loader.ts'
import { environmentPages, equalTo, inContexts } from '../reading/page.ts'
import { Prisma, type Suppression } from '../prisma/client.ts'
import type { Channel, SuppressionReason } from '../prisma/enums.ts'
import { type CreatedWithin, createdWithin } from '../reading/row-list.ts'
import { rowBy, rowsOfKeys } from '../reading/row.ts'
import { insertRows, selectList, type Table } from '../statement/table.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'
import type { Connection } from '../connection/database.ts'

const suppressionTable: Table<Suppression> = {
  name: 'suppressions',
  fields: Object.values(Prisma.SuppressionScalarFieldEnum),
}

export const suppressionsById = rowBy(suppressionTable, { field: 'id', type: 'uuid' })

/** An address by its hash. */
export interface HashedAddress {
  readonly channel: Channel
  readonly addressHash: string
}

/** The suppressions of addresses, also those that have expired. */
export const suppressionsOfAddress: Batch<HashedAddress, readonly Suppression[]> = {
  cacheKey: ({ channel, addressHash }) => `${channel} ${addressHash}`,
  load: (tenant, keys) =>
    rowsOfKeys(
      tenant,
      suppressionTable,
      keys,
      Prisma.sql`channel "Channel", "addressHash" text`,
      Prisma.sql`child.channel = given.channel AND child.address_hash = given."addressHash"`,
    ),
}

/** Selects suppressions. Undefined fields match everything. */
export interface SuppressionFilter extends CreatedWithin {
  readonly channel?: readonly Channel[] | undefined
  readonly reason?: readonly SuppressionReason[] | undefined
  /** The hashes that an address may have. */
  readonly addressHash?: readonly string[] | undefined
  /** Sorted, without duplicates. */
  readonly contextKeys?: readonly string[] | undefined
}

const equal = equalTo<Pick<SuppressionFilter, 'channel' | 'reason' | 'addressHash'>>({
  channel: '"Channel"',
  reason: '"SuppressionReason"',
  addressHash: 'text',
})

export const suppressionPages = environmentPages<Suppression, SuppressionFilter>({
  name: 'suppressions',
  table: suppressionTable,
  where: ({ channel, reason, addressHash, ...rest }) =>
    Prisma.sql`${equal({ channel, reason, addressHash })} ${inContexts(rest)} ${createdWithin(rest)}`,
})

/** A suppression to add. */
export type NewSuppression = Omit<Suppression, 'environmentId' | 'updatedAt'>

/** A suppression that was added, or whose reason was replaced. */
export interface AddedSuppression extends Suppression {
  /** False if the address was suppressed already, for another reason or for a shorter time. */
  readonly isNew: boolean
}

/**
 * Adds suppressions. Of two of one address and scope, the one that ends later is kept, and of two that end at the same
 * time the one with the stronger reason.
 *
 * @param rows unique by channel, address and scope. @returns those that were added or replaced another one.
 */
export async function addSuppressions(
  { db, environmentId }: Tenant,
  rows: readonly NewSuppression[],
  now: Date,
): Promise<readonly AddedSuppression[]> {
  if (rows.length === 0) return []
  return sql<AddedSuppression>(db, 'suppression.addSuppressions')`
    ${insertRows(suppressionTable, rows, {
      environmentId: Prisma.sql`${environmentId}::uuid`,
      updatedAt: Prisma.sql`${now}::timestamptz`,
    })}
    ORDER BY given.channel, given.address_hash, given.scope
    ON CONFLICT (environment_id, channel, address_hash, scope) DO UPDATE
      SET reason = excluded.reason, detail = excluded.detail, source_delivery_id = excluded.source_delivery_id,
          expires_at = excluded.expires_at, updated_at = excluded.updated_at,
          address_cipher = excluded.address_cipher,
          created_at = CASE WHEN stored.expires_at <= excluded.updated_at THEN excluded.created_at
                            ELSE stored.created_at END
      WHERE (coalesce(excluded.expires_at, 'infinity'), excluded.reason)
          > (coalesce(stored.expires_at, 'infinity'), stored.reason)
    RETURNING ${selectList(suppressionTable, 'stored')}, stored.created_at = stored.updated_at AS "isNew"`
}

/** Deletes the suppressions of addresses that an integration made because of a reply, for these reasons. */
export async function deleteRepliedSuppressions(
  { db, environmentId }: Tenant,
  { addressHash, integrationId }: Pick<Suppression, 'addressHash' | 'integrationId'>,
  reasons: readonly SuppressionReason[],
): Promise<number> {
  const { count } = await db.suppression.deleteMany({
    where: { environmentId, channel: 'sms', addressHash, integrationId, reason: { in: [...reasons] } },
  })
  return count
}

/** A day on which a message to an address bounced softly. The day is `YYYY-MM-DD`, in UTC. */
export interface BouncedDay extends HashedAddress {
  readonly day: string
}

/**
 * Adds days with soft bounces. @param since the first day that counts. @returns the addresses among them with at least
 * `limit` days.
 */
export async function addBouncedDays(
  { db, environmentId }: Tenant,
  days: readonly BouncedDay[],
  since: string,
  limit: number,
): Promise<readonly HashedAddress[]> {
  if (days.length === 0) return []
  const rows = Prisma.sql`unnest(
    ${days.map(({ channel }) => channel)}::"Channel"[], ${days.map(({ addressHash }) => addressHash)}::text[],
    ${days.map(({ day }) => day)}::text[]::date[]) AS given(channel, hash, day)`
  await sqlCount(db, 'suppression.addBouncedDays')`
    INSERT INTO soft_bounces (environment_id, channel, address_hash, day)
    SELECT ${environmentId}::uuid, channel, hash, day FROM ${rows} ORDER BY channel, hash, day
    ON CONFLICT (environment_id, channel, address_hash, day) DO NOTHING`
  return sql<HashedAddress>(db, 'suppression.addBouncedDays')`
    SELECT bounce.channel, bounce.address_hash AS "addressHash"
    FROM (SELECT DISTINCT channel, hash FROM ${rows}) AS given
    JOIN soft_bounces AS bounce
      ON bounce.environment_id = ${environmentId}::uuid AND bounce.channel = given.channel
        AND bounce.address_hash = given.hash
    WHERE bounce.day >= ${since}::date
    GROUP BY bounce.channel, bounce.address_hash HAVING count(*) >= ${limit}`
}

/** Deletes the days of addresses on which messages bounced softly, so that counting begins again. */
export async function deleteBouncedDays({ db, environmentId }: Tenant, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return
  await db.softBounce.deleteMany({ where: { environmentId, addressHash: { in: [...hashes] } } })
}

/** Deletes a portion of the suppressions that have expired, of all environments. @returns their number. */
export const sweepSuppressions = (db: Connection, now: Date, take: number): Promise<number> =>
  sqlCount(db, 'suppression.sweepSuppressions')`
    DELETE FROM suppressions WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM suppressions WHERE expires_at <= ${now}::timestamptz
      ORDER BY expires_at ${limitTo(take)} FOR UPDATE SKIP LOCKED))`

/** Deletes a portion of the days with soft bounces before a day, of all environments. @returns their number. */
export const sweepBouncedDays = (db: Connection, before: Date, take: number): Promise<number> =>
  sqlCount(db, 'suppression.sweepBouncedDays')`
    DELETE FROM soft_bounces WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM soft_bounces WHERE day < ${before}::timestamptz::date
      ORDER BY day ${limitTo(take)} FOR UPDATE SKIP LOCKED))`

/** Deletes the suppressions of addresses, or only the addresses themselves if the hashes are kept. */
export async function eraseSuppressions(
  { db, environmentId }: Tenant,
  hashes: readonly string[],
  keepsHashes: boolean,
): Promise<void> {
  if (hashes.length === 0) return
  const where = { environmentId, addressHash: { in: [...hashes] } }
  if (keepsHashes) {
    await db.suppression.updateMany({ where, data: { addressCipher: null, detail: null, sourceDeliveryId: null } })
    return
  }
  await db.suppression.deleteMany({ where })
  await deleteBouncedDays({ db, environmentId }, hashes)
}

/** The addresses among these that a subscriber has in its profile. @param addresses in lower case. */
export async function addressesInUse(
  { db, environmentId }: Tenant,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ address: string }>(db, 'suppression.addressesInUse')`
    SELECT given.address FROM unnest(${[...addresses]}::text[]) AS given(address)
    WHERE EXISTS (
      SELECT FROM subscribers WHERE environment_id = ${environmentId}::uuid AND lower(email) = given.address)
    OR EXISTS (
      SELECT FROM subscribers WHERE environment_id = ${environmentId}::uuid AND lower(phone) = given.address)`
  return new Set(rows.map(({ address }) => address))
}
