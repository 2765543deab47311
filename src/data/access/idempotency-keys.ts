// Idempotency keys: locking a key, its stored response, and deletion of expired ones.
import type { Connection } from '../connection/database.ts'
import type { Tenant } from '../reading/loader.ts'
import type { IdempotencyKey } from '../prisma/client.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'

/** Milliseconds for which a response is stored. */
export const KEPT_FOR = 24 * 60 * 60 * 1000

export type StoredAnswer = Pick<IdempotencyKey, 'fingerprint' | 'repeatedFor' | 'status' | 'body'> & {
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Locks a key until the transaction ends, even if the process is killed.
 *
 * Run it before the statement that reads the response: a statement that takes the lock itself reads a snapshot from
 * before it had the lock.
 *
 * @returns false if another transaction holds the key.
 */
export async function takeKey({ db, environmentId }: Tenant, key: string): Promise<boolean> {
  const rows = await sql<{ taken: boolean }>(db, 'idempotency-keys.takeKey')`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`${environmentId}:${key}`}, 0)) AS taken`
  return rows.some(({ taken }) => taken)
}

/** The response stored for a key after `since`. */
export async function findAnswer(
  { db, environmentId }: Tenant,
  key: string,
  since: Date,
): Promise<StoredAnswer | undefined> {
  const rows = await sql<StoredAnswer>(db, 'idempotency-keys.findAnswer')`
    SELECT fingerprint, repeated_for AS "repeatedFor", status, headers, body FROM idempotency_keys
    WHERE environment_id = ${environmentId}::uuid AND key = ${key} AND created_at > ${since}::timestamptz`
  return rows[0]
}

/** Stores a response for a locked key. Replaces an expired one. */
export async function writeAnswer(
  { db, environmentId }: Tenant,
  key: string,
  { fingerprint, repeatedFor, status, headers, body }: StoredAnswer,
  now: Date,
): Promise<void> {
  await sqlCount(db, 'idempotency-keys.writeAnswer')`
    INSERT INTO idempotency_keys (environment_id, key, fingerprint, repeated_for, status, headers, body, created_at)
    VALUES (${environmentId}::uuid, ${key}, ${fingerprint}, ${repeatedFor}, ${status},
            ${JSON.stringify(headers)}::jsonb, ${body}, ${now}::timestamptz)
    ON CONFLICT (environment_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, repeated_for = excluded.repeated_for, status = excluded.status,
          headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`
}

/**
 * Deletes responses of all environments stored at `before` or earlier: at most `limit`, oldest first. Skips responses
 * that a request is about to overwrite, so that neither waits for the other.
 *
 * @returns the number of deleted rows.
 */
export function deleteAnswers(db: Connection, before: Date, limit: number): Promise<number> {
  // ARRAY runs the subquery only once. In a join it could run again and exceed the limit.
  return sqlCount(db, 'idempotency-keys.deleteAnswers')`
    DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM idempotency_keys WHERE created_at <= ${before}::timestamptz
      ORDER BY created_at ${limitTo(limit)} FOR UPDATE SKIP LOCKED))`
}

type HeldAnswer = Pick<StoredAnswer, 'headers' | 'body'> & Pick<IdempotencyKey, 'key' | 'createdAt'>

/** Locks a page of the stored responses of an environment, in the order of their keys. */
export function holdAnswers(
  { db, environmentId }: Tenant,
  { after, take }: { readonly after: string; readonly take: number },
): Promise<HeldAnswer[]> {
  return sql<HeldAnswer>(db, 'idempotency-keys.holdAnswers')`
    SELECT key, headers, body, created_at AS "createdAt" FROM idempotency_keys
    WHERE environment_id = ${environmentId}::uuid AND key > ${after} ORDER BY key ${limitTo(take)} FOR UPDATE`
}

/** Changes a stored response, or deletes it if there is no change. */
export async function changeAnswer(
  { db, environmentId }: Tenant,
  key: string,
  change: (Pick<StoredAnswer, 'headers' | 'body'> & { readonly key: string }) | undefined,
): Promise<void> {
  const where = { environmentId_key: { environmentId, key } }
  if (change === undefined) await db.idempotencyKey.delete({ where })
  else await db.idempotencyKey.update({ where, data: change })
}
