// The queue of the evaluation threads: turns, shares and evaluation time of environments.
import { describe, expect, test } from 'vitest'
import { createFairQueue, type Release } from '../../src/evaluation/fair-queue.ts'

/** Longer than any test. */
const PATIENT = 60_000

/** A queue for `threads` threads, with a stopped clock, and the order in which threads were assigned. */
function openQueue(threads: number) {
  let time = 0
  const given: string[] = []
  const queue = createFairQueue({ threads, now: () => time })
  return {
    queue,
    given,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    acquire: async (environmentId: string, patience = PATIENT): Promise<Release> => {
      const release = await queue.acquire(environmentId, patience)
      if (release === undefined) throw new Error('no thread')
      given.push(environmentId)
      return release
    },
  }
}

describe('an environment', () => {
  test('uses at most half of the threads', async () => {
    const { acquire, given } = openQueue(4)
    const first = await acquire('a')
    await acquire('a')
    const third = acquire('a')
    await acquire('b')
    await acquire('b')
    expect(given).toEqual(['a', 'a', 'b', 'b'])
    first(1)
    await third
    expect(given).toEqual(['a', 'a', 'b', 'b', 'a'])
  })

  test('uses one thread if there is only one', async () => {
    const { acquire, given } = openQueue(1)
    await acquire('a')
    expect(given).toEqual(['a'])
  })

  test('waits for its turn, however much of its work is waiting', async () => {
    const { acquire, given } = openQueue(1)
    const release = await acquire('a')
    const next = [acquire('a'), acquire('a'), acquire('b'), acquire('c')].map(async (acquired) => (await acquired)(1))
    release(1)
    await Promise.all(next)
    expect(given).toEqual(['a', 'a', 'b', 'c', 'a'])
  })

  test('has one second of evaluation per second', async () => {
    const { acquire, queue, pass } = openQueue(4)
    const release = await acquire('a')
    release(1500)
    expect(await queue.acquire('a', 100)).toBeUndefined()
    expect(queue.pauseOf('a')).toBeGreaterThan(400)
    await acquire('b')
    pass(600)
    expect(queue.pauseOf('a')).toBe(0)
    await acquire('a')
  })

  test('does not wait behind a hundred waiting batches', async () => {
    const { acquire, queue } = openQueue(1)
    await acquire('a')
    const waiting = Array.from({ length: 100 }, () => queue.acquire('a', PATIENT))
    expect(await queue.acquire('a', PATIENT)).toBeUndefined()
    expect(waiting).toHaveLength(100)
  })
})
