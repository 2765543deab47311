// Ids are UUIDs of version 7 that ascend, whatever the clock does.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createIds } from '../../src/lib/new-id.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')

/** The milliseconds in an id. */
const timeOf = (id: string) => parseInt(id.replace('-', '').slice(0, 12), 16)

test('an id is a UUID of version 7 with the time of its creation', () => {
  const id = createIds(() => START)()
  expect(z.uuidv7().parse(id)).toBe(id)
  expect(timeOf(id)).toBe(START)
})

test('ids ascend within a millisecond and after the clock was set back', () => {
  const clock = { time: START }
  const newId = createIds(() => clock.time)
  const ids = Array.from({ length: 10_000 }, newId)
  clock.time = START - 60_000
  ids.push(...Array.from({ length: 10_000 }, newId))
  clock.time = START + 60_000
  ids.push(newId())
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('ids of different processes differ', () => {
  expect(createIds(() => START)()).not.toBe(createIds(() => START)())
})
