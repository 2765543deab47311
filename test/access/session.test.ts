// Browser sessions: opened with hashes made by a back end, through GraphQL and REST.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { sessionKinds } from '../../src/domain/session-token.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'
import { browserOf, sign, publicCallerOf } from '../support/browser.ts'
import { type Client, useWorld } from '../support/world.ts'

const { lifetime: LIFETIME } = sessionKinds.renewable

const world = useWorld()
let acme: Client
let publicCaller: Client

beforeEach(async () => {
  acme = await world.environment()
  publicCaller = await publicCallerOf(world, acme)
})
afterEach(() => world.setClock(undefined))

type Input = Readonly<Record<string, unknown>>

/** The outcome of opening a session: the session, or the message that rejected it. */
interface Opened {
  readonly token?: string
  readonly subscriberId?: string
  readonly contextKeys?: readonly string[]
  readonly expiresAt?: string
  readonly refusal?: string
  /** The HTTP status of a rejection, only through REST. */
  readonly status?: number
}

async function throughGraph(caller: Client, input: Input): Promise<Opened> {
  const fields = 'token session { subscriberId contextKeys expiresAt }'
  const { token, session, userErrors } = await caller.act('openSession', input, fields)
  if (userErrors.length === 0) return { token, ...session }
  expect([token, session]).toEqual([null, null])
  expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: [expect.any(String)] }])
  return { refusal: userErrors[0].message }
}

const opened = z.object({
  token: z.string(),
  subscriberId: z.string(),
  contextKeys: z.array(z.string()),
  expiresAt: z.string(),
})

async function throughRest(caller: Client, body: Input): Promise<Opened> {
  const answer = await caller.rest('POST /v1/inbox/session', { body })
  return answer.status === 201 ? opened.parse(answer.body) : { refusal: answer.body.message, status: answer.status }
}

const wrongSubscriberHash =
  'subscriberHash must be the HMAC-SHA256 of the subscriberId, in lowercase hex, keyed with an active API key of the environment'
const wrongContextHash =
  'contextHash must be the HMAC-SHA256 of the context in canonical JSON (keys sorted, no spaces), in lowercase hex, keyed with an active API key of the environment'

const everybody = '{ subscribers { nodes { subscriberId } } contexts { nodes { key data } } }'
const nobody = { subscribers: { nodes: [] }, contexts: { nodes: [] } }

const newKey = async (name: string, access = 'FULL') => {
  const { newApiKey } = await acme.act('createApiKey', { name, access }, 'newApiKey { key apiKey { id } }')
  return { client: world.client(newApiKey.key), id: newApiKey.apiKey.id }
}

describe.each([
  ['the graph', throughGraph],
  ['REST', throughRest],
])('opening a session through %s', (_door, open) => {
  const ofAda = () => ({ subscriberId: 'ada', subscriberHash: sign('ada', acme) })

  test('creates the subscriber on first use', async () => {
    const now = new Date('2027-03-01T12:00:00Z')
    world.setClock(now)
    expect(await open(publicCaller, ofAda())).toEqual({
      token: expect.any(String),
      subscriberId: 'ada',
      contextKeys: [],
      expiresAt: new Date(now.getTime() + LIFETIME).toISOString(),
    })
    expect(await acme.ask(everybody)).toEqual({ ...nobody, subscribers: { nodes: [{ subscriberId: 'ada' }] } })
  })

  test('leaves an existing subscriber and context unchanged', async () => {
    await acme.act('createSubscriber', { subscriberId: 'ada', firstName: 'Ada' })
    await acme.act('createContext', { type: 'tenant', identifier: 'acme', data: { plan: 'pro' } })
    const all = '{ subscribers { nodes { firstName updatedAt } } contexts { nodes { data updatedAt } } }'
    const before = await acme.ask(all)
    const context = { tenant: { id: 'acme', data: { plan: 'free' } } }
    const contextHash = sign('{"tenant":{"data":{"plan":"free"},"id":"acme"}}', acme)
    expect(await open(publicCaller, { ...ofAda(), context, contextHash })).toMatchObject({
      contextKeys: ['tenant:acme'],
    })
    expect(await acme.ask(all)).toEqual(before)
  })

  test.each([
    ['one id', { tenant: 'acme' }, '{"tenant":"acme"}', ['tenant:acme']],
    [
      'several, in any order',
      { tenant: 'acme', app: 'shop' },
      '{"app":"shop","tenant":"acme"}',
      ['app:shop', 'tenant:acme'],
    ],
    [
      'an id with data',
      { tenant: { id: 'acme', data: { b: [2, 1], a: { d: 1, c: null } } } },
      '{"tenant":{"data":{"a":{"c":null,"d":1},"b":[2,1]},"id":"acme"}}',
      ['tenant:acme'],
    ],
    [
      'letters of all kinds, and numbers',
      { tenant: { data: { name: 'Grüße, 世界 🔔', price: 1.5, big: 1e21, zero: 0 }, id: 'acme' } },
      '{"tenant":{"data":{"big":1e+21,"name":"Grüße, 世界 🔔","price":1.5,"zero":0},"id":"acme"}}',
      ['tenant:acme'],
    ],
    [
      'what nobody reads, but was sent',
      { tenant: { id: 'acme', logo: 'acme.png' } },
      '{"tenant":{"id":"acme","logo":"acme.png"}}',
      ['tenant:acme'],
    ],
    ['nothing', {}, '{}', []],
  ])('accepts a context signed as canonical JSON: %s', async (_what, context, canonical, contextKeys) => {
    const contextHash = sign(canonical, acme)
    expect(await open(publicCaller, { ...ofAda(), context, contextHash })).toMatchObject({ contextKeys })
    const { contexts } = await acme.ask('{ contexts { nodes { key } } }')
    expect(contexts.nodes.map(({ key }) => key).sort()).toEqual(contextKeys)
  })

  test('accepts hashes made with any active API keys, even two different ones', async () => {
    const { client } = await newKey('Second key')
    const context = { tenant: 'acme' }
    for (const [one, other] of [
      [acme, client],
      [client, acme],
      [client, client],
    ] as const) {
      const opened = await open(publicCaller, {
        subscriberId: 'ada',
        subscriberHash: sign('ada', one),
        context,
        contextHash: sign('{"tenant":"acme"}', other),
      })
      expect(opened).toMatchObject({ contextKeys: ['tenant:acme'] })
    }
  })

  test('works for an API key caller too', async () => {
    expect(await open(acme, ofAda())).toMatchObject({ subscriberId: 'ada' })
  })

  const refused = { status: 400, code: 'MALFORMED' }

  test.each<[string, (right: string, backEnd: Client) => string]>([
    ['made with no key of the environment', (_right, { key }) => sign('ada', { key: `${key}x` })],
    ["made with another environment's key", () => sign('ada', world.development)],
    ['of somebody else', (_right, backEnd) => sign('grace', backEnd)],
    ['in upper case', (right) => right.toUpperCase()],
    ['cut short', (right) => right.slice(0, -1)],
    ['with something behind', (right) => `${right}0`],
    ['of the subscriberId in quotes', (_right, backEnd) => sign('"ada"', backEnd)],
    ['empty', () => ''],
  ])('rejects a subscriberHash that is %s, and creates nothing', async (_what, wrong) => {
    const subscriberHash = wrong(sign('ada', acme), acme)
    const { status = refused.status, refusal } = await open(publicCaller, { subscriberId: 'ada', subscriberHash })
    expect({ status, refusal }).toEqual({ status: refused.status, refusal: wrongSubscriberHash })
    expect(await acme.ask(everybody)).toEqual(nobody)
  })

  test.each<[string, (backEnd: Client) => string | null | undefined]>([
    ['missing', () => undefined],
    ['null', () => null],
    ['empty', () => ''],
    ['of another context', (backEnd) => sign('{"tenant":"globex"}', backEnd)],
    ['of the keys of the contexts', (backEnd) => sign('["tenant:acme"]', backEnd)],
    ["made with another environment's key", () => sign('{"tenant":"acme"}', world.development)],
    ['the subscriberHash', (backEnd) => sign('ada', backEnd)],
  ])('rejects a contextHash that is %s, and creates nothing', async (_what, wrong) => {
    const input = { ...ofAda(), context: { tenant: 'acme' }, contextHash: wrong(acme) }
    const { status = refused.status, refusal } = await open(publicCaller, input)
    expect({ status, refusal }).toEqual({ status: refused.status, refusal: wrongContextHash })
    expect(await acme.ask(everybody)).toEqual(nobody)
  })

  test('rejects a wrong contextHash even without a context', async () => {
    expect(await open(publicCaller, { ...ofAda(), contextHash: sign('{"tenant":"acme"}', acme) })).toMatchObject({
      refusal: wrongContextHash,
    })
  })

  test('rejects a hash made with a revoked API key', async () => {
    const { client, id } = await newKey('Old key')
    await acme.act('revokeApiKey', { id })
    const subscriberHash = sign('ada', client)
    expect(await open(publicCaller, { subscriberId: 'ada', subscriberHash })).toMatchObject({
      refusal: wrongSubscriberHash,
    })
  })

  test('validates the context only after verifying its hash', async () => {
    const context = { a: 'x', b: 'x', c: 'x', d: 'x', e: 'x', f: 'x' }
    const contextHash = sign(JSON.stringify(context), acme)
    expect(await open(publicCaller, { ...ofAda(), context, contextHash })).toMatchObject({
      refusal: 'context must name at most 5 contexts',
    })
    expect(await open(publicCaller, { ...ofAda(), context, contextHash: sign('{}', acme) })).toMatchObject({
      refusal: wrongContextHash,
    })
    expect(await acme.ask(everybody)).toEqual(nobody)
  })

  test('compares the hash with every API key in constant time', async () => {
    await newKey('Second key')
    const compared = vi.spyOn(crypto, 'timingSafeEqual')
    syncBuiltinESMExports()
    onTestFinished(() => {
      compared.mockRestore()
      syncBuiltinESMExports()
    })
    const wrong = sign('ada', world.development)
    await open(publicCaller, { subscriberId: 'ada', subscriberHash: wrong })
    const texts = compared.mock.calls.map((pair) => pair.map((bytes) => Buffer.from(bytes as Buffer).toString()))
    const against = texts.filter(([given]) => given === wrong).map(([, expected]) => expected)
    expect(against).toContain(sign('ada', acme))
    expect(against).toHaveLength(2)
  })

  test('decrypts no API key for a wrong hash whose keys were used before', async () => {
    const guess = () => open(publicCaller, { subscriberId: 'ada', subscriberHash: sign('ada', world.development) })
    const decrypted = vi.spyOn(world.gateway.cipher, 'decrypt')
    onTestFinished(() => decrypted.mockRestore())
    await newKey('Second key')
    await guess()
    expect(decrypted).toHaveBeenCalledTimes(2)
    await newKey('Third key')
    for (let count = 0; count < 3; count += 1) await guess()
    expect(decrypted).toHaveBeenCalledTimes(3)
  })
})

describe('a public caller', () => {
  test.each([
    ['that does not exist', 'Environment nowhere'],
    ['by no name', 'Environment'],
  ])('is rejected with an environment %s', async (_what, authorization) => {
    const headers = { authorization }
    expect(await publicCaller.send('{ session { subscriberId } }', {}, headers)).toMatchObject({
      status: 401,
      errors: [{ message: 'Environment not found', extensions: { code: 'UNAUTHENTICATED' } }],
    })
    expect(await publicCaller.rest('POST /v1/inbox/session', { body: {}, headers })).toMatchObject({
      status: 401,
      body: { message: 'Environment not found' },
    })
  })

  test('stores no response under an idempotency key, so the key stays free for others', async () => {
    const headers = { 'idempotency-key': 'order-1' }
    const body = { subscriberId: 'ada', subscriberHash: sign('ada', acme) }
    const first = await publicCaller.rest('POST /v1/inbox/session', { body, headers })
    const again = await publicCaller.rest('POST /v1/inbox/session', { body, headers })
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.headers.get('idempotency-replay')).toBeNull()
    expect(again.body.token).not.toBe(first.body.token)
    const other = await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'grace' }, headers })
    expect(other).toMatchObject({ status: 201, body: { subscriberId: 'grace' } })
  })

  describe('rate limiting', () => {
    const narrow = useWorld({ rates: { trigger: 10, configuration: 20, global: 4 } })
    afterEach(() => narrow.setClock(undefined))
    const remaining = ({ headers }: { headers: Headers }) => Number(headers.get('ratelimit-remaining'))
    const attempt = 'openSession(input: { subscriberId: "ada", subscriberHash: "guessed" }) { userErrors { code } }'

    test('charges every attempt to the bucket of the IP address, as for a caller without a key', async () => {
      const client = await narrow.environment()
      const named = await publicCallerOf(narrow, client)
      narrow.setClock(new Date('2027-03-01T12:00:00Z'))
      const stranger = narrow.client('nobody')
      const before = remaining(await stranger.send('{ __typename }'))
      expect(remaining(await named.send(`mutation { ${attempt} }`))).toBe(before - 1)
      expect(remaining(await stranger.send('{ __typename }'))).toBe(before - 2)
      expect(remaining(await named.send(`mutation { a: ${attempt} b: ${attempt} c: ${attempt} }`))).toBe(before - 5)
      for (let left = before - 5; left > 0; left -= 1) await named.rest('POST /v1/inbox/session', { body: {} })
      const refused = await named.rest('POST /v1/inbox/session', { body: {} })
      expect(refused).toMatchObject({ status: 429, body: expect.stringContaining('from this address') })
      expect((await client.send('{ contexts { totalCount } }')).status).toBe(200)
    })

    test('charges a session to the limits of its environment', async () => {
      const client = await narrow.environment()
      narrow.setClock(new Date('2027-04-01T12:00:00Z'))
      const browser = await browserOf(narrow, client, 'ada')
      const before = remaining(await client.send('{ contexts { totalCount } }'))
      expect(remaining(await browser.send('{ session { subscriberId } }'))).toBe(before - 1)
    })
  })
})

describe('a session token', () => {
  const own = '{ session { subscriberId contextKeys expiresAt } }'

  async function isRefused(token: string, message: string): Promise<void> {
    const holder = world.client(token, 'Session')
    expect(await holder.send(own)).toMatchObject({
      status: 401,
      errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }],
    })
    expect(await holder.rest('GET /v2/subscribers/ada/preferences')).toMatchObject({ status: 401, body: { message } })
  }

  test('identifies its subscriber and contexts through GraphQL and REST', async () => {
    const browser = await browserOf(world, acme, 'ada', { tenant: 'acme' })
    expect(await browser.ask(own)).toEqual({
      session: { subscriberId: 'ada', contextKeys: ['tenant:acme'], expiresAt: expect.any(String) },
    })
    expect(await acme.ask(own)).toEqual({ session: null })
    const preferences = await browser.rest('GET /v2/subscribers/ada/preferences?contextKeys=tenant:acme')
    expect(preferences.status).toBe(200)
  })

  test('does not reveal its contents', async () => {
    const { key } = await browserOf(world, acme, 'ada', { tenant: 'acme' })
    const text = Buffer.from(key.slice(key.indexOf('.') + 1), 'base64url').toString('latin1')
    expect(text).not.toMatch(/ada|tenant/)
  })

  test('is not found when any of its characters is changed, or when it is cut, extended or empty', async () => {
    const { key } = await browserOf(world, acme, 'ada', { tenant: 'acme' })
    for (let index = 0; index < key.length; index += 1) {
      const other = key[index] === 'A' ? 'B' : 'A'
      const changed = key.slice(0, index) + other + key.slice(index + 1)
      const { status, errors } = await world.client(changed, 'Session').send(own)
      expect({ index, status, message: errors[0]?.message }).toEqual({
        index,
        status: 401,
        message: 'Session not found',
      })
    }
    await isRefused(key.slice(0, -1), 'Session not found')
    await isRefused(`${key}A`, 'Session not found')
    await isRefused('', 'Session not found')
  })

  test('is not found when encrypted with other keys or for another purpose, or when it is an API key', async () => {
    const { id } = await world.gateway.db.environment.findUniqueOrThrow({ where: { identifier: publicCaller.key } })
    const [signer] = await world.gateway.db.apiKey.findMany({ where: { environmentId: id } })
    const claims = JSON.stringify({
      environmentId: id,
      apiKeyIds: [signer?.id],
      subscriberId: 'ada',
      contextKeys: [],
      expiresAt: Date.now() + LIFETIME,
    })
    await isRefused(new Cipher(newKeyRing()).encrypt(claims, 'sessions'), 'Session not found')
    await isRefused(world.gateway.cipher.encrypt(claims, id), 'Session not found')
    await isRefused(acme.key, 'Session not found')
  })

  test('expires after one hour', async () => {
    const opened = new Date('2027-03-01T12:00:00Z')
    world.setClock(opened)
    const browser = await browserOf(world, acme, 'ada')
    world.setClock(new Date(opened.getTime() + LIFETIME - 1))
    expect((await browser.send(own)).errors).toEqual([])
    world.setClock(new Date(opened.getTime() + LIFETIME))
    await isRefused(browser.key, 'Session expired')
  })

  test('ends when an API key that signed it is revoked, but not when another one is', async () => {
    const [first, second, third] = [await newKey('First'), await newKey('Second'), await newKey('Third')]
    const context = { tenant: 'acme' }
    const { token } = await throughRest(publicCaller, {
      subscriberId: 'ada',
      subscriberHash: sign('ada', first.client),
      context,
      contextHash: sign(JSON.stringify(context), second.client),
    })
    const browser = world.client(token ?? '', 'Session')
    await acme.act('revokeApiKey', { id: third.id })
    expect((await browser.send(own)).errors).toEqual([])
    await acme.act('revokeApiKey', { id: second.id })
    await isRefused(browser.key, 'Session not found')
  })

  test('ends when its environment is deleted', async () => {
    const { key } = await browserOf(world, acme, 'ada')
    const { environment } = await acme.ask('{ environment { id } }')
    await world.development.act('deleteEnvironment', { id: environment.id })
    await isRefused(key, 'Session not found')
  })

  test('is read-only and creates nothing when a read-only API key signed it', async () => {
    const { client: reader } = await newKey('Reader', 'READ_ONLY')
    const browser = await browserOf(world, acme, 'ada', { tenant: 'acme' }, reader)
    expect(await acme.ask(everybody)).toEqual(nobody)
    expect((await browser.ask(own)).session.contextKeys).toEqual(['tenant:acme'])
    const { errors } = await browser.send(
      'mutation { updateSubscriberPreferences(input: { subscriberId: "ada", contexts: [{ type: "tenant", identifier: "acme" }] }) { userErrors { code } } }',
    )
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })

  test.each(['the subscriber', 'the context'])(
    'is read-only when only %s was signed by a read-only key',
    async (what) => {
      const { client: reader } = await newKey('Reader', 'READ_ONLY')
      const [ofSubscriber, ofContext] = what === 'the subscriber' ? [reader, acme] : [acme, reader]
      const { token = '' } = await throughGraph(publicCaller, {
        subscriberId: 'ada',
        subscriberHash: sign('ada', ofSubscriber),
        context: { tenant: 'acme' },
        contextHash: sign('{"tenant":"acme"}', ofContext),
      })
      expect(await acme.ask(everybody)).toEqual(nobody)
      await acme.act('createSubscriber', { subscriberId: 'ada' })
      const { errors } = await world
        .client(token, 'Session')
        .send(
          'mutation { updateSubscriberPreferences(input: { subscriberId: "ada", contexts: [{ type: "tenant", identifier: "acme" }] }) { userErrors { code } } }',
        )
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    },
  )
})

describe('the idempotency keys of a session', () => {
  const headers = { 'idempotency-key': 'k1' }
  const change = (browser: Client, subscriberId: string) =>
    browser.rest(`PATCH /v2/subscribers/${subscriberId}/preferences`, { body: { enabled: false }, headers })

  test('replay to that session only, and do not collide with the keys of other callers', async () => {
    const ada = await browserOf(world, acme, 'ada')
    const grace = await browserOf(world, acme, 'grace')
    const answers = [await change(ada, 'ada'), await change(ada, 'ada'), await change(grace, 'grace')]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.map((answer) => answer.headers.get('idempotency-replay'))).toEqual([null, 'true', null])
    expect((await change(grace, 'ada')).status).toBe(422)
    const backEnd = await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'joan' }, headers })
    expect(backEnd.status).toBe(201)
  })

  test('do not replay to a session with other contexts', async () => {
    const context = { tenant: 'acme' }
    const body = { enabled: false, context }
    const send = (browser: Client) => browser.rest('PATCH /v2/subscribers/ada/preferences', { body, headers })
    expect((await send(await browserOf(world, acme, 'ada', { tenant: 'acme' }))).status).toBe(200)
    expect((await send(await browserOf(world, acme, 'ada'))).status).toBe(403)
  })
})
