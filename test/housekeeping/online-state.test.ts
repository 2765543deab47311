// The online state of subscribers: set by the application, and by connections to one process and to several.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ConnectedSubscribers, LEASE_ENDS_AFTER } from '../../src/data/online/connected-subscribers.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client
let environmentId: string

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  const row = await world.gateway.db.subscriber.findFirstOrThrow({ orderBy: { createdAt: 'desc' } })
  environmentId = row.environmentId
})

async function state(subscriberId = 'ada') {
  const { subscriber } = await acme.ask(
    'query ($id: String!) { subscriber(subscriberId: $id) { isOnline lastOnlineAt } }',
    { id: subscriberId },
  )
  return subscriber
}

/** Another process, whose clock is that of the world. */
const processOf = () => new ConnectedSubscribers(world.gateway.newId(), world.gateway.now)
const ada = () => ({ environmentId, subscriberId: 'ada' })
const leases = () => world.gateway.db.onlineLease.count({ where: { environmentId } })
const sweep = () => housekeepingOf(world).perform('lost_connections')

/** Stops the clock. @returns a function that moves it on. */
function stopClock() {
  let time = Date.now()
  world.setClock(new Date(time))
  onTestFinished(() => world.setClock(undefined))
  return (milliseconds: number) => {
    world.setClock(new Date((time += milliseconds)))
    return new Date(time)
  }
}

describe('the application', () => {
  test('makes a subscriber online and offline, which changes neither its version nor its time of change', async () => {
    const before = await acme.ask('{ subscriber(subscriberId: "ada") { version updatedAt } }')
    expect(await state()).toEqual({ isOnline: false, lastOnlineAt: null })
    const { subscriber } = await acme.act(
      'setSubscriberOnline',
      { subscriberId: 'ada', isOnline: true },
      'subscriber { isOnline lastOnlineAt }',
    )
    expect(subscriber).toEqual({ isOnline: true, lastOnlineAt: null })
    await acme.act('setSubscriberOnline', { subscriberId: 'ada', isOnline: false })
    const { isOnline, lastOnlineAt } = await state()
    expect(isOnline).toBe(false)
    expect(lastOnlineAt).toEqual(expect.any(String))
    // It was offline already.
    await acme.act('setSubscriberOnline', { subscriberId: 'ada', isOnline: false })
    expect(await state()).toEqual({ isOnline: false, lastOnlineAt })
    expect(await acme.ask('{ subscriber(subscriberId: "ada") { version updatedAt } }')).toEqual(before)
  })

  test('cannot make a subscriber online that does not exist', async () => {
    const { userErrors } = await acme.act('setSubscriberOnline', { subscriberId: 'bob', isOnline: true })
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['subscriberId'] }])
  })

  test('needs a key that may write', async () => {
    const { newApiKey } = await acme.act('createApiKey', { name: 'Reader', access: 'READ_ONLY' }, 'newApiKey { key }')
    const { errors } = await world
      .client(newApiKey.key)
      .send('mutation { setSubscriberOnline(input: { subscriberId: "ada", isOnline: true }) { subscriber { id } } }')
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })
})

describe('a connection', () => {
  test('makes its subscriber online, and the last one to close makes it offline', async () => {
    const pass = stopClock()
    const { connected, db } = world.gateway
    const first = connected.connect(ada())
    const second = connected.connect(ada())
    await housekeepingOf(world).perform('connected_subscribers')
    expect(await state()).toEqual({ isOnline: true, lastOnlineAt: null })
    first()
    expect(connected.isPending).toBe(false)
    second()
    const closedAt = world.gateway.now()
    pass(3_000)
    await connected.write(db)
    expect(await state()).toEqual({ isOnline: false, lastOnlineAt: closedAt.toISOString() })
    expect(await leases()).toBe(0)
  })

  test('that closes and opens again before it is written changes nothing', async () => {
    const { connected, db } = world.gateway
    const close = connected.connect(ada())
    await connected.write(db)
    close()
    const closeAgain = connected.connect(ada())
    await connected.write(db)
    expect(await state()).toEqual({ isOnline: true, lastOnlineAt: null })
    closeAgain()
    await connected.write(db)
    expect(await state()).toMatchObject({ isOnline: false })
  })

  test('to another process keeps the subscriber online', async () => {
    const { db } = world.gateway
    const [one, other] = [processOf(), processOf()]
    const [closeOne, closeOther] = [one.connect(ada()), other.connect(ada())]
    await Promise.all([one.write(db), other.write(db)])
    closeOne()
    await one.write(db)
    expect(await state()).toEqual({ isOnline: true, lastOnlineAt: null })
    closeOther()
    await other.write(db)
    expect(await state()).toMatchObject({ isOnline: false })
  })

  test('that opens while the last one of another process closes is not lost', async () => {
    const { db } = world.gateway
    const [one, other] = [processOf(), processOf()]
    for (let round = 0; round < 10; round += 1) {
      const closeOne = one.connect(ada())
      await one.write(db)
      closeOne()
      const closeOther = other.connect(ada())
      await Promise.all([one.write(db), other.write(db)])
      expect(await state()).toMatchObject({ isOnline: true })
      closeOther()
      await other.write(db)
      expect(await state()).toMatchObject({ isOnline: false })
    }
  })

  test('to a process that dies ends with its lease', async () => {
    const pass = stopClock()
    const { db } = world.gateway
    const dead = processOf()
    dead.connect(ada())
    const seenAt = world.gateway.now()
    await dead.write(db)
    pass(LEASE_ENDS_AFTER)
    await sweep()
    expect(await state()).toMatchObject({ isOnline: true })
    pass(1)
    await sweep()
    expect(await state()).toEqual({ isOnline: false, lastOnlineAt: seenAt.toISOString() })
    expect(await leases()).toBe(0)
  })

  test('to a process that lives outlasts one to a process that dies', async () => {
    const pass = stopClock()
    const { db } = world.gateway
    const [dead, living] = [processOf(), processOf()]
    dead.connect(ada())
    const close = living.connect(ada())
    await dead.write(db)
    await living.write(db)
    pass(LEASE_ENDS_AFTER + 1)
    await living.write(db)
    await sweep()
    expect(await state()).toEqual({ isOnline: true, lastOnlineAt: null })
    close()
    await living.write(db)
    expect(await state()).toMatchObject({ isOnline: false })
  })

  test('is renewed by a process that could not write for long', async () => {
    const pass = stopClock()
    const { db } = world.gateway
    const slow = processOf()
    const close = slow.connect(ada())
    await slow.write(db)
    pass(LEASE_ENDS_AFTER + 1)
    await sweep()
    expect(await state()).toMatchObject({ isOnline: false })
    expect(slow.isPending).toBe(true)
    await slow.write(db)
    expect(await state()).toMatchObject({ isOnline: true })
    close()
    await slow.write(db)
  })

  test('makes a subscriber online again that the application made offline', async () => {
    const pass = stopClock()
    const { connected, db } = world.gateway
    const close = connected.connect(ada())
    await connected.write(db)
    await acme.act('setSubscriberOnline', { subscriberId: 'ada', isOnline: false })
    expect(await state()).toMatchObject({ isOnline: false })
    pass(30_000)
    await connected.write(db)
    expect(await state()).toMatchObject({ isOnline: true })
    close()
    await connected.write(db)
  })

  test('of a subscriber that is deleted leaves nothing', async () => {
    const { connected, db } = world.gateway
    const close = connected.connect(ada())
    await connected.write(db)
    await acme.act('deleteSubscriber', { subscriberId: 'ada' })
    expect(await leases()).toBe(0)
    close()
    await connected.write(db)
    expect(connected.isPending).toBe(false)
  })

  test('waits if the database cannot be written', async () => {
    const { connected, db } = world.gateway
    const close = connected.connect(ada())
    await connected.write(db)
    close()
    const { pool } = world.database
    await pool.query('ALTER TABLE online_leases RENAME TO hidden_leases')
    await expect(connected.write(db)).rejects.toThrow()
    await pool.query('ALTER TABLE hidden_leases RENAME TO online_leases')
    expect(connected.isPending).toBe(true)
    await connected.write(db)
    expect(await state()).toMatchObject({ isOnline: false })
  })

  test('costs few statements, however many subscribers a process has', async () => {
    const { db } = world.gateway
    const ids = Array.from({ length: 600 }, (_, index) => `user-${index}`)
    for (const part of [ids.slice(0, 500), ids.slice(500)]) {
      await acme.act('createSubscribers', { subscribers: part.map((subscriberId) => ({ subscriberId })) })
    }
    const busy = processOf()
    const ends = ids.map((subscriberId) => busy.connect({ environmentId, subscriberId }))
    await busy.write(db)
    expect(await leases()).toBe(600)
    expect(await state('user-599')).toMatchObject({ isOnline: true })
    expect(busy.isPending).toBe(false)
    for (const end of ends) end()
    await busy.write(db)
    expect(await leases()).toBe(0)
    expect(await state('user-0')).toMatchObject({ isOnline: false })
  })
})
