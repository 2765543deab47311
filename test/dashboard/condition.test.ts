// The mapping between JSON logic and the form of conditions in the dashboard.
import { describe, expect, test } from 'vitest'
import {
  type Comparison,
  type Group,
  groupOf,
  type Item,
  operatorList,
  operators,
  ruleOf,
  valueIn,
  valueText,
} from '../../src/dashboard/parts/condition/condition.ts'
import { groupInText, removed, textOf } from '../../src/dashboard/parts/condition/condition-text.ts'

const values = ['', 'pro', '12', 'true', 'null', '"quoted"', 0, -1.5, 99.5, true, false]

/** A comparison with each operator and each value that it takes. */
const comparisons: readonly Comparison[] = operatorList.flatMap((operator) =>
  (operators[operator].takesValue ? values : ['']).map((value) => ({ variable: 'payload.plan', operator, value })),
)

const of = (match: Group['match'], ...items: Item[]): Group => ({ match, items })
const [first, second] = [comparisons[0], comparisons[5]].map((one) => {
  if (one === undefined) throw new Error('no comparison')
  return one
}) as [Comparison, Comparison]

const groups: readonly Group[] = [
  ...comparisons.map((one) => of('all', one)),
  ...comparisons.map((one) => of('any', one, first)),
  of('all', first, of('any', second, of('all', first, second))),
  of('any', of('all', first, second), of('all', second)),
  of('all', first, { rule: { some: [{ var: 'payload.items' }, { '>': [{ var: 'price' }, 5] }] } }),
]

describe('a condition', () => {
  test.each(groups.map((group) => [JSON.stringify(ruleOf(group)), group] as const))(
    'that the form can show is the same after a round trip: %s',
    (_, group) => {
      const rule = ruleOf(group)
      expect(groupOf(rule)).toEqual(group)
      expect(groupInText(textOf(group))).toEqual(group)
      expect(ruleOf(group)).toEqual(rule)
    },
  )

  test.each([
    [{ '==': [1, { var: 'a' }] }],
    [{ '==': [{ var: ['a', 'default'] }, 1] }],
    [{ '<': [1, { var: 'a' }, 5] }],
    [{ and: [] }],
    [{ '!': [{ and: [{ '!!': [{ var: 'a' }] }] }] }],
    [{ '==': [{ var: 'a' }, 1], '!=': [{ var: 'b' }, 2] }],
    [{ or: [{ some: [{ var: 'items' }, true] }] }],
    [{}],
  ])('that the form cannot show stays JSON logic: %j', (rule) => {
    expect(groupOf(rule)).toBeUndefined()
  })

  test('that is a single comparison is a group of one', () => {
    expect(groupOf({ '==': [{ var: ['payload.plan'] }, 'pro'] })).toEqual(
      of('all', { variable: 'payload.plan', operator: 'is', value: 'pro' }),
    )
  })
})

test.each(values)('the text of the value %j means the same value', (value) => {
  expect(valueIn(valueText(value))).toBe(value)
})

describe('a part that was removed', () => {
  const group = of('all', first, of('any', second))
  const before = textOf(group)

  test('comes back as it was, and takes its empty group with it', () => {
    const [after, bringBack] = removed(before, group, [1, 0])
    expect(groupInText(after)).toEqual(of('all', first))
    expect(bringBack(after)).toBe(before)
  })

  test('comes back into a condition that has changed since, in its place or at the end', () => {
    const [, bringBackFirst] = removed(before, group, [0])
    const changed = textOf(of('any', second))
    expect(groupInText(bringBackFirst(changed))).toEqual(of('any', first, second))
    const [, bringBackInner] = removed(before, group, [1, 0])
    expect(groupInText(bringBackInner(changed))).toEqual(of('any', second, second))
    expect(bringBackInner('{ "and"')).toBe('{ "and"')
  })
})
