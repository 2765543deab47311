// Whether the caller of a stream still has access. A stream stays open for hours. Without further checks, someone with a
// stolen API key could keep reading after the key was revoked. So each open stream authenticates its caller again when
// callers of its environment change and, because sessions expire, at an interval.
import type { DoorScope } from '../domain/resolver/door-scope.ts'
import { Refusal } from '../lib/errors.ts'

/** The time between two authentication checks of an open stream, in milliseconds. */
export const RECHECK_INTERVAL = 60_000

/**
 * @param recheck authenticates the caller again. @param onLost is called when that fails, and possibly again later.
 * @returns a function that ends the watch.
 */
export function watchAccess(
  scope: Pick<DoorScope, 'watchCaller'>,
  recheck: () => Promise<unknown>,
  onLost: (refusal: Refusal) => void,
): () => void {
  const check = () => {
    recheck().catch((error: unknown) => {
      // Other errors, such as an unavailable database, say nothing about the caller. The next check decides.
      if (error instanceof Refusal) onLost(error)
    })
  }
  const timer = setInterval(check, RECHECK_INTERVAL)
  timer.unref()
  const unwatch = scope.watchCaller(check)
  return () => {
    clearInterval(timer)
    unwatch()
  }
}
