// Conditions: which are valid, how an error points to the invalid part, and when a condition holds.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { condition, MAX_CONDITION_BYTES, MAX_CONDITION_DEPTH, variablesOf } from '../../src/evaluation/condition.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { type Json, type JsonObject, parse } from '../../src/lib/validation.ts'
import { evaluate, valueOf } from '../support/evaluation.ts'

const input = z.object({ condition })

const read = (rule: JsonObject) => parse(input, { condition: rule }).condition

function refusalOf(rule: unknown): Refusal {
  try {
    parse(input, { condition: rule })
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error(`taken in: ${JSON.stringify(rule)}`)
}

/** A rule of `depth` nested operations. */
function nested(depth: number): JsonObject {
  let rule: JsonObject = { var: 'payload.total' }
  for (let level = 1; level < depth; level += 1) rule = { '!': [rule] }
  return rule
}

describe('valid conditions', () => {
  test.each<[string, JsonObject]>([
    [
      'a conjunction of comparisons',
      { and: [{ '>': [{ var: 'payload.total' }, 10] }, { '==': [{ var: 'payload.plan' }, 'pro'] }] },
    ],
    ['a variable with a default', { '<': [{ var: ['payload.age', 18] }, 65] }],
    ['the whole of the data', { '!!': { var: '' } }],
    ['an item of a list by its number', { '==': [{ var: 1 }, 'b'] }],
    ['a choice', { if: [{ '<': [{ var: 'temp' }, 0] }, 'ice', { cat: ['wa', 'ter'] }] }],
    ['a reduction', { reduce: [{ var: 'items' }, { '+': [{ var: 'current' }, { var: 'accumulator' }] }, 0] }],
    ['missing names that are computed', { missing: { merge: ['vin', { if: [{ var: 'financing' }, ['apr'], []] }] } }],
    ['at least some of a list', { missing_some: [1, ['email', 'phone']] }],
    ['a prototype name that is only a value', { '==': [{ var: 'payload.role' }, 'constructor'] }],
    ['operations as deep as is allowed', nested(MAX_CONDITION_DEPTH)],
  ])('include %s', (_name, rule) => {
    expect(read(rule)).toEqual(rule)
  })
})

describe('invalid conditions', () => {
  test.each<[string, Json, string]>([
    [
      'an operator that nobody knows',
      { and: [{ shout: 1 }] },
      'condition.and[0] must not use the unknown operator "shout"',
    ],
    ['the operator that writes to the log', { log: 'x' }, 'condition must not use the unknown operator "log"'],
    [
      'an operator that is a method of objects',
      { toString: [] },
      'condition must not use the unknown operator "toString"',
    ],
    [
      'an object of two keys',
      { or: [true, { '==': [1, 1], '!=': [1, 2] }] },
      'condition.or[1] must be an operation, an object with exactly one key: the operator',
    ],
    ['an empty object', {}, 'condition must be an operation, an object with exactly one key: the operator'],
    ['a plain value', true, 'condition must be a JSON object'],
    ['a list', [{ var: 'a' }], 'condition must be a JSON object'],
    [
      'a prototype name',
      { '!!': { var: '__proto__' } },
      'condition["!!"].var must not name a variable with "__proto__" in its path',
    ],
    [
      'one inside a path',
      { var: 'payload.constructor.name' },
      'condition.var must not name a variable with "constructor"',
    ],
    [
      'one at the end of a path',
      { var: ['payload.prototype', 1] },
      'condition.var must not name a variable with "prototype"',
    ],
    [
      'one behind a backslash',
      { var: 'payload\\.con\\structor' },
      'condition.var must not name a variable with "constructor"',
    ],
    [
      'one among missing names',
      { missing: ['a', '__proto__.x'] },
      'condition.missing must not name a variable with "__proto__"',
    ],
    ['one among some missing names', { missing_some: [1, ['prototype']] }, 'condition.missing_some must not name'],
    [
      'a name that is computed',
      { var: { cat: ['__pro', 'to__'] } },
      'condition.var must name its variable as a plain string or number',
    ],
    [
      'a name that is a list',
      { var: [['constructor']] },
      'condition.var must name its variable as a plain string or number',
    ],
    [
      'operations one level too deep',
      nested(MAX_CONDITION_DEPTH + 1),
      `must not nest operations deeper than ${MAX_CONDITION_DEPTH} levels`,
    ],
    ['twenty thousand levels', nested(20_000), 'condition must not nest deeper than 32 levels'],
    [
      'more than fits',
      { in: ['x', 'y'.repeat(MAX_CONDITION_BYTES)] },
      `condition must be at most ${MAX_CONDITION_BYTES} bytes of JSON`,
    ],
    [
      'the key __proto__',
      JSON.parse('{"==": [{"__proto__": 1}, 1]}'),
      'condition must not contain the key "__proto__"',
    ],
  ])('include %s', (_name, rule, message) => {
    expect(refusalOf(rule).message).toContain(message)
  })

  test('get an error that points to the invalid part', () => {
    expect(refusalOf({ and: [true, { '>': [{ var: 'a.__proto__' }, 1] }] }).issues[0]?.path).toEqual([
      'condition',
      'and',
      1,
      '>',
      0,
      'var',
    ])
  })
})

const many = Array.from({ length: 5000 }, (_, index) => index)

describe('a condition holds', () => {
  test.each<[JsonObject, JsonObject]>([
    [{ and: [{ '>': [{ var: 'total' }, 10] }, { '==': [{ var: 'plan' }, 'pro'] }] }, { total: 11, plan: 'pro' }],
    [{ '==': [{ var: 'context.tenant.id' }, 'acme'] }, { context: { tenant: { id: 'acme' } } }],
    [{ '!=': [{ var: 'plan' }, 1] }, { plan: 'pro' }],
    [{ or: [{ '>': [{ var: 'plan' }, 1] }, true] }, { plan: 'pro' }],
    [{ '<': [1, { var: 'n' }, 3] }, { n: 2 }],
    [{ '!': { var: 'list' } }, { list: [] }],
    [{ '!!': { var: 'object' } }, { object: {} }],
    [{ var: ['nothing', true] }, {}],
    [{ '===': [{ cat: ['a', null, [1, 2]] }, 'a1,2'] }, {}],
    [
      { '==': [{ reduce: [{ var: 'list' }, { '+': [{ var: 'current' }, { var: 'accumulator' }] }, 0] }, 6] },
      { list: [1, 2, 3] },
    ],
    [{ some: [{ var: 'items' }, { '==': [{ var: 'sku' }, 'b'] }] }, { items: [{ sku: 'a' }, { sku: 'b' }] }],
    [{ none: [{ var: 'items' }, { '==': [{ var: 'sku' }, 'c'] }] }, { items: [{ sku: 'a' }] }],
    [{ '!': { missing: ['a', 'b.c'] } }, { a: 1, b: { c: 2 } }],
    [{ '!': { missing_some: [1, ['a', 'b']] } }, { b: 2 }],
    [{ in: ['ert', { var: 'word' }] }, { word: 'alert' }],
    [{ if: [{ var: 'nothing' }, false, true] }, {}],
  ])('when it is %j and the data is %j', async (rule, data) => {
    expect(await valueOf('condition', { rule: read(rule), variables: data })).toBe(true)
  })
})

describe('a condition does not hold', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['when it is false', { '==': [{ var: 'plan' }, 'pro'] }, { plan: 'free' }],
    ['when it adds up what are no numbers', { '+': [{ var: 'object' }, 1] }, { object: {} }],
    ['when it looks for what objects inherit', { '!!': { var: 'payload.toString' } }, { payload: {} }],
    ['when data names what objects inherit', { '!': { missing: [{ var: 'name' }] } }, { name: 'constructor.name' }],
    ['when it goes through what is no list', { some: [{ filter: [{ var: 'n' }, true] }, true] }, { n: 5 }],
    ['when it looks into what is no list', { in: ['a', { var: 'n' }] }, { n: 5 }],
    ['when it takes the largest of what are no numbers', { max: [{ var: 'object' }, 1] }, { object: {} }],
  ])('%s', async (_name, rule, data) => {
    expect(await valueOf('condition', { rule, variables: data })).toBe(false)
  })
})

describe('a condition cannot be computed', () => {
  test.each<[string, JsonObject]>([
    [
      'when it makes more and more',
      { reduce: [many, { merge: [{ var: 'accumulator' }, { var: 'accumulator' }] }, [1]] },
    ],
    [
      'when it writes more and more',
      { reduce: [many, { cat: [{ var: 'accumulator' }, { var: 'accumulator' }] }, 'x'] },
    ],
    ['when it compares texts that are too long', { '!=': [{ cat: ['a'.repeat(60_000), 'a'.repeat(60_000)] }, 'x'] }],
  ])('%s', async (_name, rule) => {
    expect(await evaluate('condition', { rule, variables: {} })).toMatchObject({ status: 'failed' })
  })

  test('with the limit as its reason', async () => {
    const rule = { '!=': [{ cat: [{ var: 'text' }, { var: 'text' }] }, 'x'] }
    expect(await evaluate('condition', { rule, variables: { text: 'a'.repeat(60_000) } })).toEqual({
      status: 'failed',
      cause: 'error',
      message: 'a condition must not create more than 100000 items or characters',
    })
  })

  test('when it checks every combination of five lists', async () => {
    let rule: JsonObject = { '>=': [{ var: '' }, 0] }
    for (let level = 0; level < 5; level += 1) rule = { all: [many, rule] }
    expect(await evaluate('condition', { rule, variables: {} })).toMatchObject({ status: 'failed', cause: 'time' })
  })
})

test('the variables of a condition exclude those of list items', () => {
  const rule: JsonObject = {
    and: [
      { some: [{ var: 'payload.items' }, { '==': [{ var: 'steps.inner' }, 1] }] },
      { '==': [{ var: ['steps.email-1.status', 'none'] }, 'sent'] },
      { missing: ['subscriber.email'] },
    ],
  }
  expect(variablesOf(rule)).toEqual([
    ['payload', 'items'],
    ['steps', 'email-1', 'status'],
    ['subscriber', 'email'],
  ])
})
