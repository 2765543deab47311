// Places for messages: which messages get one, and how an integration's bound follows the answers of its provider.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { integrationKey } from '../../../src/data/queue/job.ts'
import { type Ending, MessagePlaces } from '../../../src/delivery/worker/places.ts'

const slow = { environmentId: 'acme', integrationId: 'slow' }
const other = { environmentId: 'acme', integrationId: 'other' }
const elsewhere = { environmentId: 'globex', integrationId: 'other' }

let time: number
let freed: number
let places: MessagePlaces

beforeEach(() => {
  vi.useFakeTimers()
  time = 0
  freed = 0
  places = new MessagePlaces({ count: 8, stopwatch: () => time, onFree: () => (freed += 1) })
})
afterEach(() => {
  vi.useRealTimers()
})

const begin = (job: typeof slow, count: number) => Array.from({ length: count }, () => places.begin(job))

/** Sends messages that all have the same outcome. */
function send(job: typeof slow, count: number, ending: Ending): void {
  for (const place of begin(job, count)) place.end(ending)
}

/** The number of messages that may be sent through an integration. */
const roomOf = (job: typeof slow) => (places.rooms.known[integrationKey(job)] ?? places.rooms).room

test('an integration begins with a quarter of the places, and reaches all with prompt answers', () => {
  expect(roomOf(slow)).toBe(2)
  const [kept] = begin(slow, 1)
  send(slow, 3, 'answered')
  expect(roomOf(slow)).toBe(4)
  send(slow, 30, 'answered')
  expect(roomOf(slow)).toBe(7)
  kept?.end('answered')
})

test('a message that waits for a long time gives up its place, but still counts for its integration', () => {
  begin(slow, 2)
  expect(places).toMatchObject({ free: 6, held: 2 })
  vi.advanceTimersByTime(1_000)
  expect(places).toMatchObject({ free: 8, held: 0, inFlight: 2 })
  expect(freed).toBe(2)
  expect(roomOf(slow)).toBe(0)
  expect(roomOf(other)).toBe(2)
})

test('the bound is halved once for the messages that were in flight together', () => {
  const all = begin(slow, 8)
  for (const place of all) place.end('strained')
  expect(roomOf(slow)).toBe(1)
  send(slow, 1, 'answered')
  expect(roomOf(slow)).toBe(2)
})

test('a slow answer halves the bound too, down to one message', () => {
  for (let round = 0; round < 3; round += 1) {
    const [place] = begin(slow, 1)
    time += 6_000
    place?.end('answered')
  }
  expect(roomOf(slow)).toBe(1)
})

test('a message that was not sent does not change the bound', () => {
  send(slow, 5, 'unsent')
  expect(roomOf(slow)).toBe(2)
})

test('an environment whose messages all hang leaves as many to others as it has in flight', () => {
  begin(slow, 15)
  vi.advanceTimersByTime(1_000)
  expect(places.full).toEqual([])
  begin(other, 1)
  expect(places.full).toEqual(['acme'])
  begin(elsewhere, 8)
  vi.advanceTimersByTime(1_000)
  expect(places).toMatchObject({ free: 8, full: ['acme', 'globex'] })
  begin({ ...elsewhere, environmentId: 'initech' }, 8)
  expect(places.free).toBe(0)
})
