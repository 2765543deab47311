// The rich-text editor of emails: what it can edit, and that nothing else is ever changed.
import { getSchema } from '@tiptap/core'
import { describe, expect, test } from 'vitest'
import { imageAddressError, linkAddressError } from '../../src/dashboard/parts/rich-text/address.ts'
import { buttonStyle } from '../../src/dashboard/parts/rich-text/button-style.ts'
import { extensions } from '../../src/dashboard/parts/rich-text/extensions.ts'
import { readHtml } from '../../src/dashboard/parts/rich-text/read-html.ts'
import { writeHtml } from '../../src/dashboard/parts/rich-text/write-html.ts'

const schema = getSchema(extensions)

/** Returns the HTML as the editor would write it: its schema orders the marks and refuses invalid documents. */
function written(html: string): string {
  const node = schema.nodeFromJSON(readHtml(html).document)
  node.check()
  return writeHtml(node.toJSON())
}

const button = (background: string) =>
  `<p><a href="{{ payload.url }}" style="${buttonStyle(background)}">Track it</a></p>`

const same = {
  nothing: '',
  'a paragraph': '<p>Hello</p>',
  headings: '<h1>One</h1>\n<h2>Two</h2>\n<h6>Six</h6>',
  'marks that overlap': '<p>a <strong>b <em>c</em></strong><em>d</em> <u>e</u> <s>f</s></p>',
  'a link around marks': '<p><a href="https://example.com/?a=1&amp;b=2">a <strong>b</strong></a></p>',
  'links beside each other': '<p><a href="mailto:a@example.com">a</a><a href="tel:+491234">b</a></p>',
  'line breaks': '<p>One<br>Two</p>\n<p><br></p>\n<p>Three</p>',
  'characters with a meaning in HTML': '<p>a &lt; b &amp;&amp; c &gt; d, "quoted", it\'s&nbsp;here</p>',
  'a list in a list':
    '<ul>\n  <li>One\n    <ol start="3">\n      <li>Two</li>\n    </ol>\n  </li>\n  <li>Three</li>\n</ul>',
  'a list of paragraphs': '<ul>\n  <li>\n    <p>One</p>\n    <p>Two</p>\n  </li>\n</ul>',
  'a quote': '<blockquote>\n  <p>One</p>\n  <ul>\n    <li>Two</li>\n  </ul>\n</blockquote>',
  images: '<p><img src="https://example.com/a.png" alt="Logo" width="80"> <img src="{{ payload.image }}"></p>',
  'a divider': '<p>a</p>\n<hr>\n<p>b</p>',
  'a button': button('#3b5bdb'),
  'a button in another color': button('#ffd43b'),
  'quotes in Liquid': '<p>{{ payload.name | default: "you & me" }} {% if a > 1 and b < \'2\' %}yes{% endif %}</p>',
  'Liquid in an address': '<p><a href="https://example.com/{{ payload.id | append: "?a&b" }}">Track</a></p>',
  'Liquid in marks': '<p><strong>{{ subscriber.firstName }}</strong></p>',
  'raw output': '<p>{{ payload.html | raw }}</p>',
}

describe('HTML that stays exactly as it is', () => {
  for (const [name, html] of Object.entries(same)) {
    test(name, () => {
      expect(readHtml(html)).toMatchObject({ obstacles: [], rewrites: [] })
      expect(written(html)).toBe(html)
    })
  }
})

const spaced = {
  'whitespace between blocks': ['  <p>a</p>\n\n\n<p>b</p>\n', '<p>a</p>\n<p>b</p>'],
  'whitespace within text': ['<p>\n  Hello\n  <em>you</em>\n</p>', '<p>Hello <em>you</em></p>'],
  'whitespace after a line break': ['<p>a<br />\n  b</p>', '<p>a<br>b</p>'],
  'the notation of tags': [
    "<P>a<IMG alt='b' src=https://example.com/c.png></P>",
    '<p>a<img src="https://example.com/c.png" alt="b"></p>',
  ],
  'the order of attributes': [
    '<p><img alt="b" src="https://example.com/c.png"></p>',
    '<p><img src="https://example.com/c.png" alt="b"></p>',
  ],
  'the notation of characters': ['<p>a &mdash; &#8364;</p>', '<p>a — €</p>'],
  'a list without indentation': ['<ul><li>a</li><li>b</li></ul>', '<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>'],
} as const

describe('HTML in which only insignificant whitespace and notation change', () => {
  for (const [name, [html, result]] of Object.entries(spaced)) {
    test(name, () => {
      expect(readHtml(html)).toMatchObject({ obstacles: [], rewrites: [] })
      expect(written(html)).toBe(result)
    })
  }
})

const rewritten = {
  'former tags': ['<p><b>a</b> <i>b</i></p>', '<p><strong>a</strong> <em>b</em></p>', '<b> becomes <strong>'],
  'text without a paragraph': [
    'Hello {{ a }}<br>b',
    '<p>Hello {{ a }}<br>b</p>',
    'text outside of a paragraph is put in <p>',
  ],
  'text in a quote': [
    '<blockquote>a</blockquote>',
    '<blockquote>\n  <p>a</p>\n</blockquote>',
    'text outside of a paragraph is put in <p>',
  ],
  'another order of tags': [
    '<p><strong><a href="https://a.example">b</a></strong></p>',
    '<p><a href="https://a.example"><strong>b</strong></a></p>',
    'empty, nested or adjacent tags are written differently',
  ],
  'an empty paragraph': [
    '<p>a</p>\n<p></p>',
    '<p>a</p>\n<p><br></p>',
    'empty, nested or adjacent tags are written differently',
  ],
  'adjacent tags': [
    '<p><em>a</em><em>b</em></p>',
    '<p><em>ab</em></p>',
    'empty, nested or adjacent tags are written differently',
  ],
} as const

describe('HTML that is written differently, which the editor asks about', () => {
  for (const [name, [html, result, reason]] of Object.entries(rewritten)) {
    test(name, () => {
      const { obstacles, rewrites } = readHtml(html)
      expect(obstacles).toEqual([])
      expect(rewrites).toContain(reason)
      expect(written(html)).toBe(result)
      expect(readHtml(written(html))).toMatchObject({ obstacles: [], rewrites: [] })
    })
  }
})

const refused = {
  'a table': ['<table><tr><td>a</td></tr></table>', ['<table>', '<tr>', '<td>']],
  'a document': [
    '<!doctype html><html><head><title>a</title></head><body><p>b</p></body></html>',
    ['<!doctype html>', '<html>', '<head>', '<title>', '<body>'],
  ],
  'a style block': ['<style>p > a { color: red }</style><p>a</p>', ['<style>']],
  'an inline style': ['<p style="color: teal">a</p>', ['style of <p>']],
  'a class': ['<p>a <strong class="b">c</strong></p>', ['class of <strong>']],
  'an unknown tag': ['<div><p>a <span>b</span></p></div>', ['<div>', '<span>']],
  'a tag named like a property of objects': ['<p>a <constructor>b</constructor></p>', ['<constructor>']],
  'a custom element': ['<p>a</p><x-card></x-card>', ['<x-card>']],
  'a comment': ['<p>a</p><!-- b -->', ['a comment']],
  'a comment for Outlook': ['<!--[if mso]><p>a</p><![endif]--><p>b</p>', ['a comment']],
  'a paragraph without an end': ['<p>a<p>b</p>', ['<p> without </p>']],
  'a stray end tag': ['<p>a</p></div>', ['</div>']],
  'an end tag of a paragraph that is not open': ['<hr></p>', ['</p> without <p>']],
  'an unfinished tag': ['<p>a</p><p title="a', ['<p']],
  'an attribute twice': ['<p><a href="https://a.example" href="https://b.example">c</a></p>', ['href of <a>']],
  'the target of a link': ['<p><a href="https://a.example" target="_blank">b</a></p>', ['target of <a>']],
  'an address with another scheme': ['<p><a href="javascript:alert(1)">a</a></p>', ['a link to “javascript:alert(1)”']],
  'a script': ['<p>a</p><script>b()</script>', ['<script>']],
  'a button of another style': ['<p><a href="https://a.example" style="color: red">b</a></p>', ['style of <a>']],
  'a width of a picture in its style': [
    '<p><img src="https://a.example/b.png" style="width: 10px"></p>',
    ['style of <img>'],
  ],
  'Liquid around blocks': [
    '{% if payload.a %}\n<p>b</p>\n{% endif %}',
    ['{% if payload.a %} outside of a paragraph', '{% endif %} outside of a paragraph'],
  ],
  'Liquid around items': [
    '<ul>{% for a in payload.b %}<li>{{ a }}</li>{% endfor %}</ul>',
    ['“{% for a in payload.b %}” in <ul>', '“{% endfor %}” in <ul>'],
  ],
  'Liquid in a tag': ['<p {% if a %}class="b"{% endif %}>c</p>', ['{% if a %}class of <p>', '{% endif %} of <p>']],
  'Liquid in several lines': ['<p>{% liquid\nassign a = 1\necho a %}</p>', ['Liquid in several lines']],
  'a heading in a list': ['<ul><li><h2>a</h2></li></ul>', ['<h2> in <li>']],
  'a meta tag': ['<meta charset="utf-8"><p>a</p>', ['<meta>']],
  'a character of the private use area': ['<p>\uE020</p>', ['a character of the private use area']],
} as const

describe('HTML that the editor refuses, with the reason', () => {
  for (const [name, [html, reasons]] of Object.entries(refused)) {
    test(name, () => {
      expect(readHtml(html).obstacles).toEqual(expect.arrayContaining([...reasons]))
    })
  }
})

test('text that looks like HTML remains text, and Liquid in it remains Liquid', () => {
  const text = 'if a < b & c: <b> {{ x | default: "<none>" }} &amp; {% if y > 1 %}'
  const html = writeHtml({ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] })
  expect(html).toBe('<p>if a &lt; b &amp; c: &lt;b&gt; {{ x | default: "<none>" }} &amp;amp; {% if y > 1 %}</p>')
  expect(readHtml(html).document.content?.[0]?.content?.[0]?.text).toBe(text)
})

test('several spaces are shown as they were typed', () => {
  const html = writeHtml({
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text: 'a   b {{ c  | d }}' }] }],
  })
  expect(html).toBe('<p>a&nbsp;&nbsp; b {{ c  | d }}</p>')
})

test('addresses are URLs that a mail client opens, or Liquid', () => {
  for (const valid of [
    'https://example.com/a',
    'HTTP://example.com',
    'mailto:ada@example.com?subject={{ payload.subject | url_encode }}',
    'tel:+49123',
    '{{ payload.url }}',
    '{% if payload.url %}{{ payload.url }}{% endif %}',
    'https://example.com/{{ payload.id | default: "a b" }}',
  ]) {
    expect(linkAddressError(valid), valid).toBeNull()
  }
  for (const invalid of [
    '',
    'example.com',
    '/a',
    'javascript:alert(1)',
    'https://',
    'https://a b',
    'data:text/html,a',
  ]) {
    expect(linkAddressError(invalid), invalid).toContain('Start the address with https://')
  }
  expect(imageAddressError('https://example.com/a.png')).toBeNull()
  expect(imageAddressError('data:image/png;base64,AAAA')).toContain('Start the address')
})
