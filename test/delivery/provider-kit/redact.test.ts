// Redaction: if a receiver echoes a secret, in whatever form, it does not reach the execution log.
import { describe, expect, test } from 'vitest'
import { redact } from '../../../src/delivery/provider-kit/redact.ts'

const SECRET = 's3cr3t/K&y+"é"=value'

const encodings: readonly (readonly [form: string, encode: (secret: string) => string])[] = [
  ['as it is', (secret) => secret],
  ['in base64', (secret) => Buffer.from(secret).toString('base64')],
  ['in base64url', (secret) => Buffer.from(secret).toString('base64url')],
  ['in base64 with the user of basic authentication', (secret) => Buffer.from(`user:${secret}`).toString('base64')],
  ['in base64 after a word', (secret) => `got${Buffer.from(`x${secret}`).toString('base64')}`],
  ['in base64 over several lines', (secret) => Buffer.from(secret).toString('base64').replaceAll(/.{7}/g, '$&\r\n')],
  ['in base64 twice', (secret) => Buffer.from(Buffer.from(secret).toString('base64')).toString('base64')],
  ['in upper case', (secret) => secret.toUpperCase()],
  ['in percent-encoded base64', (secret) => encodeURIComponent(Buffer.from(secret).toString('base64'))],
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded in lower case', (secret) => encodeURIComponent(secret).toLowerCase().replace('k', 'K')],
  ['percent-encoded twice', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['wholly percent-encoded', (secret) => Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&')],
  ['in hexadecimal', (secret) => Buffer.from(secret).toString('hex')],
  [
    'in upper-case hexadecimal with colons',
    (secret) =>
      Buffer.from(secret)
        .toString('hex')
        .toUpperCase()
        .replaceAll(/..(?=.)/g, '$&:'),
  ],
  ['as JSON', (secret) => JSON.stringify({ secret })],
  ['as JSON in JSON', (secret) => JSON.stringify(JSON.stringify({ secret }))],
  [
    'as JSON with unicode escapes',
    (secret) => Array.from(secret, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ],
  ['as HTML', (secret) => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  ['as numeric HTML entities', (secret) => Array.from(secret, (one) => `&#${one.codePointAt(0)};`).join('')],
  [
    'as hexadecimal HTML entities',
    (secret) => Array.from(secret, (one) => `&#x${one.codePointAt(0)?.toString(16)};`).join(''),
  ],
  ['spaced out', (secret) => Array.from(secret).join(' ')],
  ['broken by lines', (secret) => secret.replaceAll(/.{5}/gu, '$&\n')],
  ['with dashes', (secret) => Array.from(secret).join('-')],
  ['reversed', (secret) => Array.from(secret).toReversed().join('')],
]

describe('a secret is redacted', () => {
  test.each(encodings)('%s', (_form, encode) => {
    const shown = redact(`You sent: ${encode(SECRET)}. Thank you.`, [{ nested: [SECRET] }])
    expect(shown).toContain('***')
    expect(shown).toMatch(/^You sent: .*\. Thank you\.$/s)
    for (const part of ['s3cr3t', 'value', encode(SECRET)]) expect(shown).not.toContain(part)
  })

  test('at every position, also if it overlaps with another secret', () => {
    expect(redact('abcdefgh, abcdef, abcdefghijkl', ['abcdefgh', 'efghijkl'])).toBe('***, abcdef, ***')
  })

  test('as a part of a URL and without its authentication scheme', () => {
    const secrets = ['https://hooks.example.com/services/T0SECRET?token=QUERYSECRET', 'Bearer TOKENSECRET']
    const shown = redact('T0SECRET QUERYSECRET TOKENSECRET hooks.example.com', secrets)
    expect(shown).toBe('*** *** *** hooks.example.com')
  })
})

test('a text without secrets is unchanged', () => {
  const text = 'The API token is invalid: 5 of 12 fields %41 &amp; "dG9rZW4tb2Ytc29tZW9uZQ==" 0123456789abcdef'
  expect(redact(text, ['another-secret', 'short'])).toBe(text)
})

test('a text is kept up to 1000 characters, however long it is', () => {
  expect(redact(`secret-1 ${'x'.repeat(1_000_000)}`, ['secret-1'])).toBe(`*** ${'x'.repeat(996)}`)
})

test('no text is kept if there are too many secrets to search for', () => {
  const secrets = Array.from({ length: 1000 }, (_, index) => `secret-number-${index}`)
  expect(redact('hello', secrets)).toBe('***')
})

describe('a secret value of a payload', () => {
  const codes = ['739162', '7']
  const redacted = (text: string) => redact(text, [], codes)

  test('is redacted although it is short, also spaced out', () => {
    const base64 = Buffer.from('codes 739162').toString('base64')
    expect(redacted(`739162, 7 3 9 1 6 2, 739-162, ${base64} and 7 of 8`)).toBe('***, ***, ***, *** and *** of 8')
  })

  test('is redacted beside credentials', () => {
    expect(redact('code 1234, key long-secret', [{ key: 'long-secret' }], ['1234'])).toBe('code ***, key ***')
  })
})
