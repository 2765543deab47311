// The problems of a form that belong to none of its fields.
import type { Problem } from '../../graph/problem.ts'
import { ProblemAlert } from '../problem-alert.tsx'

export function FormProblems({ problems }: { readonly problems: readonly Problem[] }) {
  return problems.map((problem) => <ProblemAlert key={problem.message} problem={problem} />)
}
