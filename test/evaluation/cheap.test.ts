// Which code from callers runs on the event loop: only code that is known to be linear, with small inputs.
import { describe, expect, test } from 'vitest'
import { isCheap } from '../../src/evaluation/cheap.ts'
import type { JsonObject } from '../../src/lib/validation.ts'

const large = 'x'.repeat(16 * 1024)

describe('a template', () => {
  const isCheapTemplate = (text: string, variables: JsonObject = {}) =>
    isCheap('render', { templates: { body: { text, escape: 'none' } }, variables })

  test.each([
    'Hello',
    'Hello {{ subscriber.firstName }}',
    '{{ payload.items[0].name | default: "nothing" | upcase }}',
    '{{- "now" | append: payload.when -}}',
  ])('of text and plain outputs runs on the loop: %s', (text) => {
    expect(isCheapTemplate(text, { payload: {} })).toBe(true)
  })

  test.each([
    ['a tag', '{% if payload.a %}yes{% endif %}'],
    ['a loop', '{% for i in (1..700) %}{% endfor %}'],
    ['a filter that is not linear', '{{ payload.a | replace: "a", payload.a }}'],
    ['a filter that is not linear behind others', '{{ payload.a | upcase | split: "" }}'],
    ['more than three filters', '{{ a | append: a | append: a | append: a | append: a }}'],
    ['a range', '{{ (1..100000) }}'],
    ['a variable in the path of a variable', '{{ payload[payload.key] }}'],
    ['more than a hundred outputs', '{{ a }}'.repeat(101)],
    ['an output without an end', 'Hello {{ subscriber.firstName'],
  ])('with %s does not run on the loop', (_what, text) => {
    expect(isCheapTemplate(text)).toBe(false)
  })

  test('that is large or has large variables does not run on the loop', () => {
    expect(isCheapTemplate(`${large}{{ payload.a }}`)).toBe(false)
    expect(isCheapTemplate('{{ payload.a }}', { payload: { a: large } })).toBe(false)
  })

  test('without markup runs on the loop, whatever its size and its variables', () => {
    expect(isCheapTemplate(large, { payload: { a: large } })).toBe(true)
  })
})

describe('a condition', () => {
  const isCheapCondition = (rule: JsonObject, variables: JsonObject = {}) => isCheap('condition', { rule, variables })

  test('of comparisons, logic and numbers runs on the loop', () => {
    const isPro: JsonObject = { '==': [{ var: 'payload.plan' }, 'pro'] }
    const isLarge: JsonObject = { '>': [{ '+': [{ var: 'payload.seats' }, 1] }, 2] }
    const rule = { and: [isPro, isLarge] }
    expect(isCheapCondition(rule, { payload: { plan: 'pro', seats: 3 } })).toBe(true)
  })

  test.each(['map', 'reduce', 'filter', 'all', 'none', 'some', 'merge', 'cat', 'substr'])(
    'with the operator %s, which walks lists or creates text, does not run on the loop',
    (operator) => {
      expect(isCheapCondition({ '!': [{ [operator]: [{ var: 'payload.items' }, 1] }] })).toBe(false)
    },
  )

  test('that is large or has large variables does not run on the loop', () => {
    expect(isCheapCondition({ '==': [{ var: 'payload.a' }, 'x'.repeat(3_000)] })).toBe(false)
    expect(isCheapCondition({ '==': [{ var: 'payload.a' }, 1] }, { payload: { a: large } })).toBe(false)
  })
})

describe('a payload schema', () => {
  const isCheapPayload = (schema: JsonObject, value: JsonObject) => isCheap('validation', { schema, value })
  const plain = {
    type: 'object',
    required: ['plan'],
    properties: { plan: { enum: ['free', 'pro'] }, seats: { type: 'integer', minimum: 1 } },
    additionalProperties: false,
  }

  const isCheapSchema = (schema: JsonObject) => isCheapPayload(schema, { plan: 'pro' })

  test('of linear keywords checks payloads on the loop', () => {
    expect(isCheapSchema(plain)).toBe(true)
  })

  test('is never validated on the loop, because each validation compiles it', () => {
    expect(isCheap('schema', plain)).toBe(false)
  })

  test.each([
    ['pattern', { pattern: '^a+$' }],
    ['patternProperties', { patternProperties: { '^a': {} } }],
    ['uniqueItems', { uniqueItems: true }],
    ['anyOf', { anyOf: [{}, {}] }],
    ['$ref', { $ref: '#' }],
    ['format', { format: 'email' }],
  ])('with %s at any depth is not checked on the loop', (_keyword, schema) => {
    expect(isCheapSchema(schema)).toBe(false)
    expect(isCheapSchema({ properties: { list: { items: schema } } })).toBe(false)
  })

  test('with a default is checked on the loop, unless items of a list could have it', () => {
    const withDefault = { properties: { plan: { default: 'free' } } }
    expect(isCheapSchema(withDefault)).toBe(true)
    expect(isCheapSchema({ properties: { list: { items: withDefault } } })).toBe(false)
    expect(isCheapSchema({ additionalProperties: withDefault })).toBe(false)
  })

  test('that is large, or has a large payload, is not checked on the loop', () => {
    expect(isCheapSchema({ properties: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, {}])) })).toBe(
      false,
    )
    expect(isCheapSchema({ description: 'x'.repeat(5_000) })).toBe(false)
    expect(isCheapPayload(plain, { plan: large })).toBe(false)
  })
})

test('HTML is never converted to text on the loop', () => {
  expect(isCheap('htmlText', '<p>a</p>')).toBe(false)
})
