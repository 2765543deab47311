// Reads that may run on a replica, here a stand-in that answers or fails. test/system/replica.test.ts has a real
// replica.
import { beforeEach, describe, expect, test } from 'vitest'
import { createContext } from '../../src/domain/context.ts'
import { callerOfKey } from '../../src/domain/access/api-key.ts'
import { reading } from '../../src/domain/resolver/reading.ts'
import { createDoorScope, DoorScope } from '../../src/domain/resolver/door-scope.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** A scope whose replica is the same database, and the number of recorded writes. */
async function scopeWithReplica({ hasCaughtUp = true } = {}) {
  const { key } = await world.environment()
  const caller = await callerOfKey(world.gateway, key)
  if (caller === undefined) throw new Error('a new key opens its environment')
  const recorded: string[] = []
  const replica = {
    clientFor: () => Promise.resolve(hasCaughtUp ? world.gateway.db : undefined),
    written(environmentId: string) {
      recorded.push(environmentId)
      return Promise.resolve()
    },
    lag: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  }
  return { scope: createDoorScope({ ...world.gateway, replica }, caller), recorded }
}

describe('a request', () => {
  /** The number of times that a replica was asked for. */
  let asked: number
  const query = '{ subscribers { totalCount } }'

  beforeEach(() => {
    asked = 0
    const clientFor = () => {
      asked += 1
      return Promise.resolve(world.gateway.db)
    }
    const replica = { clientFor, written: async () => {}, lag: async () => undefined, close: async () => {} }
    Object.assign(world.gateway, { replica })
    return () => void Object.assign(world.gateway, { replica: undefined })
  })

  const get = async () => {
    const url = `http://gateway.test/graphql?query=${encodeURIComponent(query)}`
    const headers = { authorization: `ApiKey ${world.development.key}` }
    return world.app.fetch(new Request(url, { headers }))
  }

  test.each<[string, () => Promise<{ readonly status: number }>]>([
    ['a query in a POST request', () => world.development.send(query)],
    ['a query in a GET request', get],
    ['a read at REST', () => world.development.rest('GET /v2/subscribers')],
  ])('may read from the replica: %s', async (_title, read) => {
    expect((await read()).status).toBe(200)
    expect(asked).toBe(1)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['a mutation', () => world.development.act('createTopic', { key: 'orders' })],
    ['a write at REST', () => world.development.rest('POST /v2/topics', { body: { key: 'news' } })],
  ])('does not read from the replica if it writes: %s', async (_title, write) => {
    await write()
    expect(asked).toBe(0)
  })
})

const failure = (code: string) => Object.assign(new Error('failed'), { code })

test('a read runs on the replica if it has caught up, and otherwise on the primary', async () => {
  const { scope } = await scopeWithReplica()
  expect(await reading(scope, (chosen) => chosen === scope)).toBe(false)
  const { scope: other } = await scopeWithReplica({ hasCaughtUp: false })
  expect(await reading(other, (chosen) => chosen === other)).toBe(true)
})

test.each([
  ['a lost connection', '08006'],
  ['a conflict with replayed changes', '40001'],
  ['an attempt to write', '25006'],
])('a read that fails on the replica because of %s is repeated on the primary', async (_, code) => {
  const { scope } = await scopeWithReplica()
  const throwing = (chosen: DoorScope) => (chosen === scope ? 'primary' : Promise.reject(failure(code)))
  expect(await reading(scope, throwing)).toBe('primary')
  const collecting = (chosen: DoorScope) => (chosen === scope ? [] : [failure(code)])
  expect(await reading(scope, collecting, (errors) => errors)).toEqual([])
})

test.each([
  ['a refusal', new Refusal('NOT_FOUND', 'Not found')],
  ['a statement that took too long', failure('57014')],
])('%s on the replica is the answer', async (_, error) => {
  const { scope } = await scopeWithReplica()
  await expect(reading(scope, () => Promise.reject(error))).rejects.toBe(error)
})

test('a write is recorded once, when its outermost transaction has committed', async () => {
  const { scope: given, recorded } = await scopeWithReplica()
  const scope = DoorScope.open(given)
  await createContext(scope, { type: 'tenant', identifier: 'acme' })
  expect(recorded).toEqual([scope.environmentId])
  await scope.transaction(async (outer) => {
    await outer.transaction((inner) => createContext(inner, { type: 'tenant', identifier: 'globex' }))
    expect(recorded).toHaveLength(1)
  })
  expect(recorded).toHaveLength(2)
  const failing = scope.transaction(async (inner) => {
    await createContext(inner, { type: 'tenant', identifier: 'initech' })
    throw new Error('changed its mind')
  })
  await expect(failing).rejects.toThrow('changed its mind')
  expect(recorded).toHaveLength(2)
})
