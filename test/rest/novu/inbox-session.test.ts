// Sessions of the browser inbox, opened by the unmodified package.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sign } from '../../support/browser.ts'
import { notify } from '../../support/feed.ts'
import { identifierOf, pageOf, sessionOf, stubFetch } from '../../support/novu/inbox.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client

stubFetch(world)
beforeEach(async () => {
  acme = await world.environment()
})
afterEach(() => world.setClock(undefined))

const subscriber = { subscriberId: 'ada' }
const profileOf = async (client: Client, subscriberId = 'ada') =>
  (
    await client.ask('query ($id: String!) { subscriber(subscriberId: $id) { firstName timezone data } }', {
      id: subscriberId,
    })
  ).subscriber

/** Opens a session without the package. */
async function open(body: object, others: Record<string, string> = {}) {
  const headers = { 'content-type': 'application/json', ...others }
  const request = new Request('http://gateway.test/novu/v1/inbox/session', {
    ...{ method: 'POST', headers },
    body: JSON.stringify(body),
  })
  const response = await world.app.fetch(request)
  return { status: response.status, body: (await response.json()) as { message?: string; data?: { token: string } } }
}

describe('a page', () => {
  test('opens a session with the counts of its feed', async () => {
    await acme.act('createSubscriber', subscriber)
    await notify(world, acme, { subscriberId: 'ada', contextKeys: [] })
    const { data, error } = await sessionOf(await pageOf(acme, { subscriber }))
    expect(error).toBeUndefined()
    expect(data).toEqual({
      token: expect.any(String),
      totalUnreadCount: 1,
      unreadCount: { total: 1, severity: { high: 0, medium: 0, low: 0, none: 1 } },
      removeNovuBranding: true,
      isDevelopmentMode: false,
      maxSnoozeDurationHours: 2160,
      contextKeys: [],
    })
  })

  test('creates its subscriber with the profile, and changes it with the next session', async () => {
    const named = { ...subscriber, firstName: 'Ada', timezone: 'Europe/Berlin', data: { plan: 'pro' } }
    await sessionOf(await pageOf(acme, { subscriber: named }))
    expect(await profileOf(acme)).toEqual({ firstName: 'Ada', timezone: 'Europe/Berlin', data: { plan: 'pro' } })
    await sessionOf(await pageOf(acme, { subscriber: { ...subscriber, firstName: 'Augusta' } }))
    expect(await profileOf(acme)).toEqual({ firstName: 'Augusta', timezone: 'Europe/Berlin', data: { plan: 'pro' } })
  })

  test('writes nothing if the profile is the same', async () => {
    const named = { ...subscriber, firstName: 'Ada', data: { plan: 'pro' } }
    await sessionOf(await pageOf(acme, { subscriber: named }))
    const versions = '{ subscriber(subscriberId: "ada") { version updatedAt } }'
    const before = await acme.ask(versions)
    await sessionOf(await pageOf(acme, { subscriber: named }))
    expect(await acme.ask(versions)).toEqual(before)
  })

  test('opens a session although the browser names an unknown time zone', async () => {
    const { error } = await sessionOf(await pageOf(acme, { subscriber: { ...subscriber, timezone: 'Etc/Unknown' } }))
    expect(error).toBeUndefined()
    expect((await profileOf(acme)).timezone).toBeNull()
  })

  test('creates missing contexts with their data', async () => {
    const context = { tenant: { data: { plan: 'pro' }, id: 'acme' } }
    const { data } = await sessionOf(await pageOf(acme, { subscriber, context }))
    expect(data).toMatchObject({ contextKeys: ['tenant:acme'] })
    expect(await acme.ask('{ context(key: "tenant:acme") { data } }')).toEqual({ context: { data: { plan: 'pro' } } })
  })

  test.each([
    ['escaped', (text: string) => JSON.stringify(text)],
    ['as they are', (text: string) => `"${text}"`],
  ])('is accepted with a context whose control characters were signed %s', async (_how, quote) => {
    const address = 'Main street 1\n\tBerlin'
    const context = { tenant: { id: 'acme', data: { address } } }
    const contextHash = sign(`{"tenant":{"data":{"address":${quote(address)}},"id":"acme"}}`, acme)
    const { error } = await sessionOf(await pageOf(acme, { subscriber, context, contextHash }))
    expect(error).toBeUndefined()
  })

  test.each([
    ['a subscriberHash of another environment', () => ({ subscriberHash: sign('ada', world.development) })],
    ['a subscriberHash of another subscriber', () => ({ subscriberHash: sign('grace', acme) })],
    ['no subscriberHash', () => ({ subscriberHash: undefined })],
    ['an empty subscriberHash', () => ({ subscriberHash: '' })],
    ['an unknown identifier', () => ({ applicationIdentifier: 'nowhere' })],
    ['a wrong contextHash', () => ({ context: { tenant: 'acme' }, contextHash: sign('{}', acme) })],
    ['no contextHash', () => ({ context: { tenant: 'acme' }, contextHash: undefined })],
  ])('shows an error and creates nothing with %s', async (_what, wrong) => {
    const { error, data } = await sessionOf(await pageOf(acme, { subscriber, ...wrong() }))
    expect(data).toBeUndefined()
    expect(error).toMatchObject({ status: 400, body: { statusCode: 400, message: expect.any(String) } })
    expect(await profileOf(acme)).toBeNull()
    expect((await acme.ask('{ contexts { totalCount } }')).contexts.totalCount).toBe(0)
  })

  test('needs no credentials, and a former token has no effect', async () => {
    const applicationIdentifier = await identifierOf(acme)
    const body = { applicationIdentifier, subscriber, subscriberHash: sign('ada', acme) }
    expect((await open(body)).status).toBe(201)
    expect((await open(body, { authorization: 'Bearer expired' })).status).toBe(201)
    expect(await open({ ...body, applicationIdentifier: undefined })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('applicationIdentifier') },
    })
  })
})

describe('a default schedule', () => {
  const hours = (start: string) => ({ monday: { isEnabled: true, hours: [{ start, end: '05:00 PM' }] } })
  const defaultSchedule = { isEnabled: true, weeklySchedule: hours('09:00 AM') }
  const scheduleOf = async (contextKeys: string[] = []) => {
    const query = `query ($keys: [String!]) {
      subscriber(subscriberId: "ada") { preferences(contextKeys: $keys) { schedule { isEnabled days { hours { start } } } } }
    }`
    return (await acme.ask(query, { keys: contextKeys })).subscriber.preferences.schedule
  }
  const begins = (start: string) => ({ isEnabled: true, days: [{ hours: [{ start }] }] })

  test('is written once, for the contexts of the session', async () => {
    expect((await sessionOf(await pageOf(acme, { subscriber, defaultSchedule }))).error).toBeUndefined()
    expect(await scheduleOf()).toEqual(begins('09:00'))
    const later = { weeklySchedule: hours('11:00 AM') }
    await sessionOf(await pageOf(acme, { subscriber, defaultSchedule: later }))
    expect(await scheduleOf()).toEqual(begins('09:00'))
    expect(await scheduleOf(['tenant:acme'])).toBeNull()
    await sessionOf(await pageOf(acme, { subscriber, context: { tenant: 'acme' }, defaultSchedule: later }))
    expect(await scheduleOf(['tenant:acme'])).toEqual(begins('11:00'))
  })

  test('does not replace one that the subscriber turned off, and keeps other preferences', async () => {
    await acme.act('createSubscriber', subscriber)
    const channels = [{ channel: 'EMAIL', enabled: false }]
    await acme.act('updateSubscriberPreferences', { ...subscriber, channels })
    await sessionOf(await pageOf(acme, { subscriber, defaultSchedule }))
    expect(await scheduleOf()).toEqual(begins('09:00'))
    const { preferences } = (
      await acme.ask('{ subscriber(subscriberId: "ada") { preferences { channels { channel enabled } } } }')
    ).subscriber
    expect(preferences.channels).toContainEqual({ channel: 'EMAIL', enabled: false })
    await acme.act('updateSubscriberPreferences', { ...subscriber, schedule: { isEnabled: false } })
    await sessionOf(await pageOf(acme, { subscriber, defaultSchedule }))
    expect(await scheduleOf()).toMatchObject({ isEnabled: false })
  })

  test('is not written by an unsigned session or a read-only key', async () => {
    await acme.act('createSubscriber', subscriber)
    const { newApiKey } = await acme.act('createApiKey', { name: 'Page', access: 'READ_ONLY' }, 'newApiKey { key }')
    const subscriberHash = sign('ada', { key: newApiKey.key })
    expect((await sessionOf(await pageOf(acme, { subscriber, subscriberHash, defaultSchedule }))).error).toBeUndefined()
    const identifier = await identifierOf(acme)
    await acme.act('updateEnvironment', { identifier, allowsUnsignedSessions: true, confirmUnsignedSessions: true })
    const unsigned = await pageOf(acme, { subscriber, subscriberHash: undefined, defaultSchedule })
    expect((await sessionOf(unsigned)).error).toBeUndefined()
    expect(await scheduleOf()).toBeNull()
  })

  test('that is not valid opens no session', async () => {
    const wrong = {
      isEnabled: true,
      weeklySchedule: { monday: { isEnabled: true, hours: [{ start: '9', end: '10' }] } },
    }
    const { error } = await sessionOf(await pageOf(acme, { subscriber, defaultSchedule: wrong }))
    expect(error).toMatchObject({ status: 422, body: { message: expect.stringContaining('defaultSchedule') } })
    expect(await profileOf(acme)).toBeNull()
  })
})

describe('the token', () => {
  const tokenOf = async (options: Partial<Parameters<typeof pageOf>[1]> = {}) => {
    const { data } = await sessionOf(await pageOf(acme, { subscriber, ...options }))
    return (data as { token: string }).token
  }
  const own = '{ session { subscriberId } }'
  const DAY = 86_400_000
  const statusOf = async (token: string, scheme: 'Bearer' | 'Session' = 'Bearer') =>
    (await world.client(token, scheme).send(own)).status

  test('is accepted as Bearer only, and other credentials are not', async () => {
    const token = await tokenOf()
    expect(await world.client(token, 'Bearer').ask(own)).toEqual({ session: { subscriberId: 'ada' } })
    expect(await statusOf(token, 'Session')).toBe(401)
    expect(await statusOf(acme.key)).toBe(401)
    const { token: renewable } = await world
      .client(await identifierOf(acme), 'Environment')
      .act('openSession', { ...subscriber, subscriberHash: sign('ada', acme) }, 'token')
    expect(await statusOf(renewable, 'Session')).toBe(200)
    expect(await statusOf(renewable)).toBe(401)
  })

  test('lives 15 days', async () => {
    const opened = new Date('2027-03-01T12:00:00Z')
    world.setClock(opened)
    const token = await tokenOf()
    world.setClock(new Date(opened.getTime() + 15 * DAY - 1))
    expect(await statusOf(token)).toBe(200)
    world.setClock(new Date(opened.getTime() + 15 * DAY))
    const { errors } = await world.client(token, 'Bearer').send(own)
    expect(errors).toMatchObject([{ message: 'Session expired', extensions: { code: 'UNAUTHENTICATED' } }])
  })

  test('ends when the API key that signed it is revoked', async () => {
    const { newApiKey } = await acme.act('createApiKey', { name: 'Page' }, 'newApiKey { key apiKey { id } }')
    const token = await tokenOf({ subscriberHash: sign('ada', { key: newApiKey.key }) })
    expect(await statusOf(token)).toBe(200)
    await acme.act('revokeApiKey', { id: newApiKey.apiKey.id })
    expect(await statusOf(token)).toBe(401)
  })

  test('ends when its subscriber is deleted, and not when another one is', async () => {
    await acme.act('createSubscriber', { subscriberId: 'grace' })
    const token = await tokenOf()
    await acme.act('deleteSubscriber', { subscriberId: 'grace' })
    expect(await statusOf(token)).toBe(200)
    await acme.act('deleteSubscriber', subscriber)
    expect(await statusOf(token)).toBe(401)
    await acme.act('createSubscriber', subscriber)
    expect(await statusOf(token)).toBe(401)
  })

  test('ends when all subscribers are deleted in portions', async () => {
    const subscribers = Array.from({ length: 150 }, (_, index) => ({ subscriberId: `s${index}` }))
    await acme.act('createSubscribers', { subscribers })
    const token = await tokenOf()
    expect(await statusOf(token)).toBe(200)
    await world.database.pool.query('DELETE FROM subscribers')
    await vi.waitFor(async () => expect(await statusOf(token)).toBe(401))
  })

  test('is not found when any of its characters is changed', async () => {
    const token = await tokenOf()
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'A' ? 'B' : 'A'
      expect([index, await statusOf(token.slice(0, index) + other + token.slice(index + 1))]).toEqual([index, 401])
    }
  })
})

describe('a page of another origin', () => {
  const shop = useWorld({ corsOrigins: ['https://shop.example'] })
  const preflight = (origin: string) =>
    shop.app.fetch(
      new Request('http://gateway.test/novu/v1/inbox/notifications', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,content-type,novu-api-version,novu-client-version',
        },
      }),
    )

  test('may send the headers of the package and read errors, if the origin is allowed', async () => {
    const { status, headers } = await preflight('https://shop.example')
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example')
    expect(headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(headers.get('access-control-allow-headers')).toContain('novu-api-version,novu-client-version')
    const refused = await shop.app.fetch(
      new Request('http://gateway.test/novu/v1/inbox/notifications', {
        headers: { origin: 'https://shop.example', authorization: 'Bearer expired' },
      }),
    )
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://shop.example')
  })

  test('may not if the origin is not allowed', async () => {
    expect((await preflight('https://elsewhere.example')).headers.get('access-control-allow-origin')).toBeNull()
  })
})
