// Where reads run: on a replica, if one is configured and has what the environment's callers have written.
import { isReplicaFault } from '../../data/driver/database-errors.ts'
import type { Scope } from './scope.ts'

/**
 * Runs `work`, which must only read and is not part of a transaction, on one database: on the replica if it has caught up,
 * otherwise on the primary. Work that fails because it ran on the replica is repeated on the primary once.
 *
 * @param errorsOf the errors that a result contains, for work that does not throw them.
 */
export async function reading<Result>(
  scope: Scope,
  work: (scope: Scope) => Result | Promise<Result>,
  errorsOf: (result: Result) => readonly unknown[] = () => [],
): Promise<Result> {
  if (scope.findReplica === undefined) return work(scope)
  const onReplica = await scope.findReplica()
  if (onReplica === undefined) return work(scope)
  try {
    const result = await work(onReplica)
    if (!errorsOf(result).some(isReplicaFault)) return result
  } catch (error) {
    if (!isReplicaFault(error)) throw error
  }
  scope.metrics.replicaRead('repeated')
  return work(scope)
}
