// The arithmetic of token buckets.
import { describe, expect, test } from 'vitest'
import { type BucketSize, drawFrom, type TokenBucket } from '../../src/lib/token-bucket.ts'

const size: BucketSize = { rate: 60, capacity: 330 }
const start = Date.parse('2027-03-01T12:00:00Z')
const empty: TokenBucket = { missing: 330, at: start }

describe('a token bucket', () => {
  test('starts full and never exceeds its capacity', () => {
    expect(drawFrom(undefined, size, 330, start)).toMatchObject({ allowed: true, remaining: 0 })
    expect(drawFrom(undefined, size, 1, start)).toMatchObject({ allowed: true, remaining: 329, wait: 0 })
    expect(drawFrom({ missing: 5, at: start }, size, 1, start + 3_600_000)).toMatchObject({ remaining: 329 })
  })

  test('rejects a draw when it is empty, and takes no tokens', () => {
    const refused = drawFrom(empty, size, 1, start)
    expect(refused).toEqual({ allowed: false, bucket: empty, remaining: 0, wait: 1 / 60 })
    expect(drawFrom(refused.bucket, size, 60, start + 1000)).toMatchObject({ allowed: true, remaining: 0 })
  })

  test('refills steadily at its rate', () => {
    expect(drawFrom(empty, size, 30, start + 499).allowed).toBe(false)
    expect(drawFrom(empty, size, 30, start + 500)).toMatchObject({ allowed: true, remaining: 0 })
    expect(drawFrom(empty, size, 1, start + 5000)).toMatchObject({ remaining: 299 })
    expect(drawFrom(empty, size, 1, start + 5500)).toMatchObject({ remaining: 329 })
  })

  test('reports how long to wait for the same cost', () => {
    expect(drawFrom(empty, size, 100, start).wait).toBe(100 / 60)
    expect(drawFrom(undefined, size, 200, start)).toMatchObject({ allowed: true, remaining: 130, wait: 70 / 60 })
  })

  test('allows a cost above its capacity when it is full, and is then in debt', () => {
    const owing = drawFrom(undefined, size, 400, start)
    expect(owing).toMatchObject({ allowed: true, remaining: 0, wait: 400 / 60 })
    expect(drawFrom(owing.bucket, size, 1, start + 1000).allowed).toBe(false)
    expect(drawFrom(owing.bucket, size, 1, start + 1200).allowed).toBe(true)
    expect(drawFrom({ missing: 1, at: start }, size, 400, start).allowed).toBe(false)
  })

  test('neither gains tokens nor stops refilling when the clock is set back', () => {
    const before = drawFrom(empty, size, 1, start - 3_600_000)
    expect(before).toMatchObject({ allowed: false, remaining: 0 })
    expect(drawFrom(before.bucket, size, 60, start - 3_599_000)).toMatchObject({ allowed: true, remaining: 0 })
  })
})
