// Several databases: the main one knows all environments and their keys, and others have the rows of some of them.
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, feedOf, trigger } from '../support/delivery/story.ts'
import { refusingConnections } from '../support/process/refused-connections.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ databases: ['eu', 'us'] })

const receiver = useReceiver()

const shardNamed = (name: string) => {
  const found = world.shards().find((shard) => shard.name === name)
  if (found === undefined) throw new Error(`there is no database ${name}`)
  return found
}
const databaseNamed = (name: string) => (name === 'main' ? world.database : shardNamed(name).database)
const housekeepingOf = (name: string) => shardNamed(name).background.housekeeping

const signed = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')

let count = 0
/** Creates an environment with its rows in a database. */
async function environmentIn(database: string, more: object = {}) {
  const { environment, newApiKey } = await done(
    world.development,
    'createEnvironment',
    { name: `Stage ${(count += 1)}`, color: '#059669', database, ...more },
    'environment { id identifier database } newApiKey { key }',
  )
  return { environment, client: world.client(newApiKey.key) }
}

const subscriberIds = async (client: Client) =>
  (await client.ask('{ subscribers { nodes { subscriberId } } }')).subscribers.nodes.map(
    ({ subscriberId }) => subscriberId,
  )

/** The databases of which connections are used meanwhile. */
async function usedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const used = new Set<string>()
  const pools = [{ name: 'main', database: world.database }, ...world.shards()].map(({ name, database: { pool } }) => {
    const note = () => used.add(name)
    pool.on('acquire', note)
    return () => pool.off('acquire', note)
  })
  await work()
  for (const stop of pools) stop()
  return [...used].sort()
}

const rowsIn = async (name: string, table: string) => {
  const { rows } = await databaseNamed(name).pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table}`,
  )
  return rows[0]?.count
}

describe('an environment in another database', () => {
  test('has all its rows there, and its keys in the main database', async () => {
    const { environment, client } = await environmentIn('eu')
    expect(environment).toMatchObject({ database: 'eu' })
    await done(client, 'upsertSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
    expect(await subscriberIds(client)).toEqual(['ada'])
    expect(await rowsIn('eu', 'subscribers')).toBe(1)
    expect(await rowsIn('main', 'subscribers')).toBe(0)
    expect(await rowsIn('eu', 'api_keys')).toBe(0)
  })

  test('delivers', async () => {
    const { client } = await environmentIn('us')
    await createWorkflow(client, [{ inApp: { body: 'Hello {{subscriber.subscriberId}}' } }])
    await trigger(client, { to: 'ada' })
    await world.work()
    expect(await feedOf(client)).toMatchObject([{ body: 'Hello ada' }])
    expect(await rowsIn('us', 'events')).toBe(1)
    expect(await rowsIn('main', 'events')).toBe(0)
  })

  test('is served with statements on its own database only', async () => {
    const { client } = await environmentIn('eu')
    await subscriberIds(client)
    expect(await usedBy(() => subscriberIds(client))).toEqual(['eu'])
  })
})

describe('callers of an environment in another database', () => {
  test('open browser sessions, and follow their feed', async () => {
    const { environment, client } = await environmentIn('eu')
    await createWorkflow(client, [{ inApp: { body: 'Hello' } }])
    const { token } = await done(
      world.client(environment.identifier, 'Environment'),
      'openSession',
      { subscriberId: 'ada', subscriberHash: signed(client.key, 'ada') },
      'token',
    )
    const session = world.client(token, 'Session')
    const stream = await session.follow('subscription { notificationReceived(subscriberId: "ada") { body } }')
    await trigger(client, { to: 'ada' })
    await world.work()
    expect(await stream.next()).toMatchObject({ data: { notificationReceived: { body: 'Hello' } } })
    await stream.leave()
  })

  test('list and administer the environments and keys of the organization', async () => {
    const { environment, client } = await environmentIn('us')
    const { environments } = await client.ask('{ environments(first: 50) { nodes { id database } } }')
    expect(new Set(environments.nodes.map(({ database }) => database))).toContain('main')
    expect(environments.nodes.map(({ id }) => id)).toContain(environment.id)
    const { newApiKey } = await done(client, 'createApiKey', { name: 'Second' }, 'newApiKey { key apiKey { id } }')
    expect(await subscriberIds(world.client(newApiKey.key))).toEqual([])
    await done(client, 'revokeApiKey', { id: newApiKey.apiKey.id })
    expect((await world.client(newApiKey.key).send('{ environment { id } }')).status).toBe(401)
  })

  test('create environments in their own database, and elsewhere', async () => {
    const { client } = await environmentIn('us')
    const create = (more: object) =>
      done(
        client,
        'createEnvironment',
        { name: `Stage ${(count += 1)}`, color: '#059669', ...more },
        'environment { database }',
      )
    expect(await create({})).toMatchObject({ environment: { database: 'main' } })
    expect(await create({ database: 'eu' })).toMatchObject({ environment: { database: 'eu' } })
    const { userErrors } = await client.act('createEnvironment', { name: 'Mars', color: '#059669', database: 'mars' })
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['database'] }])
    expect(userErrors[0].message).toBe('database must be one of "main", "eu", "us"')
  })
})

describe('a change of an environment', () => {
  test('arrives in the database with its rows before it is answered', async () => {
    const { environment, client } = await environmentIn('eu', { type: 'DEV' })
    await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(client, [{ email: { subject: 'Hi', body: 'Hello' } }])
    await trigger(client, { to: { subscriberId: 'ada', email: 'ada@example.com' } })
    await world.work()
    expect(receiver.received).toEqual([])
    await done(world.development, 'updateEnvironment', { id: environment.id, sending: 'LIVE' })
    await trigger(client, { to: 'ada' })
    await world.work()
    expect(receiver.received).toHaveLength(1)
  })

  test('is made in neither database if the one with the rows is away', async () => {
    const { environment, client } = await environmentIn('eu')
    const rename =
      'mutation ($input: UpdateEnvironmentInput!) { updateEnvironment(input: $input) { userErrors { code } } }'
    const { errors } = await refusingConnections(databaseNamed('eu').pool, () =>
      world.development.send(rename, { input: { id: environment.id, name: 'Lost' } }),
    )
    expect(errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }])
    expect((await client.ask('{ environment { name } }')).environment.name).not.toBe('Lost')
  })

  test('that was not copied is repaired in the background', async () => {
    const { environment } = await environmentIn('us')
    const us = databaseNamed('us')
    await us.client.environment.updateMany({
      where: { identifier: environment.identifier },
      data: { sending: 'redirect' },
    })
    await housekeepingOf('us').perform('environment_copies')
    expect(await us.client.environment.findFirst({ where: { identifier: environment.identifier } })).toMatchObject({
      sending: 'live',
    })
    expect(world.logged).toContainEqual(expect.objectContaining({ msg: 'copies of environments repaired', count: 1 }))
  })

  test('is a deletion, which empties both databases', async () => {
    const { environment, client } = await environmentIn('us')
    await done(client, 'upsertSubscriber', { subscriberId: 'ada' })
    await done(world.development, 'deleteEnvironment', { id: environment.id })
    expect((await client.send('{ environment { id } }')).status).toBe(401)
    await world.housekeeping.perform('deletion')
    await housekeepingOf('us').perform('deletion')
    expect(await databaseNamed('us').client.environment.count({ where: { organizationId: null } })).toBe(0)
    expect(await world.database.client.environment.count({ where: { organizationId: null } })).toBe(0)
  })
})

test('a copy whose environment is still being created is kept, and one that is left over is deleted', async () => {
  const us = databaseNamed('us')
  const { id: organizationId } = await us.client.organization.findFirstOrThrow()
  const copyOf = async (name: string, createdAt: Date) => {
    const id = world.gateway.newId()
    await us.client.environment.create({
      data: {
        ...{ id, organizationId, name, slug: name, identifier: name, type: 'dev', color: '#059669' },
        ...{ createdAt, updatedAt: createdAt },
      },
    })
    return id
  }
  const [created, leftOver] = [await copyOf('created', world.gateway.now()), await copyOf('left-over', new Date(0))]
  // The task was performed a moment ago.
  await us.client.sweep.deleteMany()
  expect(await housekeepingOf('us').perform('environment_copies')).toBe(true)
  const found = await us.client.environment.findMany({
    where: { id: { in: [created, leftOver] } },
    orderBy: { id: 'asc' },
  })
  expect(found).toMatchObject([{ organizationId }, { organizationId: null }])
})

test('an environment in another database is paused and resumed with a key of the main one', async () => {
  const { environment, client } = await environmentIn('eu')
  await createWorkflow(client, [{ inApp: { body: 'Hello' } }])
  await done(world.development, 'pauseEnvironment', { id: environment.id, reason: 'Maintenance' })
  await trigger(client, { to: 'ada' })
  await world.work()
  expect(await feedOf(client)).toEqual([])
  const paused = '{ environments(first: 50) { nodes { id pause { reason } } } }'
  const { environments } = await world.development.ask(paused)
  expect(environments.nodes).toContainEqual({ id: environment.id, pause: { reason: 'Maintenance' } })
  await done(world.development, 'resumeEnvironment', { id: environment.id })
  await world.work()
  expect(await feedOf(client)).toHaveLength(1)
})

test('another database that is away concerns its environments only', async () => {
  const [one, other] = [await environmentIn('eu'), await environmentIn('us')]
  await refusingConnections(databaseNamed('eu').pool, async () => {
    const answer = await one.client.rest('GET /v2/subscribers')
    expect(answer).toMatchObject({ status: 503 })
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await subscriberIds(other.client)).toEqual([])
    expect((await world.app.fetch(new Request('http://gateway.test/ready'))).status).toBe(200)
  })
  expect(await subscriberIds(one.client)).toEqual([])
})
