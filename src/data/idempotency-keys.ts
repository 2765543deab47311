// Answers kept under idempotency keys: taking a key, reading and writing its answer, and deleting what is too old.
import type { Connection } from './database.ts'
import type { Tenant } from './loader.ts'
import type { IdempotencyKey } from './prisma/client.ts'

export type StoredAnswer = Pick<IdempotencyKey, 'fingerprint' | 'status' | 'body'> & {
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Takes a key until the transaction ends, also when it ends because its process was killed. False when another
 * transaction has it.
 *
 * A statement of its own: what is read in the statement that takes the lock is from before the lock was taken.
 */
export async function takeKey({ db, environmentId }: Tenant, key: string): Promise<boolean> {
  const rows = await db.$queryRaw<{ taken: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`${environmentId}:${key}`}, 0)) AS taken`
  return rows.some(({ taken }) => taken)
}

/** The answer that was kept under a key after `since`. */
export async function findAnswer(
  { db, environmentId }: Tenant,
  key: string,
  since: Date,
): Promise<StoredAnswer | undefined> {
  const rows = await db.$queryRaw<StoredAnswer[]>`
    SELECT fingerprint, status, headers, body FROM idempotency_keys
    WHERE environment_id = ${environmentId}::uuid AND key = ${key} AND created_at > ${since}::timestamptz`
  return rows[0]
}

/** Keeps an answer under a key that was taken, in the place of one that is too old. */
export async function writeAnswer(
  { db, environmentId }: Tenant,
  key: string,
  { fingerprint, status, headers, body }: StoredAnswer,
  now: Date,
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO idempotency_keys (environment_id, key, fingerprint, status, headers, body, created_at)
    VALUES (${environmentId}::uuid, ${key}, ${fingerprint}, ${status}, ${JSON.stringify(headers)}::jsonb, ${body},
            ${now}::timestamptz)
    ON CONFLICT (environment_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers,
          body = excluded.body, created_at = excluded.created_at`
}

/**
 * Deletes answers of all environments that are from `before` or older, the oldest first and at most `limit`. Leaves
 * out what a request is about to overwrite, and so neither waits for it nor makes it wait.
 *
 * @returns how many were deleted.
 */
export function deleteAnswers(db: Connection, before: Date, limit: number): Promise<number> {
  // As an array the selection is made once; as a joined subquery it may be made again, and then passes the limit.
  return db.$executeRaw`
    DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM idempotency_keys WHERE created_at <= ${before}::timestamptz
      ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
}
