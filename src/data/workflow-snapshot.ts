// Snapshots: workflows as events run them, each version stored once. A process keeps those that it read last.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Batch, Tenant } from './loader.ts'
import { Prisma } from './prisma/client.ts'

/** Memory for kept snapshots, in bytes. */
const CACHE_BYTES = 16 * 1024 * 1024
/** Bytes of memory that one character of JSON takes when it is parsed. */
const PARSED_BYTES = 4

interface WorkflowSnapshot {
  readonly hash: string
  readonly workflow: Prisma.JsonValue
}

/** By environment and hash. The hash is that of the content, so a snapshot that is kept is never out of date. */
const kept = new LRUCache<string, WorkflowSnapshot>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ workflow }) => JSON.stringify(workflow).length * PARSED_BYTES,
})

const keyOf = (environmentId: string, hash: string) => `${environmentId} ${hash}`

/** Snapshots that this process has stored, by environment and hash. */
const stored = new LRUCache<string, true>({ max: 10_000 })

/** True if a snapshot does not have to be stored again. */
export const isStored = ({ environmentId }: Tenant, { hash }: NewSnapshot): boolean =>
  stored.has(keyOf(environmentId, hash))

/** Remembers that snapshots are stored. Not within a transaction, which may be rolled back. */
export function noteStored({ environmentId }: Tenant, snapshots: Iterable<NewSnapshot>): void {
  for (const { hash } of snapshots) stored.set(keyOf(environmentId, hash), true)
}

/** Snapshots by hash. They are shared: nobody may change them. */
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

/** The statement that stores the snapshots that are missing, if `condition` holds. */
export const snapshotInsert = (
  { environmentId }: Tenant,
  snapshots: readonly NewSnapshot[],
  condition: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
  INSERT INTO workflow_snapshots (environment_id, hash, workflow)
  SELECT ${environmentId}::uuid, hash, json::jsonb
  FROM unnest(${snapshots.map(({ hash }) => hash)}::text[], ${snapshots.map(({ json }) => json)}::text[])
    AS snapshot(hash, json)
  WHERE ${condition}
  ORDER BY hash
  ON CONFLICT (environment_id, hash) DO NOTHING`
