// Chooses where reads run: on a replica, if one is configured and has the writes of the environment's callers.
import { isReplicaFault } from '../../data/driver/database-errors.ts'
import { DoorScope } from './door-scope.ts'

/**
 * Runs `work`, which must be read-only and outside of a transaction, on one database: the replica if it has caught up,
 * otherwise the primary. Work that fails because it ran on the replica is repeated once on the primary.
 *
 * @param errorsOf returns the errors in a result, for work that does not throw them.
 */
export async function reading<Result>(
  scope: DoorScope,
  work: (scope: DoorScope) => Result | Promise<Result>,
  errorsOf: (result: Result) => readonly unknown[] = () => [],
): Promise<Result> {
  const onReplica = await DoorScope.open(scope).findReplica?.()
  if (onReplica === undefined) return work(scope)
  try {
    const result = await work(new DoorScope(onReplica))
    if (!errorsOf(result).some(isReplicaFault)) return result
  } catch (error) {
    if (!isReplicaFault(error)) throw error
  }
  scope.metrics.replicaRead('repeated')
  return work(scope)
}
