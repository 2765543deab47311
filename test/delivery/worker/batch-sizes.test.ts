// Sizes of transactions: how they follow the duration of the last ones.
import { describe, expect, test } from 'vitest'
import { createBatchSizes } from '../../../src/delivery/worker/batch-sizes.ts'

describe('the size of transactions', () => {
  const AIM = 50
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

  test('becomes what would have taken as long as a transaction should', () => {
    expect(sizeAfter({ count: 200, duration: 60 })).toBe(166)
    expect(sizeAfter({ count: 200, duration: 40 })).toBe(250)
  })

  test('changes to the half or to the double at most', () => {
    expect(sizeAfter({ count: 200, duration: 5_000 })).toBe(100)
    expect(sizeAfter({ count: 0, duration: Infinity })).toBe(100)
    expect(sizeAfter({ count: 200, duration: 0 })).toBe(400)
  })

  test('stays after a short transaction that was not full', () => {
    expect(sizeAfter({ count: 3, duration: 1 })).toBe(200)
  })

  test('is one of its own for each environment', () => {
    expect(after({ count: 200, duration: 5_000 }).of('fan_out', 'another')).toBe(200)
  })
})
