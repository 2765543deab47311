// What `useQuery` returns, for the parts that show it or send it again.
import type { CombinedError, OperationContext } from 'urql'

export type Query<Data> = readonly [
  { readonly data?: Data | undefined; readonly error?: CombinedError | undefined },
  (options: Partial<OperationContext>) => void,
]

/** Sends a query again, past the cache. Its earlier data stays on the screen until the answer. */
export const sendAgain = ([, refresh]: Query<unknown>): void => refresh({ requestPolicy: 'network-only' })
