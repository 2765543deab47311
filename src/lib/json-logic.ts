// JSON-logic conditions: which ones are taken in, whether one holds, and what it reads.
import { defaultMethods, LogicEngine, splitPath } from 'json-logic-engine'
import type { z } from 'zod'
import { valueAt } from './paths.ts'
import { within } from './time-limit.ts'
import { type Json, type JsonObject, jsonObject } from './validation.ts'

export const MAX_CONDITION_BYTES = 16 * 1024
/** Operations inside each other, the outermost included. */
export const MAX_CONDITION_DEPTH = 10

/** The operators of jsonlogic.com. All but `log`, which would write what the caller sends into the operator's log. */
const operatorsByUse = {
  data: ['var', 'missing', 'missing_some'],
  logic: ['if', '==', '===', '!=', '!==', '!', '!!', 'or', 'and'],
  numbers: ['>', '>=', '<', '<=', 'max', 'min', '+', '-', '*', '/', '%'],
  lists: ['map', 'reduce', 'filter', 'all', 'none', 'some', 'merge', 'in'],
  text: ['cat', 'substr'],
} as const satisfies Record<string, readonly string[]>

const operators: ReadonlySet<string> = new Set(Object.values(operatorsByUse).flat())
const operatorList = [...operators].join(', ')

/** Names by which a path leaves the data and reaches the machinery of the language. */
const prototypeNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** A backslash escapes in a path, so it must not hide a name. */
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

type Path = readonly (string | number)[]

interface Finding {
  readonly path: Path
  readonly message: string
}

/** The names of variables that an operation gives, or undefined where one is computed and cannot be known. */
function namesIn(operator: string, given: Json): readonly string[] | undefined {
  // What is missing is only listed, so its names may be chosen by operations of which each text is seen here.
  if (operator === 'missing' || operator === 'missing_some') return stringsIn(given)
  if (operator !== 'var') return []
  const name = (Array.isArray(given) ? given[0] : given) ?? ''
  return typeof name === 'string' || typeof name === 'number' ? [String(name)] : undefined
}

/** The first thing that is wrong with a rule and what is inside it. */
function wrongRule(rule: Json, depth: number, path: Path): Finding | undefined {
  if (typeof rule !== 'object' || rule === null) return undefined
  if (Array.isArray(rule)) {
    for (const [index, item] of rule.entries()) {
      const found = wrongRule(item, depth, [...path, index])
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
  if (names === undefined) return { path: inside, message: 'must name its variable by a plain string or number' }
  const forbidden = names.map(prototypeNameIn).find((found) => found !== undefined)
  if (forbidden !== undefined) {
    return { path: inside, message: `must not name a variable with "${forbidden}" in its path` }
  }
  return wrongRule(given, depth + 1, inside)
}

/** The input schema of a JSON-logic condition: known operators, bounded depth and size, no prototype names. */
export const condition: z.ZodType<JsonObject, JsonObject> = jsonObject({ maxBytes: MAX_CONDITION_BYTES }).check(
  ({ value, issues }) => {
    // What is no JSON, or too large, was refused already, and may be too deep to look into.
    if (issues.length > 0) return
    const found = wrongRule(value, 1, [])
    if (found) issues.push({ code: 'custom', message: found.message, path: [...found.path], input: value })
  },
)

/** Operators whose second argument is run for each item of a list, which is then all the data that it sees. */
const itemOperators: ReadonlySet<string> = new Set(
  operatorsByUse.lists.filter((name) => name !== 'merge' && name !== 'in'),
)

/** The paths, each in its parts, by which a condition reads the data. Those that read an item of a list are not among them. */
export function variablesOf(rule: Json): readonly (readonly string[])[] {
  if (typeof rule !== 'object' || rule === null) return []
  if (Array.isArray(rule)) return rule.flatMap(variablesOf)
  return Object.entries(rule).flatMap(([operator, given]) => {
    const ofTheData =
      itemOperators.has(operator) && Array.isArray(given) ? given.filter((_item, index) => index !== 1) : given
    return [...(namesIn(operator, given) ?? []).map((name) => splitPath(name)), ...variablesOf(ofTheData)]
  })
}

/** Of the lists and texts that a rule makes, for example by doubling one for each item of another. */
const MAX_MADE = 100_000
const RUN_MILLISECONDS = 200

type Values = readonly unknown[]

/** Returns the value of a variable, or undefined. */
const variableIn = (data: unknown, name: unknown) => valueAt(data, splitPath(String(name)))

const missing = (names: Values, data: unknown) => names.filter((name) => (variableIn(data, name) ?? '') === '')

function bounded<Value extends string | Values>(made: Value): Value {
  if (made.length > MAX_MADE) throw new Error(`a condition must not make more than ${MAX_MADE} items or characters`)
  return made
}

type Comparable = string | number

/** Whether each value stands so to the next: `{"<": [1, 2, 3]}` is a question of two comparisons. */
const inOrder = (compare: (one: Comparable, next: Comparable) => boolean) => (values: Values) =>
  (values as readonly Comparable[]).slice(1).every((next, index) => compare(values[index] as Comparable, next))

// As JavaScript compares, which is what jsonlogic.com says. The engine's own throw where text meets a number, so that
// "not the plan 1" would not hold for the plan "pro".
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

/** The engine's operators, but for those that would read what is no data, or could make more than there is room for. */
const methods = {
  ...Object.fromEntries([...operators].map((name) => [name, Reflect.get(defaultMethods, name) as unknown])),
  ...comparisons,
  var: ([name, otherwise]: Values, data: unknown) =>
    ((name ?? '') === '' ? data : variableIn(data, name)) ?? otherwise ?? null,
  missing: (names: Values, data: unknown) => missing(names.flat(), data),
  missing_some: ([least, names]: readonly [number, Values], data: unknown) => {
    const absent = missing(names, data)
    return names.length - absent.length >= least ? [] : absent
  },
  merge: (values: Values) => bounded(values.flat()),
  cat: (values: Values) => bounded(values.join('')),
}

class Engine extends LogicEngine {
  constructor() {
    // The engine caches optimized rules by object identity, and each of our rules is a new object.
    super(methods, { disableInline: true, disableInterpretedOptimization: true })
  }

  /** As jsonlogic.com has it: an empty list is false, an empty object is not. */
  override truthy(value: unknown): boolean {
    return Array.isArray(value) ? value.length > 0 : Boolean(value)
  }
}

const engine = new Engine()

/**
 * Whether a condition holds for `data`. None holds always. One that cannot be computed, because it adds up what are no
 * numbers or takes too long, does not hold: nothing is ever thrown.
 */
export function holds(rule: JsonObject | null, data: JsonObject): boolean {
  if (rule === null) return true
  try {
    return within(RUN_MILLISECONDS, () => engine.truthy(engine.run(rule, data)))
  } catch {
    return false
  }
}
