// Idempotency keys and rights: which callers receive a stored response, and which requests use up a key.
import { getNamedType } from 'graphql'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { resolverOf } from '../../src/graphql/schema/resolver-extension.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { publicCallerOf, sign } from '../support/browser.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()

type Name = 'ADMIN' | 'another ADMIN' | 'FULL' | 'another FULL' | 'READ_ONLY' | 'dashboard session' | 'public caller'
let acme: Client
let callers: Readonly<Record<Name, Client>>
/** The idempotency key of the test, which also names the objects that the test creates. */
let name: string

beforeEach(() => {
  name = world.gateway.newId()
})

beforeAll(async () => {
  acme = await world.environment()
  const { environment } = await acme.ask('{ environment { id } }')
  const keyOf = async (access: string) => {
    const input = { name: access, access, environmentId: environment.id }
    const { newApiKey } = await world.production.act('createApiKey', input, 'newApiKey { key }')
    return world.client(newApiKey.key)
  }
  const full = await keyOf('FULL')
  const { token } = await acme.act('openDashboardSession', { apiKey: full.key }, 'token')
  callers = {
    ADMIN: await keyOf('ADMIN'),
    'another ADMIN': await keyOf('ADMIN'),
    FULL: full,
    'another FULL': await keyOf('FULL'),
    READ_ONLY: await keyOf('READ_ONLY'),
    'dashboard session': world.client(token, 'Dashboard'),
    'public caller': await publicCallerOf(world, acme),
  }
})

const withKey = () => ({ 'idempotency-key': name })

/**
 * The result of a caller: its HTTP status, or 403 for FORBIDDEN in the graph, and whether it is the stored response.
 */
interface Got {
  readonly status: number
  readonly replayed: boolean
  readonly text: string
}
type Send = (caller: Client) => Promise<Got>

const throughGraph =
  (mutation: () => string): Send =>
  async (caller) => {
    const { status, headers, data, errors } = await caller.send(`mutation { ${mutation()} }`, {}, withKey())
    const [code] = errors.map(({ extensions }) => extensions?.['code'])
    const text = JSON.stringify([data, errors])
    return { status: code === 'FORBIDDEN' ? 403 : status, replayed: headers.has('idempotency-replay'), text }
  }
const throughRest =
  (path: string, input: () => object): Send =>
  async (caller) => {
    const { status, headers, body } = await caller.rest(`POST /${path}`, { body: input(), headers: withKey() })
    return { status, replayed: headers.has('idempotency-replay'), text: JSON.stringify(body) }
  }

const createTopics: readonly [string, Send][] = [
  ['the graph', throughGraph(() => `createTopic(input: { key: "${name}" }) { topic { key } userErrors { code } }`)],
  ['REST', throughRest('v2/topics', () => ({ key: name }))],
]
const createKeys: readonly [string, Send][] = [
  ['an API key in the graph', throughGraph(() => 'createApiKey(input: { name: "x" }) { newApiKey { key } }')],
  [
    'an environment in the graph',
    throughGraph(() => `createEnvironment(input: { name: "${name}", color: "#fff" }) { newApiKey { key } }`),
  ],
  ['an environment through REST', throughRest('v1/environments', () => ({ name, color: '#fff' }))],
]

const refused = { status: 422, replayed: false }
const forbidden = { status: 403, replayed: false }
const isCreated = async () =>
  (await acme.ask<{ topic: object | null }>(`{ topic(key: "${name}") { id } }`)).topic !== null

describe.each(createTopics)('a response without a secret, through %s,', (_, send) => {
  test.each<[Name, Name]>([
    ['ADMIN', 'ADMIN'],
    ['ADMIN', 'another ADMIN'],
    ['FULL', 'FULL'],
    ['FULL', 'another FULL'],
    ['dashboard session', 'dashboard session'],
  ])('to %s is repeated to %s', async (first, second) => {
    const one = await send(callers[first])
    expect(await send(callers[second])).toEqual({ ...one, replayed: true })
  })

  test.each<[Name, Name, object]>([
    ['ADMIN', 'FULL', refused],
    ['FULL', 'ADMIN', refused],
    ['FULL', 'READ_ONLY', forbidden],
    ['ADMIN', 'READ_ONLY', forbidden],
    ['FULL', 'public caller', forbidden],
    ['ADMIN', 'public caller', forbidden],
  ])('to %s is not repeated to %s', async (first, second, rejection) => {
    await send(callers[first])
    expect(await send(callers[second])).toMatchObject(rejection)
  })

  test('to an API key is not repeated to a dashboard session, nor the other way around', async () => {
    await send(callers.FULL)
    expect(await send(callers['dashboard session'])).toMatchObject({ replayed: false })
  })

  test.each<Name>(['READ_ONLY', 'public caller'])('that rejects %s does not use up the key', async (other) => {
    expect(await send(callers[other])).toMatchObject(forbidden)
    expect(await send(callers.FULL)).toMatchObject({ replayed: false, text: expect.stringContaining(name) })
    expect(await isCreated()).toBe(true)
  })
})

describe.each(createKeys)('the response with %s', (_, send) => {
  test.each<[Name, Name]>([
    ['ADMIN', 'another ADMIN'],
    ['ADMIN', 'FULL'],
    ['FULL', 'another FULL'],
  ])('to %s is not repeated to %s', async (first, second) => {
    const one = await send(callers[first])
    expect(one.text).toContain('ng_')
    const other = await send(callers[second])
    expect(other).toMatchObject(refused)
    expect(other.text).not.toContain('ng_')
  })

  test.each<Name>(['ADMIN', 'FULL', 'dashboard session'])('to %s is repeated to the same caller', async (name) => {
    const one = await send(callers[name])
    expect(one.text).toContain('ng_')
    expect(await send(callers[name])).toEqual({ ...one, replayed: true })
  })
})

test('a FULL caller that cannot create an ADMIN key uses no idempotency key up, and does not receive the key that ADMIN creates', async () => {
  const send = throughGraph(() => 'createApiKey(input: { name: "deploy", access: ADMIN }) { newApiKey { key } }')
  expect(await send(callers.FULL)).toMatchObject(forbidden)
  const created = await send(callers.ADMIN)
  expect(created).toMatchObject({ status: 200, replayed: false, text: expect.stringContaining('ng_') })
  expect(await send(callers.FULL)).toMatchObject(refused)
})

test('an invalid request of a READ_ONLY caller does not use the idempotency key of a writer up', async () => {
  const invalid = await callers.READ_ONLY.rest('POST /v2/topics', { body: { key: 5 }, headers: withKey() })
  expect(invalid.status).toBe(422)
  const { status } = await callers.FULL.rest('POST /v2/topics', { body: { key: name }, headers: withKey() })
  expect(status).toBe(201)
})

test('a public caller opens a session of its own with every request', async () => {
  const hash = sign('ada', acme)
  const send = throughRest('v1/inbox/session', () => ({ subscriberId: 'ada', subscriberHash: hash }))
  const [one, other] = [await send(callers['public caller']), await send(callers['public caller'])]
  expect([one.status, other.status, other.replayed]).toEqual([201, 201, false])
})

describe('a response that a process of the last version stored', () => {
  /** Turns the stored response into one of the previous version, which did not store the access. */
  const forget = async (status?: number) => {
    const environmentId = await environmentIdOf(acme)
    const data = { repeatedFor: null, ...(status !== undefined && { status }) }
    const { count } = await world.gateway.db.idempotencyKey.updateMany({ where: { environmentId, key: name }, data })
    expect(count).toBe(1)
  }

  test.each(createTopics)('is repeated through %s if it has no secret', async (_, send) => {
    const one = await send(callers.FULL)
    await forget()
    expect(await send(callers['another FULL'])).toEqual({ ...one, replayed: true })
  })

  test.each(createKeys)('is not repeated to anyone if it is %s', async (_, send) => {
    await send(callers.FULL)
    await forget()
    expect(await send(callers.FULL)).toMatchObject(refused)
  })

  test.each(createTopics)('about missing rights does not use the idempotency key up, through %s', async (_, send) => {
    await send(callers.FULL)
    await acme.act('deleteTopic', { key: name })
    await forget(403)
    expect(await send(callers.FULL)).toMatchObject({ replayed: false })
    expect(await isCreated()).toBe(true)
  })
})

test('every mutation that returns a new API key or a token is marked as such', () => {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})
  const secret = mutations.filter((field) => resolverOf(field)?.definition.secret === true)
  const payloads = mutations.filter((field) => {
    const type = getNamedType(field.type)
    const parts = 'getFields' in type ? Object.keys(type.getFields()) : []
    // The link of a preference page contains a token.
    return (
      parts.some((part) => ['newApiKey', 'token', 'secret'].includes(part)) || field.name === 'createPreferenceLink'
    )
  })
  expect(payloads.map(({ name }) => name).sort()).toEqual(secret.map(({ name }) => name).sort())
  expect(secret).toHaveLength(9)
})

test('a missing right undoes all mutations of the request', async () => {
  const send = throughGraph(
    () => `createTopic(input: { key: "${name}" }) { userErrors { code } }
    createApiKey(input: { name: "x", access: ADMIN }) { newApiKey { key } }`,
  )
  expect(await send(callers.FULL)).toMatchObject(forbidden)
  expect(await isCreated()).toBe(false)
  expect(await send(callers.ADMIN)).toMatchObject({ status: 200, replayed: false })
})
