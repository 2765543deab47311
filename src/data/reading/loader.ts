// Batches: single reads that are combined into one statement, per request and per transaction.
import DataLoader from 'dataloader'
import type { Connection } from '../connection/database.ts'

/** The environment whose rows are read, and the connection. */
export interface Tenant {
  readonly environmentId: string
  readonly db: Connection
}

/** Reads many keys in one statement. */
export interface Batch<Key, Value> {
  /** @returns the values in the order of the keys. An error rejects only the calls with that key. */
  readonly load: (tenant: Tenant, keys: readonly Key[]) => Promise<readonly (Value | Error)[]>
  /** Required if keys are objects. Keys with the same text are equal. */
  readonly cacheKey?: (key: Key) => string
}

/** A batch that finds at most one row per key; null if there is none. */
export function rowBatch<Row>(
  find: (tenant: Tenant, keys: string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string | null,
): Batch<string, Row | null> {
  return {
    async load(tenant, keys) {
      const rows = new Map((await find(tenant, [...keys])).map((row) => [keyOf(row), row]))
      return keys.map((key) => rows.get(key) ?? null)
    },
  }
}

/** A batch that finds any number of rows per key, in the order of `find`. */
export function groupBatch<Row>(
  find: (tenant: Tenant, keys: string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string | null,
): Batch<string, readonly Row[]> {
  return {
    async load(tenant, keys) {
      const groups = new Map<string | null, Row[]>(keys.map((key) => [key, []]))
      for (const row of await find(tenant, [...keys])) groups.get(keyOf(row))?.push(row)
      return keys.map((key) => groups.get(key) ?? [])
    },
  }
}

export interface Loaders {
  readonly load: <Key, Value>(batch: Batch<Key, Value>, key: Key) => Promise<Value>
  /** Clears the cache. Call it after a write. */
  readonly clear: () => void
}

/** The loaders of one tenant, created on first use. */
export function createLoaders(tenant: Tenant): Loaders {
  // The value type depends on the key, which is the batch. A Map cannot express that.
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
