// Ends the stream of a subscription when its caller loses access.
import type { ExecutionResult } from 'graphql'
import { watchAccess } from '../../http/access-watch.ts'
import type { Transport } from '../../lib/metrics.ts'
import type { Mask } from './errors.ts'
import type { GraphContext } from '../schema/builder.ts'

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

  const unwatch = watchAccess(scope, recheck, (refusal) => {
    cause = refusal
    void leave()
  })
  const reportEnd = scope.metrics.streamOpened(transport)

  const end = () => {
    if (hasEnded) return
    hasEnded = true
    reportEnd()
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
