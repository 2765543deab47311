// Repeats the queries on the screen that the gateway did not answer, until it does.
import { type Exchange, makeOperation, type Operation, type OperationResult } from 'urql'
import { pipe, tap } from 'wonka'

/** Milliseconds before the queries are repeated. Doubles until one is answered. */
const PAUSE = { min: 1_000, max: 30_000 }

const isUnanswered = ({ error }: OperationResult): boolean => error?.networkError !== undefined

/** Belongs after the cache. Mutations are not repeated: the gateway may have executed them. */
export const retryExchange: Exchange =
  ({ client, forward }) =>
  (operations) => {
    /** The queries without an answer, by their key. */
    const failed = new Map<number, Operation>()
    let pause = PAUSE.min
    let timer: ReturnType<typeof setTimeout> | undefined

    const repeat = () => {
      clearTimeout(timer)
      timer = undefined
      for (const { kind, ...request } of [...failed.values()]) {
        const context = { ...request.context, requestPolicy: 'network-only' } as const
        client.reexecuteOperation(makeOperation(kind, { kind, ...request }, context))
      }
    }
    const repeatSoon = () => {
      if (timer !== undefined || failed.size === 0) return
      timer = setTimeout(repeat, pause)
      pause = Math.min(pause * 2, PAUSE.max)
    }
    const note = (result: OperationResult) => {
      const { operation } = result
      if (operation.kind !== 'query') return
      if (isUnanswered(result)) {
        failed.set(operation.key, operation)
      } else {
        failed.delete(operation.key)
        pause = PAUSE.min
      }
      repeatSoon()
    }
    window.addEventListener('online', () => failed.size > 0 && repeat())
    return pipe(
      operations,
      tap(({ kind, key }) => kind === 'teardown' && failed.delete(key)),
      forward,
      tap(note),
    )
  }
