// Conditions in forms: comparisons, all or any of which must be true, converted to JSON logic and back.

interface Comparing {
  readonly label: string
  /** False if the operator takes no value. */
  readonly takesValue: boolean
  readonly rule: (variable: string, value: unknown) => Readonly<Record<string, unknown>>
}

/** The operators of comparisons, each with its rule. */
export const operators = {
  is: { label: 'is', takesValue: true, rule: (name, value) => ({ '==': [{ var: name }, value] }) },
  isNot: { label: 'is not', takesValue: true, rule: (name, value) => ({ '!=': [{ var: name }, value] }) },
  greater: { label: 'is greater than', takesValue: true, rule: (name, value) => ({ '>': [{ var: name }, value] }) },
  atLeast: { label: 'is at least', takesValue: true, rule: (name, value) => ({ '>=': [{ var: name }, value] }) },
  less: { label: 'is less than', takesValue: true, rule: (name, value) => ({ '<': [{ var: name }, value] }) },
  atMost: { label: 'is at most', takesValue: true, rule: (name, value) => ({ '<=': [{ var: name }, value] }) },
  contains: { label: 'contains', takesValue: true, rule: (name, value) => ({ in: [value, { var: name }] }) },
  isSet: { label: 'is set', takesValue: false, rule: (name) => ({ '!!': [{ var: name }] }) },
  isNotSet: { label: 'is not set', takesValue: false, rule: (name) => ({ '!': [{ var: name }] }) },
} as const satisfies Record<string, Comparing>

export type Operator = keyof typeof operators
export const operatorList = Object.keys(operators) as Operator[]

/** One line of the form. */
export interface Comparison {
  readonly variable: string
  readonly operator: Operator
  /** A string, number or boolean. */
  readonly value: unknown
}

export interface SimpleCondition {
  /** The combination: all comparisons must be true, or any of them. */
  readonly match: 'all' | 'any'
  readonly comparisons: readonly Comparison[]
}

export const newComparison: Comparison = { variable: '', operator: 'is', value: '' }

/** Returns the JSON logic of a condition. */
export function ruleOf({ match, comparisons }: SimpleCondition): Record<string, unknown> {
  const rules = comparisons.map(({ variable, operator, value }) => operators[operator].rule(variable, value))
  return { [match === 'all' ? 'and' : 'or']: rules }
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** Returns the name of a variable without a default. Undefined for any other rule. */
function variableIn(rule: unknown): string | undefined {
  if (typeof rule !== 'object' || rule === null || !('var' in rule)) return undefined
  const given: unknown = Array.isArray(rule.var) && rule.var.length === 1 ? rule.var[0] : rule.var
  return typeof given === 'string' ? given : undefined
}

function comparisonOf(rule: unknown): Comparison | undefined {
  if (typeof rule !== 'object' || rule === null) return undefined
  const [entry, ...others] = Object.entries(rule)
  if (entry === undefined || others.length > 0) return undefined
  const given: unknown[] = Array.isArray(entry[1]) ? entry[1] : [entry[1]]
  // A variable and the value that it is compared with, in either order.
  const variable = given.map(variableIn).find((name) => name !== undefined)
  const value = given.find((part) => variableIn(part) === undefined) ?? ''
  if (variable === undefined || !isPlain(value)) return undefined
  const same = JSON.stringify({ [entry[0]]: given.map((part) => withPlainName(part)) })
  const operator = operatorList.find((name) => JSON.stringify(operators[name].rule(variable, value)) === same)
  return operator && { variable, operator, value }
}

/** `{"var": ["a"]}` is equivalent to `{"var": "a"}`. */
const withPlainName = (part: unknown) => {
  const name = variableIn(part)
  return name === undefined ? part : { var: name }
}

/** Returns a rule as the form shows it. Undefined if the form cannot show it. */
export function simpleConditionOf(rule: Readonly<Record<string, unknown>>): SimpleCondition | undefined {
  const single = comparisonOf(rule)
  if (single !== undefined) return { match: 'all', comparisons: [single] }
  const [entry, ...others] = Object.entries(rule)
  if (entry === undefined || others.length > 0 || !['and', 'or'].includes(entry[0]) || !Array.isArray(entry[1])) return
  const comparisons = entry[1].map(comparisonOf)
  return comparisons.every((comparison) => comparison !== undefined)
    ? { match: entry[0] === 'and' ? 'all' : 'any', comparisons }
    : undefined
}

/** Returns a value as a text. A string that looks like another type is quoted. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' && valueIn(value) === value ? value : JSON.stringify(value)

/** Returns the value of a text: a number, a boolean, a quoted string, or the text itself. */
export function valueIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isPlain(value) ? value : text
  } catch {
    return text
  }
}
