// The evaluation threads: how they start, and what happens when an idle thread fails.
import { EventEmitter, once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { knownDialects } from '../../src/evaluation/schema-compiler.ts'
import { createThreads, type Warn } from '../../src/evaluation/threads.ts'
import { threadEntry } from '../../src/lib/thread-entry.ts'

test('a thread that fails without a batch is logged, and does not end the process', async () => {
  const lines = new EventEmitter<{ line: Parameters<Warn> }>()
  const logged = once(lines, 'line')
  const warn: Warn = (...line) => lines.emit('line', ...line)
  const threads = createThreads(warn, { filename: '/no such module.js', execArgv: [] })
  onTestFinished(() => threads.close())
  // The first thread fails with its batch, and its replacement fails while it is idle.
  await expect(threads.run('render', [], 100)).rejects.toThrow('no such module')
  expect(await logged).toEqual([
    { count: 1, err: expect.objectContaining({ message: expect.stringContaining('no such module') }) },
    'evaluation thread failed',
  ])
})

test.each(knownDialects)(
  'the first schema of the dialect %s costs its caller no more than the next',
  async ($schema) => {
    const threads = createThreads(() => {}, threadEntry(import.meta.url, '../support/warm-thread'))
    onTestFinished(() => threads.close())
    const { outcomes } = await threads.run('schema', [{ $schema, type: 'object' }], 1000)
    expect(outcomes).toEqual([{ status: 'done', value: [] }])
  },
)
