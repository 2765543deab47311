// Batches: reads that are asked for one by one and sent together, per request and per transaction.
import DataLoader from 'dataloader'
import type { Connection } from './database.ts'

/** Whose rows are read, and through which connection. */
export interface Tenant {
  readonly environmentId: string
  readonly db: Connection
}

/** How many keys become one statement. Answers are in the order of the keys; null stands for a row that is not there. */
export interface Batch<Key, Value> {
  readonly load: (tenant: Tenant, keys: readonly Key[]) => Promise<readonly Value[]>
  /** Equal text means equal key; needed where keys are objects. */
  readonly cacheKey?: (key: Key) => string
}

/** A batch that finds at most one row by each key. */
export function rowBatch<Row>(
  find: (tenant: Tenant, keys: string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): Batch<string, Row | null> {
  return {
    async load(tenant, keys) {
      const rows = new Map((await find(tenant, [...keys])).map((row) => [keyOf(row), row]))
      return keys.map((key) => rows.get(key) ?? null)
    },
  }
}

/** A batch that finds any number of rows by each key, in the order in which they were found. */
export function groupBatch<Row>(
  find: (tenant: Tenant, keys: string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): Batch<string, readonly Row[]> {
  return {
    async load(tenant, keys) {
      const groups = new Map<string, Row[]>(keys.map((key) => [key, []]))
      for (const row of await find(tenant, [...keys])) groups.get(keyOf(row))?.push(row)
      return keys.map((key) => groups.get(key) ?? [])
    },
  }
}

export interface Loaders {
  readonly load: <Key, Value>(batch: Batch<Key, Value>, key: Key) => Promise<Value>
  /** Forgets what was read: for after a write. */
  readonly clear: () => void
}

/** The loaders of one tenant, made as they are first used. */
export function createLoaders(tenant: Tenant): Loaders {
  // Each batch is a key of its own, so what is stored under it has its types; a Map cannot say so.
  const loaders = new Map<unknown, unknown>()
  return {
    load<Key, Value>(batch: Batch<Key, Value>, key: Key) {
      let loader = loaders.get(batch) as DataLoader<Key, Value, unknown> | undefined
      if (loader === undefined) {
        loader = new DataLoader<Key, Value, unknown>((keys) => batch.load(tenant, keys), {
          cacheKeyFn: batch.cacheKey ?? ((plain) => plain),
        })
        loaders.set(batch, loader)
      }
      return loader.load(key)
    },
    clear: () => loaders.clear(),
  }
}
