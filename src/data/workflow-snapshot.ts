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

/** Snapshots by hash. They are shared: nobody may change them. */
export const workflowSnapshots: Batch<string, Prisma.JsonValue> = {
  async load({ db, environmentId }, hashes) {
    const keyOf = (hash: string) => `${environmentId} ${hash}`
    const found = new Map(hashes.map((hash) => [hash, kept.get(keyOf(hash))]))
    const missing = hashes.filter((hash) => found.get(hash) === undefined)
    if (missing.length > 0) {
      const where = { environmentId, hash: { in: missing } }
      for (const row of await db.workflowSnapshot.findMany({ where, select: { hash: true, workflow: true } })) {
        kept.set(keyOf(row.hash), row)
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
