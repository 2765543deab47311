// API keys: creation, listing without the secret, and revocation.
import { beforeEach, describe, expect, test } from 'vitest'
import { schema } from '../../src/graphql/graph/schema.ts'
import { anyValue } from '../support/any-value.ts'
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
      { input: anyValue(input, name.replace(/^[a-z]+/, '')) },
    )
    expect(errors).toMatchObject([{ path: [name], extensions: { code: 'FORBIDDEN' } }])
  })
})
