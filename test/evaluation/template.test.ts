// Liquid templates: rendering, validation, and the limits that protect the process.
import { describe, expect, test } from 'vitest'
import { MAX_RENDERED } from '../../src/evaluation/template.ts'
import { type JsonObject } from '../../src/lib/validation.ts'
import { evaluate, valueOf } from '../support/evaluation.ts'

const data: JsonObject = {
  subscriber: { firstName: '<Ada>' },
  payload: { items: ['a', 'b', 'c'], many: 3, huge: 9_007_199_254_740_992, nested: { total: 5 } },
  context: { tenant: { data: { plan: 'pro' } } },
}

async function rendered(text: string, escape: 'html' | 'none'): Promise<string> {
  const { all } = await valueOf('render', { templates: { all: { text, escape } }, variables: data })
  return all ?? ''
}
const plain = (text: string) => rendered(text, 'none')
const html = (text: string) => rendered(text, 'html')

describe('a Liquid template', () => {
  test.each([
    ['Hi {{subscriber.firstName}}', 'Hi <Ada>'],
    ['{{context.tenant.data.plan | upcase}}', 'PRO'],
    ['{% for item in payload.items %}{{ item }},{% endfor %}', 'a,b,c,'],
    ['{% for n in (1..payload.many) %}{{ n }}{% endfor %}', '123'],
    ['{{ payload.items }} {{ payload.nested }}', 'abc {"total":5}'],
    ['[{{ payload.nothing.at.all }}]', '[]'],
    ['{% capture twice %}{{ payload.many }}{{ payload.many }}{% endcapture %}{{ twice }}', '33'],
    ['{{ 0 | date: "%Y-%m-%d %H:%M" }}', '1970-01-01 00:00'],
  ])('renders %s', async (text, expected) => {
    expect(await plain(text)).toBe(expected)
  })

  test('escapes values in HTML unless they are marked raw', async () => {
    expect(await html('<p>{{subscriber.firstName}}</p>')).toBe('<p>&lt;Ada&gt;</p>')
    expect(await html('{{subscriber.firstName | raw}}')).toBe('<Ada>')
  })

  test('does not change the data', async () => {
    await plain('{% increment payload %}{% assign subscriber = 1 %}')
    expect(data).toMatchObject({ payload: { many: 3 }, subscriber: { firstName: '<Ada>' } })
  })

  test.each([
    '{{ constructor }}',
    '{{ __proto__ }}',
    '{{ payload.constructor.name }}',
    '{{ payload["__proto__"] }}',
    '{{ payload.items | map: "constructor" }}',
    '{{ subscriber.firstName.constructor }}',
  ])('cannot read beyond the data with %s', async (text) => {
    expect((await plain(text)).trim()).toBe('')
  })
})

describe('an invalid template', () => {
  test.each([
    ['Hi\n  {% if x %}', 'tag {% if x %} not closed (line 2, column 3)'],
    ['{{ x', 'output "{{ x" not closed (line 1, column 1)'],
    ['{{ x | shout }}', 'undefined filter: shout (line 1, column 1)'],
    ['{% fetch "x" %}', 'tag "fetch" not found (line 1, column 1)'],
    ['{% include "/etc/passwd" %}', 'tag "include" not found'],
    ['{% render "x" %}', 'tag "render" not found'],
    ['{% layout "x" %}', 'tag "layout" not found'],
    ['{{ payload.items | find_exp: "x", "x" }}', 'undefined filter: find_exp'],
  ])('is rejected with the position: %.40s', async (text, message) => {
    expect((await valueOf('template', text))?.message).toContain(message)
  })
})

test.each([
  ['tags', '{% if x %}'.repeat(20_000)],
  ['brackets', `{{ a${'[a'.repeat(20_000)}${']'.repeat(20_000)} }}`],
])('a template of twenty thousand nested %s is invalid or stopped', async (_name, text) => {
  const outcome = await evaluate('template', text)
  expect(outcome).not.toEqual({ status: 'done', value: undefined })
  expect(outcome.status).not.toBe('deferred')
})

describe('a template beyond the limits', () => {
  test.each([
    ['loops in loops over nothing', '{% for a in (1..100000) %}{% for b in (1..100000) %}{% endfor %}{% endfor %}'],
    ['a text without end', '{% for a in (1..1000) %}{% for b in (1..1000) %}long{% endfor %}{% endfor %}'],
    [
      'a text that doubles by capture',
      `{% capture a %}x{% endcapture %}${'{% capture a %}{{a}}{{a}}{% endcapture %}'.repeat(50)}`,
    ],
    ['a text that doubles by filter', `{% assign a = "x" %}${'{% assign a = a | append: a %}'.repeat(50)}`],
    ['a list longer than the memory', '{% assign list = (1..1000000000) %}'],
    ['a range in which one more is no more', '{% for a in (payload.huge..9007199254740999) %}{% endfor %}'],
    [
      'such a range inside the argument of a filter',
      '{{ payload.items | where: "[(9007199254740992..9007199254740999)]" }}',
    ],
  ])('is stopped: %s', async (_name, text) => {
    const outcome = await evaluate('render', { templates: { all: { text, escape: 'none' } }, variables: data })
    expect(outcome).toMatchObject({ status: 'failed' })
  })

  test('reports the line and the limit', async () => {
    await expect(plain(`ok\n{% for a in (1..100) %}${'x'.repeat(10_000)}{% endfor %}`)).rejects.toThrow(
      `error: the text is longer than ${MAX_RENDERED} characters (line 2, column `,
    )
  })
})
