// The caller cache: a caller is read once and kept until it changes, in every process.
import { pino } from 'pino'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/data/connection/database.ts'
import type { Listener } from '../../src/data/connection/listen.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { openGateway } from '../../src/gateway.ts'
import { until } from '../support/process/gateway-process.ts'
import { browserOf } from '../support/browser.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, createClient, type Scheme, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeAll(async () => {
  acme = await world.environment()
})

interface Another extends Partial<Pick<Database, 'catchUp'>> {
  readonly stopwatch?: () => number
}

/** A second process on the same database, with the listeners that it opened. */
async function openAnother({ stopwatch = () => 0, ...replaced }: Another = {}) {
  const listeners: Listener[] = []
  const gateway = await openGateway({
    location: { directory: 'the database of the world' },
    openDatabase: async () => ({
      ...world.database,
      ...replaced,
      listen(channel, listener) {
        listeners.push(listener)
        return world.database.listen(channel, listener)
      },
      close: async () => {},
    }),
    openCipher: () => world.gateway.cipher,
    logger: pino({ level: 'silent' }),
    outbound: { allowPrivateAddresses: true },
    rates: 'off',
    stopwatch,
    corsOrigins: [],
    trustedProxies: 0,
    introspection: true,
    graphiql: false,
    dashboard: false,
    singleProcess: true,
  })
  onTestFinished(() => gateway.close())
  return {
    as: ({ key }: Client, scheme?: Scheme) => createClient(gateway.app, key, [], scheme),
    setListening(isListening: boolean) {
      for (const listener of listeners) {
        if (isListening) listener.onReconnect()
        else listener.onDisconnect()
      }
    },
  }
}

async function newKey(by = acme) {
  const { newApiKey } = await by.act('createApiKey', { name: 'Another' }, 'newApiKey { key apiKey { id } }')
  return { id: newApiKey.apiKey.id, client: world.client(newApiKey.key) }
}

async function dashboardOf(client: Client): Promise<Client> {
  const { token } = await client.act('openDashboardSession', { apiKey: client.key }, 'token')
  return world.client(token, 'Dashboard')
}

const anything = '{ __typename }'
const statusFor = async (client: Client) => (await client.send(anything)).status
const refused = (client: Client) => until(async () => ((await statusFor(client)) === 401 ? true : undefined))

describe('a known caller costs no statement', () => {
  test('with an API key', async () => {
    await acme.send(anything)
    expect(await statementsOf(() => acme.ask(anything))).toEqual([])
    expect(await statementsOf(() => acme.rest('GET /v2/topics'))).toHaveLength(2)
  })

  test('with a session, also if another one of the same key was known', async () => {
    const [ada, grace] = [await browserOf(world, acme, 'ada'), await browserOf(world, acme, 'grace')]
    await ada.send(anything)
    expect(await statementsOf(() => grace.ask(anything))).toEqual([])
  })

  test('with a dashboard session', async () => {
    const session = await dashboardOf(acme)
    await session.send(anything)
    expect(await statementsOf(() => session.ask(anything))).toEqual([])
    expect(await statementsOf(() => session.rest('GET /v2/topics'))).toHaveLength(2)
  })

  test('with the public identifier of its environment', async () => {
    const { environment } = await acme.ask('{ environment { identifier } }')
    const browser = world.client(environment.identifier, 'Environment')
    await browser.send(anything)
    expect(await statementsOf(() => browser.ask(anything))).toEqual([])
  })
})

test('a caller is still known after a second without changes', async () => {
  let elapsed = 0
  const other = await openAnother({ stopwatch: () => elapsed })
  const known = other.as(acme)
  await known.send(anything)
  for (let count = 0; count < 2; count += 1) {
    elapsed += 1_000
    expect(await statementsOf(() => known.ask(anything))).toEqual([])
  }
})

test('a caller is read each time while the database announces no changes', async () => {
  let elapsed = 0
  const other = await openAnother({ stopwatch: () => elapsed, catchUp: () => Promise.resolve(false) })
  const known = other.as(acme)
  await known.send(anything)
  elapsed += 1_000
  for (let count = 0; count < 2; count += 1) {
    expect(await statementsOf(() => known.ask(anything))).toHaveLength(1)
  }
})

test('an unknown API key is looked up each time, in one statement', async () => {
  const stranger = world.client('ng_nobodys')
  for (let count = 0; count < 2; count += 1) {
    expect(await statementsOf(() => stranger.send(anything))).toHaveLength(1)
  }
})

describe('another process', () => {
  test('rejects a revoked key and its sessions', async () => {
    const other = await openAnother()
    const { id, client } = await newKey()
    const known = other.as(client)
    const session = other.as(await browserOf(world, client, 'ada'), 'Session')
    expect([await statusFor(known), await statusFor(session)]).toEqual([200, 200])
    await acme.act('revokeApiKey', { id })
    await refused(known)
    await refused(session)
  })

  test('rejects a closed dashboard session and the sessions that it opened in other environments', async () => {
    const other = await openAnother()
    const first = await dashboardOf(world.production)
    const { environment } = await acme.ask('{ environment { id } }')
    const { token } = await first.act('openDashboardSession', { environmentId: environment.id }, 'token')
    const [known, elsewhere] = [other.as(first, 'Dashboard'), other.as(world.client(token), 'Dashboard')]
    expect([await statusFor(known), await statusFor(elsewhere)]).toEqual([200, 200])
    await first.act('closeDashboardSession', {})
    await refused(known)
    await refused(elsewhere)
  })

  test('rejects the dashboard sessions of a revoked key, also in other environments', async () => {
    const other = await openAnother()
    const { newApiKey } = await world.production.act(
      'createApiKey',
      { name: 'Admin', access: 'ADMIN' },
      'newApiKey { key apiKey { id } }',
    )
    const first = await dashboardOf(world.client(newApiKey.key))
    const { environment } = await acme.ask('{ environment { id } }')
    const { token } = await first.act('openDashboardSession', { environmentId: environment.id }, 'token')
    const [known, elsewhere] = [other.as(first, 'Dashboard'), other.as(world.client(token), 'Dashboard')]
    expect([await statusFor(known), await statusFor(elsewhere)]).toEqual([200, 200])
    await world.production.act('revokeApiKey', { id: newApiKey.apiKey.id })
    await refused(known)
    await refused(elsewhere)
  })

  test('rejects the callers of a deleted environment', async () => {
    const other = await openAnother()
    const client = await world.environment()
    const { environment } = await client.ask('{ environment { id identifier } }')
    const known = other.as(client)
    const stranger = other.as(world.client(environment.identifier), 'Environment')
    expect([await statusFor(known), await statusFor(stranger)]).toEqual([200, 200])
    await world.development.act('deleteEnvironment', { id: environment.id })
    await refused(known)
    await refused(stranger)
  })

  test('notices changes that were made directly in the database', async () => {
    const other = await openAnother()
    const { id, client } = await newKey()
    const known = other.as(client)
    const write = 'mutation { createTopic(input: { key: "a" }) { userErrors { code } } }'
    expect(await known.ask(write)).toMatchObject({ createTopic: { userErrors: [] } })
    await world.database.pool.query(`UPDATE api_keys SET access = 'read_only' WHERE id = $1`, [decodeNodeId(id).id])
    await until(async () => ((await known.send(write)).errors.length > 0 ? true : undefined))
    await world.database.pool.query(`DELETE FROM api_keys WHERE id = $1`, [decodeNodeId(id).id])
    await refused(known)
  })

  test('caches nothing while it receives no announcements of changes', async () => {
    const other = await openAnother()
    const { client } = await newKey()
    const known = other.as(client)
    await known.ask(anything)
    other.setListening(false)
    for (let count = 0; count < 2; count += 1) {
      expect(await statementsOf(() => known.ask(anything))).toHaveLength(1)
    }
    other.setListening(true)
    await known.ask(anything)
    expect(await statementsOf(() => known.ask(anything))).toEqual([])
  })
})

test('a caller that changes while it is read is not cached', async () => {
  const { id, client } = await newKey()
  const { callers } = world.gateway
  const owner = { environmentId: '', organizationId: '', database: null, id, userId: '', access: 'full' } as const
  await callers.keys.get('changing', async () => {
    callers.forget('another environment')
    return owner
  })
  expect(await callers.keys.get('changing', async () => undefined)).toBeUndefined()
  expect(await statusFor(client)).toBe(200)
})
