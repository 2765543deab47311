// Idempotency keys of the graph, which let a caller repeat a request until it gets a response.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { KEPT_FOR, takeKey } from '../../src/data/access/idempotency-keys.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { onServer } from '../support/on-server.ts'
import { type Answer, type Client, useWorld } from '../support/world.ts'

const world = useWorld()
afterEach(() => {
  world.setClock(undefined)
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const createSubscriber = `mutation ($subscriberId: String!, $firstName: String) {
  createSubscriber(input: { subscriberId: $subscriberId, firstName: $firstName }) {
    subscriber { id subscriberId firstName createdAt }
    userErrors { code message field }
  }
}`
const createTwo = `mutation ($first: String!, $second: String!) {
  first: createSubscriber(input: { subscriberId: $first }) { userErrors { code } }
  second: createSubscriber(input: { subscriberId: $second }) { userErrors { code } }
}`
const ada = { subscriberId: 'ada', firstName: 'Ada' }
const grace = { subscriberId: 'grace', firstName: 'Grace' }

const create = (client: Client, key: string, subscriber: typeof ada) =>
  client.send(createSubscriber, subscriber, { 'idempotency-key': key })

const count = async (client: Client): Promise<number> =>
  (await client.ask('{ subscribers { totalCount } }')).subscribers.totalCount

const isReplay = ({ headers }: Answer) => headers.get('idempotency-replay') === 'true'

describe('a repeated request', () => {
  test('returns the first response and takes effect once', async () => {
    const client = await world.environment()
    const first = await create(client, 'k1', ada)
    const again = await create(client, 'k1', ada)
    expect(first.data.createSubscriber).toMatchObject({ subscriber: { subscriberId: 'ada' }, userErrors: [] })
    expect(again.data).toEqual(first.data)
    expect(again.status).toBe(first.status)
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect([isReplay(first), isReplay(again)]).toEqual([false, true])
    expect([first, again].map(({ headers }) => headers.get('idempotency-key'))).toEqual(['k1', 'k1'])
    expect(await count(client)).toBe(1)
  })

  test('runs again with a different key', async () => {
    const client = await world.environment()
    await create(client, 'k1', ada)
    const other = await create(client, 'k2', ada)
    expect(other.data.createSubscriber.userErrors).toMatchObject([{ code: 'CONFLICT' }])
    expect(isReplay(other)).toBe(false)
  })

  test('is rejected when its body differs, and has no effect', async () => {
    const client = await world.environment()
    await create(client, 'k1', ada)
    const refused = await create(client, 'k1', grace)
    expect(refused.status).toBe(422)
    expect(refused.errors).toMatchObject([
      {
        message: 'idempotency-key was used for another request in the last 24 hours: send a new request with a new key',
        extensions: { code: 'BAD_USER_INPUT', field: ['idempotency-key'] },
      },
    ])
    expect(refused.headers.get('idempotency-key')).toBe('k1')
    expect(await count(client)).toBe(1)
  })

  test('is a new request in another environment', async () => {
    const [one, other] = [await world.environment(), await world.environment()]
    await create(one, 'k1', ada)
    const answer = await create(other, 'k1', grace)
    expect(isReplay(answer)).toBe(false)
    expect(answer.data.createSubscriber.subscriber.subscriberId).toBe('grace')
  })

  test('runs again after 24 hours', async () => {
    const client = await world.environment()
    const start = new Date()
    world.setClock(start)
    await create(client, 'k1', ada)
    world.setClock(new Date(start.getTime() + KEPT_FOR - 1))
    expect(isReplay(await create(client, 'k1', ada))).toBe(true)
    world.setClock(new Date(start.getTime() + KEPT_FOR))
    const afterwards = await create(client, 'k1', grace)
    expect(isReplay(afterwards)).toBe(false)
    expect(afterwards.data.createSubscriber.userErrors).toEqual([])
    expect(isReplay(await create(client, 'k1', grace))).toBe(true)
  })
})

test('twenty concurrent requests with one key take effect once, and each returns that result or a 409', async () => {
  const client = await world.environment()
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(client, 'k1', ada)))
  const done = answers.filter(({ errors }) => errors.length === 0)
  const waiting = answers.filter(({ errors }) => errors.length > 0)
  expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1)
  expect(new Set(done.map(({ data }) => data.createSubscriber.subscriber.id)).size).toBe(1)
  for (const { status, errors, headers } of waiting) {
    expect(status).toBe(409)
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }])
    expect(headers.get('retry-after')).toBe('1')
  }
  expect(await count(client)).toBe(1)
  expect(isReplay(await create(client, 'k1', ada))).toBe(true)
})

// The embedded database has one connection, so a second request waits for the first instead of being rejected.
test.runIf(onServer)('a second request with the same key returns 409 while the first is in flight', async () => {
  const client = await world.environment()
  const environmentId = await environmentIdOf(client)
  const second = await world.database.client.$transaction(async (db) => {
    expect(await takeKey({ db, environmentId }, 'k1')).toBe(true)
    return create(client, 'k1', ada)
  })
  expect(second.status).toBe(409)
  expect(second.errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }])
  expect(second.headers.get('retry-after')).toBe('1')
  expect((await create(client, 'k1', ada)).data.createSubscriber.userErrors).toEqual([])
})

describe('a user error', () => {
  test('is replayed for the same key, even after its cause is gone', async () => {
    const client = await world.environment()
    await create(client, 'k1', ada)
    const first = await create(client, 'k2', ada)
    await client.act('deleteSubscriber', { subscriberId: 'ada' })
    const again = await create(client, 'k2', ada)
    expect(first.data.createSubscriber.userErrors).toMatchObject([{ code: 'CONFLICT' }])
    expect(again.data).toEqual(first.data)
    expect(isReplay(again)).toBe(true)
    expect(await count(client)).toBe(0)
  })

  test('does not undo earlier mutations of the same operation', async () => {
    const client = await world.environment()
    await create(client, 'k1', ada)
    const headers = { 'idempotency-key': 'k2' }
    const first = await client.send(createTwo, { first: 'grace', second: 'ada' }, headers)
    const again = await client.send(createTwo, { first: 'grace', second: 'ada' }, headers)
    expect(first.data).toEqual({ first: { userErrors: [] }, second: { userErrors: [{ code: 'CONFLICT' }] } })
    expect(again.data).toEqual(first.data)
    expect(await count(client)).toBe(2)
  })

  test('does not affect later mutations of the same operation', async () => {
    const client = await world.environment()
    await create(client, 'k1', ada)
    const headers = { 'idempotency-key': 'k2' }
    const { data } = await client.send(createTwo, { first: 'ada', second: 'grace' }, headers)
    expect(data).toEqual({ first: { userErrors: [{ code: 'CONFLICT' }] }, second: { userErrors: [] } })
    expect(await count(client)).toBe(2)
  })
})

describe('an internal error', () => {
  const fail = () => {
    throw new Error('no id today')
  }

  test('is not stored, so the same request can be sent again', async () => {
    const client = await world.environment()
    vi.spyOn(world.gateway, 'newId').mockImplementationOnce(fail)
    const fault = await create(client, 'k1', ada)
    expect(fault.status).toBe(500)
    expect(fault.errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
    expect(fault.headers.get('idempotency-key')).toBe('k1')
    const again = await create(client, 'k1', ada)
    expect(again.data.createSubscriber.userErrors).toEqual([])
    expect(isReplay(again)).toBe(false)
  })

  test('rolls back the whole operation', async () => {
    const client = await world.environment()
    const { newId } = world.gateway
    vi.spyOn(world.gateway, 'newId').mockImplementationOnce(newId).mockImplementationOnce(fail)
    const fault = await client.send(createTwo, { first: 'ada', second: 'grace' }, { 'idempotency-key': 'k1' })
    expect(fault.status).toBe(500)
    expect(await count(client)).toBe(0)
  })
})

describe('an idempotency key', () => {
  test.each([
    ['is too long', 'k'.repeat(256)],
    ['is empty', ''],
    ['has characters outside of ASCII', 'schlüssel'],
  ])('that %s is rejected', async (_, key) => {
    const client = await world.environment()
    const refused = await create(client, key, ada)
    expect(refused.status).toBe(400)
    expect(refused.errors).toMatchObject([
      {
        message: 'idempotency-key must be 1 to 255 printable ASCII characters',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
    expect(await count(client)).toBe(0)
  })

  test('can have 255 characters', async () => {
    const client = await world.environment()
    const key = 'k'.repeat(255)
    await create(client, key, ada)
    expect(isReplay(await create(client, key, ada))).toBe(true)
  })

  test('does not apply to a query, but is returned in its response headers', async () => {
    const client = await world.environment()
    const read = () => client.send('{ subscribers { totalCount } }', {}, { 'idempotency-key': 'k1' })
    const before = await read()
    await create(client, 'k2', ada)
    const after = await read()
    expect([before, after].map(({ data }) => data.subscribers.totalCount)).toEqual([0, 1])
    expect(after.headers.get('idempotency-key')).toBe('k1')
    expect(isReplay(after)).toBe(false)
  })

  test('is returned to an unauthenticated caller', async () => {
    const { status, headers } = await create(world.client('ng_unknown'), 'k1', ada)
    expect(status).toBe(401)
    expect(headers.get('idempotency-key')).toBe('k1')
  })
})

test('the stored response does not contain a new API key', async () => {
  const client = await world.environment()
  const { data } = await client.send(
    'mutation { createApiKey(input: { name: "Second" }) { newApiKey { key } } }',
    {},
    { 'idempotency-key': 'k1' },
  )
  const environmentId = await environmentIdOf(client)
  const kept = await world.gateway.db.idempotencyKey.findMany({ where: { environmentId } })
  expect(kept).toHaveLength(1)
  expect(JSON.stringify(kept)).not.toContain(data.createApiKey.newApiKey.key)
})

describe('sweeping', () => {
  const keysOf = async (client: Client) => {
    const environmentId = await environmentIdOf(client)
    const rows = await world.gateway.db.idempotencyKey.findMany({ where: { environmentId }, orderBy: { key: 'asc' } })
    return rows.map(({ key }) => key)
  }

  test('deletes only expired keys', async () => {
    const client = await world.environment()
    const start = new Date()
    world.setClock(start)
    await create(client, 'old', ada)
    world.setClock(new Date(start.getTime() + 1))
    await create(client, 'young', grace)
    world.setClock(new Date(start.getTime() + KEPT_FOR))

    await world.database.pool.query('DELETE FROM sweeps')
    const housekeeping = housekeepingOf(world)
    expect(await housekeeping.perform('idempotency_keys')).toBe(true)

    expect(await keysOf(client)).toEqual(['young'])
    expect(housekeeping.progress.deleted.idempotency_keys).toBeGreaterThan(0)
  })
})
