// The timer that wakes the message loop when there are tokens again.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TokenTimer } from '../../../src/delivery/worker/token-timer.ts'

let woken = 0
let timer: TokenTimer

beforeEach(() => {
  vi.useFakeTimers()
  woken = 0
  timer = new TokenTimer(() => (woken += 1))
})
afterEach(() => {
  vi.useRealTimers()
})

test('wakes the loop once when a bucket has tokens', () => {
  timer.looked([70])
  vi.advanceTimersByTime(70)
  expect(woken).toBe(0)
  vi.advanceTimersByTime(1_000)
  expect(woken).toBe(1)
})

test('wakes it after ever longer pauses while another process takes the tokens, and then leaves it to the watch', () => {
  timer.looked([70])
  for (let second = 0; second < 10_000; second += 1) {
    const before = woken
    vi.advanceTimersByTime(1)
    if (woken > before) timer.looked([])
  }
  expect(woken).toBe(4)
})

test('leaves tokens that come later to the watch for jobs', () => {
  timer.looked([60_000])
  vi.advanceTimersByTime(120_000)
  expect(woken).toBe(0)
})

test('wakes nothing after it was stopped', () => {
  timer.looked([70, 90])
  timer.stop()
  vi.advanceTimersByTime(1_000)
  expect(woken).toBe(0)
})
