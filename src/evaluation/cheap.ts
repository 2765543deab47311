// Decides which code from callers is cheap: evaluating it takes less work than handing it to a thread. The lists name
// operations that are known to be linear, for input of bounded size. All other code is evaluated in a thread.
import type { Json, JsonObject } from '../lib/validation.ts'
import { hasMarkup, type RenderLimits } from './template.ts'
import type { Input, Kind } from './work.ts'

/** Maximum characters of the template, of its variables, and of the rendered text. */
const MAX_CHARACTERS = 16 * 1024
/** Limits of rendering on the event loop. A text that exceeds them is rendered again in a thread. */
export const loopLimits: RenderLimits = { characters: MAX_CHARACTERS, units: 4 * MAX_CHARACTERS }

const MAX_OUTPUTS = 100
const MAX_FILTERS = 3
const MAX_CONDITION_CHARACTERS = 2048
const MAX_SCHEMA_CHARACTERS = 4096
const MAX_SUBSCHEMAS = 50

/** Filters whose work is linear in their input, however they are used. */
const linearFilters = [
  'abs',
  'append',
  'at_least',
  'at_most',
  'capitalize',
  'ceil',
  'default',
  'divided_by',
  'downcase',
  'escape',
  'first',
  'floor',
  'last',
  'lstrip',
  'minus',
  'modulo',
  'newline_to_br',
  'plus',
  'prepend',
  'raw',
  'round',
  'rstrip',
  'size',
  'strip',
  'times',
  'upcase',
  'url_encode',
]

const variable = String.raw`[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d{1,4}\])*`
const literal = String.raw`"[^"{}%|]*"|'[^'{}%|]*'|-?\d{1,15}(?:\.\d{1,15})?`
const operand = `(?:${variable}|${literal})`
const filter = String.raw`\|\s*(?:${linearFilters.join('|')})\s*(?::\s*${operand}\s*(?:,\s*${operand}\s*)?)?`
/** One output. The alternatives exclude each other, so that matching is linear. */
const plainOutput = new RegExp(String.raw`^-?\s*${operand}\s*(?:${filter}){0,${MAX_FILTERS}}-?$`)

/** Returns true if a template consists of text and plain outputs. */
function isPlainTemplate(text: string): boolean {
  if (text.length > MAX_CHARACTERS || text.includes('{%')) return false
  const pieces = text.split('{{')
  if (pieces.length - 1 > MAX_OUTPUTS) return false
  return pieces.slice(1).every((piece) => {
    const end = piece.indexOf('}}')
    return end !== -1 && end <= 500 && plainOutput.test(piece.slice(0, end))
  })
}

/** Characters above which a size is cached. Counting smaller values again is faster. */
const REMEMBERED = 512

/** The approximate characters of each object's JSON. The runs of an event share their largest variables. */
const sizes = new WeakMap<object, number>()

/** Returns the approximate number of characters of a value's JSON. Stops counting at `limit`. */
export function sizeOf(value: unknown, limit = MAX_CHARACTERS): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  const known = sizes.get(value)
  if (known !== undefined) return known
  let size = 2
  const isList = Array.isArray(value)
  for (const [key, item] of Object.entries(value)) {
    size += sizeOf(item, limit - size) + (isList ? 1 : key.length + 4)
    // Not cached, because another caller may count further.
    if (size > limit) return size
  }
  if (size > REMEMBERED) sizes.set(value, size)
  return size
}

/** Operators that are linear in their operands, and create no text or list. */
const linearOperators: ReadonlySet<string> = new Set([
  ...['var', 'missing', 'if', '==', '===', '!=', '!==', '!', '!!', 'or', 'and'],
  ...['>', '>=', '<', '<=', 'max', 'min', '+', '-', '*', '/', '%', 'in'],
])

const isLinearRule = (rule: Json): boolean =>
  typeof rule !== 'object' || rule === null
    ? true
    : Array.isArray(rule)
      ? rule.every(isLinearRule)
      : Object.entries(rule).every(([operator, given]) => linearOperators.has(operator) && isLinearRule(given))

const isCheapRule = (rule: JsonObject) =>
  sizeOf(rule, MAX_CONDITION_CHARACTERS) <= MAX_CONDITION_CHARACTERS && isLinearRule(rule)

/** Keywords that are linear in the value, with values that are not schemas. */
const plainKeywords: ReadonlySet<string> = new Set([
  ...['$schema', 'title', 'description', 'default', 'examples', 'type', 'required', 'enum', 'const'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
])

/**
 * Returns the number of schemas in a schema of linear keywords, or infinity for any other schema. A default that could be
 * added many times, once for each item of a value, is not linear.
 */
function subschemasOf(schema: Json | undefined, isRepeated = false): number {
  if (typeof schema === 'boolean') return 1
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return Infinity
  let count = 1
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'default' && isRepeated) return Infinity
    if (plainKeywords.has(keyword)) continue
    if (keyword === 'items' || keyword === 'additionalProperties') count += subschemasOf(value, true)
    else if (keyword !== 'properties' || typeof value !== 'object' || value === null) return Infinity
    else for (const property of Object.values(value)) count += subschemasOf(property, isRepeated)
    if (count > MAX_SUBSCHEMAS) return Infinity
  }
  return count
}

const isCheapSchema = (schema: JsonObject) =>
  sizeOf(schema, MAX_SCHEMA_CHARACTERS) <= MAX_SCHEMA_CHARACTERS && subschemasOf(schema) <= MAX_SUBSCHEMAS

const isSmall = (value: Json) => sizeOf(value) <= MAX_CHARACTERS

/** Cached results by object or text: the runs of an event share their rules and schemas. */
function remembered<Value extends object>(test: (value: Value) => boolean): (value: Value) => boolean {
  const known = new WeakMap<Value, boolean>()
  return (value) => {
    const found = known.get(value) ?? test(value)
    known.set(value, found)
    return found
  }
}

/** True if all templates together are cheap. A text without markup is its own result. */
const areCheap = (templates: Input<'render'>['templates']): boolean => {
  const texts = Object.values(templates).flatMap(({ text }) => (hasMarkup(text) ? [text] : []))
  const characters = texts.reduce((sum, { length }) => sum + length, 0)
  return characters <= MAX_CHARACTERS && texts.every(isPlainTemplate)
}

const tests: { readonly [Name in Kind]: (input: Input<Name>) => boolean } = {
  render: ({ templates, variables }) =>
    Object.values(templates).every(({ text }) => !hasMarkup(text)) || (isSmall(variables) && areCheap(templates)),
  condition: (() => {
    const isCheapOnce = remembered(isCheapRule)
    return ({ rule, variables }) => isCheapOnce(rule) && isSmall(variables)
  })(),
  template: (text) => !hasMarkup(text) || isPlainTemplate(text),
  variables: (text) => !hasMarkup(text) || isPlainTemplate(text),
  // Each check compiles a schema, which takes longer than its size suggests.
  schema: () => false,
  validation: (() => {
    const isCheapOnce = remembered(isCheapSchema)
    return ({ schema, value }) => isCheapOnce(schema) && isSmall(value)
  })(),
  htmlText: () => false,
  erasure: ({ persons, columns }) => sizeOf(persons) + sizeOf(columns) <= MAX_CHARACTERS,
}

/** Returns true if an item may be evaluated on the event loop, within `loopLimits`. */
export function isCheap<Name extends Kind>(kind: Name, input: Input<Name>): boolean {
  const test: (input: Input<Name>) => boolean = tests[kind]
  return test(input)
}
