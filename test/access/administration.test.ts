// Rights over environments: what a key may do with its own environment, and with environments that others created.
import { isObjectType } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appointAdmins } from '../../src/domain/access/bootstrap.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { resolverOf } from '../../src/graphql/schema/resolver-extension.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { browserOf } from '../support/browser.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, type GraphqlError, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })

interface Place {
  readonly id: string
  /** The node id of the environment's first key. */
  readonly keyId: string
  readonly client: Client
}

let names = 0

async function created(by: Client): Promise<Place> {
  const { environment, newApiKey, userErrors } = await by.act(
    'createEnvironment',
    { name: `Place ${(names += 1)}`, color: '#0ea5e9' },
    'environment { id } newApiKey { key apiKey { id } }',
  )
  expect(userErrors).toEqual([])
  return { id: environment.id, keyId: newApiKey.apiKey.id, client: world.client(newApiKey.key) }
}

async function newKey(by: Client, given: object) {
  const { newApiKey, userErrors } = await by.act(
    'createApiKey',
    { name: 'Key', ...given },
    'newApiKey { key apiKey { id } }',
  )
  expect(userErrors).toEqual([])
  return { keyId: newApiKey.apiKey.id, client: world.client(newApiKey.key) }
}

/** A parent with the children `own` and `sibling`. `own` has a child, which also has one. */
async function family() {
  const parent = await created(world.production)
  const [own, sibling] = [await created(parent.client), await created(parent.client)]
  const child = await created(own.client)
  const grandchild = await created(child.client)
  // One more key of each, to be revoked.
  const spare = await newKey(world.production, { environmentId: own.id })
  return { parent, own: { ...own, keyId: spare.keyId }, sibling, child, grandchild }
}

type Target = keyof Awaited<ReturnType<typeof family>>
const accesses = ['FULL', 'READ_ONLY', 'ADMIN'] as const
type Access = (typeof accesses)[number]

/** @returns `ok`, or the code of the error. */
type Action = (caller: Client, target: Place) => Promise<string>

function codeOf(errors: readonly GraphqlError[]): string | undefined {
  const code = errors[0]?.extensions?.['code']
  return typeof code === 'string' ? code : undefined
}

const payloads = z.record(z.string(), z.object({ userErrors: z.array(z.object({ code: z.string() })) }))

const mutation =
  (name: string, input: (target: Place) => Record<string, unknown>): Action =>
  async (caller, target) => {
    const { data, errors } = await caller.send(
      `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) {
        ${name}(input: $input) { userErrors { code } } }`,
      { input: input(target) },
    )
    return codeOf(errors) ?? payloads.parse(data)[name]?.userErrors[0]?.code ?? 'ok'
  }

const actions: Record<string, Action> = {
  'Mutation.updateEnvironment': mutation('updateEnvironment', ({ id }) => ({ id, name: `Renamed ${(names += 1)}` })),
  'Mutation.pauseEnvironment': mutation('pauseEnvironment', ({ id }) => ({ id })),
  'Mutation.resumeEnvironment': mutation('resumeEnvironment', ({ id }) => ({ id })),
  'Mutation.deleteEnvironment': mutation('deleteEnvironment', ({ id }) => ({ id })),
  'Mutation.createApiKey': mutation('createApiKey', ({ id }) => ({ name: 'Another', environmentId: id })),
  'Mutation.revokeApiKey': mutation('revokeApiKey', ({ keyId }) => ({ id: keyId })),
  'Query.apiKeys': async (caller, { id }) => {
    const { errors } = await caller.send('query ($id: ID!) { apiKeys(environmentId: $id) { totalCount } }', { id })
    return codeOf(errors) ?? 'ok'
  },
}

/** Every key may create environments. The other operations only read the key's environment or the names of all. */
const unrestricted = [
  'Mutation.createEnvironment',
  'Mutation.createExampleEnvironment',
  'Query.environment',
  'Query.environments',
]

function expected(action: string, access: Access, target: Target): string {
  if (access === 'READ_ONLY' && action.startsWith('Mutation.')) return 'FORBIDDEN'
  const administered = access === 'ADMIN' || ['own', 'child', 'grandchild'].includes(target)
  // A key of an environment that the caller does not administer is not found, like any object of another environment.
  if (!administered) return action === 'Mutation.revokeApiKey' ? 'NOT_FOUND' : 'FORBIDDEN'
  return action === 'Mutation.deleteEnvironment' && target === 'own' ? 'CONFLICT' : 'ok'
}

test('every field that administers environments has a case', () => {
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => name === 'Query' || name === 'Mutation')
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => /^(environment|apiKey)\./.test(resolverOf(field)?.definition.name ?? ''))
        .map(({ name }) => `${type.name}.${name}`),
    )
  expect([...Object.keys(actions), ...unrestricted].toSorted()).toEqual(fields.toSorted())
})

describe.each(accesses)('a key with the access %s', (access) => {
  const targets: readonly Target[] = ['own', 'child', 'grandchild', 'sibling', 'parent']
  const cases = Object.keys(actions).flatMap((action) =>
    targets.map((target) => [action, target, expected(action, access, target)] as const),
  )

  const familyOfCaller = async () => {
    const places = await family()
    const { client } = await newKey(world.production, { access, environmentId: places.own.id })
    return { places, client }
  }
  let shared: Awaited<ReturnType<typeof familyOfCaller>>
  beforeAll(async () => {
    shared = await familyOfCaller()
  })

  test.each(cases)('gets from %s of its %s environment: %s', async (action, target, outcome) => {
    const isDeletion = action === 'Mutation.deleteEnvironment' && outcome === 'ok'
    const { places, client } = isDeletion ? await familyOfCaller() : shared
    expect(await actions[action]?.(client, places[target])).toBe(outcome)
  })
})

describe.each(accesses)('a key with the access %s', (access) => {
  test('reads which environments it may change and delete, in one statement for each', async () => {
    const { own, child, grandchild, sibling, parent } = await family()
    await newKey(world.production, { access: 'ADMIN', environmentId: grandchild.id })
    const { client } = await newKey(world.production, { access, environmentId: own.id })
    const query = (fields: string) =>
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Environment { id ${fields} } } }`
    const ids = [own, child, grandchild, sibling, parent].map(({ id }) => id)
    // The first request also reads the key.
    await client.ask(query(''), { ids })
    const plain = await statementsOf(() => client.ask(query(''), { ids }))
    const rights = await statementsOf(async () => {
      const { nodes } = await client.ask<{ nodes: Record<string, unknown>[] }>(
        query('viewerCanAdminister viewerCanDelete'),
        { ids },
      )
      const having = (right: string) => nodes.map((node) => node[right])
      const [administered, deletable] = {
        ADMIN: [
          [true, true, true, true, true],
          [false, true, true, true, true],
        ],
        FULL: [
          [true, true, true, false, false],
          [false, true, false, false, false],
        ],
        READ_ONLY: [
          [false, false, false, false, false],
          [false, false, false, false, false],
        ],
      }[access]
      expect(having('viewerCanAdminister')).toEqual(administered)
      expect(having('viewerCanDelete')).toEqual(deletable)
    })
    expect(rights.length - plain.length).toBe({ ADMIN: 1, FULL: 2, READ_ONLY: 0 }[access])
  })
})

describe('an environment', () => {
  test('that the key does not administer causes a 403 with its name, in GraphQL and REST', async () => {
    const { own, sibling } = await family()
    const message =
      'id must be the environment of this API key or one that was created with its keys: others require a key with the access ADMIN'
    const { errors } = await own.client.send(
      'mutation ($id: ID!) { deleteEnvironment(input: { id: $id }) { deletedId } }',
      { id: sibling.id },
    )
    expect(errors).toMatchObject([{ message, extensions: { code: 'FORBIDDEN' } }])
    const { body } = await own.client.rest('GET /v1/environments?limit=100')
    const found = body.data.find(({ name }) => name === 'Production')
    expect(await own.client.rest(`DELETE /v1/environments/${found?._id}`)).toMatchObject({
      status: 403,
      body: { message },
    })
    const renamed = { body: { name: 'Taken over' } }
    expect(await own.client.rest(`PUT /v1/environments/${found?._id}`, renamed)).toMatchObject({ status: 403 })
  })

  test('whose creator is deleted is administered by the keys that administered the creator', async () => {
    const { parent, own, child } = await family()
    expect(await actions['Mutation.deleteEnvironment']?.(parent.client, own)).toBe('ok')
    expect(await actions['Mutation.updateEnvironment']?.(parent.client, child)).toBe('ok')
  })

  test('with an ADMIN key is deleted by ADMIN keys only', async () => {
    const { own, child } = await family()
    await newKey(world.production, { access: 'ADMIN', environmentId: child.id })
    expect(await actions['Mutation.deleteEnvironment']?.(own.client, child)).toBe('FORBIDDEN')
    expect(await actions['Mutation.deleteEnvironment']?.(world.production, child)).toBe('ok')
  })
})

describe('an ADMIN key', () => {
  test('is created by ADMIN keys only', async () => {
    const { own } = await family()
    const { errors } = await own.client.send(
      'mutation { createApiKey(input: { name: "Administrator", access: ADMIN }) { newApiKey { key } } }',
    )
    expect(errors).toMatchObject([
      { message: 'access ADMIN requires a key with the access ADMIN', extensions: { code: 'FORBIDDEN' } },
    ])
    await newKey(world.production, { access: 'ADMIN', environmentId: own.id })
  })

  test('is revoked by ADMIN keys only, and never by itself', async () => {
    const { own } = await family()
    const admin = await newKey(world.production, { access: 'ADMIN', environmentId: own.id })
    const revoke = (by: Client) => actions['Mutation.revokeApiKey']?.(by, { ...own, keyId: admin.keyId })
    expect(await revoke(own.client)).toBe('FORBIDDEN')
    expect(await revoke(admin.client)).toBe('CONFLICT')
    expect(await revoke(world.production)).toBe('ok')
  })

  test('signs sessions that can write, like a FULL key', async () => {
    const browser = await browserOf(world, world.production, 'ada')
    const { userErrors } = await browser.act('updateSubscriberPreferences', { subscriberId: 'ada', enabled: false })
    expect(userErrors).toEqual([])
  })
})

test('of two keys that revoke each other at the same time, one remains active', async () => {
  const { own } = await family()
  const [one, other] = [await newKey(own.client, {}), await newKey(own.client, {})]
  const outcomes = await Promise.all([
    actions['Mutation.revokeApiKey']?.(one.client, { ...own, keyId: other.keyId }),
    actions['Mutation.revokeApiKey']?.(other.client, { ...own, keyId: one.keyId }),
  ])
  expect(outcomes.toSorted()).toEqual(['UNAUTHENTICATED', 'ok'])
})

describe('the log has one line for', () => {
  /** Returns what was logged at `info` by the act: the message, the actor and the other fields. */
  async function loggedBy(work: () => Promise<unknown>) {
    const before = world.logged.length
    await work()
    return world.logged
      .slice(before)
      .filter(({ level }) => level === 30)
      .map(({ level: _level, time: _time, pid: _pid, hostname: _hostname, ...line }) => line)
  }

  const rowId = (nodeId: string) => decodeNodeId(nodeId).id

  test('each key that is created or revoked, and each environment that is created, updated or deleted', async () => {
    const own = await created(world.production)
    const apiKeyId = rowId(own.keyId)
    const place = { msg: 'environment created', apiKeyId, environmentId: '', keyId: '', name: '' }
    let child = own
    expect(await loggedBy(async () => (child = await created(own.client)))).toEqual([
      { ...place, environmentId: rowId(child.id), keyId: rowId(child.keyId), name: expect.any(String) },
    ])
    let key = child
    const input = { name: 'Reader', access: 'READ_ONLY', environmentId: child.id }
    const lines = await loggedBy(async () => (key = { ...child, ...(await newKey(own.client, input)) }))
    const named = { id: rowId(key.keyId), name: 'Reader', access: 'read_only', hint: key.client.key.slice(-4) }
    const line = { apiKeyId, environmentId: rowId(child.id), key: named }
    expect(lines).toEqual([{ msg: 'API key created', ...line }])
    expect(await loggedBy(() => own.client.act('revokeApiKey', { id: key.keyId }))).toEqual([
      { msg: 'API key revoked', ...line },
    ])
    expect(await loggedBy(() => own.client.act('revokeApiKey', { id: key.keyId }))).toEqual([])
    const change = { id: child.id, color: '#000' }
    expect(await loggedBy(() => own.client.act('updateEnvironment', change))).toEqual([
      { msg: 'environment updated', apiKeyId, environmentId: rowId(child.id), changes: { color: '#000' } },
    ])
    expect(await loggedBy(() => own.client.rest(`DELETE /v1/environments/${rowId(child.id)}`))).toEqual([
      { msg: 'environment deleted', apiKeyId, environmentId: rowId(child.id), name: expect.any(String) },
    ])
    const secrets = [own, child, key].map(({ client }) => client.key)
    for (const secret of secrets) expect(JSON.stringify(world.logged)).not.toContain(secret)
  })

  test('no change that was rolled back', async () => {
    const { client } = await created(world.production)
    expect(await loggedBy(() => client.act('createEnvironment', { name: 'Production', color: '#000' }))).toEqual([])
    expect(await loggedBy(() => client.rest('DELETE /v1/environments/me'))).toEqual([])
  })
})

describe('a database of a version without ADMIN keys', () => {
  /** Restores the database, and returns the lines that are logged when ADMIN keys are appointed. */
  async function appointed(): Promise<unknown[]> {
    const logged: unknown[] = []
    const log = (fields: unknown, message?: string) => logged.push([message, fields])
    await appointAdmins(world.gateway, { info: log, warn: log })
    return logged
  }
  const withAccess = (access: string) =>
    world.database.pool.query(
      `SELECT environments.name, api_keys.name AS key, api_keys.id FROM api_keys
       JOIN environments ON environments.id = environment_id WHERE access = '${access}'`,
    )

  test('turns the oldest FULL key of the oldest production environment into an ADMIN key, and logs it once', async () => {
    await world.database.pool.query(`UPDATE api_keys SET access = 'full' WHERE access = 'admin'`)
    await newKey(world.production, { name: 'Second' })
    const [logged, again] = await Promise.all([appointed(), appointed()])
    const { rows } = await withAccess('admin')
    expect(rows).toEqual([{ name: 'Production', key: 'First key', id: expect.any(String) as unknown }])
    expect([...logged, ...again]).toEqual([
      [
        'API key became ADMIN',
        { environment: 'Production', apiKeyId: rows[0].id, name: 'First key', hint: world.production.key.slice(-4) },
      ],
    ])
  })

  test('gets no ADMIN key where the oldest production environment has no FULL key, and logs it', async () => {
    await world.database.pool.query(`UPDATE api_keys SET access = 'read_only' WHERE access = 'admin'`)
    await world.database.pool.query(
      `UPDATE api_keys SET access = 'read_only' FROM environments
       WHERE environments.id = environment_id AND environments.name = 'Production'`,
    )
    expect(await appointed()).toEqual([[expect.stringMatching(/^no API key became ADMIN/), expect.anything()]])
    expect((await withAccess('admin')).rows).toEqual([])
  })
})
