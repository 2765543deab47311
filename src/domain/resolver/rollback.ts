// Transactions that are rolled back even though their work succeeds.
import type { Scope } from './scope.ts'

/**
 * Runs `work` in a transaction and returns its result. Rolls the transaction back unless `isKept` returns true for the
 * result.
 */
export async function withRollback<Result>(
  scope: Scope,
  work: (inner: Scope) => Promise<Result>,
  isKept: (result: Result) => boolean = () => false,
): Promise<Result> {
  /** Carries the result out of the transaction. Each call has its own class, because transactions can be nested. */
  class RolledBack extends Error {
    readonly result: Result

    constructor(result: Result) {
      super('the transaction is rolled back because of its result')
      this.result = result
    }
  }
  const isOwn = (error: unknown): error is RolledBack => error instanceof RolledBack
  try {
    return await scope.transaction(async (inner) => {
      const result = await work(inner)
      if (isKept(result)) return result
      throw new RolledBack(result)
    })
  } catch (error) {
    if (isOwn(error)) return error.result
    throw error
  }
}
