// The gateway's errors for a form, each at the field that caused it if the form has one.
import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import type { Problem } from '../../graph/problem.ts'

/** Returns the problems that belong to no field of the form, and a function that reports all problems. */
export function useFormProblems<Values extends object>(
  form: Pick<UseFormReturnType<Values>, 'setErrors' | 'getValues'>,
): readonly [general: readonly Problem[], report: (problems: readonly Problem[]) => void] {
  const [general, setGeneral] = useState<readonly Problem[]>([])
  const report = (problems: readonly Problem[]) => {
    const fieldOf = ({ field }: Problem) => Object.keys(form.getValues()).find((name) => field?.includes(name))
    const errors = problems.flatMap((problem) => {
      const name = fieldOf(problem)
      return name === undefined ? [] : [[name, problem.message] as const]
    })
    form.setErrors(Object.fromEntries(errors))
    setGeneral(problems.filter((problem) => fieldOf(problem) === undefined))
  }
  return [general, report]
}
