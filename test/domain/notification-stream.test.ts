// Subscriptions to a feed: what a stream sends, to which callers, and when it ends.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { writeRunChanges } from '../../src/data/run-changes.ts'
import { startHttpServer } from '../../src/http/node-server.ts'
import { browserOf } from '../support/browser.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { newNotification, notify } from '../support/feed.ts'
import { until } from '../support/process/gateway-process.ts'
import { statementsOf } from '../support/statements.ts'
import { readStream, subscribing } from '../support/stream.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const received = `subscription ($subscriberId: String = "ada", $contextKeys: [String!]) {
  notificationReceived(subscriberId: $subscriberId, contextKeys: $contextKeys) { id body subscriber { firstName } }
}`
const counted = `subscription ($contextKeys: [String!]) {
  notificationCountsChanged(subscriberId: "ada", contextKeys: $contextKeys) { unseen unread total }
}`
const told = (body: string, more = {}) => ({
  data: { notificationReceived: expect.objectContaining({ body, ...more }) },
})
const counts = (unseen: number, unread: number, total: number) => ({
  data: { notificationCountsChanged: { unseen, unread, total } },
})
const ended = (code: string, message = expect.any(String)) => ({
  errors: [{ message, extensions: expect.objectContaining({ code }) }],
})

beforeEach(async () => {
  acme = await world.environment()
  const subscribers = [{ subscriberId: 'ada', firstName: 'Ada' }, { subscriberId: 'grace' }]
  await acme.act('createSubscribers', { subscribers })
})

describe('a stream of notifications', () => {
  test('sends each new notification, and no earlier ones', async () => {
    const earlier = await acme.follow(received)
    await notify(world, acme, { subscriberId: 'ada', body: 'before' })
    // From here on, the message about the notification has arrived.
    expect(await earlier.next()).toEqual(told('before'))
    const stream = await acme.follow(received)
    const [first] = await notify(world, acme, { subscriberId: 'ada', body: 'one' })
    expect(await stream.next()).toEqual(told('one', { id: first }))
    await notify(world, acme, { subscriberId: 'ada', body: 'two' }, { subscriberId: 'ada', body: 'three' })
    expect(await stream.next()).toEqual(told('two'))
    expect(await stream.next()).toEqual(told('three'))
  })

  test('sends nothing from other environments, subscribers or contexts', async () => {
    const other = await world.environment()
    await other.act('createSubscriber', { subscriberId: 'ada' })
    const [plain, ofTenant] = [await acme.follow(received), await acme.follow(received, { contextKeys: ['tenant:a'] })]
    await notify(world, other, { subscriberId: 'ada', body: 'elsewhere' })
    await notify(world, acme, { subscriberId: 'grace', body: 'to Grace' })
    await notify(world, acme, { subscriberId: 'ada', body: 'in a context', contextKeys: ['tenant:a'] })
    await notify(world, acme, { subscriberId: 'ada', body: 'in two', contextKeys: ['app:b', 'tenant:a'] })
    await notify(world, acme, { subscriberId: 'ada', body: 'in none' })
    await notify(world, acme, { subscriberId: 'ada', body: 'in a context again', contextKeys: ['tenant:a'] })
    expect(await plain.next()).toEqual(told('in none'))
    expect(await ofTenant.next()).toEqual(told('in a context'))
    expect(await ofTenant.next()).toEqual(told('in a context again'))
  })

  test('sends the same as before after other streams of the subscriber have ended', async () => {
    const contextKeys = ['tenant:a']
    const [page, ofTenant] = [await acme.follow(received), await acme.follow(received, { contextKeys })]
    const left = [await acme.follow(received), await acme.follow(received, { contextKeys })]
    for (const body of ['one', 'two']) {
      await notify(
        world,
        acme,
        { subscriberId: 'ada', body },
        { subscriberId: 'ada', contextKeys, body: `${body} here` },
      )
      expect(await page.next()).toEqual(told(body))
      expect(await ofTenant.next()).toEqual(told(`${body} here`))
      await Promise.all(left.map((stream) => stream.leave()))
    }
  })

  test('sends nothing that is rolled back', async () => {
    const stream = await acme.follow(received)
    const environmentId = await environmentIdOf(acme)
    const undone = newNotification(world.gateway, { subscriberId: 'ada', body: 'undone' })
    const failing = world.gateway.db.$transaction(async (db) => {
      await writeRunChanges({ ...world.gateway, environmentId, db }, { notifications: [undone] })
      throw new Error('changed its mind')
    })
    await expect(failing).rejects.toThrow('changed its mind')
    await notify(world, acme, { subscriberId: 'ada', body: 'done' })
    expect(await stream.next()).toEqual(told('done'))
  })

  test('sends every notification of a large write once', async () => {
    const stream = await acme.follow(received)
    const many = Array.from({ length: 400 }, (_, index) => ({ subscriberId: 'ada', body: `no. ${index}` }))
    const ids = await notify(world, acme, ...many)
    const told: unknown[] = []
    while (told.length < ids.length) told.push((await stream.next())?.data)
    const expected = ids.map((id) => ({ notificationReceived: expect.objectContaining({ id }) }))
    expect(told).toHaveLength(expected.length)
    expect(told).toEqual(expect.arrayContaining(expected))
  })

  test('sends the notification of a triggered workflow with its event', async () => {
    const steps = [{ inApp: { body: 'Order {{payload.order}} is on its way.' } }]
    await acme.act('createWorkflow', { identifier: 'order-shipped', name: 'Order shipped', steps })
    const stream = await acme.follow(
      'subscription { notificationReceived(subscriberId: "ada") { body event { transactionId } } }',
    )
    await acme.act('triggerEvent', {
      workflowIdentifier: 'order-shipped',
      to: [{ subscriber: { subscriberId: 'ada' } }, { subscriber: { subscriberId: 'grace' } }],
      payload: { order: 7 },
      transactionId: 'order-7',
    })
    await world.work()
    expect(await stream.next()).toEqual(told('Order 7 is on its way.', { event: { transactionId: 'order-7' } }))
  })

  test('reads current data for every notification', async () => {
    const stream = await acme.follow(received)
    await notify(world, acme, { subscriberId: 'ada', body: 'one' })
    expect(await stream.next()).toEqual(told('one', { subscriber: { firstName: 'Ada' } }))
    await acme.act('updateSubscriber', { subscriberId: 'ada', firstName: 'Augusta' })
    await notify(world, acme, { subscriberId: 'ada', body: 'two' })
    expect(await stream.next()).toEqual(told('two', { subscriber: { firstName: 'Augusta' } }))
  })

  test('causes no database reads after its client disconnects', async () => {
    const listener = await startHttpServer(world.app.fetch, '127.0.0.1', 0)
    onTestFinished(() => listener.close())
    const other = await world.environment()
    await other.act('createSubscriber', { subscriberId: 'grace' })
    const followed = await other.follow(received, { subscriberId: 'grace' })
    const left = readStream(await fetch(subscribing(listener.address, `ApiKey ${acme.key}`, received)))
    /** The number of environments whose notifications are read for a stream. */
    const reads = async () => {
      const statements = await statementsOf(async () => {
        await notify(world, acme, { subscriberId: 'ada', body: 'perhaps unheard' })
        await notify(world, other, { subscriberId: 'grace', body: 'heard' })
        // Environments are handled in order, so the first is done.
        expect(await followed.next()).toEqual(told('heard'))
      })
      return statements.filter((text) => text.includes('FROM notifications AS child')).length
    }
    expect(await reads()).toBe(2)
    await left.leave()
    // The gateway notices the closed connection a moment later.
    await until(async () => ((await reads()) === 1 ? true : undefined))
  })
})

describe('a stream of counts', () => {
  test('starts with the current counts and sends every change', async () => {
    const [first] = await notify(world, acme, { subscriberId: 'ada' }, { subscriberId: 'ada' })
    const stream = await acme.follow(counted)
    expect(await stream.next()).toEqual(counts(2, 2, 2))
    await notify(world, acme, { subscriberId: 'ada' })
    expect(await stream.next()).toEqual(counts(3, 3, 3))
    await acme.act('markNotification', { id: first, as: 'READ' })
    expect(await stream.next()).toEqual(counts(2, 2, 3))
    await acme.act('markNotifications', { subscriberId: 'ada', as: 'SEEN' })
    expect(await stream.next()).toEqual(counts(0, 2, 3))
    await acme.act('markNotification', { id: first, as: 'ARCHIVED' })
    expect(await stream.next()).toEqual(counts(0, 2, 2))
  })

  test('sends nothing while its counts stay the same', async () => {
    const [first] = await notify(world, acme, { subscriberId: 'ada' })
    const stream = await acme.follow(counted)
    expect(await stream.next()).toEqual(counts(1, 1, 1))
    await notify(world, acme, { subscriberId: 'ada', contextKeys: ['tenant:a'] }, { subscriberId: 'grace' })
    await acme.act('markNotifications', { subscriberId: 'ada', as: 'UNARCHIVED' })
    await acme.act('markNotification', { id: first, as: 'SEEN' })
    expect(await stream.next()).toEqual(counts(0, 1, 1))
  })
})

describe('a subscription', () => {
  test('returns its rate limit, its idempotency key and headers that stop proxies from buffering', async () => {
    const { headers } = await acme.follow(received, {}, { 'idempotency-key': 'follow-ada' })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('ratelimit-policy')).toContain('category="global";cost="single"')
    expect(headers.get('idempotency-key')).toBe('follow-ada')
  })

  test('can be sent with GET', async () => {
    const url = new URL('http://gateway.test/graphql')
    url.searchParams.set('query', counted)
    const headers = { accept: 'text/event-stream', authorization: `ApiKey ${acme.key}` }
    const response = await world.app.fetch(new Request(url, { headers }))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    await response.body?.cancel()
  })

  test.each([
    ['of nobody', received, { subscriberId: 'nobody' }, 'NOT_FOUND'],
    ['under a key that is none', received, { contextKeys: ['acme'] }, 'BAD_USER_INPUT'],
    [
      'of two feeds at once',
      `subscription { ${'abc'.replaceAll(/./g, '$&: notificationReceived(subscriberId: "ada") { id } ')} }`,
      {},
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'that asks for too much of each notification',
      `subscription { notificationReceived(subscriberId: "ada") { subscriber { notifications(first: 100) { nodes {
         subscriber { notifications(first: 100) { nodes { actions { url } } } } } } } } }`,
      {},
      'QUERY_TOO_COSTLY',
    ],
  ])('%s is rejected', async (_what, query, variables, code) => {
    const stream = await world.app.fetch(subscribing('http://gateway.test', `ApiKey ${acme.key}`, query, variables))
    const text = await stream.text()
    expect(text).toContain(`"code":"${code}"`)
    expect(text).not.toContain('"data":{')
  })

  test('is rejected with 406 when the caller does not accept an event stream', async () => {
    const { status, errors } = await acme.send(received, {}, { accept: 'application/json' })
    expect(status).toBe(406)
    const message = 'Accept must allow one of text/event-stream, multipart/mixed;subscriptionSpec=1.0'
    expect(errors).toEqual([{ message, extensions: { code: 'NOT_ACCEPTABLE' } }])
  })

  test('gives a session its own feed only', async () => {
    const browser = await browserOf(world, acme, 'ada', { tenant: 'a' })
    const contextKeys = ['tenant:a']
    const own = `subscription ($subscriberId: String = "ada", $contextKeys: [String!]) {
      notificationReceived(subscriberId: $subscriberId, contextKeys: $contextKeys) { body event { payload } }
    }`
    const stream = await browser.follow(own, { contextKeys })
    await notify(world, acme, { subscriberId: 'ada', contextKeys, body: 'one' })
    // `event` is forbidden to a session here, as everywhere in the graph.
    expect(await stream.next()).toMatchObject({ ...told('one'), ...ended('FORBIDDEN') })
    for (const another of [{}, { contextKeys, subscriberId: 'grace' }, { contextKeys: ['tenant:b'] }]) {
      expect(await (await browser.follow(own, another)).rest()).toMatchObject([ended('FORBIDDEN')])
    }
  })

  test('ends when its API key is revoked, and those of other keys stay open', async () => {
    const { newApiKey } = await acme.act('createApiKey', { name: 'Page' }, 'newApiKey { key apiKey { id } }')
    const stream = await world.client(newApiKey.key).follow(received)
    const other = await acme.follow(received)
    await notify(world, acme, { subscriberId: 'ada', body: 'one' })
    expect(await stream.next()).toEqual(told('one'))
    await acme.act('revokeApiKey', { id: newApiKey.apiKey.id })
    expect(await stream.rest()).toEqual([ended('UNAUTHENTICATED', 'API Key not found')])
    await notify(world, acme, { subscriberId: 'ada', body: 'two' })
    expect([await other.next(), await other.next()]).toEqual([told('one'), told('two')])
  })
})
