// Ends the stream of a subscription when its caller loses access. A stream stays open for hours. Without further
// checks, someone with a stolen API key could keep reading after the key was revoked. So each open stream authenticates
// its caller again when callers of its environment change and, because sessions expire, at an interval.
import type { ExecutionResult } from 'graphql'
import { Refusal } from '../../lib/errors.ts'
import type { Transport } from '../../lib/metrics.ts'
import type { Mask } from './errors.ts'
import type { GraphContext } from '../schema/builder.ts'

/** The time between two authentication checks of an open stream, in milliseconds. */
export const RECHECK_INTERVAL = 60_000

type Results = AsyncIterableIterator<ExecutionResult>

const ended = { done: true, value: undefined } as const

/**
 * Ends a stream when its caller is no longer authenticated. The error that ended the stream is the last result.
 *
 * @param mask converts errors to those that the caller may see.
 */
export function guarded(
  results: AsyncIterable<ExecutionResult>,
  { scope, recheck, record }: GraphContext,
  transport: Transport,
  mask: Mask,
): Results {
  const source = results[Symbol.asyncIterator]()
  let hasEnded = false
  let cause: unknown

  const shown = (result: ExecutionResult): ExecutionResult =>
    result.errors === undefined ? result : { ...result, errors: result.errors.map((error) => mask(error, record)) }

  /** Ends the source. Not all callers await this, so an error is only logged. */
  const leave = async () => {
    try {
      await source.return?.()
    } catch (error) {
      mask(error, record)
    }
  }

  const check = () => {
    recheck().catch((error: unknown) => {
      // Other errors, such as an unavailable database, say nothing about the caller. The next check decides.
      if (!(error instanceof Refusal)) return
      cause = error
      void leave()
    })
  }
  const timer = setInterval(check, RECHECK_INTERVAL)
  timer.unref()
  const unwatch = scope.watchCaller(check)
  const reportEnd = scope.metrics.streamOpened(transport)

  const end = () => {
    if (hasEnded) return
    hasEnded = true
    reportEnd()
    clearInterval(timer)
    unwatch()
  }
  return {
    async next() {
      if (hasEnded) return ended
      try {
        const result = await source.next()
        if (result.done !== true && cause === undefined) return { done: false, value: shown(result.value) }
      } catch (error) {
        cause ??= error
      }
      end()
      return cause === undefined ? ended : { done: false, value: { errors: [mask(cause, record)] } }
    },
    async return() {
      end()
      await leave()
      return ended
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
