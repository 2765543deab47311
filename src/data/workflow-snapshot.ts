// Snapshots: workflows as events run them, each version stored once. Each process caches those it read last.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Batch, Tenant } from './reading/loader.ts'
import { Prisma } from './prisma/client.ts'
import { limitTo, sql, sqlCount } from './statement/statement.ts'

/** Bytes of memory for cached snapshots. */
const CACHE_BYTES = 16 * 1024 * 1024
/** Bytes of memory per character of JSON once it is parsed. */
const PARSED_BYTES = 4

interface WorkflowSnapshot {
  readonly hash: string
  readonly workflow: Prisma.JsonValue
}

/** By environment and hash. The hash identifies the content, so a cached snapshot is never out of date. */
const kept = new LRUCache<string, WorkflowSnapshot>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ workflow }) => JSON.stringify(workflow).length * PARSED_BYTES,
})

const keyOf = (environmentId: string, hash: string) => `${environmentId} ${hash}`

/** Milliseconds for which a process assumes that a snapshot is stored. */
const STORED_FOR = 3_600_000
/** Milliseconds after which another use is recorded. */
const RECORDED_FOR = 1_800_000
/**
 * Milliseconds from the last recorded use of a snapshot to the last event that may run it, with a wide margin: a use is
 * recorded after `RECORDED_FOR`, and a process that has recorded one records no other for `STORED_FOR`.
 */
export const USED_FOR = 86_400_000

/** The times at which this process stored snapshots, by environment and hash. */
const stored = new LRUCache<string, Date>({ max: 10_000 })

/** A tenant with its clock. */
type Timed = Tenant & { readonly now: () => Date }

/** True if a snapshot does not have to be stored now. */
export function isStored({ environmentId, now }: Timed, { hash }: NewSnapshot): boolean {
  const since = stored.get(keyOf(environmentId, hash))
  return since !== undefined && now().getTime() - since.getTime() < STORED_FOR
}

/** Remembers that snapshots are stored. Do not call it within a transaction, which may be rolled back. */
export function noteStored({ environmentId, now }: Timed, snapshots: Iterable<NewSnapshot>): void {
  for (const { hash } of snapshots) stored.set(keyOf(environmentId, hash), now())
}

/** Snapshots by hash. They are shared and must not be changed. */
export const workflowSnapshots: Batch<string, Prisma.JsonValue> = {
  async load({ db, environmentId }, hashes) {
    const found = new Map(hashes.map((hash) => [hash, kept.get(keyOf(environmentId, hash))]))
    const missing = hashes.filter((hash) => found.get(hash) === undefined)
    if (missing.length > 0) {
      const where = { environmentId, hash: { in: missing } }
      for (const row of await db.workflowSnapshot.findMany({ where, select: { hash: true, workflow: true } })) {
        kept.set(keyOf(environmentId, row.hash), row)
        found.set(row.hash, row)
      }
    }
    return hashes.map(
      (hash) => found.get(hash)?.workflow ?? new Error(`the workflow snapshot "${hash}" does not exist`),
    )
  },
}

/** A snapshot to store, as JSON. */
export interface NewSnapshot {
  readonly hash: string
  readonly json: string
}

/** Returns the snapshot of a workflow. */
export function newSnapshot(workflow: object): NewSnapshot {
  const json = JSON.stringify(workflow)
  return { hash: createHash('sha256').update(json).digest('hex'), json }
}

/**
 * The statement that stores the snapshots that are missing, and records their use, if `condition` holds. They are JSON already,
 * so they are not written as rows of JSON once more.
 */
export const snapshotInsert = (
  { environmentId }: Tenant,
  snapshots: readonly NewSnapshot[],
  now: Date,
  condition: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
  INSERT INTO workflow_snapshots AS stored (environment_id, hash, workflow, last_used_at)
  SELECT ${environmentId}::uuid, hash, json::jsonb, ${now}::timestamptz
  FROM unnest(${snapshots.map(({ hash }) => hash)}::text[], ${snapshots.map(({ json }) => json)}::text[])
    AS snapshot(hash, json)
  WHERE ${condition} AND NOT EXISTS (
    SELECT FROM workflow_snapshots AS recent
    WHERE recent.environment_id = ${environmentId}::uuid AND recent.hash = snapshot.hash
      AND recent.last_used_at > ${new Date(now.getTime() - RECORDED_FOR)}::timestamptz)
  ORDER BY hash
  ON CONFLICT (environment_id, hash) DO UPDATE SET last_used_at = greatest(stored.last_used_at, excluded.last_used_at)`

/** Stores snapshots that are missing, and records their use. */
export async function storeSnapshots(tenant: Tenant, snapshots: readonly NewSnapshot[], now: Date): Promise<void> {
  if (snapshots.length === 0) return
  const insert = snapshotInsert(tenant, snapshots, now, Prisma.sql`true`)
  await sqlCount(tenant.db, 'workflow-snapshot.storeSnapshots')`${insert}`
}

/** The maximum number of expired events that are not finished. With more, no snapshot is deleted. */
const MAX_UNFINISHED = 10_000

/**
 * Deletes a portion of the snapshots that no event runs any more, in the order of their hashes. Skips rows that others
 * lock.
 *
 * @param before events created before this time have expired. Those that still exist are not finished.
 * @param after the last hash of the portion before. @param take the snapshots in a full portion.
 * @returns the number of deleted snapshots, and where the next portion begins. Undefined after the last one.
 */
export async function sweepSnapshots(
  { db, environmentId }: Tenant,
  { before, after, take }: { readonly before: Date; readonly after: string; readonly take: number },
): Promise<{ readonly count: number; readonly next: string | undefined }> {
  const unfinished = await sql<{ id: string; hash: string }>(db, 'workflow-snapshot.sweepSnapshots')`
    SELECT id, snapshot_hash AS hash FROM events
    WHERE environment_id = ${environmentId}::uuid AND created_at < ${before}::timestamptz
    ORDER BY created_at ${limitTo(MAX_UNFINISHED)}`
  if (unfinished.length === MAX_UNFINISHED) return { count: 0, next: undefined }
  const retried = await sql<{ hash: string }>(db, 'workflow-snapshot.sweepSnapshots')`
    SELECT DISTINCT snapshot_hash AS hash FROM workflow_runs
    WHERE environment_id = ${environmentId}::uuid AND event_id = ANY (${unfinished.map(({ id }) => id)}::uuid[])
      AND snapshot_hash IS NOT NULL`
  const page = await sql<{ hash: string }>(db, 'workflow-snapshot.sweepSnapshots')`
    SELECT hash FROM workflow_snapshots
    WHERE environment_id = ${environmentId}::uuid AND hash > ${after} ORDER BY hash ${limitTo(take)}`
  const used = new Set([...unfinished, ...retried].map(({ hash }) => hash))
  const unused = page.flatMap(({ hash }) => (used.has(hash) ? [] : [hash]))
  // All other events were created at that time or later, too late to use the snapshot.
  const count = await sqlCount(db, 'workflow-snapshot.sweepSnapshots')`
    DELETE FROM workflow_snapshots WHERE environment_id = ${environmentId}::uuid AND ctid = ANY (ARRAY(
      SELECT ctid FROM workflow_snapshots
      WHERE environment_id = ${environmentId}::uuid AND hash = ANY (${unused}::text[])
        AND last_used_at < ${new Date(before.getTime() - USED_FOR)}::timestamptz
      FOR UPDATE SKIP LOCKED))`
  return { count, next: page.length === take ? page.at(-1)?.hash : undefined }
}
