// The sentences about a condition that was evaluated: the condition, and the values of the variables that it read.
// Values are looked up, not evaluated: a few paths of bounded length.
import { sizeOf } from '../../evaluation/cheap.ts'
import { variablesOf } from '../../evaluation/condition.ts'
import { valueAt } from '../../lib/paths.ts'
import { shorten } from '../../lib/shorten.ts'
import type { JsonObject } from '../../lib/validation.ts'

/** The maximum length of a condition, in characters. */
const MAX_CONDITION = 300
/** The maximum number of variables. Others are counted. */
const MAX_VARIABLES = 10
/** The maximum length of a value and of a variable's name, in characters. */
const MAX_VALUE = 100

interface Rule {
  readonly text: string
  readonly variables: readonly (readonly string[])[]
}

/** Rules by object: the runs of an event share the conditions of its workflow. */
const rules = new WeakMap<JsonObject, Rule>()

function read(rule: JsonObject): Rule {
  const known = rules.get(rule)
  if (known !== undefined) return known
  const paths = variablesOf(rule).filter(({ length }) => length > 0)
  const found: Rule = {
    text: shorten(JSON.stringify(rule), MAX_CONDITION),
    variables: [...new Map(paths.map((path) => [path.join('.'), path])).values()],
  }
  rules.set(rule, found)
  return found
}

/** Returns a value in words. Lists and objects that are too long are only counted. */
function inWords(value: unknown): string {
  if (value === undefined) return 'not set'
  if (typeof value === 'string') return JSON.stringify(shorten(value, MAX_VALUE))
  if (typeof value !== 'object' || value === null || sizeOf(value, MAX_VALUE) <= MAX_VALUE) return JSON.stringify(value)
  const { length } = Object.keys(value)
  return Array.isArray(value) ? `a list of ${length} items` : `an object with ${length} fields`
}

/** Returns a condition, and the values of the variables that it read, as the end of a sentence after a colon. */
export function conditionInWords(rule: JsonObject, data: JsonObject): string {
  const { text, variables } = read(rule)
  if (variables.length === 0) return `${text}.`
  const values = variables
    .slice(0, MAX_VARIABLES)
    .map((path) => `${shorten(path.join('.'), MAX_VALUE)} was ${inWords(valueAt(data, path))}`)
  const more = variables.length - values.length
  return `${text}. ${[...values, ...(more > 0 ? [`${more} more variables are not shown`] : [])].join(', ')}.`
}
