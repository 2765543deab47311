// Conditions in forms: groups of comparisons, all or any of which must be true, converted to JSON logic and back.

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

/** A part that the form cannot show. It stays as it is. */
export interface OtherRule {
  readonly rule: unknown
}

export interface Group {
  /** The combination: all items must be true, or any of them. */
  readonly match: 'all' | 'any'
  readonly items: readonly Item[]
}

export type Item = Comparison | Group | OtherRule

export const isGroup = (item: Item): item is Group => 'match' in item
export const isOther = (item: Item): item is OtherRule => 'rule' in item

export const newComparison: Comparison = { variable: '', operator: 'is', value: '' }

/** Returns the JSON logic of a group. */
export const ruleOf = ({ match, items }: Group): Record<string, unknown> => ({
  [match === 'all' ? 'and' : 'or']: items.map(itemRule),
})

function itemRule(item: Item): unknown {
  if (isGroup(item)) return ruleOf(item)
  return isOther(item) ? item.rule : operators[item.operator].rule(item.variable, item.value)
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

function groupIn(rule: unknown): Group | undefined {
  if (typeof rule !== 'object' || rule === null) return undefined
  const [entry, ...others] = Object.entries(rule)
  if (entry === undefined || others.length > 0) return undefined
  const operator = entry[0]
  const operands: unknown = entry[1]
  // Without operands, the result is not that of a group without items.
  if (!['and', 'or'].includes(operator) || !Array.isArray(operands) || operands.length === 0) return undefined
  return { match: operator === 'and' ? 'all' : 'any', items: operands.map(itemOf) }
}

const itemOf = (rule: unknown): Item => comparisonOf(rule) ?? groupIn(rule) ?? { rule }

/** Returns a rule as the form shows it. Undefined if the form can show no part of it. */
export function groupOf(rule: Readonly<Record<string, unknown>>): Group | undefined {
  const single = comparisonOf(rule)
  const group = single === undefined ? groupIn(rule) : { match: 'all' as const, items: [single] }
  return group === undefined || group.items.every(isOther) ? undefined : group
}

/** The position of an item: its index in each group from the outermost one. */
export type Path = readonly number[]

/** Returns the group with another item in a place. Without an item, the place is removed, and a group that it empties. */
export function withItem(group: Group, [index = 0, ...rest]: Path, item: Item | undefined): Group {
  const inner = group.items[index]
  const replaced = rest.length > 0 && inner !== undefined && isGroup(inner) ? withItem(inner, rest, item) : item
  const kept = replaced !== undefined && isGroup(replaced) && replaced.items.length === 0 ? [] : [replaced]
  const items = group.items.flatMap((one, at) => (at === index ? kept.filter((each) => each !== undefined) : [one]))
  return { ...group, items }
}

/** Returns the group with an item that comes back to its place, or to the end if its group is gone. */
export function withReturned(group: Group, [index = 0, ...rest]: Path, item: Item): Group {
  const inner = group.items[index]
  if (rest.length > 0 && inner !== undefined && isGroup(inner)) {
    return withItem(group, [index], withReturned(inner, rest, item))
  }
  const at = rest.length > 0 ? group.items.length : index
  return { ...group, items: group.items.toSpliced(at, 0, item) }
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
