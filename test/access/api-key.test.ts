// API keys: creation, listing without the secret, and revocation.
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { schema } from '../../src/graphql/graph/schema.ts'
import { anyValue } from '../support/any-value.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { post } from '../support/http.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client
beforeEach(async () => {
  gateway = await world.environment()
})

const KEY = 'apiKey { id name access hint revokedAt }'
const LIST = '{ apiKeys { nodes { id name access hint createdAt revokedAt } totalCount } }'

async function create(input: object): Promise<{ id: string; client: Client }> {
  const { newApiKey, userErrors } = await gateway.act('createApiKey', { ...input }, 'newApiKey { key apiKey { id } }')
  expect(userErrors).toEqual([])
  return { id: newApiKey.apiKey.id, client: world.client(newApiKey.key) }
}

const revoke = (id: string, by = gateway) => by.act('revokeApiKey', { id }, KEY)

describe('a new API key', () => {
  test('belongs to the environment of the key that created it', async () => {
    const { client } = await create({ name: 'Backend' })
    const own = '{ environment { id } }'
    expect(await client.ask(own)).toEqual(await gateway.ask(own))
  })

  test('is returned only on creation: never in a list, a node, the database or the log', async () => {
    const { id, client } = await create({ name: ' Backend ' })
    const list = await gateway.ask(LIST)
    expect(list.apiKeys).toMatchObject({
      totalCount: 2,
      nodes: [
        { name: 'First key', access: 'FULL' },
        { id, name: 'Backend', access: 'FULL', hint: client.key.slice(-4), revokedAt: null },
      ],
    })
    const node = await gateway.ask('query ($id: ID!) { node(id: $id) { ... on ApiKey { name hint } } }', { id })
    const { rows } = await world.database.pool.query('SELECT * FROM api_keys')
    for (const place of [list, node, rows, world.logged]) expect(JSON.stringify(place)).not.toContain(client.key)
  })

  test.each([
    ['', 'name must not be empty'],
    ['n'.repeat(101), 'name must be at most 100 characters long'],
  ])('is rejected with the name %j', async (name, message) => {
    const { userErrors } = await gateway.act('createApiKey', { name })
    expect(userErrors).toEqual([{ code: 'BAD_USER_INPUT', message, field: ['name'] }])
  })
})

describe('a revoked API key', () => {
  test('is unknown at once, but stays in the list', async () => {
    const { id, client } = await create({ name: 'Old laptop' })
    await client.ask('{ environment { id } }')
    const revoked = await revoke(id)
    expect(revoked).toMatchObject({ apiKey: { id, revokedAt: expect.any(String) }, userErrors: [] })
    expect(await client.send('{ environment { id } }')).toMatchObject({
      status: 401,
      errors: [{ message: 'API Key not found', extensions: { code: 'UNAUTHENTICATED' } }],
    })
    expect((await gateway.ask(LIST)).apiKeys.nodes.at(-1)).toMatchObject(revoked.apiKey)
  })

  test('stays the same when it is revoked again', async () => {
    const { id } = await create({ name: 'Old laptop' })
    const { apiKey } = await revoke(id)
    expect(await revoke(id)).toEqual({ apiKey, userErrors: [] })
  })
})

describe('revoking an API key', () => {
  test('is rejected when the key revokes itself', async () => {
    const { id, client } = await create({ name: 'Lumberjack' })
    expect(await revoke(id, client)).toEqual({
      apiKey: null,
      userErrors: [
        {
          code: 'CONFLICT',
          message: 'An API key cannot revoke itself: use another key of the environment',
          field: ['id'],
        },
      ],
    })
    await client.ask('{ environment { id } }')
  })

  test('returns NOT_FOUND for a key of another environment, which keeps working', async () => {
    const { id, client } = await create({ name: 'Mine' })
    const { userErrors } = await revoke(id, await world.environment())
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['id'] }])
    await client.ask('{ environment { id } }')
  })

  test('rejects a node id of another type and a malformed one', async () => {
    const { environment } = await gateway.ask('{ environment { id } }')
    for (const id of [environment.id, 'junk']) {
      expect((await revoke(id)).userErrors).toEqual([
        { code: 'BAD_USER_INPUT', message: 'id must be a node id of the type ApiKey', field: ['id'] },
      ])
    }
  })
})

describe('a read-only API key', () => {
  test('reads the same data as a full-access key', async () => {
    const { client } = await create({ name: 'Dashboard', access: 'READ_ONLY' })
    await gateway.act('createSubscriber', { subscriberId: 'ada' })
    const all =
      '{ environment { name } environments { totalCount } contexts { totalCount } subscribers { nodes { subscriberId channels { providerId } } } apiKeys { nodes { access } } }'
    expect(await client.ask(all)).toEqual(await gateway.ask(all))
  })

  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})
  // A sign-in changes nothing in the environment.
  test.each(mutations.filter((name) => name !== 'openDashboardSession'))('cannot run %s', async (name) => {
    const { client } = await create({ name: 'Dashboard', access: 'READ_ONLY' })
    const input = schema.getMutationType()?.getFields()[name]?.args[0]?.type
    if (input === undefined) throw new Error(`${name} takes no input`)
    const { errors } = await client.send(
      `mutation ($input: ${String(input)}) { ${name}(input: $input) { userErrors { message } } }`,
      // The state of an action is a part of its notification.
      { input: anyValue(input, name.replace(/^[a-z]+/, '').replace('NotificationAction', 'Notification')) },
    )
    expect(errors).toMatchObject([{ path: [name], extensions: { code: 'FORBIDDEN' } }])
  })
})

describe('the last use of an API key', () => {
  const noon = new Date('2030-01-01T12:00:00.000Z')
  const later = new Date('2030-01-01T12:05:00.000Z')
  const list = '{ apiKeys { nodes { id name lastUsedAt } } }'
  const anything = '{ __typename }'
  const write = () => housekeepingOf(world).perform('key_uses')
  const lastUseOf = async (id: string) =>
    (await gateway.ask(list)).apiKeys.nodes.find((key) => key.id === id)?.lastUsedAt

  /** Opens a dashboard session with a key and without an Authorization header. */
  async function signIn(apiKey: string): Promise<{ token: string }> {
    const query = 'mutation ($apiKey: String!) { openDashboardSession(input: { apiKey: $apiKey }) { token } }'
    const { text } = await post(world, { query, variables: { apiKey } }, { authorization: '' })
    return z
      .object({ data: z.object({ openDashboardSession: z.object({ token: z.string() }) }) })
      .parse(JSON.parse(text)).data.openDashboardSession
  }

  beforeEach(write)
  afterEach(() => world.setClock(undefined))

  test('is null until the key is used, and is that of the last request', async () => {
    const { id, client } = await create({ name: 'Backend' })
    await write()
    expect(await lastUseOf(id)).toBeNull()
    for (const time of [noon, later]) {
      world.setClock(time)
      await client.ask(anything)
    }
    await client.rest('GET /v2/missing')
    await write()
    expect(await lastUseOf(id)).toBe(later.toISOString())
  })

  test('waits in the process, so that a request has no statement for it', async () => {
    const { id, client } = await create({ name: 'Backend' })
    await client.ask(anything)
    expect(await statementsOf(() => client.ask(anything))).toEqual([])
    expect(await lastUseOf(id)).toBeNull()
  })

  test('leaves callers known when it is written', async () => {
    const { client } = await create({ name: 'Backend' })
    await client.ask(anything)
    expect(await statementsOf(write)).toHaveLength(1)
    await world.database.catchUp()
    expect(await statementsOf(() => client.ask(anything))).toEqual([])
  })

  test('is never taken back by a process that writes an earlier one', async () => {
    const { id, client } = await create({ name: 'Backend' })
    for (const time of [later, noon]) {
      world.setClock(time)
      await client.ask(anything)
      await write()
    }
    expect(await lastUseOf(id)).toBe(later.toISOString())
  })

  test('is not that of a dashboard session which the key has opened', async () => {
    const { id, client } = await create({ name: 'Backend' })
    world.setClock(noon)
    const { token } = await signIn(client.key)
    world.setClock(later)
    await world.client(token, 'Dashboard').ask(anything)
    await write()
    expect(await lastUseOf(id)).toBe(noon.toISOString())
  })

  test('is written later if the database rejects writes, and no request fails', async () => {
    const { id, client } = await create({ name: 'Backend' })
    world.setClock(noon)
    await client.ask(anything)
    await world.database.pool.query(`
      CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION USING ERRCODE = 'read_only_sql_transaction', MESSAGE = 'read-only'; END $$;
      CREATE TRIGGER reject BEFORE UPDATE ON api_keys EXECUTE FUNCTION reject()`)
    const repair = () => world.database.pool.query('DROP FUNCTION IF EXISTS reject CASCADE')
    onTestFinished(async () => {
      await repair()
    })
    await expect(write()).rejects.toThrow('read-only')
    await expect(client.ask(anything)).resolves.toEqual({ __typename: 'Query' })
    await repair()
    await write()
    expect(await lastUseOf(id)).toBe(noon.toISOString())
  })
})
