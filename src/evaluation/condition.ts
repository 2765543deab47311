// JSON-logic conditions: validation, evaluation, and the variables that they read.
import { defaultMethods, LogicEngine, splitPath } from 'json-logic-engine'
import type { z } from 'zod'
import type { Issue, Path } from '../lib/errors.ts'
import { valueAt } from '../lib/paths.ts'
import { type Json, type JsonObject, jsonObject } from '../lib/validation.ts'

export const MAX_CONDITION_BYTES = 16 * 1024
/** Maximum nesting of operations, including the outermost. */
export const MAX_CONDITION_DEPTH = 10

/** The operators of jsonlogic.com, except `log`, which would write the caller's data to the operator's log. */
const operatorsByUse = {
  data: ['var', 'missing', 'missing_some'],
  logic: ['if', '==', '===', '!=', '!==', '!', '!!', 'or', 'and'],
  numbers: ['>', '>=', '<', '<=', 'max', 'min', '+', '-', '*', '/', '%'],
  lists: ['map', 'reduce', 'filter', 'all', 'none', 'some', 'merge', 'in'],
  text: ['cat', 'substr'],
} as const satisfies Record<string, readonly string[]>

const operators: ReadonlySet<string> = new Set(Object.values(operatorsByUse).flat())
const operatorList = [...operators].join(', ')

/** Names in a path that lead out of the data into JavaScript prototypes. */
const prototypeNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Returns the first forbidden name in a path. Unescapes backslashes, which must not hide a name. */
function prototypeNameIn(path: string): string | undefined {
  return path
    .replaceAll('\\', '')
    .split('.')
    .find((part) => prototypeNames.has(part))
}

function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Returns the variable names of an operation, or undefined if a name is computed. */
function namesIn(operator: string, given: Json): readonly string[] | undefined {
  // `missing` only returns names, so nested operations are allowed. All strings in them are checked.
  if (operator === 'missing' || operator === 'missing_some') return stringsIn(given)
  if (operator !== 'var') return []
  const name = (Array.isArray(given) ? given[0] : given) ?? ''
  return typeof name === 'string' || typeof name === 'number' ? [String(name)] : undefined
}

/** Returns the first error in a rule and its nested rules. */
function errorIn(rule: Json, depth: number, path: Path): Issue | undefined {
  if (typeof rule !== 'object' || rule === null) return undefined
  if (Array.isArray(rule)) {
    for (const [index, item] of rule.entries()) {
      const found = errorIn(item, depth, [...path, index])
      if (found) return found
    }
    return undefined
  }
  if (depth > MAX_CONDITION_DEPTH) {
    return { path, message: `must not nest operations deeper than ${MAX_CONDITION_DEPTH} levels` }
  }
  const [operation, ...others] = Object.entries(rule)
  if (operation === undefined || others.length > 0) {
    return { path, message: 'must be an operation, an object with exactly one key: the operator' }
  }
  const [operator, given] = operation
  if (!operators.has(operator)) {
    return { path, message: `must not use the unknown operator ${JSON.stringify(operator)}: known are ${operatorList}` }
  }
  const inside = [...path, operator]
  const names = namesIn(operator, given)
  if (names === undefined) return { path: inside, message: 'must name its variable as a plain string or number' }
  const forbidden = names.map(prototypeNameIn).find((found) => found !== undefined)
  if (forbidden !== undefined) {
    return { path: inside, message: `must not name a variable with "${forbidden}" in its path` }
  }
  return errorIn(given, depth + 1, inside)
}

/** The input schema of a JSON-logic condition: known operators, bounded depth and size, no prototype names. */
export const condition: z.ZodType<JsonObject, JsonObject> = jsonObject({ maxBytes: MAX_CONDITION_BYTES }).check(
  ({ value, issues }) => {
    // The rule was already rejected, and may be too deep to walk.
    if (issues.length > 0) return
    const found = errorIn(value, 1, [])
    if (found) issues.push({ code: 'custom', message: found.message, path: [...found.path], input: value })
  },
)

/** Operators whose second argument runs once per item of a list, with the item as its data. */
const itemOperators: ReadonlySet<string> = new Set(
  operatorsByUse.lists.filter((name) => name !== 'merge' && name !== 'in'),
)

/**
 * Returns the paths that a condition reads from the data, as lists of parts. Paths within items of a list are not
 * included.
 */
export function variablesOf(rule: Json): readonly (readonly string[])[] {
  if (typeof rule !== 'object' || rule === null) return []
  if (Array.isArray(rule)) return rule.flatMap(variablesOf)
  return Object.entries(rule).flatMap(([operator, given]) => {
    const ofTheData =
      itemOperators.has(operator) && Array.isArray(given) ? given.filter((_item, index) => index !== 1) : given
    return [...(namesIn(operator, given) ?? []).map((name) => splitPath(name)), ...variablesOf(ofTheData)]
  })
}

/** Maximum length of lists and strings that a rule creates. */
const MAX_LENGTH = 100_000

type Values = readonly unknown[]

/** Returns the value of a variable, or undefined. */
const variableIn = (data: unknown, name: unknown) => valueAt(data, splitPath(String(name)))

const missing = (names: Values, data: unknown) => names.filter((name) => (variableIn(data, name) ?? '') === '')

function bounded<Value extends string | Values>(value: Value): Value {
  if (value.length > MAX_LENGTH)
    throw new Error(`a condition must not create more than ${MAX_LENGTH} items or characters`)
  return value
}

type Comparable = string | number

/** Compares each value with the next one: `{"<": [1, 2, 3]}` consists of two comparisons. */
const inOrder = (compare: (one: Comparable, next: Comparable) => boolean) => (values: Values) =>
  (values as readonly Comparable[]).slice(1).every((next, index) => compare(values[index] as Comparable, next))

// Compared as in JavaScript, as jsonlogic.com specifies. The engine's own comparisons throw for a string and a number, so
// that "plan != 1" would be false for the plan "pro".
const comparisons = {
  '==': inOrder((one, next) => one == next),
  '!=': inOrder((one, next) => one != next),
  '===': inOrder((one, next) => one === next),
  '!==': inOrder((one, next) => one !== next),
  '<': inOrder((one, next) => one < next),
  '<=': inOrder((one, next) => one <= next),
  '>': inOrder((one, next) => one > next),
  '>=': inOrder((one, next) => one >= next),
}

/** Arithmetic on values that are not numbers results in NaN, which is false. The engine would throw instead. */
const arithmetic = Object.fromEntries(
  (['+', '-', '*', '/', '%'] as const).map((name) => [
    name,
    (values: Values): unknown => {
      try {
        return (Reflect.get(defaultMethods, name) as (values: Values) => unknown)(values)
      } catch (error) {
        if (Number.isNaN(error)) return Number.NaN
        throw error
      }
    },
  ]),
)

/** Applies the second argument of an operation to each item of its first. A value that is not a list has no items. */
function eachItem<Result>(use: (list: Values, run: (item: unknown) => unknown, args: Values) => Result) {
  return {
    lazy: true,
    method(given: unknown, data: unknown, above: Values, engine: LogicEngine): Result {
      const args: Values = Array.isArray(given) ? given : [given]
      const list: unknown = engine.run(args[0], data, { above })
      const inItem = { above: [list, data, above] }
      return use(Array.isArray(list) ? list : [], (item) => engine.run(args[1], item, inItem) as unknown, [
        list,
        args[1],
        engine.run(args[2] ?? null, data, { above }),
      ])
    },
  }
}

/** The engine's operators, with safe versions of those that could read prototypes or create values without a limit. */
const methods = {
  ...Object.fromEntries([...operators].map((name) => [name, Reflect.get(defaultMethods, name) as unknown])),
  ...comparisons,
  ...arithmetic,
  var: ([name, otherwise]: Values, data: unknown) =>
    ((name ?? '') === '' ? data : variableIn(data, name)) ?? otherwise ?? null,
  missing: (names: Values, data: unknown) => missing(names.flat(), data),
  missing_some: ([least, given]: Values, data: unknown) => {
    const names = [given].flat()
    const absent = missing(names, data)
    return names.length - absent.length >= Number(least) ? [] : absent
  },
  max: (values: Values) => values.map(Number).reduce((one, other) => Math.max(one, other), -Infinity),
  min: (values: Values) => values.map(Number).reduce((one, other) => Math.min(one, other), Infinity),
  in: ([item, list]: Values) =>
    typeof list === 'string' ? list.includes(String(item)) : Array.isArray(list) && list.includes(item),
  map: eachItem((list, run) => list.map(run)),
  filter: eachItem((list, run) => list.filter((item) => engine.truthy(run(item)))),
  reduce: eachItem((list, run, [, , initial]) =>
    list.reduce<unknown>((accumulator, current) => run({ accumulator, current }), initial),
  ),
  substr: ([text, from, length]: Values) => {
    const given = typeof text === 'string' || typeof text === 'number' || typeof text === 'boolean' ? String(text) : ''
    const rest = given.slice(Number(from))
    if (length === undefined || length === null) return rest
    return rest.slice(0, Number(length))
  },
  merge: (values: Values) => bounded(values.flat()),
  cat: (values: Values) => bounded(values.join('')),
}

class Engine extends LogicEngine {
  constructor() {
    // The engine caches optimized rules by object identity, and ours are new objects each time.
    super(methods, { disableInline: true, disableInterpretedOptimization: true })
  }

  /** As jsonlogic.com specifies, an empty list is false and an empty object is true. */
  override truthy(value: unknown): boolean {
    return Array.isArray(value) ? value.length > 0 : Boolean(value)
  }
}

const engine = new Engine()

/** Returns true if a condition holds for `data`. @throws if it cannot be computed. */
export function holds(rule: JsonObject, data: JsonObject): boolean {
  return engine.truthy(engine.run(rule, data))
}
