// Limits the variables of an operation before anything else reads them.
//
// The body limit allows a million small values. Each invalid one would become an error with its location, and an error
// about an input prints that input, so a small request could keep the process busy for minutes.
import {
  coerceInputValue,
  type ExecutionArgs,
  getNamedType,
  getNullableType,
  GraphQLError,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  valueFromAST,
} from 'graphql'
import { type Path, Refusal } from '../../lib/errors.ts'
import { shorten } from '../../lib/shorten.ts'
import { factsOf, type VariableFacts } from './document-facts.ts'

/**
 * Maximum number of values: leaves, lists and input objects. Enough for every documented bulk request. The content of a
 * JSON scalar is not counted, because it is stored as it is and limited by its size.
 */
export const MAX_VALUES = 50_000
/** Maximum number of errors in one response. */
export const MAX_VARIABLE_ERRORS = 20
/** Maximum characters of a message. */
const MAX_MESSAGE = 200

const jsonScalars: ReadonlySet<string> = new Set(['JSON', 'JSONObject'])

/** An invalid value of a variable, without the value. */
interface InvalidVariable {
  readonly name: string
  /** The path in the variable. */
  readonly path: Path
}

/** The errors of invalid variables. */
export class InvalidVariables extends AggregateError {
  readonly places: readonly InvalidVariable[]

  constructor(errors: readonly GraphQLError[], places: readonly InvalidVariable[]) {
    super(errors)
    this.places = places
  }
}

/** Stops the check after the last error to report. */
class TooManyErrors extends Error {}

type Given = readonly [value: unknown, type: GraphQLInputType | undefined]

const isJson = (type: GraphQLInputType | undefined) => type !== undefined && jsonScalars.has(getNamedType(type).name)

/** The number of values directly inside a value. */
function countInside(value: object, type: GraphQLInputType | undefined): number {
  if (Array.isArray(value) && isListType(type && getNullableType(type))) return value.length
  return isJson(type) ? 0 : Object.keys(value).length
}

/** Adds the values directly inside a value, with their types, to `values`. Undefined stands for an unknown type. */
function addInside(value: object, type: GraphQLInputType | undefined, values: Given[]): void {
  const own = type && getNullableType(type)
  if (Array.isArray(value) && isListType(own)) {
    for (const item of value) values.push([item, own.ofType])
    return
  }
  if (isJson(own)) return
  const named = own && getNamedType(own)
  const fields = isInputObjectType(named) ? named.getFields() : {}
  // Not `Object.entries`, which would copy all fields of an object that has too many.
  for (const name of Object.keys(value)) values.push([Reflect.get(value, name), fields[name]?.type])
}

/** @throws Refusal `MALFORMED` */
function assertCount(values: Given[]): void {
  let count = values.length
  for (let next = values.pop(); next !== undefined; next = values.pop()) {
    const [value, type] = next
    if (typeof value !== 'object' || value === null) continue
    // Counted before the values are checked, because an object with a million fields takes long.
    count += countInside(value, type)
    if (count > MAX_VALUES) {
      throw new Refusal('MALFORMED', `The variables have more than ${MAX_VALUES} values: send fewer at a time`)
    }
    addInside(value, type, values)
  }
}

/** A value in an error. Lists and objects are left out, because they may be long. */
function excerpt(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, 50))
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

const printPath = (path: readonly (string | number)[]) =>
  path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')

interface Variable extends VariableFacts {
  /** The value. Undefined if it was not given. */
  readonly value: unknown
}

function variablesOf(args: ExecutionArgs): readonly Variable[] {
  const variables = factsOf(args)?.variables ?? []
  const given = new Map(Object.entries(args.variableValues ?? {}))
  return variables.map((variable) => ({ ...variable, value: given.get(variable.name) }))
}

/**
 * Returns the coerced value of a variable, or undefined if it has none. Reports errors with the same messages as
 * graphql.
 */
function coerce(
  { name, node, type, value }: Variable,
  hideSuggestions: boolean,
  report: (message: string, path: Path) => void,
): unknown {
  if (value === undefined) {
    if (node.defaultValue !== undefined) return valueFromAST(node.defaultValue, type)
    if (isNonNullType(type)) report(`Variable "$${name}" of required type "${String(type)}" was not provided.`, [])
    return undefined
  }
  if (value === null && isNonNullType(type)) {
    report(`Variable "$${name}" of non-null type "${String(type)}" must not be null.`, [])
    return undefined
  }
  return coerceInputValue(
    value,
    type,
    (path, invalid, { message }) => {
      const place = path.length === 0 ? '' : ` at "${name}${printPath(path)}"`
      report(`Variable "$${name}" got invalid value ${excerpt(invalid)}${place}; ${message}`, path)
    },
    hideSuggestions,
  )
}

/**
 * Coerces the variables.
 *
 * @param hideSuggestions true if errors must not suggest the right spelling of a name.
 * @returns the values of the variables that have one.
 * @throws Refusal `MALFORMED` if there are too many values, InvalidVariables with the first errors if some are.
 */
export function coerceVariables(args: ExecutionArgs, hideSuggestions: boolean): Readonly<Record<string, unknown>> {
  const variables = variablesOf(args)
  assertCount(variables.map(({ value, type }) => [value, type]))
  const coerced: Record<string, unknown> = {}
  const errors: GraphQLError[] = []
  const places: InvalidVariable[] = []
  try {
    for (const variable of variables) {
      const value = coerce(variable, hideSuggestions, (message, path) => {
        places.push({ name: variable.name, path })
        errors.push(new GraphQLError(shorten(message, MAX_MESSAGE), { nodes: variable.node }))
        if (errors.length === MAX_VARIABLE_ERRORS) throw new TooManyErrors()
      })
      if (value !== undefined) coerced[variable.name] = value
    }
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error
  }
  if (errors.length > 0) throw new InvalidVariables(errors, places)
  return coerced
}
