// Unsigned sessions: off unless an environment allows them, and without any effect on profiles and contexts.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sessionFinding } from '../../src/cli/diagnosis/session-findings.ts'
import { publicCallerOf, sign } from '../support/browser.ts'
import { novuClient } from '../support/novu/client.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client
let publicCaller: Client

const setting = '{ environment { allowsUnsignedSessions } }'
const isAllowed = async (client = acme) => (await client.ask(setting)).environment.allowsUnsignedSessions

/** Changes the setting of the client's environment. */
async function allow(given: object, client = acme) {
  const { environment } = await client.ask('{ environment { id identifier } }')
  const { userErrors } = await client.act('updateEnvironment', { identifier: environment.identifier, ...given })
  return userErrors
}

const confirmed = { allowsUnsignedSessions: true, confirmUnsignedSessions: true }

beforeEach(async () => {
  acme = await world.environment()
  publicCaller = await publicCallerOf(world, acme)
})
afterEach(() => world.setClock(undefined))

type Kind = 'RENEWABLE' | 'LASTING'
const open = (input: object = {}) =>
  publicCaller.act('openSession', { subscriberId: 'ada', ...input }, 'token openedSession { contextKeys }')
const statusOf = async (token: string | null, kind: Kind = 'RENEWABLE') =>
  (await world.client(token ?? '', kind === 'RENEWABLE' ? 'Session' : 'Bearer').send('{ session { subscriberId } }'))
    .status

test('are refused by default', async () => {
  expect(await isAllowed()).toBe(false)
  expect(await open()).toMatchObject({ token: null, userErrors: [{ field: ['subscriberHash'] }] })
  expect((await acme.ask('{ subscribers { totalCount } }')).subscribers.totalCount).toBe(0)
})

describe('the setting', () => {
  test('needs a confirmation in production, and is logged', async () => {
    expect(await allow({ allowsUnsignedSessions: true })).toMatchObject([
      {
        ...{ code: 'BAD_USER_INPUT', field: ['allowsUnsignedSessions'] },
        message: expect.stringContaining('confirmUnsignedSessions'),
      },
    ])
    expect(await isAllowed()).toBe(false)
    expect(await allow(confirmed)).toEqual([])
    expect(await isAllowed()).toBe(true)
    const { id } = await world.gateway.db.environment.findFirstOrThrow({ where: { allowsUnsignedSessions: true } })
    expect(world.logged).toContainEqual(
      expect.objectContaining({ msg: 'unsigned sessions changed', environmentId: id, allowed: true }),
    )
    expect(await allow({ allowsUnsignedSessions: false })).toEqual([])
    expect(await isAllowed()).toBe(false)
  })

  test('needs no confirmation in development, and none to stay as it is', async () => {
    expect(await allow({ allowsUnsignedSessions: true }, world.development)).toEqual([])
    expect(await allow({ allowsUnsignedSessions: true, color: '#000000' }, world.development)).toEqual([])
    expect(await allow({ allowsUnsignedSessions: false }, world.development)).toEqual([])
  })

  test('is named by doctor', async () => {
    expect(await sessionFinding(world.gateway)).toMatchObject({ status: 'ok' })
    await allow(confirmed)
    const { environment } = await acme.ask('{ environment { name } }')
    const finding = await sessionFinding(world.gateway)
    expect(finding).toMatchObject({ check: 'browser sessions', status: 'warning' })
    expect(JSON.stringify(finding)).toContain(environment.name)
    await allow({ allowsUnsignedSessions: false })
  })

  test('follows hmac of the in-app integration of existing back ends', async () => {
    const client = novuClient(world, world.development.key)
    const { result } = await client.integrations.create({
      ...{ providerId: 'novu', channel: 'in_app', active: true, credentials: { hmac: false } },
    })
    expect(await isAllowed(world.development)).toBe(true)
    await client.integrations.update({ credentials: { hmac: true } }, result.id ?? '')
    expect(await isAllowed(world.development)).toBe(false)
    const production = novuClient(world, acme.key)
    await expect(
      production.integrations.create({ providerId: 'novu', channel: 'in_app', credentials: { hmac: false } }),
    ).rejects.toMatchObject({ statusCode: 422, message: expect.stringContaining('confirmUnsignedSessions') })
    expect(await isAllowed()).toBe(false)
  })
})

describe('where they are allowed', () => {
  beforeEach(() => allow(confirmed))

  test('one creates a subscriber with its id only, and contexts without data', async () => {
    const context = { tenant: { id: 'acme', data: { plan: 'free of charge' } } }
    const profile = { firstName: 'Mallory', data: { admin: true } }
    expect(await open({ context, profile })).toMatchObject({ openedSession: { contextKeys: ['tenant:acme'] } })
    expect(
      await acme.ask('{ subscriber(subscriberId: "ada") { firstName data } context(key: "tenant:acme") { data } }'),
    ).toEqual({ subscriber: { firstName: null, data: {} }, context: { data: {} } })
  })

  test('one changes no profile and no context that exist', async () => {
    await acme.act('createSubscriber', { subscriberId: 'ada', firstName: 'Ada', timezone: 'Europe/London' })
    await acme.act('createContext', { type: 'tenant', identifier: 'acme', data: { plan: 'pro' } })
    const all = '{ subscribers { nodes { firstName timezone version } } contexts { nodes { data updatedAt } } }'
    const before = await acme.ask(all)
    const { token } = await open({
      context: { tenant: { id: 'acme', data: { plan: 'free' } } },
      ...{ profile: { firstName: 'Mallory', timezone: 'Asia/Tokyo' }, kind: 'LASTING' },
    })
    expect(await statusOf(token, 'LASTING')).toBe(200)
    expect(await acme.ask(all)).toEqual(before)
  })

  test('a signed subscriber changes the profile although the context is not signed', async () => {
    const context = { tenant: { id: 'acme', data: { plan: 'free' } } }
    const { token } = await open({ subscriberHash: sign('ada', acme), profile: { firstName: 'Ada' }, context })
    expect(await statusOf(token)).toBe(200)
    expect(
      await acme.ask('{ subscriber(subscriberId: "ada") { firstName } context(key: "tenant:acme") { data } }'),
    ).toEqual({ subscriber: { firstName: 'Ada' }, context: { data: {} } })
    await allow({ allowsUnsignedSessions: false })
    expect(await statusOf(token)).toBe(401)
  })

  test.each([
    ['subscriberHash', { subscriberHash: 'forged' }],
    ['contextHash', { context: { tenant: 'acme' }, contextHash: 'forged' }],
  ])('a wrong %s is an error all the same', async (field, wrong) => {
    expect(await open(wrong)).toMatchObject({ token: null, userErrors: [{ field: [field] }] })
  })

  test.each<Kind>(['RENEWABLE', 'LASTING'])('one of the kind %s ends when they are forbidden', async (kind) => {
    const { token } = await open({ kind })
    const signed = await open({ kind, subscriberHash: sign('ada', acme) })
    expect([await statusOf(token, kind), await statusOf(signed.token, kind)]).toEqual([200, 200])
    await allow({ allowsUnsignedSessions: false })
    expect([await statusOf(token, kind), await statusOf(signed.token, kind)]).toEqual([401, 200])
  })

  test('those of another environment stay refused', async () => {
    const other = await publicCallerOf(world, await world.environment())
    expect(await other.act('openSession', { subscriberId: 'ada' }, 'token')).toMatchObject({ token: null })
  })

  test('one has the rights of its own subscriber only', async () => {
    await acme.act('createSubscriber', { subscriberId: 'grace' })
    const { token } = await open()
    const browser = world.client(token, 'Session')
    expect((await browser.rest('GET /v2/subscribers/ada/notifications')).status).toBe(200)
    expect((await browser.rest('GET /v2/subscribers/grace/notifications')).status).toBe(403)
    expect((await browser.rest('PATCH /v2/subscribers/ada', { body: { firstName: 'Mallory' } })).status).toBe(403)
  })
})
