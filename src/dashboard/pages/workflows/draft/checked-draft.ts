// The unsaved steps and payload schema, which the gateway checks while someone types.
import { useDebouncedValue } from '@mantine/hooks'
import { createContext, useMemo } from 'react'
import { useQuery } from 'urql'
import { graphql, type ResultOf, type VariablesOf } from '../../../graph/graphql.ts'
import type { CodeProblem } from '../../../parts/code/code-language.ts'
import { stepInput } from './step-values.ts'
import { fieldPath, valueErrors, withoutPath } from './workflow-problems.ts'
import { payloadSchemaInput, type WorkflowValues } from './workflow-values.ts'

/** Milliseconds without a change before the draft is checked. */
const CHECK_PAUSE = 400

const checkQuery = graphql(`
  query CheckWorkflow($input: CheckWorkflowInput!) {
    checkWorkflow(input: $input) {
      field
      line
      column
      level
      message
    }
  }
`)

type Draft = VariablesOf<typeof checkQuery>['input']
type Found = ResultOf<typeof checkQuery>['checkWorkflow'][number]

/** An error of one field. */
interface DraftError {
  readonly message: string
  /** The position of the error in a template. */
  readonly problem: CodeProblem | undefined
}

/** Errors by form field path. */
type DraftErrors = ReadonlyMap<string, DraftError>

export interface CheckedDraft {
  /**
   * The errors to show at fields. An empty field is unfinished rather than wrong, so it shows no error before it is
   * saved.
   */
  readonly errors: DraftErrors
  /** The errors that prevent the steps from being executed, by path. An error in a template only fails its step. */
  readonly obstacles: readonly (readonly [path: string, message: string])[]
  /** The draft, ready for a preview. Undefined while it is checked or has such errors. */
  readonly draft: Draft | undefined
}

const nothing: CheckedDraft = { errors: new Map(), obstacles: [], draft: undefined }

/** The errors of the edited workflow. */
export const DraftErrors = createContext<DraftErrors>(nothing.errors)

/** Returns the local errors of the parts to check. The gateway could not read these parts. */
const unreadable = (values: WorkflowValues) =>
  Object.entries(valueErrors(values)).filter(([path]) => path.startsWith('steps.') || path === 'payloadSchema')

const isEmpty = (draft: Draft, field: readonly string[]): boolean => {
  const value = field.reduce<unknown>(
    (inside, key) => (typeof inside === 'object' && inside !== null ? Reflect.get(inside, key) : inside),
    draft,
  )
  return value === '' || value === null || value === undefined
}

function draftError({ line, column, message: text }: Found): DraftError {
  const message = withoutPath(text)
  return { message, problem: line === null || column === null ? undefined : { line, column, message } }
}

export function useCheckedDraft(values: WorkflowValues): CheckedDraft {
  const local = JSON.stringify(unreadable(values))
  const isReadable = local === '[]'
  const text = isReadable
    ? JSON.stringify({ steps: values.steps.map(stepInput), payloadSchema: payloadSchemaInput(values) } satisfies Draft)
    : undefined
  const [settled = '{}'] = useDebouncedValue(text, CHECK_PAUSE)
  const variables = useMemo(() => ({ input: JSON.parse(settled) as Draft }), [settled])
  const [{ data, error, fetching }] = useQuery({ query: checkQuery, variables, pause: !isReadable })
  return useMemo(() => {
    if (!isReadable) return { ...nothing, obstacles: JSON.parse(local) as [string, string][] }
    const { input } = variables
    const found = data?.checkWorkflow ?? []
    const shown = found.filter(({ field }) => !isEmpty(input, field))
    const obstacles = found.filter(({ line, level }) => line === null && level === 'ERROR')
    return {
      // A field shows its first problem: errors are before warnings.
      errors: new Map([...shown].reverse().map((each) => [fieldPath(each.field), draftError(each)])),
      obstacles: obstacles.map(({ field, message }) => [fieldPath(field), message] as const),
      // A preview reports the same if the gateway does not respond.
      draft: !fetching && obstacles.length === 0 && (data ?? error) !== undefined ? input : undefined,
    }
  }, [isReadable, local, variables, data, error, fetching])
}
