// What a resolver works in: one environment, what its caller may do there, and one connection to the database.
import type { Connection } from '../data/database.ts'
import { type Batch, createLoaders, type Tenant } from '../data/loader.ts'
import type { PrismaClient } from '../data/prisma/client.ts'
import type { Cipher } from '../lib/cipher.ts'
import type { Permission } from './permission.ts'

/** What all scopes of a process share. Tests set the clock and the ids. */
export interface Gateway {
  readonly db: PrismaClient
  readonly cipher: Cipher
  readonly now: () => Date
  /** A UUID of version 7: ids made later sort later. */
  readonly newId: () => string
}

/** Who calls, as their API key says. */
export interface Caller {
  readonly environmentId: string
  readonly organizationId: string
  readonly apiKeyId: string
  readonly userId: string
  readonly permissions: ReadonlySet<Permission>
}

export interface Scope extends Tenant {
  readonly caller: Caller
  readonly cipher: Cipher
  readonly now: () => Date
  readonly newId: () => string
  /** Reads through a batch: what a request asks for at the same time becomes one statement. */
  readonly load: <Key, Value>(batch: Batch<Key, Value>, key: Key) => Promise<Value>
  /**
   * Runs `work` in one transaction: all of it happens, or nothing. `work` must use the scope it is given and no other.
   *
   * Within a transaction it is a savepoint of that one: when `work` throws, only its own writes are undone and the
   * outer one goes on, also after a statement that failed. Two savepoints of one transaction cannot be open side by
   * side: wait for the first before the second. The graph runs the mutations of an operation one after the other.
   */
  readonly transaction: <Result>(work: (scope: Scope) => Promise<Result>) => Promise<Result>
}

/** The scope of one request. */
export function createScope(gateway: Gateway, caller: Caller): Scope {
  const { cipher, now, newId } = gateway
  const over = (db: Connection): Scope => {
    const tenant = { environmentId: caller.environmentId, db }
    const loaders = createLoaders(tenant)
    return {
      ...tenant,
      caller,
      cipher,
      now,
      newId,
      load: loaders.load,
      async transaction(work) {
        const result = await db.$transaction((inner) => work(over(inner)))
        // What was read before the write may not be true any more.
        loaders.clear()
        return result
      },
    }
  }
  return over(gateway.db)
}
