// JSON-logic conditions: which ones are taken in, so that whatever runs them later can run them all.
import type { z } from 'zod'
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
