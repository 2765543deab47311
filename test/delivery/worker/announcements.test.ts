// Announcements: idle loops look for jobs that nobody else finds, and a loop looks again for those that came meanwhile.
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

test('an idle loop looks for jobs of an environment without work in progress', () => {
  inProgress.add('acme')
  announcements.announce('globex')
  expect(woken).toBe(1)
  expect(announcements.end('acme')).toBe(false)
})

test('the loop that works for the environment looks again, once', () => {
  inProgress.add('acme')
  announcements.announce('acme')
  expect(woken).toBe(0)
  expect(announcements.end('acme')).toBe(true)
  expect(announcements.end('acme')).toBe(false)
})

test('what is announced during a look that takes jobs of the environment is kept until its work ends', async () => {
  await announcements.look(() => {
    announcements.announce('acme')
    inProgress.add('acme')
    return Promise.resolve()
  })
  expect(woken).toBe(0)
  expect(announcements.end('acme')).toBe(true)
})

test('what is announced during a look that finds nothing leads to another look', async () => {
  await announcements.look(() => {
    announcements.announce('acme')
    return Promise.resolve()
  })
  expect(woken).toBe(1)
})

test('what is announced during a look that fails leads to another look', async () => {
  const lost = announcements.look(() => {
    announcements.announce('acme')
    return Promise.reject(new Error('lost'))
  })
  await expect(lost).rejects.toThrow('lost')
  expect(woken).toBe(1)
})

test('work that ends while another loop looks leaves nothing behind', async () => {
  inProgress.add('acme')
  await announcements.look(() => {
    announcements.announce('acme')
    inProgress.delete('acme')
    expect(announcements.end('acme')).toBe(false)
    return Promise.resolve()
  })
  expect(woken).toBe(1)
})
