// Announcements wake idle loops, and make a busy loop query the queue again for jobs that were added meanwhile.
import { beforeEach, expect, test } from 'vitest'
import { Announcements } from '../../../src/delivery/worker/announcements.ts'

let inProgress: Set<string>
let woken: number
let announcements: Announcements

beforeEach(() => {
  inProgress = new Set()
  woken = 0
  announcements = new Announcements(
    (environmentId) => inProgress.has(environmentId),
    () => {
      woken += 1
    },
  )
})

test('an announcement wakes an idle loop if no loop works for the environment', () => {
  inProgress.add('acme')
  announcements.announce('globex')
  expect(woken).toBe(1)
  expect(announcements.end('acme')).toBe(false)
})

test('an announcement makes the loop that works for the environment query the queue again, once', () => {
  inProgress.add('acme')
  announcements.announce('acme')
  expect(woken).toBe(0)
  expect(announcements.end('acme')).toBe(true)
  expect(announcements.end('acme')).toBe(false)
})

test('an announcement during a query that takes jobs of the environment is kept until the work on them ends', async () => {
  await announcements.look(() => {
    announcements.announce('acme')
    inProgress.add('acme')
    return Promise.resolve()
  })
  expect(woken).toBe(0)
  expect(announcements.end('acme')).toBe(true)
})

test('an announcement during a query that finds no jobs leads to another query', async () => {
  await announcements.look(() => {
    announcements.announce('acme')
    return Promise.resolve()
  })
  expect(woken).toBe(1)
})

test('an announcement during a query that fails leads to another query', async () => {
  const lost = announcements.look(() => {
    announcements.announce('acme')
    return Promise.reject(new Error('lost'))
  })
  await expect(lost).rejects.toThrow('lost')
  expect(woken).toBe(1)
})

test('work that ends while another loop queries the queue leaves no announcement behind', async () => {
  inProgress.add('acme')
  await announcements.look(() => {
    announcements.announce('acme')
    inProgress.delete('acme')
    expect(announcements.end('acme')).toBe(false)
    return Promise.resolve()
  })
  expect(woken).toBe(1)
})
