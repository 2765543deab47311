// Liquid templates: rendering, validation, and the limits that protect the process.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Refusal } from '../src/lib/errors.ts'
import { MAX_RENDERED, render, template, TemplateError } from '../src/lib/template.ts'
import { type JsonObject, parse } from '../src/lib/validation.ts'

const data: JsonObject = {
  subscriber: { firstName: '<Ada>' },
  payload: { items: ['a', 'b', 'c'], many: 3, huge: 9_007_199_254_740_992, nested: { total: 5 } },
  context: { tenant: { data: { plan: 'pro' } } },
}

const plain = (text: string) => render(text, data, { escape: 'none' })
const html = (text: string) => render(text, data, { escape: 'html' })

function refusalOf(body: string): string {
  try {
    parse(z.object({ body: template(300_000) }), { body })
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
  throw new Error('taken in')
}

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
  ])('renders %s', (text, expected) => {
    expect(plain(text)).toBe(expected)
  })

  test('escapes values in HTML unless they are marked raw', () => {
    expect(html('<p>{{subscriber.firstName}}</p>')).toBe('<p>&lt;Ada&gt;</p>')
    expect(html('{{subscriber.firstName | raw}}')).toBe('<Ada>')
  })

  test('does not change the data', () => {
    plain('{% increment payload %}{% assign subscriber = 1 %}')
    expect(data).toMatchObject({ payload: { many: 3 }, subscriber: { firstName: '<Ada>' } })
  })

  test.each([
    '{{ constructor }}',
    '{{ __proto__ }}',
    '{{ payload.constructor.name }}',
    '{{ payload["__proto__"] }}',
    '{{ payload.items | map: "constructor" }}',
    '{{ subscriber.firstName.constructor }}',
  ])('cannot read beyond the data with %s', (text) => {
    expect(plain(text).trim()).toBe('')
  })
})

describe('an invalid template', () => {
  test.each([
    ['Hi\n  {% if x %}', 'body is not a valid template: tag {% if x %} not closed (line 2, column 3)'],
    ['{{ x', 'output "{{ x" not closed (line 1, column 1)'],
    ['{{ x | shout }}', 'undefined filter: shout (line 1, column 1)'],
    ['{% fetch "x" %}', 'tag "fetch" not found (line 1, column 1)'],
    ['{% include "/etc/passwd" %}', 'tag "include" not found'],
    ['{% render "x" %}', 'tag "render" not found'],
    ['{% layout "x" %}', 'tag "layout" not found'],
    ['{{ payload.items | find_exp: "x", "x" }}', 'undefined filter: find_exp'],
    ['{% if x %}'.repeat(20_000), 'is not a valid template'],
    [`{{ a${'[a'.repeat(20_000)}${']'.repeat(20_000)} }}`, 'is not a valid template'],
  ])('is rejected with the position: %.40s', (text, message) => {
    expect(refusalOf(text)).toContain(message)
  })
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
  ])('is aborted: %s', (_name, text) => {
    expect(() => plain(text)).toThrow(TemplateError)
  })

  test('reports the line and the limit', () => {
    expect(() => plain(`ok\n{% for a in (1..1000000) %}${'x'.repeat(100)}{% endfor %}`)).toThrow(
      expect.objectContaining({
        line: 2,
        message: expect.stringContaining(`the text is longer than ${MAX_RENDERED} characters`),
      }),
    )
  })
})
