// The result of a query: loading, a problem, or the data.
import type { ReactNode } from 'react'
import type { CombinedError } from 'urql'
import { problemOf } from '../graph/problem.ts'
import { Loading } from './loading.tsx'
import { ProblemAlert } from './problem-alert.tsx'

interface AnswerProps<Data> {
  readonly data: Data | undefined
  readonly error: CombinedError | undefined
  readonly onRetry: () => void
  readonly children: (data: Data) => ReactNode
}

/** Shows `children` with the data. While the same query is sent again, its earlier data stays on the screen. */
export function Answer<Data>({ data, error, onRetry, children }: AnswerProps<Data>) {
  if (error !== undefined) return <ProblemAlert problem={problemOf(error)} onRetry={onRetry} />
  return data === undefined ? <Loading /> : children(data)
}
