// Fields of inputs that were renamed. The former name still works, and is deprecated.
import { isDeepStrictEqual } from 'node:util'
import { type Path, Refusal, refuse } from '../../lib/errors.ts'
import { valueAt } from '../../lib/paths.ts'
import { fieldName } from '../../lib/validation.ts'
import type { InputFields } from './builder.ts'
import { identifierOf } from './wording.ts'

/** The deprecation of a field or an argument that another one replaces. */
export const replacedBy = (name: string): string => `Use \`${name}\`.`

/** The description of a former name. */
export const formerNameOf = (name: string): string => `The former name of \`${name}\`.`

/** A field under its name, followed by the same field under its former name. */
type Renamed<Value> = Readonly<Record<string, Value | null | undefined>>

/**
 * Returns the value of a renamed field.
 *
 * @param fields the values of the field: under its name, then under its former name.
 * @param at the path of the input object.
 * @throws Refusal `MALFORMED` if both are given and differ.
 */
export function eitherName<Value>(fields: Renamed<Value>, at: Path = []): Value | null | undefined {
  const [[name, value] = ['', undefined], [former, earlier] = ['', undefined]] = Object.entries(fields)
  if (value == null || earlier == null) return value ?? earlier
  if (isDeepStrictEqual(value, earlier)) return value
  const path = [...at, name]
  throw refuse('MALFORMED', `${fieldName(path)} must not differ from ${former}, its former name`, path)
}

/** Like `eitherName`, for a required field. @throws Refusal `INVALID` if neither is given. */
export function requiredName<Value>(fields: Renamed<Value>, at: Path = []): Value {
  const value = eitherName(fields, at)
  if (value != null) return value
  const path = [...at, Object.keys(fields)[0] ?? '']
  const message = `${fieldName(path)} is required`
  throw new Refusal('INVALID', message, { issues: [{ path, message, reason: 'required' }] })
}

/**
 * Returns a function that converts a path in the resolver's input to the mutation's, if the resolver has former names.
 * The path of a caller that used a former name stays.
 *
 * @param names the names by the former names.
 */
export const locateNames =
  (names: Readonly<Record<string, string>>) =>
  (path: Path, input: object): Path =>
    valueAt(input, path) === undefined ? path.map((key) => (typeof key === 'string' ? (names[key] ?? key) : key)) : path

/** The fields of a filter by workflow. */
export const workflowConditions = (t: InputFields) => ({
  workflowIdentifier: t.string({ description: identifierOf('workflow') }),
  workflow: t.string({
    description: formerNameOf('workflowIdentifier'),
    deprecationReason: replacedBy('workflowIdentifier'),
  }),
})

interface WorkflowConditions {
  readonly workflowIdentifier?: string | null | undefined
  readonly workflow?: string | null | undefined
}

/** Returns the arguments of a list with the workflow of the filter under its name. */
export function readWorkflowCondition<Args extends { readonly filter?: WorkflowConditions | null | undefined }>(
  args: Args,
): Args {
  if (args.filter?.workflow == null) return args
  const { workflowIdentifier, workflow } = args.filter
  const named = eitherName({ workflowIdentifier, workflow }, ['filter'])
  return { ...args, filter: { ...args.filter, workflowIdentifier: named } }
}
