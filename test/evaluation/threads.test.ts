// The evaluation threads: what happens when one fails that has nothing to evaluate.
import { EventEmitter, once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createThreads, type Warn } from '../../src/evaluation/threads.ts'

test('a thread that fails without a batch is logged, and does not end the process', async () => {
  const lines = new EventEmitter<{ line: Parameters<Warn> }>()
  const logged = once(lines, 'line')
  const warn: Warn = (...line) => lines.emit('line', ...line)
  const threads = createThreads(warn, { filename: '/no such module.js', execArgv: [] })
  onTestFinished(() => threads.close())
  // The first thread fails with the batch, and the one that replaces it without any.
  await expect(threads.run('render', [], 100)).rejects.toThrow('no such module')
  expect(await logged).toEqual([
    { count: 1, err: expect.objectContaining({ message: expect.stringContaining('no such module') }) },
    'evaluation thread failed',
  ])
})
