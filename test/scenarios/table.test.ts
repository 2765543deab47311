// The table of scenarios: complete, and every test that it names exists.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Scenario, scenarios } from './table.ts'

const tests = path.resolve(import.meta.dirname, '..')
const quotes = ["'", '"', '`']

const hasTest = (file: string, title: string): boolean => {
  const name = path.join(tests, file)
  if (!existsSync(name)) return false
  const text = readFileSync(name, 'utf8')
  return quotes.some((quote) => text.includes(`test(${quote}${title}${quote},`))
}

test('the table has the 60 scenarios, each with a test or with what it needs first', () => {
  const numbers = Array.from({ length: 60 }, (_, index) => index + 1)
  expect(Object.keys(scenarios).map(Number)).toEqual(numbers)
  const empty = ({ story, proofs, needs }: Scenario) => story === '' || (proofs.length === 0 && !needs)
  expect(Object.values(scenarios).filter(empty)).toEqual([])
})

test('every test that the table names exists', () => {
  const named = Object.values(scenarios).flatMap(({ proofs }) => proofs)
  expect(named.filter(([file, title]) => !hasTest(file, title))).toEqual([])
})
