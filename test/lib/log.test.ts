// The lines of the log: their size, and what they contain of an error.
import { expect, test } from 'vitest'
import { createLogger } from '../../src/lib/log.ts'

/** The lines that an act writes. */
function linesOf(act: (logger: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = []
  act(createLogger('info', { write: (line: string) => lines.push(line) }))
  return lines
}

test('an error is logged with its name, message, code, stack and cause, and no other properties', () => {
  const password = 'a-secret-password'
  const cause = Object.assign(new Error('no route'), { code: 'EHOSTUNREACH', client: { password } })
  const error = Object.assign(new TypeError('connection lost', { cause }), {
    code: '08006',
    client: { connectionParameters: { password } },
    detail: `Key (email)=(${password}) exists`,
  })
  const [line = ''] = linesOf((logger) => logger.warn({ err: error }, 'database connection lost'))
  expect(JSON.parse(line)).toMatchObject({
    level: 40,
    msg: 'database connection lost',
    err: {
      type: 'TypeError',
      message: 'connection lost',
      code: '08006',
      stack: expect.stringContaining('log.test.ts'),
      cause: { type: 'Error', message: 'no route', code: 'EHOSTUNREACH' },
    },
  })
  expect(line).not.toContain(password)
})

test.each([
  ['a long error', { err: new Error('x'.repeat(50_000)) }],
  [
    'a chain of causes',
    { err: [1, 2, 3, 4].reduce((cause: unknown) => new Error('é'.repeat(9_000), { cause }), undefined) },
  ],
  ['long fields', { environmentId: 'e', reason: '€'.repeat(20_000), others: { deep: 'y'.repeat(20_000) } }],
  ['a long list', { environmentId: 'e', jobIds: Array.from({ length: 10_000 }, (_, index) => `job ${index}`) }],
  ['many fields', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field ${index}`, 'z'.repeat(50)]))],
])('a line with %s has at most 4,000 bytes, and keeps its level, time and message', (_what, fields) => {
  const [line = '', ...others] = linesOf((logger) => logger.error(fields, 'job failed'))
  expect(others).toEqual([])
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4_000)
  expect(line.endsWith('\n')).toBe(true)
  expect(JSON.parse(line)).toMatchObject({ level: 50, time: expect.any(Number), msg: 'job failed' })
})

test('a line that fits is not changed', () => {
  const fields = { environmentId: 'e', jobIds: ['1', '2'], data: { deliveryId: 'd' } }
  const [line = ''] = linesOf((logger) => logger.info(fields, 'job failed'))
  expect(JSON.parse(line)).toMatchObject(fields)
  expect(line).not.toContain('shortened')
})
