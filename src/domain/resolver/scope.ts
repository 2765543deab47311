// Scopes: one environment, its caller and one database connection. Every resolver runs in one.
import type { Logger } from 'pino'
import type { Batch, Tenant } from '../../data/reading/loader.ts'
import type { PrismaClient } from '../../data/prisma/client.ts'
import type { Replica } from '../../data/replica/replica.ts'
import type { Accepted } from '../../data/trigger.ts'
import type { KeyUses } from '../../data/access/key-uses.ts'
import type { ConnectedSubscribers } from '../../data/online/connected-subscribers.ts'
import type { TriggerTraces } from '../../data/trigger-traces.ts'
import type { EnvironmentEvaluator, Evaluator } from '../../evaluation/evaluator.ts'
import type { Cipher } from '../../lib/cipher.ts'
import type { CountCache } from '../../lib/count-cache.ts'
import type { Groups } from '../../lib/groups.ts'
import type { Metrics } from '../../lib/metrics.ts'
import type { LogCounter } from '../../lib/log-counter.ts'
import type { Traced } from '../../lib/trace.ts'
import type { CallerCache } from './caller-cache.ts'
import type { ChangeWatch } from './change-watch.ts'
import type { ApiKeyCaller, ProviderCaller, Caller, DashboardCaller, SessionCaller } from './caller.ts'
import type { Databases } from './databases.ts'
import type { FeedWatch } from './feed-watch.ts'
import type { ProviderDirectory } from '../channel/provider-directory.ts'
import type { WebhookInterest } from './webhook-interest.ts'

/** The log, for operators. */
export type Log = Pick<Logger, 'info' | 'warn'>

/** The dependencies that all scopes of a process share. Tests set the clock and the ids. */
export interface Gateway {
  readonly db: PrismaClient
  /** The name of the database that `db` connects to. Null for the main one. */
  readonly database: string | null
  /** All databases of the installation. */
  readonly databases: Databases<Gateway>
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
  /** The subscribers with connections to this process. Housekeeping writes them. */
  readonly connected: ConnectedSubscribers
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

/** An act after a commit. */
export type Act = () => void

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
  /** The name of the database that `db` connects to. Null for the main one. */
  readonly database: string | null
  /** All databases of the installation. */
  readonly databases: Databases<Gateway>
  /**
   * Returns the scope of the same caller on another database, outside of this transaction. `scopeOn` calls it.
   *
   * @throws Refusal `UNAVAILABLE`
   */
  readonly elsewhere: (database: string | null) => Scope
  /** Executes the rest of a request without credentials as the caller of the session that it has opened. */
  readonly signIn: (caller: DashboardCaller) => void
  /** Ensures that later reads of the environment's callers have everything that was committed until now. */
  readonly ensureRead: () => Promise<void>
  /** The scope of the first API key of an environment that the caller has just created, or of its provider, in the past. */
  readonly pastOf: (caller: ApiKeyCaller | ProviderCaller, past: Past) => Scope
  /** The scope of a session that the caller has just opened. */
  readonly ofSession: (session: SessionCaller) => Scope
  readonly transaction: <Result>(work: (scope: Scope) => Promise<Result>) => Promise<Result>
  /**
   * Runs `work`, which writes with at most one statement. PostgreSQL runs a statement entirely or not at all, so no
   * transaction is needed around it. Within a transaction, this is the same as `transaction`.
   */
  readonly atomic: <Result>(work: (scope: AtomicScope) => Promise<Result>) => Promise<Result>
}

/** The scope of work that writes with one statement. It cannot open a transaction. */
export type AtomicScope = Omit<Scope, 'transaction' | 'atomic'>
