// Fails a test file that sends a statement which breaks a rule of `rules.ts` without being an exception.
import pg from 'pg'
import { afterAll, expect } from 'vitest'
import { isException } from './exceptions.ts'
import { brokenRules } from './rules.ts'

/** Statements of src/data have a label. Those of tests have none. */
const LABEL = /^\/\* ([\w.-]+) \*\//

/** Of the present test file. Each file evaluates this module, in a process that files share. */
const checked = new Set<string>()
const found = new Set<string>()

function check(text: string): void {
  if (checked.has(text)) return
  checked.add(text)
  const label = LABEL.exec(text)?.[1]
  if (label === undefined) return
  for (const rule of brokenRules(text)) if (!isException(label, rule)) found.add(`${label} breaks the rule ${rule}`)
}

/** Where the prototype keeps its own function, which the function of an earlier file must not be taken for. */
const ORIGINAL = Symbol.for('query without a guard')

const client = pg.Client.prototype
const original: unknown = Reflect.get(client, ORIGINAL) ?? Reflect.get(client, 'query')
if (typeof original !== 'function') throw new Error('node-postgres has no query')
Reflect.set(client, ORIGINAL, original)
Reflect.set(client, 'query', function (this: unknown, ...given: unknown[]): unknown {
  const [first] = given
  const text: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'text') : first
  if (typeof text === 'string') check(text)
  return Reflect.apply(original, this, given)
})

afterAll(() => {
  expect([...found], 'see test/support/statement/rules.ts').toEqual([])
})
