// What a resolver works in: one environment, what its caller may do there, and one connection to the database.
import type { Connection } from '../data/database.ts'
import { type Batch, createLoaders, type Tenant } from '../data/loader.ts'
import type { PrismaClient } from '../data/prisma/client.ts'
import type { Cipher } from '../lib/cipher.ts'
import type { FeedWatch } from './feed-watch.ts'
import type { Permission } from './permission.ts'

/** What all scopes of a process share. Tests set the clock and the ids. */
export interface Gateway {
  readonly db: PrismaClient
  readonly cipher: Cipher
  readonly now: () => Date
  /** A UUID of version 7: ids made later sort later. */
  readonly newId: () => string
  readonly feeds: FeedWatch
}

/** What is known of everybody who calls. */
interface AnyCaller {
  readonly environmentId: string
  readonly organizationId: string
  readonly permissions: ReadonlySet<Permission>
}

/** Somebody with an API key. */
export interface ApiKeyCaller extends AnyCaller {
  readonly kind: 'apiKey'
  readonly apiKeyId: string
  readonly userId: string
}

/** A browser, which acts for one subscriber under one exact set of contexts, until it expires. */
export interface SessionCaller extends AnyCaller {
  readonly kind: 'session'
  readonly subscriberId: string
  /** As a row stores them: sorted and without repeats. */
  readonly contextKeys: readonly string[]
  readonly expiresAt: Date
}

/** Somebody who knows what an environment is called in public, and has shown nothing else. */
export interface PublicCaller extends AnyCaller {
  readonly kind: 'public'
}

export type Caller = ApiKeyCaller | SessionCaller | PublicCaller

/** One environment and one connection to its database: what work is done in, whoever asked for it. */
export interface EnvironmentScope extends Tenant {
  readonly cipher: Cipher
  readonly now: () => Date
  readonly newId: () => string
  /** Reads through a batch: what is asked for at the same time becomes one statement. */
  readonly load: <Key, Value>(batch: Batch<Key, Value>, key: Key) => Promise<Value>
  /** Reads anew from now on: for what goes on for longer than a request. */
  readonly forget: () => void
  /**
   * Runs `work` in one transaction: all of it happens, or nothing. `work` must use the scope it is given and no
   * other.
   *
   * Within a transaction it is a savepoint of that one: when `work` throws, only its own writes are undone and the
   * outer one goes on, also after a statement that failed. Two savepoints of one transaction cannot be open side by
   * side: wait for the first before the second. The graph runs the mutations of an operation one after the other.
   */
  readonly transaction: <Result>(work: (scope: EnvironmentScope) => Promise<Result>) => Promise<Result>
}

/** The scope of a caller. */
export interface Scope extends EnvironmentScope {
  readonly caller: Caller
  readonly feeds: FeedWatch
  readonly transaction: <Result>(work: (scope: Scope) => Promise<Result>) => Promise<Result>
}

interface Extended<Extra> extends EnvironmentScope {
  readonly transaction: <Result>(work: (inner: Extended<Extra> & Extra) => Promise<Result>) => Promise<Result>
}

function open<Extra extends object>(
  { cipher, now, newId }: Pick<Gateway, 'cipher' | 'now' | 'newId'>,
  tenant: Tenant,
  extra: Extra,
): Extended<Extra> & Extra {
  const over = (db: Connection): Extended<Extra> & Extra => {
    const own = { environmentId: tenant.environmentId, db }
    const loaders = createLoaders(own)
    return {
      ...extra,
      ...own,
      cipher,
      now,
      newId,
      load: loaders.load,
      forget: loaders.clear,
      async transaction(work) {
        const result = await db.$transaction((inner) => work(over(inner)))
        // What was read before the write may not be true any more.
        loaders.clear()
        return result
      },
    }
  }
  return over(tenant.db)
}

/** The scope of one request. */
export function createScope(gateway: Gateway, caller: Caller): Scope {
  const { feeds, db } = gateway
  return open(gateway, { environmentId: caller.environmentId, db }, { caller, feeds })
}

/** Where the gateway works by itself in an environment, over its database or a transaction of it. */
export function createEnvironmentScope(
  gateway: Gateway,
  environmentId: string,
  db: Connection = gateway.db,
): EnvironmentScope {
  return open(gateway, { environmentId, db }, {})
}
