// The feed of a page, through the unmodified package: lists, counts, marks, snooze, actions, and what is out of reach.
import type { Novu } from '@novu/js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../../src/graphql/schema/node-id.ts'
import { type Given, notify } from '../../support/feed.ts'
import { openedPage, stubFetch } from '../../support/novu/inbox.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client
let page: Novu
let token: string

stubFetch(world)
beforeEach(async () => {
  acme = await world.environment()
  ;({ page, token } = await openedPage(acme, { subscriber: { subscriberId: 'ada' } }))
})
afterEach(() => world.setClock(undefined))

/** Sends notifications. @returns their ids. */
const send = async (...given: Partial<Given>[]) =>
  (await notify(world, acme, ...given.map((one) => ({ subscriberId: 'ada', ...one })))).map(
    (nodeId) => decodeNodeId(nodeId).id,
  )

async function sendOne(given: Partial<Given> = {}): Promise<string> {
  const [id] = await send(given)
  if (id === undefined) throw new Error('nothing was sent')
  return id
}

/** Calls a path of the inbox as a page does, without the package. */
async function call(method: string, path: string, body?: object, own = token) {
  const response = await world.app.fetch(
    new Request(`http://gateway.test/novu/v1/inbox${path}`, {
      method,
      headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as { message?: string }) }
}

/** The result of a call of the package. */
async function done<Data>(result: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await result
  if (error !== undefined) throw error as Error
  return data as Data
}

const bodiesOf = async (args: Parameters<Novu['notifications']['list']>[0] = {}) =>
  (await done(page.notifications.list(args))).notifications.map(({ body }) => body)

describe('the list', () => {
  test('has the newest first, and continues after an id', async () => {
    await send({ body: 'one' }, { body: 'two' }, { body: 'three' })
    const first = await done(page.notifications.list({ limit: 2 }))
    expect(first).toMatchObject({ hasMore: true, notifications: [{ body: 'three' }, { body: 'two' }] })
    expect(await bodiesOf({ after: first.notifications.at(-1)?.id ?? '' })).toEqual(['one'])
    expect(await bodiesOf({ offset: 1 })).toEqual(['two', 'one'])
  })

  test('is filtered by tags, groups of tags, severities, data and time', async () => {
    await send(
      { body: 'a', tags: ['x', 'y'], severity: 'high', data: { plan: 'pro' } },
      { body: 'b', tags: ['x'], severity: 'low' },
      { body: 'c', tags: ['z'] },
    )
    expect(await bodiesOf({ tags: ['x', 'z'] })).toEqual(['c', 'b', 'a'])
    expect(await bodiesOf({ tags: { and: [{ or: ['x'] }, { or: ['y'] }] } })).toEqual(['a'])
    expect(await bodiesOf({ severity: ['high', 'low'] as never })).toEqual(['b', 'a'])
    expect(await bodiesOf({ severity: 'low' as never })).toEqual(['b'])
    expect(await bodiesOf({ data: { plan: 'pro' } })).toEqual(['a'])
    expect(await bodiesOf({ createdGte: Date.now() + 60_000 })).toEqual([])
  })

  test.each(['nothing', '00000000-0000-7000-8000-000000000000'])('rejects %s as the last item', async (after) => {
    expect(await call('GET', `/notifications?after=${after}`)).toMatchObject({ status: 400 })
  })
})

describe('counts', () => {
  const bell = ['high', 'medium', 'low', 'none'].map((severity) => ({
    ...{ read: false, archived: false, snoozed: false, severity },
  }))

  test('come with their filters exactly as they were sent', async () => {
    await send({ severity: 'high' }, { severity: 'none' }, { severity: 'none' })
    const { counts } = await done(page.notifications.count({ filters: bell as never }))
    expect(counts).toEqual(bell.map((filter, index) => ({ count: [1, 0, 0, 2][index], filter })))
    expect((await done(page.notifications.count({ read: false }))).count).toBe(3)
  })

  test('cost one statement', async () => {
    await send({ severity: 'high' })
    const count = () => page.notifications.count({ filters: bell as never })
    await count()
    expect(await statementsOf(count)).toHaveLength(1)
  })

  test.each([
    ['no JSON', 'filters=nothing', 400],
    ['an unknown field', `filters=${encodeURIComponent('[{"color":"red"}]')}`, 422],
    ['21 filters', `filters=${encodeURIComponent(JSON.stringify(Array.from({ length: 21 }, () => ({}))))}`, 422],
  ])('are an error with %s', async (_what, query, status) => {
    expect(await call('GET', `/notifications/count?${query}`)).toMatchObject({
      status,
      body: { message: expect.stringContaining('filters') },
    })
  })
})

describe('marks', () => {
  test('of one notification answer with its new state', async () => {
    const notificationId = await sendOne()
    const one = { notificationId }
    expect(await done(page.notifications.read(one))).toMatchObject({ id: notificationId, isRead: true })
    expect(await done(page.notifications.unread(one))).toMatchObject({ isRead: false })
    expect(await done(page.notifications.archive(one))).toMatchObject({ isArchived: true })
    expect(await done(page.notifications.unarchive(one))).toMatchObject({ isArchived: false })
    await done(page.notifications.delete(one))
    expect(await bodiesOf()).toEqual([])
  })

  test('of many apply to all, to a filter or to ids', async () => {
    const [id = ''] = await send({ body: 'a', tags: ['x'], data: { plan: 'pro' } }, { body: 'b' })
    const counted = async (filter: object) => (await done(page.notifications.count(filter))).count
    await done(page.notifications.seenAll({ notificationIds: [id] }))
    expect(await counted({ seen: true })).toBe(1)
    await done(page.notifications.readAll({ tags: ['x'], data: { plan: 'pro' } }))
    expect(await bodiesOf({ read: true })).toEqual(['a'])
    await done(page.notifications.archiveAllRead())
    expect(await bodiesOf({ archived: true })).toEqual(['a'])
    await done(page.notifications.archiveAll({ tags: { or: ['nothing'] } }))
    expect(await counted({ archived: false })).toBe(1)
    await done(page.notifications.deleteAll({ tags: ['x'] }))
    expect(await counted({ archived: true })).toBe(0)
    await done(page.notifications.archiveAll())
    expect(await bodiesOf({ archived: true })).toEqual(['b'])
  })

  test('of more than 100 ids are an error', async () => {
    const notificationIds = Array.from({ length: 101 }, () => world.gateway.newId())
    expect(await call('POST', '/notifications/seen', { notificationIds })).toMatchObject({ status: 422 })
  })
})

test('a notification can be snoozed, and returns at once when the snooze ends', async () => {
  const notificationId = await sendOne({ body: 'later' })
  const snoozeUntil = new Date(Date.now() + 3_600_000).toISOString()
  expect(await done(page.notifications.snooze({ notificationId, snoozeUntil }))).toMatchObject({
    ...{ isSnoozed: true, snoozedUntil: snoozeUntil },
  })
  expect(await bodiesOf()).toEqual([])
  expect(await bodiesOf({ snoozed: true })).toEqual(['later'])
  expect(await done(page.notifications.unsnooze({ notificationId }))).toMatchObject({ isSnoozed: false })
  expect(await bodiesOf()).toEqual(['later'])
})

test.each([-1, 91])('a snooze of %i days is a 422', async (days) => {
  const id = await sendOne()
  const snoozeUntil = new Date(Date.now() + days * 86_400_000).toISOString()
  expect(await call('PATCH', `/notifications/${id}/snooze`, { snoozeUntil })).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('snoozeUntil') },
  })
})

test('actions are completed and reverted', async () => {
  const actions = [
    { label: 'Yes', url: 'https://example.com/yes' },
    { label: 'No', url: '/no' },
  ]
  const notificationId = await sendOne({ actions })
  const one = { notificationId }
  expect(await done(page.notifications.completePrimary(one))).toMatchObject({ primaryAction: { isCompleted: true } })
  expect(await done(page.notifications.completeSecondary(one))).toMatchObject({
    secondaryAction: { label: 'No', isCompleted: true },
  })
  expect(await done(page.notifications.revertPrimary(one))).toMatchObject({ primaryAction: { isCompleted: false } })
  expect(await call('PATCH', `/notifications/${notificationId}/complete`, { actionType: 'third' })).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('actionType') },
  })
})

describe('out of reach', () => {
  /** Every operation on one notification. */
  const onOne = [
    ...['read', 'unread', 'archive', 'unarchive', 'unsnooze'].map((verb) => ['PATCH', verb, undefined] as const),
    ['PATCH', 'snooze', { snoozeUntil: new Date(Date.now() + 3_600_000).toISOString() }],
    ['PATCH', 'complete', { actionType: 'primary' }],
    ['PATCH', 'revert', { actionType: 'primary' }],
    ['DELETE', 'delete', undefined],
  ] as const

  test.each(onOne)('%s %s of a notification of others is a 404 without effect', async (method, verb, body) => {
    const other = await world.environment()
    await other.act('createSubscriber', { subscriberId: 'ada' })
    await acme.act('createSubscriber', { subscriberId: 'grace' })
    const foreign = [
      await sendOne({ subscriberId: 'grace', actions: [{ label: 'A', url: '/a' }] }),
      await sendOne({ contextKeys: ['tenant:acme'], actions: [{ label: 'A', url: '/a' }] }),
      ...(await notify(world, other, { subscriberId: 'ada' })).map((id) => decodeNodeId(id).id),
    ]
    const rows = () => world.database.pool.query('SELECT * FROM notifications ORDER BY id')
    const before = (await rows()).rows
    for (const id of foreign) {
      expect(await call(method, `/notifications/${id}/${verb}`, body)).toMatchObject({ status: 404 })
    }
    expect((await rows()).rows).toEqual(before)
  })

  test('are other subscribers, contexts and environments, also for lists, counts and marks of many', async () => {
    const other = await world.environment()
    await other.act('createSubscriber', { subscriberId: 'ada' })
    await acme.act('createSubscriber', { subscriberId: 'grace' })
    await notify(world, other, { subscriberId: 'ada' })
    const [foreign = ''] = await send({ subscriberId: 'grace' }, { contextKeys: ['tenant:acme'] })
    expect(await bodiesOf()).toEqual([])
    expect(await call('GET', '/notifications?subscriberId=grace&contextKeys=tenant:acme')).toMatchObject({
      status: 200,
      body: { data: [] },
    })
    const filters = encodeURIComponent(JSON.stringify([{ contextKeys: ['tenant:acme'] }]))
    expect((await call('GET', `/notifications/count?filters=${filters}`)).status).toBe(403)
    const body = { notificationIds: [foreign], subscriberId: 'grace', contextKeys: ['tenant:acme'] }
    expect((await call('POST', '/notifications/seen', body)).status).toBe(204)
    expect((await call('POST', '/notifications/delete', { contextKeys: ['tenant:acme'] })).status).toBe(204)
    const { rows } = await world.database.pool.query('SELECT seen_at FROM notifications WHERE id = $1', [foreign])
    expect(rows).toEqual([{ seen_at: null }])
  })

  test('are the paths of the back end', async () => {
    const headers = { authorization: `Bearer ${token}` }
    for (const path of ['/v2/subscribers/ada', '/v2/subscribers', '/v1/integrations', '/v1/environments']) {
      const response = await world.app.fetch(new Request(`http://gateway.test/novu${path}`, { headers }))
      expect([path, response.status]).toEqual([path, 403])
    }
  })

  test('is the inbox for an API key', async () => {
    const headers = { authorization: `ApiKey ${acme.key}` }
    const response = await world.app.fetch(new Request('http://gateway.test/novu/v1/inbox/notifications', { headers }))
    expect(response.status).toBe(403)
  })

  test.each(['/channel-connections', '/channel-endpoints/one', '/chat/oauth', '/events'])(
    'is %s, with a 400',
    async (path) => {
      expect(await call('POST', path, {})).toMatchObject({ status: 400, body: { message: expect.any(String) } })
    },
  )
})

describe('errors', () => {
  const narrow = useWorld({ rates: { trigger: 10, configuration: 20, global: 1 } })

  test('are JSON, also that of a limit', async () => {
    narrow.setClock(new Date('2027-03-01T12:00:00Z'))
    const request = () =>
      narrow.app.fetch(
        new Request('http://gateway.test/novu/v1/inbox/session', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        }),
      )
    let response = await request()
    while (response.status === 400) response = await request()
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toMatchObject({ statusCode: 429, message: expect.stringContaining('Too many') })
    narrow.setClock(undefined)
  })

  test('of an unknown token are JSON', async () => {
    expect(await call('GET', '/notifications', undefined, 'nothing')).toMatchObject({
      ...{ status: 401, body: { message: 'Session not found' } },
    })
  })
})
