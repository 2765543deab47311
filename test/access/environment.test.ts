// Environments: creating, updating and deleting them.
import { describe, expect, test } from 'vitest'
import { callerOfKey } from '../../src/domain/access/api-key.ts'
import {
  createEnvironment,
  deleteEnvironment,
  ownEnvironment,
  updateEnvironment,
} from '../../src/domain/access/environment.ts'
import { pauseEnvironment } from '../../src/domain/execution/pause.ts'
import { createScope } from '../../src/domain/resolver/create-scope.ts'
import type { Scope } from '../../src/domain/resolver/scope.ts'
import { decodeNodeId, encodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()

const FIELDS = 'environment { id name color slug parent { name } }'

async function create(name: string, given: object = {}): Promise<{ id: string; client: Client }> {
  const { environment, newApiKey, userErrors } = await world.development.act(
    'createEnvironment',
    { name, color: '#0ea5e9', ...given },
    'environment { id } newApiKey { key }',
  )
  expect(userErrors).toEqual([])
  return { id: environment.id, client: world.client(newApiKey.key) }
}

/** Creates an environment, and a client with an ADMIN key of it. */
async function createAdmin(name: string): Promise<{ id: string; client: Client }> {
  const { id } = await create(name)
  const given = { name: 'Administrator', access: 'ADMIN', environmentId: id }
  const { newApiKey, userErrors } = await world.production.act('createApiKey', given, 'newApiKey { key }')
  expect(userErrors).toEqual([])
  return { id, client: world.client(newApiKey.key) }
}

const idOf = async (client: Client): Promise<string> => (await client.ask('{ environment { id } }')).environment.id
const update = (input: object) => world.development.act('updateEnvironment', { ...input }, FIELDS)
const remove = (id: string, by = world.development) => by.act('deleteEnvironment', { id }, 'deletedId')

async function names(): Promise<string[]> {
  const { environments } = await world.development.ask('{ environments(first: 100) { nodes { name } } }')
  return environments.nodes.map(({ name }: { name: string }) => name)
}

const UNKNOWN = encodeNodeId('Environment', '01900000-0000-7000-8000-000000000000')

describe('an organization', () => {
  test('starts with Development and its child Production', async () => {
    const data = await world.development.ask(`{ environments(first: 2) { nodes { name type parent { name } } } }`)
    expect(data.environments.nodes).toEqual([
      { name: 'Development', type: 'DEV', parent: null },
      { name: 'Production', type: 'PROD', parent: { name: 'Development' } },
    ])
  })

  test('maps each API key to its own environment', async () => {
    expect(await world.development.ask('{ environment { name } }')).toEqual({ environment: { name: 'Development' } })
    expect(await world.production.ask('{ environment { name } }')).toEqual({ environment: { name: 'Production' } })
  })
})

describe('creating an environment', () => {
  test('returns an API key for the new environment', async () => {
    const created = await world.development.act(
      'createEnvironment',
      { name: ' Staging ', color: '#0ea5e9' },
      'environment { id name slug color } newApiKey { key apiKey { id hint } }',
    )
    expect(created.userErrors).toEqual([])
    expect(created.environment).toMatchObject({
      name: 'Staging',
      color: '#0ea5e9',
      slug: expect.stringMatching(/^staging-/),
    })
    const staging = world.client(created.newApiKey.key)
    expect(await staging.ask('{ environment { name } }')).toEqual({ environment: { name: 'Staging' } })
  })

  test('returns CONFLICT for a taken name and writes nothing', async () => {
    const before = await names()
    const refused = await world.development.act(
      'createEnvironment',
      { name: 'Production', color: '#000' },
      'environment { id } newApiKey { key }',
    )
    expect(refused).toEqual({
      environment: null,
      newApiKey: null,
      userErrors: [{ code: 'CONFLICT', message: 'An environment named "Production" already exists', field: ['name'] }],
    })
    expect(await names()).toEqual(before)
  })

  test.each([
    ['name', '  ', 'name must not be empty'],
    ['name', 'n'.repeat(101), 'name must be at most 100 characters long'],
    ['color', 'red', 'color must be a hex color, such as #7c3aed'],
    ['color', '#12345', 'color must be a hex color, such as #7c3aed'],
    ['parentId', 'junk', 'parentId must be a node id of the type Environment'],
  ])('rejects an invalid %s (%j)', async (field, value, message) => {
    const input = { name: 'Refused', color: '#000', [field]: value }
    const { userErrors } = await world.development.act('createEnvironment', input)
    expect(userErrors).toEqual([{ code: 'BAD_USER_INPUT', message, field: [field] }])
    expect(await names()).not.toContain('Refused')
  })

  test('returns NOT_FOUND for an unknown parent', async () => {
    const input = { name: 'Orphan', color: '#000', parentId: UNKNOWN }
    const { userErrors } = await world.development.act('createEnvironment', input)
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['parentId'] }])
  })
})

describe('updating an environment', () => {
  test('changes only the given fields, keeps the slug, and removes a parent set to null', async () => {
    const parent = await create('Parent')
    const { id } = await create('Before', { parentId: parent.id })
    const before = await update({ id, color: '#123456' })
    expect(before.environment).toMatchObject({ name: 'Before', color: '#123456', parent: { name: 'Parent' } })
    const after = await update({ id, name: 'After', color: null, parentId: null })
    expect(after).toEqual({
      environment: { id, name: 'After', color: '#123456', slug: before.environment.slug, parent: null },
      userErrors: [],
    })
  })

  test('returns CONFLICT for a taken name and changes nothing', async () => {
    const { id } = await create('Unique')
    const refused = await update({ id, name: 'Production', color: '#000000' })
    expect(refused).toEqual({
      environment: null,
      userErrors: [{ code: 'CONFLICT', message: 'An environment named "Production" already exists', field: ['name'] }],
    })
    expect((await update({ id, name: 'Unique' })).environment).toMatchObject({ name: 'Unique', color: '#0ea5e9' })
  })

  test('never makes an environment its own ancestor', async () => {
    const one = await create('One')
    const two = await create('Two', { parentId: one.id })
    const three = await create('Three', { parentId: two.id })
    for (const parentId of [one.id, two.id, three.id]) {
      const { userErrors } = await update({ id: one.id, parentId })
      expect(userErrors).toEqual([
        {
          code: 'CONFLICT',
          message: 'parentId must not be the environment itself or one of its descendants',
          field: ['parentId'],
        },
      ])
    }
    expect((await update({ id: three.id, parentId: one.id })).userErrors).toEqual([])
  })

  test('allows only one of two concurrent updates that would make each the parent of the other', async () => {
    const [left, right] = [await create('Left'), await create('Right')]
    const outcomes = await Promise.all([
      update({ id: left.id, parentId: right.id }),
      update({ id: right.id, parentId: left.id }),
    ])
    expect(outcomes.filter(({ userErrors }) => userErrors.length === 0)).toHaveLength(1)
  })

  test('returns NOT_FOUND for an unknown environment', async () => {
    const { userErrors } = await update({ id: UNKNOWN, name: 'Nobody' })
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['id'] }])
  })
})

describe('deleting an environment', () => {
  test('deletes everything in it, including its API keys', async () => {
    const { id, client } = await create('Doomed')
    const channels = [{ providerId: 'FCM', credentials: { deviceTokens: ['phone'] } }]
    await client.act('createSubscriber', { subscriberId: 'ada', channels })
    await client.act('createContext', { type: 'tenant', identifier: 'acme' })
    expect(await remove(id)).toEqual({ deletedId: id, userErrors: [] })
    expect(await names()).not.toContain('Doomed')
    const answer = await client.send('{ environment { name } }')
    expect(answer).toMatchObject({ status: 401, errors: [{ message: 'API Key not found' }] })
    await housekeepingOf(world).perform('deletion')
    const { id: rowId } = decodeNodeId(id)
    for (const table of ['subscribers', 'subscriber_credentials', 'contexts', 'api_keys']) {
      const { rows } = await world.database.pool.query(`SELECT 1 FROM ${table} WHERE environment_id = $1`, [rowId])
      expect(rows).toEqual([])
    }
  })

  test("is rejected for the caller's own environment, and therefore for the last one", async () => {
    const id = await idOf(world.development)
    expect(await remove(id)).toEqual({
      deletedId: null,
      userErrors: [
        {
          code: 'CONFLICT',
          message: 'An environment cannot be deleted with its own API key: use a key of another environment',
          field: ['id'],
        },
      ],
    })
  })

  test('is rejected for a parent, with the name of a child', async () => {
    const parent = await create('Mother')
    await create('Daughter', { parentId: parent.id })
    expect((await remove(parent.id)).userErrors).toEqual([
      {
        code: 'CONFLICT',
        message: 'The environment is the parent of "Daughter": change that parent first',
        field: ['id'],
      },
    ])
  })

  test('succeeds for only one of two environments that delete each other at the same time', async () => {
    const [left, right] = [await createAdmin('Cain'), await createAdmin('Abel')]
    const outcomes = await Promise.all([
      left.client.send('mutation ($id: ID!) { deleteEnvironment(input: { id: $id }) { deletedId } }', { id: right.id }),
      right.client.send('mutation ($id: ID!) { deleteEnvironment(input: { id: $id }) { deletedId } }', { id: left.id }),
    ])
    expect(outcomes.filter(({ errors, data }) => errors.length === 0 && data.deleteEnvironment.deletedId)).toHaveLength(
      1,
    )
    expect((await names()).filter((name) => name === 'Cain' || name === 'Abel')).toHaveLength(1)
  })

  test('returns NOT_FOUND for an unknown or already deleted environment', async () => {
    const { id } = await create('Twice')
    await remove(id)
    expect((await remove(id)).userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['id'] }])
    expect((await remove(UNKNOWN)).userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['id'] }])
  })
})

describe('a request that began before its API key was revoked', () => {
  /** The scope of a request with a key, before the key is revoked. */
  async function begun(key: string): Promise<Scope> {
    const caller = await callerOfKey(world.gateway, key)
    if (caller === undefined) throw new Error('the key is unknown')
    return createScope(world.gateway, caller)
  }

  test.each<[string, (scope: Scope) => Promise<unknown>]>([
    ['creates no environment', (scope) => createEnvironment(scope, { name: 'Too late', color: '#000' })],
    ['updates none', (scope) => updateEnvironment(scope, { id: scope.environmentId, name: 'Too late' })],
    ['deletes none', (scope) => deleteEnvironment(scope, { id: scope.environmentId })],
    ['pauses none', (scope) => pauseEnvironment(scope, { id: scope.environmentId })],
  ])('%s', async (outcome, change) => {
    const client = await world.environment()
    const { newApiKey } = await client.act('createApiKey', { name: 'Revoked' }, 'newApiKey { key apiKey { id } }')
    const scope = await begun(newApiKey.key)
    expect((await client.act('revokeApiKey', { id: newApiKey.apiKey.id })).userErrors).toEqual([])
    await expect(change(scope), outcome).rejects.toThrow('API Key not found')
    expect(await names()).not.toContain('Too late')
    expect(await client.ask('{ environment { pause { kind } } }')).toEqual({ environment: { pause: null } })
  })

  test('together with its environment does not find the environment', async () => {
    const { id, client } = await create('Gone')
    const scope = await begun(client.key)
    await remove(id)
    await expect(ownEnvironment(scope, {})).rejects.toThrow('API Key not found')
  })
})
