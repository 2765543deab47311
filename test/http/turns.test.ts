// Turns: how many requests of one environment are in progress at a time, and which requests do not wait for them.
import { once } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import type { Caller } from '../../src/domain/resolver/caller.ts'
import { createTurns, type Turn } from '../../src/http/turns.ts'

const callerOf = (environmentId: string, kind: Caller['kind'] = 'apiKey') => ({ kind, environmentId }) as Caller

/** Requests that stay in progress until the test ends them. */
function openRequests(limit: number) {
  const turns = createTurns(limit)
  const inProgress: string[] = []
  const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return {
    inProgress,
    settled,
    begin: async (name: string, caller: Caller, { size = 0, large = false } = {}) => {
      const ending = new AbortController()
      const ended = once(ending.signal, 'abort')
      const done = turns.take(caller, size, async ({ takeLargePlace }: Turn) => {
        if (large) await takeLargePlace()
        inProgress.push(name)
        await ended
        inProgress.splice(inProgress.indexOf(name), 1)
      })
      await settled()
      return async () => {
        ending.abort()
        await done
        await settled()
      }
    },
  }
}

describe('an environment with as many requests in progress as it may have', () => {
  test('makes its next requests wait in order, and no other environment wait', async () => {
    const { begin, inProgress } = openRequests(2)
    const endFirst = await begin('first', callerOf('a'))
    const endSecond = await begin('second', callerOf('a'))
    const endThird = await begin('third', callerOf('a'))
    const endFourth = await begin('fourth', callerOf('a'))
    const endOther = await begin('other environment', callerOf('b'))
    const endPublic = await begin('public caller', callerOf('a', 'public'))
    expect(inProgress).toEqual(['first', 'second', 'other environment', 'public caller'])
    await endSecond()
    expect(inProgress).toEqual(['first', 'other environment', 'public caller', 'third'])
    for (const end of [endFirst, endThird, endFourth, endOther, endPublic]) await end()
    expect(inProgress).toEqual([])
  })

  test('begins the next request when one fails', async () => {
    const turns = createTurns(1)
    const failing = turns.take(callerOf('a'), 0, () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(await turns.take(callerOf('a'), 0, () => Promise.resolve('yes'))).toBe('yes')
  })
})

test('large requests of an environment run one at a time, alongside its small requests', async () => {
  const { begin, inProgress } = openRequests(5)
  const endBody = await begin('large body', callerOf('a'), { size: 1_000_000 })
  const endQuery = await begin('large query', callerOf('a'), { large: true })
  const endBoth = await begin('both', callerOf('a'), { size: 1_000_000, large: true })
  const endSmall = await begin('small', callerOf('a'))
  const endOther = await begin('large body of another', callerOf('b'), { size: 1_000_000 })
  expect(inProgress).toEqual(['large body', 'small', 'large body of another'])
  await endBody()
  // A pause comes first if the thread was busy before.
  await vi.waitFor(() => expect(inProgress).toEqual(['small', 'large body of another', 'large query']))
  await endQuery()
  await vi.waitFor(() => expect(inProgress).toEqual(['small', 'large body of another', 'both']))
  for (const end of [endBoth, endSmall, endOther]) await end()
  expect(inProgress).toEqual([])
})
