// A limit to how long what others wrote may keep the process: templates, conditions, patterns of a JSON Schema.
import { createContext, Script } from 'node:vm'

/** Work that took longer than it may. */
export class TimeLimitExceeded extends Error {
  constructor(milliseconds: number) {
    super(`takes longer than ${milliseconds} ms`)
    this.name = 'TimeLimitExceeded'
  }
}

// The context is no sandbox: the work runs where it was written. Only this way in has a watchdog, which can stop a loop
// or a regular expression that never comes back.
const room: { work?: () => unknown } = {}
createContext(room)
const call = new Script('work()')

/** By its code only: the error may be of the context's own class. */
const isTimeout = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/**
 * What `work`, which must not be asynchronous, comes to.
 *
 * @throws TimeLimitExceeded after `milliseconds`; `work` has ended by then. @throws what `work` throws
 */
export function within<Result>(milliseconds: number, work: () => Result): Result {
  let outcome: { readonly result: Result } | undefined
  room.work = () => {
    outcome = { result: work() }
  }
  try {
    call.runInContext(room, { timeout: milliseconds })
  } catch (error) {
    throw isTimeout(error) ? new TimeLimitExceeded(milliseconds) : error
  } finally {
    room.work = undefined
  }
  if (outcome === undefined) throw new Error('the work did not run')
  return outcome.result
}
