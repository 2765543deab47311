// A time limit for code that callers provide. For threads only: the watchdog is slow to enter.
import { createContext, Script } from 'node:vm'

/** The time limit was exceeded. */
export class TimeLimitExceeded extends Error {
  constructor(milliseconds: number) {
    super(`takes longer than ${milliseconds} ms`)
    this.name = 'TimeLimitExceeded'
  }
}

// The context is not a sandbox: the work runs in the main context. vm only provides the timeout, which can stop an
// endless loop or regular expression.
const context: { work?: () => unknown } = {}
createContext(context)
const call = new Script('work()')

/** Only compares the code, because the error may be of the context's own class. */
const isTimeout = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/**
 * Returns the result of `work`, which must be synchronous.
 *
 * @throws TimeLimitExceeded after `milliseconds`, when `work` is stopped. @throws any error of `work`.
 */
export function within<Result>(milliseconds: number, work: () => Result): Result {
  let outcome: { readonly result: Result } | undefined
  context.work = () => {
    outcome = { result: work() }
  }
  try {
    call.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    throw isTimeout(error) ? new TimeLimitExceeded(milliseconds) : error
  } finally {
    context.work = undefined
  }
  if (outcome === undefined) throw new Error('the work did not run')
  return outcome.result
}
