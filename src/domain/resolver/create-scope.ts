// Creates scopes: of requests, and of the gateway's own work in one environment.
import { despiteConflicts } from '../../data/driver/database-errors.ts'
import type { Connection } from '../../data/connection/database.ts'
import { createLoaders, type Tenant } from '../../data/reading/loader.ts'
import { NewTrace, type Traced } from '../../lib/trace.ts'
import type { ApiKeyCaller, Caller, ProviderCaller, SessionCaller } from './caller.ts'
import { gatewayAt } from './databases.ts'
import type { Act, EnvironmentScope, Gateway, Past, Scope, WithoutPlace } from './scope.ts'

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
  return createScopeOn(gatewayAt(gateway, caller.database), caller, withoutPlace, trace, signIn)
}

/** Creates the scope of a request on the database of `gateway`, whichever has the rows of the caller's environment. */
function createScopeOn(
  gateway: Gateway,
  caller: Caller,
  withoutPlace: WithoutPlace,
  trace: Traced,
  signIn: Scope['signIn'],
): Scope {
  const { feeds, changes, callers, counts, acceptance, triggerTraces, keyUses, providers, db, replica } = gateway
  const { database, databases } = gateway
  const { environmentId } = caller
  const findReplica =
    replica &&
    (async () => {
      const client = await replica.clientFor(environmentId)
      return client && createScope({ ...gateway, db: client, replica: undefined }, caller, withoutPlace, trace)
    })
  const ensureRead = async () => replica?.written(environmentId)
  const pastOf = (other: ApiKeyCaller | ProviderCaller, past: Past) =>
    createScope({ ...gatewayAt(gateway, other.database), ...past }, other)
  const ofSession = (session: SessionCaller) => createScope(gateway, session, withoutPlace, trace)
  let others: Map<string | null, Scope> | undefined
  const elsewhere = (name: string | null) => {
    others ??= new Map()
    const scope = others.get(name) ?? createScopeOn(databases.at(name), caller, withoutPlace, trace, signIn)
    others.set(name, scope)
    return scope
  }
  const { keepsAddressHashes = false } = gateway
  const shared = { feeds, changes, callers, counts, acceptance, triggerTraces, keyUses, providers, keepsAddressHashes }
  const placed = { database, databases, elsewhere }
  const extra = {
    caller,
    ...shared,
    ...placed,
    withoutPlace,
    trace,
    findReplica,
    signIn,
    ensureRead,
    pastOf,
    ofSession,
  }
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
