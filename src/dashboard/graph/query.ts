// The result of `useQuery`, for components that show it or repeat the query.
import type { CombinedError, OperationContext } from 'urql'

export type Query<Data> = readonly [
  {
    readonly data?: Data | undefined
    readonly error?: CombinedError | undefined
    /** True while a request is in progress. `stale` if cached data is shown meanwhile. */
    readonly fetching: boolean
    readonly stale: boolean
  },
  (options: Partial<OperationContext>) => void,
]

/** Repeats a query without the cache. Its earlier data stays on the screen until the response arrives. */
export const sendAgain = ([, refresh]: Query<unknown>): void => refresh({ requestPolicy: 'network-only' })
