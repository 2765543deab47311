// Writes down which mutants a test file reaches. Runs beside each test file of the first phase.
import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { switches } from './runtime.ts'

let startedAt: number

beforeAll(() => {
  switches.reached.clear()
  startedAt = performance.now()
})

afterAll(() => {
  const { testPath } = expect.getState()
  const line = { file: testPath, reached: [...switches.reached], took: Math.round(performance.now() - startedAt) }
  appendFileSync(inject('mutation').results, `${JSON.stringify(line)}\n`)
})
