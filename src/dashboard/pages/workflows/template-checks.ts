// The errors of templates while someone types, each at its line and column.
import { useDebouncedValue } from '@mantine/hooks'
import { createContext, useMemo } from 'react'
import { useQuery } from 'urql'
import { graphql, type VariablesOf } from '../../graph/graphql.ts'
import type { CodeProblem } from '../../parts/code-language.ts'
import { stepInput } from './steps/step-values.ts'
import { fieldPath, valueErrors, withoutPath } from './workflow-problems.ts'
import type { WorkflowValues } from './workflow-values.ts'

/** Time without a change before the templates are checked, in milliseconds. */
const CHECK_PAUSE = 400

const checkQuery = graphql(`
  query CheckWorkflow($input: CheckWorkflowInput!) {
    checkWorkflow(input: $input) {
      field
      line
      column
      message
    }
  }
`)

type CheckInput = VariablesOf<typeof checkQuery>['input']

/** Errors by the paths of the form's fields. */
type TemplateErrors = ReadonlyMap<string, CodeProblem>

const none: TemplateErrors = new Map()

/** The errors of the workflow that is edited. */
export const TemplateChecks = createContext<TemplateErrors>(none)

/** Returns the errors of the templates. Empty while a field of the steps is not even complete. */
export function useTemplateChecks(values: WorkflowValues, pause: boolean): TemplateErrors {
  const incomplete = pause || Object.keys(valueErrors(values)).some((path) => path.startsWith('steps.'))
  const input: CheckInput = { steps: incomplete ? [] : values.steps.map(stepInput) }
  const [settled] = useDebouncedValue(JSON.stringify(input), CHECK_PAUSE)
  const variables = useMemo(() => ({ input: JSON.parse(settled) as CheckInput }), [settled])
  const [{ data }] = useQuery({ query: checkQuery, variables, pause: incomplete })
  return useMemo(() => {
    if (incomplete || data === undefined) return none
    const placed = data.checkWorkflow.flatMap(({ field, line, column, message }) =>
      line === null || column === null
        ? []
        : [[fieldPath(field), { line, column, message: withoutPath(message) }] as const],
    )
    return new Map(placed)
  }, [incomplete, data])
}
