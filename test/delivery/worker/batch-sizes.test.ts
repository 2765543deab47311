// The sizes of transactions: how they follow the duration of earlier ones.
import { describe, expect, test } from 'vitest'
import { createBatchSizes } from '../../../src/delivery/worker/batch-sizes.ts'

describe('the size of transactions', () => {
  const AIM = 200
  interface Transaction {
    readonly count: number
    readonly duration: number
  }
  const after = (...transactions: readonly Transaction[]) => {
    const sizes = createBatchSizes(AIM)
    for (const transaction of transactions) sizes.adjust('fan_out', 'one', transaction)
    return sizes
  }
  const sizeAfter = (...transactions: readonly Transaction[]) => after(...transactions).of('fan_out', 'one')

  test('begins with one recipient for each millisecond of the target time', () => {
    expect(sizeAfter()).toBe(200)
    expect(createBatchSizes(50).of('fan_out', 'one')).toBe(50)
  })

  test('adjusts so that the last transaction would have taken the target time', () => {
    expect(sizeAfter({ count: 200, duration: 240 })).toBe(166)
    expect(sizeAfter({ count: 200, duration: 160 })).toBe(250)
  })

  test('at most doubles in one step, or shrinks to an eighth', () => {
    expect(sizeAfter({ count: 200, duration: 20_000 })).toBe(25)
    expect(sizeAfter({ count: 0, duration: Infinity })).toBe(25)
    expect(sizeAfter({ count: 200, duration: 0 })).toBe(400)
  })

  test('stays after a short transaction that was not full', () => {
    expect(sizeAfter({ count: 3, duration: 1 })).toBe(200)
  })

  test('is separate for each environment', () => {
    expect(after({ count: 200, duration: 5_000 }).of('fan_out', 'another')).toBe(200)
  })

  test('of next pages begins with that of first pages, and does not change it', () => {
    const sizes = after({ count: 200, duration: 400 })
    expect(sizes.of('next_page', 'one')).toBe(100)
    sizes.adjust('next_page', 'one', { count: 100, duration: 100 })
    expect([sizes.of('fan_out', 'one'), sizes.of('next_page', 'one')]).toEqual([100, 200])
  })
})
