// Scopes: one environment, its caller and one database connection. Every resolver runs in one.
import type { Logger } from 'pino'
import { despiteConflicts } from '../../data/driver/database-errors.ts'
import type { Connection } from '../../data/connection/database.ts'
import { type Batch, createLoaders, type Tenant } from '../../data/reading/loader.ts'
import type { PrismaClient } from '../../data/prisma/client.ts'
import type { Replica } from '../../data/replica/replica.ts'
import type { Accepted } from '../../data/trigger.ts'
import type { KeyUses } from '../../data/access/key-uses.ts'
import type { TriggerTraces } from '../../data/trigger-traces.ts'
import type { EnvironmentEvaluator, Evaluator } from '../../evaluation/evaluator.ts'
import type { Cipher } from '../../lib/cipher.ts'
import type { CountCache } from '../../lib/count-cache.ts'
import type { Groups } from '../../lib/groups.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { LogCounter } from '../../lib/log-counter.ts'
import { NewTrace, type Traced } from '../../lib/trace.ts'
import type { CallerCache } from './caller-cache.ts'
import type { ChangeWatch } from './change-watch.ts'
import type { ApiKeyCaller, ProviderCaller, Caller, DashboardCaller } from './caller.ts'
import type { FeedWatch } from './feed-watch.ts'
import type { ProviderDirectory } from '../channel/provider-directory.ts'
import type { WebhookInterest } from './webhook-interest.ts'

/** The log, for operators. */
export type Log = Pick<Logger, 'info' | 'warn'>

/** The dependencies that all scopes of a process share. Tests set the clock and the ids. */
export interface Gateway {
  readonly db: PrismaClient
  readonly cipher: Cipher
  readonly log: Log
  readonly now: () => Date
  /** Returns a UUID version 7: later ids sort later. */
  readonly newId: () => string
  readonly feeds: FeedWatch
  readonly changes: ChangeWatch
  readonly callers: CallerCache
  /** The types of webhook messages that are wanted. */
  readonly webhooks: WebhookInterest
  /** Counts requests with an unknown API key, for the log. */
  readonly unknownKeys: LogCounter
  /** Counts of lists, by environment. Each transaction in this process drops the counts of its environment. */
  readonly counts: CountCache
  readonly evaluator: Evaluator
  readonly metrics: Metrics
  /**
   * Groups triggers of different requests that are written together, by environment. The result is true for triggers
   * that were written.
   */
  readonly acceptance: Groups<Accepted, boolean>
  /** Traces of triggers that created no event, until housekeeping writes them. */
  readonly triggerTraces: TriggerTraces
  /** The last uses of API keys, until housekeeping writes them. */
  readonly keyUses: KeyUses
  readonly providers: ProviderDirectory
  /** True if an erasure keeps the hashes of suppressed addresses. Default: false. */
  readonly keepsAddressHashes?: boolean | undefined
  /**
   * The https address at which anyone reaches the pages of links in messages, without a slash at its end. Undefined if
   * none is configured: messages have no such links then.
   */
  readonly publicUrl: string | undefined
  /** The address at which strangers reach the gateway, without a slash at its end. Absent if it is not configured. */
  readonly baseUrl?: string | undefined
  /** Answers reads from a replica. Absent if none is configured. */
  readonly replica?: Replica | undefined
}

/** One environment and one database connection, without a caller. */
export interface EnvironmentScope extends Tenant {
  readonly cipher: Cipher
  readonly log: Log
  readonly now: () => Date
  readonly newId: () => string
  /** See `Gateway.baseUrl`. */
  readonly baseUrl?: string | undefined
  readonly metrics: Metrics
  /** See `Gateway.publicUrl`. */
  readonly publicUrl: string | undefined
  readonly webhooks: Pick<WebhookInterest, 'typesOf' | 'forget'>
  /** Evaluates templates, conditions and payload schemas. */
  readonly evaluator: EnvironmentEvaluator
  /** Reads through a batch: concurrent reads become one statement. */
  readonly load: <Key, Value>(batch: Batch<Key, Value>, key: Key) => Promise<Value>
  /** Clears the loaders. For work that outlives a request, such as a stream. */
  readonly forget: () => void
  /**
   * Runs `work` in one transaction. `work` must use only the scope that it receives. After a deadlock, `work` is
   * repeated.
   *
   * Within a transaction this is a savepoint: if `work` throws, only its own writes are rolled back, and the outer
   * transaction continues, even after a failed statement. A transaction can have only one open savepoint at a time, so
   * await the first before opening another. GraphQL runs the mutations of an operation one after the other.
   */
  readonly transaction: <Result>(work: (scope: EnvironmentScope) => Promise<Result>) => Promise<Result>
  /** True within a transaction, which must wait for nothing but the database. */
  readonly inTransaction: boolean
  /**
   * Calls `act` once the outermost transaction has committed, and never if a surrounding transaction is rolled back.
   * Outside of a transaction, calls it immediately. `act` must not throw.
   */
  readonly afterCommit: (act: Act) => void
}

type Act = () => void

/**
 * Waits for other requests of the environment, or for a provider, and frees the request's place meanwhile, so that
 * others can start. Do not call it while holding a transaction or another lock.
 */
export type WithoutPlace = <Result>(waiting: () => Promise<Result>) => Promise<Result>

/** What a scope in the past has of its own: its clock, ids in the order of that clock, and who learns of its acts. */
export type Past = Pick<Gateway, 'now' | 'newId' | 'log' | 'metrics'>

/** The scope of a request. */
export interface Scope extends EnvironmentScope {
  readonly caller: Caller
  readonly feeds: FeedWatch
  readonly changes: ChangeWatch
  readonly callers: Pick<CallerCache, 'forget' | 'watch'>
  readonly counts: CountCache
  readonly acceptance: Groups<Accepted, boolean>
  readonly triggerTraces: Pick<TriggerTraces, 'add'>
  readonly keyUses: Pick<KeyUses, 'add'>
  readonly providers: ProviderDirectory
  /** True if an erasure keeps the hashes of suppressed addresses. */
  readonly keepsAddressHashes: boolean
  readonly withoutPlace: WithoutPlace
  /** The trace of the request. */
  readonly trace: Traced
  /**
   * The same scope on the replica, if the replica has all writes of the environment's callers. Undefined if no replica
   * is configured. `reading` uses it.
   */
  readonly findReplica: (() => Promise<Scope | undefined>) | undefined
  /** Executes the rest of a request without credentials as the caller of the session that it has opened. */
  readonly signIn: (caller: DashboardCaller) => void
  /** Ensures that later reads of the environment's callers have everything that was committed until now. */
  readonly ensureRead: () => Promise<void>
  /** The scope of the first API key of an environment that the caller has just created, or of its provider, in the past. */
  readonly pastOf: (caller: ApiKeyCaller | ProviderCaller, past: Past) => Scope
  readonly transaction: <Result>(work: (scope: Scope) => Promise<Result>) => Promise<Result>
  /**
   * Runs `work`, which writes with at most one statement. PostgreSQL runs a statement entirely or not at all, so no
   * transaction is needed around it. Within a transaction, this is the same as `transaction`.
   */
  readonly atomic: <Result>(work: (scope: AtomicScope) => Promise<Result>) => Promise<Result>
}

/** The scope of work that writes with one statement. It cannot open a transaction. */
export type AtomicScope = Omit<Scope, 'transaction' | 'atomic'>

interface Extended<Extra> extends EnvironmentScope {
  readonly transaction: <Result>(work: (inner: Extended<Extra> & Extra) => Promise<Result>) => Promise<Result>
  readonly atomic: <Result>(work: (scope: Extended<Extra> & Extra) => Promise<Result>) => Promise<Result>
}

function open<Extra extends object>(
  gateway: Pick<
    Gateway,
    | 'db'
    | 'cipher'
    | 'log'
    | 'now'
    | 'newId'
    | 'evaluator'
    | 'metrics'
    | 'counts'
    | 'publicUrl'
    | 'baseUrl'
    | 'webhooks'
  >,
  tenant: Tenant,
  extra: Extra,
  committed?: Act[],
  written?: (environmentId: string) => Promise<void>,
): Extended<Extra> & Extra {
  const { cipher, log, now, newId, evaluator, metrics, counts, publicUrl, baseUrl, webhooks } = gateway
  const { environmentId } = tenant
  /** @param pending the acts that wait for the commit of the transaction `db`. Undefined outside of a transaction. */
  const over = (db: Connection, pending?: Act[]): Extended<Extra> & Extra => {
    const loaders = createLoaders({ environmentId, db })
    /** Forgets what was read before a write. */
    const forgetReads = () => {
      loaders.clear()
      counts.drop(environmentId)
    }
    const scope: Extended<Extra> & Extra = {
      environmentId,
      db,
      cipher,
      log,
      now,
      newId,
      baseUrl,
      metrics,
      publicUrl,
      webhooks,
      evaluator: db === tenant.db ? evaluator.of(environmentId) : evaluator.inTransactionOf(environmentId),
      load: loaders.load,
      forget: loaders.clear,
      inTransaction: db !== gateway.db,
      async transaction(work) {
        const attempt = async () => {
          const acts: Act[] = []
          return { acts, result: await db.$transaction((inner) => work(over(inner, acts))) }
        }
        // A savepoint does not help after a deadlock, so the outermost transaction is repeated.
        const { acts, result } = await (scope.inTransaction ? attempt() : despiteConflicts(attempt))
        forgetReads()
        for (const act of acts) scope.afterCommit(act)
        if (pending === undefined) await written?.(environmentId)
        return result
      },
      async atomic(work) {
        // A failed statement would abort the surrounding transaction, which may have more to do, so it needs a
        // savepoint.
        if (db !== gateway.db) return scope.transaction(work)
        const result = await despiteConflicts(() => work(scope))
        forgetReads()
        await written?.(environmentId)
        return result
      },
      afterCommit(act) {
        if (pending === undefined) act()
        else pending.push(act)
      },
      // Added last, because V8 makes an object slow if fields are added after a spread.
      ...extra,
    }
    return scope
  }
  return over(tenant.db, committed)
}

/**
 * Creates the scope of a request.
 *
 * @param withoutPlace frees the request's place while waiting. Default: the request has no place.
 * @param trace of the request. Default: a new one.
 * @param signIn see `Scope.signIn`. Default: no effect.
 */
export function createScope(
  gateway: Gateway,
  caller: Caller,
  withoutPlace: WithoutPlace = (waiting) => waiting(),
  trace: Traced = new NewTrace(),
  signIn: Scope['signIn'] = () => undefined,
): Scope {
  const { feeds, changes, callers, counts, acceptance, triggerTraces, keyUses, providers, db, replica } = gateway
  const { environmentId } = caller
  const findReplica =
    replica &&
    (async () => {
      const client = await replica.clientFor(environmentId)
      return client && createScope({ ...gateway, db: client, replica: undefined }, caller, withoutPlace, trace)
    })
  const ensureRead = async () => replica?.written(environmentId)
  const pastOf = (other: ApiKeyCaller | ProviderCaller, past: Past) => createScope({ ...gateway, ...past }, other)
  const { keepsAddressHashes = false } = gateway
  const shared = { feeds, changes, callers, counts, acceptance, triggerTraces, keyUses, providers, keepsAddressHashes }
  const extra = { caller, ...shared, withoutPlace, trace, findReplica, signIn, ensureRead, pastOf }
  return open(gateway, { environmentId, db }, extra, undefined, replica?.written)
}

/**
 * Creates a scope without a caller, for the gateway's own work. `db` may be a transaction.
 *
 * @param committed receives the acts to call after that transaction's commit.
 */
export function createEnvironmentScope(
  gateway: Gateway,
  environmentId: string,
  db: Connection = gateway.db,
  committed?: (() => void)[],
): EnvironmentScope {
  return open(gateway, { environmentId, db }, {}, committed)
}
