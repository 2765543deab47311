// Scopes as doors hold them: opaque. Only resolvers, and the code around them, can open a scope, so no field or route
// can access data without a permission check.
import type { Metrics } from '../../lib/metrics.ts'
import type { Count } from '../../lib/page.ts'
import type { Traced } from '../../lib/trace.ts'
import type { Caller } from './caller.ts'
import { createScope } from './create-scope.ts'
import type { Scope } from './scope.ts'

/** The scope of a request without its data. */
export class DoorScope {
  #scope: Scope

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** @param openAs creates the scope of a caller in the request. */
  static ofRequest(openAs: (caller: Caller, signIn?: Scope['signIn']) => Scope, caller: Caller): DoorScope {
    const door = new DoorScope(
      openAs(caller, (signedIn) => {
        if (caller.kind === 'anonymous') door.#scope = openAs(signedIn)
      }),
    )
    return door
  }

  get caller(): Caller {
    return this.#scope.caller
  }

  get metrics(): Metrics {
    return this.#scope.metrics
  }

  get trace(): Traced {
    return this.#scope.trace
  }

  /** True if reads may run on a replica. */
  get hasReplica(): boolean {
    return this.#scope.findReplica !== undefined
  }

  /** Calls `listener` when callers of the environment change. @returns a function that stops it. */
  watchCaller(listener: () => void): () => void {
    return this.#scope.callers.watch(this.#scope.caller, listener)
  }

  /** Returns the kept count of a list, or counts it. */
  count(key: string, count: () => Promise<Count>): Promise<Count> {
    return this.#scope.counts.get(this.#scope.environmentId, key, count)
  }

  /** Returns the scope. `test/house/floors.test.ts` lists the files that may call it. */
  static open(scope: Scope | DoorScope): Scope {
    return scope instanceof DoorScope ? scope.#scope : scope
  }
}

/** Creates the scope of a request, for a door. The parameters are those of `createScope`. */
export const createDoorScope = (...[gateway, caller, withoutPlace, trace]: Parameters<typeof createScope>) =>
  DoorScope.ofRequest((one, signIn) => createScope(gateway, one, withoutPlace, trace, signIn), caller)
