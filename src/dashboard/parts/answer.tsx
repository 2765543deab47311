// The result of a query: loading, a problem, or the data.
import type { ReactNode } from 'react'
import { problemOf } from '../graph/problem.ts'
import { type Query, sendAgain } from '../graph/query.ts'
import { Loading } from './loading.tsx'
import { ProblemAlert } from './problem-alert.tsx'

interface AnswerProps<Data> {
  readonly query: Query<Data>
  readonly children: (data: Data) => ReactNode
}

/** Shows `children` with the data, or a problem with a button that repeats the query. */
export function Answer<Data>({ query, children }: AnswerProps<Data>) {
  const [{ data, error }] = query
  if (error !== undefined) return <ProblemAlert problem={problemOf(error)} onRetry={() => sendAgain(query)} />
  return data === undefined ? <Loading /> : children(data)
}
