// Databases that are away at the start of a process, and are opened later.
import { EventEmitter, once } from 'node:events'
import { expect, test } from 'vitest'
import { DatabaseSet, type OpenedDatabase } from '../../src/domain/resolver/database-set.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** A set with one database, and what happens to it. */
function setOf(open: () => Promise<void>) {
  const events: string[] = []
  const opened = (): OpenedDatabase => ({
    gateway: world.gateway,
    close: () => Promise.resolve(void events.push('closed')),
  })
  const set = new DatabaseSet({
    names: ['eu'],
    forNewEnvironments: null,
    main: () => world.gateway,
    log: world.gateway.log,
    open: () => open().then(opened),
    wait: () => Promise.resolve(),
  })
  return { set, events }
}

/** Fails the given number of times, then succeeds. */
const failing = (times: number) => {
  let left = times
  return () => ((left -= 1) < 0 ? Promise.resolve() : Promise.reject(new Error('connect ECONNREFUSED')))
}

test('a database that answers later is opened then, and its work begins', async () => {
  const { set } = setOf(failing(2))
  await set.open()
  expect(() => set.at('eu')).toThrow('does not answer')
  const work = new EventEmitter()
  const begun = once(work, 'begun')
  await set.begin((opened) => Promise.resolve(void work.emit('begun', opened)))
  expect(await begun).toEqual([set.find('eu')])
  expect(set.at('eu')).toBe(world.gateway)
  await set.close()
})

test('a database whose work does not begin is closed and opened again', async () => {
  const { set, events } = setOf(failing(1))
  await set.open()
  const work = new EventEmitter()
  const begun = once(work, 'begun')
  const attempt = failing(1)
  await set.begin(async () => {
    events.push('opened')
    await attempt()
    work.emit('begun')
  })
  await begun
  expect(events).toEqual(['opened', 'closed', 'opened'])
  await set.close()
  expect(events).toEqual(['opened', 'closed', 'opened', 'closed'])
})

test('a database that is opened while the process stops is closed again', async () => {
  const database = new EventEmitter()
  const asked = once(database, 'asked')
  const answered = once(database, 'answered')
  const attempt = failing(1)
  const { set, events } = setOf(async () => {
    await attempt()
    database.emit('asked')
    await answered
  })
  await set.open()
  await asked
  const closed = set.close()
  database.emit('answered')
  await closed
  expect(events).toEqual(['closed'])
  expect(set.opened).toEqual([])
})
