// Subscriptions: streams of results, each as long as its caller may read it.
import type { ExecutionResult, GraphQLError } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { Refusal } from '../../lib/errors.ts'
import type { GraphContext } from '../schema/builder.ts'

/** Between two looks whether the caller is still known, in milliseconds: a key that was revoked hears no longer. */
export const RECHECK_INTERVAL = 60_000

type Results = AsyncIterableIterator<ExecutionResult>

const over = { done: true, value: undefined } as const

/**
 * The same stream, which ends when the caller is not known any more. Whatever ends it before its time is told in a last
 * result.
 */
function guarded(
  results: AsyncIterable<ExecutionResult>,
  recheck: () => Promise<unknown>,
  mask: (error: unknown) => GraphQLError,
): Results {
  const source = results[Symbol.asyncIterator]()
  let isOver = false
  let cause: unknown

  const timer = setInterval(() => {
    recheck().catch((error: unknown) => {
      // What only cannot be looked up now is looked up the next time.
      if (!(error instanceof Refusal) || error.kind !== 'UNAUTHENTICATED') return
      cause = error
      void source.return?.()
    })
  }, RECHECK_INTERVAL)
  timer.unref()

  const end = () => {
    isOver = true
    clearInterval(timer)
  }
  return {
    async next() {
      if (isOver) return over
      try {
        const result = await source.next()
        if (result.done !== true && cause === undefined) return result
      } catch (error) {
        cause ??= error
      }
      end()
      return cause === undefined ? over : { done: false, value: { errors: [mask(cause)] } }
    },
    async return() {
      end()
      await source.return?.()
      return over
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

export function useSubscriptions(mask: (error: unknown) => GraphQLError): Plugin<GraphContext> {
  return {
    onSubscribe({ args }) {
      return {
        onSubscribeResult({ result, setResult }) {
          if (isAsyncIterable(result)) setResult(guarded(result, args.contextValue.recheck, mask))
        },
      }
    },
    onResponse({ response }) {
      // A proxy that gathers an answer before it passes it on would keep a stream for itself.
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
        response.headers.set('X-Accel-Buffering', 'no')
      }
    },
  }
}
