// The errors of a workflow that the gateway found, each at its step and field.
import type { Problem } from '../../../graph/problem.ts'
import { jsonObjectError } from '../../../parts/form/json-object.ts'
import type { StepValues } from './step-values.ts'
import type { WorkflowValues } from './workflow-values.ts'

/** The errors of a form, by the paths of its fields. */
export type FieldErrors = Readonly<Record<string, string>>

/** Fields with nested values that a single input edits. */
const whole = [
  'condition',
  'data',
  'payloadFields',
  'payloadSchema',
  'tags',
  'channels',
  'amount',
  'expiresAfter',
  'timeLimit',
  'replyTo',
  'cc',
  'bcc',
]

/**
 * Returns the form field path of an input field path. `steps.0.email.body` becomes `steps.0.body`, because the form
 * stores the type of a step separately.
 */
export function fieldPath(field: readonly string[]): string {
  const [root, position, , ...rest] = field
  const path = root === 'steps' && rest.length > 0 ? [root, position, ...rest] : field
  const end = path.findIndex((part) => part !== undefined && whole.includes(part))
  return (end === -1 ? path : path.slice(0, end + 1)).join('.')
}

/**
 * Removes the field path from the start of a message, because the error is shown at the field. A path within a JSON
 * text stays.
 */
export function withoutPath(message: string): string {
  const inside = /^payloadSchema\.(?=\S)/
  const path = inside.test(message) ? inside : /^[a-zA-Z0-9_.[\]]+ (?=(must|is|cannot|has|uses) )/
  const text = message.replace(path, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const isField = (path: string, values: WorkflowValues): boolean => {
  const [root = '', position, name] = path.split('.')
  if (root !== 'steps') return root in values || root === 'channels'
  const step = values.steps[Number(position)]
  return name !== undefined && step !== undefined && name in step
}

/** Separates the gateway's errors: those at a form field, by its path, and all others. */
export function placed(
  problems: readonly Problem[],
  values: WorkflowValues,
): { readonly errors: FieldErrors; readonly general: readonly Problem[] } {
  const errors: Record<string, string> = {}
  const general: Problem[] = []
  for (const problem of problems) {
    const path = problem.field === undefined ? '' : fieldPath(problem.field)
    if (isField(path, values)) errors[path] ??= withoutPath(problem.message)
    else general.push(problem)
  }
  return { errors, general }
}

/** Returns the errors that the page finds before it asks the gateway: texts that are not JSON. */
export function valueErrors({ name, data, payloadSchema, steps }: WorkflowValues): FieldErrors {
  const found: [path: string, error: string | null][] = [
    ['name', name.trim() === '' ? 'Enter a name.' : null],
    ['data', jsonObjectError(data)],
    ['payloadSchema', payloadSchema.trim() === '' ? null : jsonObjectError(payloadSchema)],
    ...steps.flatMap(stepErrors),
  ]
  return Object.fromEntries(found.flatMap(([path, error]) => (error === null ? [] : [[path, error]])))
}

function stepErrors({ condition, data, amount }: StepValues, index: number): [path: string, error: string | null][] {
  const at = `steps.${index}`
  return [
    [`${at}.condition`, condition === '' ? null : jsonObjectError(condition)],
    [`${at}.data`, jsonObjectError(data)],
    [`${at}.amount`, amount === '' ? 'Enter a number.' : null],
  ]
}
