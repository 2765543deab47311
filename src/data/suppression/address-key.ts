// Address keys: the keys of environments with which the hashes of addresses are computed. They are stored encrypted, so
// that a hash stays the same when the encryption key is replaced.
import { type Batch, rowBatch, type Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import { sql, sqlCount } from '../statement/statement.ts'

/**
 * The encrypted address key of an environment that has suppressions, as a value in a statement that runs anyway. Null
 * without suppressions: then none need be looked up.
 */
export const addressKeyIfSuppressing = ({ environmentId }: Pick<Tenant, 'environmentId'>): Prisma.Sql => Prisma.sql`(
  SELECT address_key.cipher FROM address_keys AS address_key
  WHERE address_key.environment_id = ${environmentId}::uuid
    AND EXISTS (SELECT FROM suppressions WHERE suppressions.environment_id = ${environmentId}::uuid))`

interface StoredKey {
  readonly environmentId: string
  readonly cipher: string
}

/** The encrypted address key of the tenant, by its id. Null if it has none yet. */
export const addressKeys: Batch<string, StoredKey | null> = rowBatch<StoredKey>(
  ({ db, environmentId }) =>
    sql<StoredKey>(db, 'address-key.addressKeys')`
      SELECT environment_id AS "environmentId", cipher FROM address_keys WHERE environment_id = ${environmentId}::uuid`,
  ({ environmentId }) => environmentId,
)

/** Stores the address key of the tenant, unless it has one. @returns the stored one, encrypted. */
export async function keepAddressKey({ db, environmentId }: Tenant, cipher: string, now: Date): Promise<string> {
  await sqlCount(db, 'address-key.keepAddressKey')`
    INSERT INTO address_keys (environment_id, cipher, created_at)
    VALUES (${environmentId}::uuid, ${cipher}, ${now}::timestamptz) ON CONFLICT (environment_id) DO NOTHING`
  const row = await db.addressKey.findUniqueOrThrow({ where: { environmentId }, select: { cipher: true } })
  return row.cipher
}
