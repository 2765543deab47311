// Fails a test file during which Node prints a deprecation warning.
import { afterAll, expect } from 'vitest'

const found: string[] = []
const note = ({ name, message }: Error) => {
  if (name === 'DeprecationWarning') found.push(message)
}

process.on('warning', note)

afterAll(() => {
  process.off('warning', note)
  expect(found).toEqual([])
})
