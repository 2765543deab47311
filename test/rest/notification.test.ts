// The in-app feed through the REST API.
import { beforeEach, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { type Given, notify } from '../support/feed.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
})

/** Sends notifications to Ada. @returns their `_id`s. */
const send = async (...given: Omit<Given, 'subscriberId'>[]) =>
  (await notify(world, acme, ...given.map((one) => ({ subscriberId: 'ada', ...one })))).map(
    (nodeId) => decodeNodeId(nodeId).id,
  )
const feed = '/v2/subscribers/ada/notifications' as const
const bodiesAt = async (query: string) => (await acme.rest(`GET ${feed}${query}`)).body.data.map(({ body }) => body)

describe('a feed', () => {
  test('is paged by cursor, newest first, and leaves out missing fields', async () => {
    await send({
      subject: 'Shipped',
      body: 'On its way',
      url: 'https://example.com/orders/1',
      actions: [{ label: 'Track', url: 'https://example.com/track' }],
      data: { order: 1 },
      severity: 'high',
      tags: ['orders'],
    })
    await send({ body: 'Delivered' })
    const { status, body } = await acme.rest(`GET ${feed}?limit=1`)
    expect(status).toBe(200)
    const plain = {
      _id: expect.any(String),
      subscriberId: 'ada',
      contextKeys: [],
      workflowIdentifier: 'order-shipped',
      body: 'Delivered',
      actions: [],
      data: {},
      severity: 'none',
      tags: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    }
    expect(body).toEqual({
      data: [plain],
      next: expect.any(String),
      previous: null,
      totalCount: 2,
      totalCountCapped: false,
    })
    const second = await acme.rest(`GET ${feed}?limit=1&after=${body.next}`)
    expect(second.body.data).toEqual([
      {
        ...plain,
        subject: 'Shipped',
        body: 'On its way',
        url: 'https://example.com/orders/1',
        actions: [{ label: 'Track', url: 'https://example.com/track' }],
        data: { order: 1 },
        severity: 'high',
        tags: ['orders'],
      },
    ])
    expect(second.body.next).toBeNull()
  })

  test('matches exactly the given contexts, or no context if none are given', async () => {
    await send({ body: 'a' }, { body: 'b', contextKeys: ['tenant:acme'] })
    await send({ body: 'c', contextKeys: ['app:web', 'tenant:acme'] })
    expect(await bodiesAt('')).toEqual(['a'])
    expect(await bodiesAt('?contextKeys=')).toEqual(['a'])
    expect(await bodiesAt('?contextKeys=tenant%3Aacme')).toEqual(['b'])
    expect(await bodiesAt('?contextKeys=tenant%3Aacme&contextKeys=app%3Aweb')).toEqual(['c'])
    const count = await acme.rest(`GET ${feed}/count?contextKeys=tenant%3Aacme`)
    expect(count).toMatchObject({ status: 200, body: { unseen: 1, unread: 1, total: 1 } })
  })

  test('can be filtered by seen, read and archived state, severity and tags', async () => {
    const [read = '', archived = ''] = await send({ body: 'read' }, { body: 'archived', severity: 'low', tags: ['x'] })
    await send({ body: 'new', severity: 'high', tags: ['x', 'y'] })
    await acme.rest(`PATCH ${feed}/${read}/read`)
    await acme.rest(`PATCH ${feed}/${archived}/archive`)
    expect(await bodiesAt('?read=false')).toEqual(['new'])
    expect(await bodiesAt('?seen=true&archived=false')).toEqual(['read'])
    expect(await bodiesAt('?archived=true')).toEqual(['archived'])
    expect(await bodiesAt('?severity=high&severity=none')).toEqual(['new', 'read'])
    expect(await bodiesAt('?tags=x')).toEqual(['new'])
    expect(await acme.rest(`GET ${feed}?read=maybe`)).toMatchObject({ status: 422 })
    await send({ body: 'tab', data: { tab: 'news', count: 2 } })
    const data = (value: string) => `?data=${encodeURIComponent(value)}`
    expect(await bodiesAt(data('{"tab":"news"}'))).toEqual(['tab'])
    expect(await bodiesAt(data('{"tab":"other"}'))).toEqual([])
    expect(await bodiesAt('?createdGte=2999-01-01T00:00:00Z')).toEqual([])
    expect(await acme.rest(`GET ${feed}${data('{tab')}`)).toMatchObject({ status: 422, body: { errors: { data: {} } } })
  })

  test('leaves archived notifications out, as the total count does', async () => {
    const [archived = ''] = await send({ body: 'archived' }, { body: 'kept' })
    await acme.rest(`PATCH ${feed}/${archived}/archive`)
    const { body } = await acme.rest(`GET ${feed}`)
    expect(body).toMatchObject({ data: [{ body: 'kept' }], totalCount: 1 })
    expect((await acme.rest(`GET ${feed}/count`)).body).toMatchObject({ total: 1 })
    expect(await bodiesAt('?archived=false')).toEqual(['kept'])
    expect(await bodiesAt('?archived=true')).toEqual(['archived'])
  })

  test('of an unknown subscriber returns 404', async () => {
    for (const path of ['', '/count'] as const) {
      expect(await acme.rest(`GET /v2/subscribers/nobody/notifications${path}`)).toMatchObject({
        status: 404,
        body: { message: 'Subscriber "nobody" not found' },
      })
    }
  })

  test('counts toward the global rate limit', async () => {
    const { headers } = await acme.rest(`GET ${feed}`)
    expect(headers.get('RateLimit-Policy')).toContain('category="global";cost="single"')
  })
})

describe('a notification', () => {
  test('can be marked read, unread, archived and unarchived, and is returned in its new state', async () => {
    const [id = ''] = await send({})
    const states = []
    for (const verb of ['read', 'unread', 'archive', 'unarchive']) {
      const { status, body } = await acme.rest(`PATCH ${feed}/${id}/${verb}`)
      expect({ status, _id: body._id }).toEqual({ status: 200, _id: id })
      states.push(['seenAt', 'readAt', 'archivedAt'].filter((time) => time in body).join(' '))
    }
    expect(states).toEqual(['seenAt readAt', 'seenAt', 'seenAt readAt archivedAt', 'seenAt readAt'])
  })

  test('can be snoozed and returned, and the response names the field of a wrong time', async () => {
    const [id = ''] = await send({ body: 'a' })
    const until = new Date(Date.now() + 86_400_000).toISOString()
    const snoozed = await acme.rest(`PATCH ${feed}/${id}/snooze`, { body: { snoozeUntil: until } })
    expect(snoozed).toMatchObject({ status: 200, body: { _id: id, snoozedUntil: until } })
    expect(await bodiesAt('')).toEqual([])
    expect(await bodiesAt('?snoozed=true')).toEqual(['a'])
    const far = await acme.rest(`PATCH ${feed}/${id}/snooze`, { body: { snoozeUntil: '2999-01-01T00:00:00Z' } })
    expect(far).toMatchObject({ status: 422, body: { errors: { snoozeUntil: expect.anything() } } })
    const { body } = await acme.rest(`PATCH ${feed}/${id}/unsnooze`)
    expect(body).toMatchObject({ _id: id, deliveredAt: [expect.any(String)] })
    expect(body).not.toHaveProperty('snoozedUntil')
    expect(await bodiesAt('')).toEqual(['a'])
  })

  test('is found only in the feed of its own subscriber', async () => {
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'grace' } })
    const [id = ''] = await send({})
    for (const path of [`/v2/subscribers/grace/notifications/${id}`, `${feed}/${world.gateway.newId()}`] as const) {
      expect((await acme.rest(`PATCH ${path}/read`)).status).toBe(404)
    }
  })
})

describe('bulk actions on a feed', () => {
  test('mark as seen, read or archived exactly the notifications of the given contexts', async () => {
    await send({}, { tags: ['orders'] }, { contextKeys: ['tenant:acme'] })
    const updated = async (target: `/${string}`, body?: object) =>
      (await acme.rest(`POST ${feed}${target}`, body && { body })).body
    expect(await updated('/seen')).toEqual({ updated: 2 })
    expect(await updated('/read', { tags: ['orders'] })).toEqual({ updated: 1 })
    expect(await updated('/read')).toEqual({ updated: 1 })
    expect(await updated('/read?contextKeys=tenant%3Aacme')).toEqual({ updated: 1 })
    expect(await updated('/archive', { contextKeys: ['tenant:acme'] })).toEqual({ updated: 1 })
    expect((await acme.rest(`GET ${feed}/count`)).body).toEqual({ unseen: 0, unread: 0, total: 2 })
  })

  test('can be limited to given notifications', async () => {
    const [one, two] = await send({}, {}, {})
    const { body } = await acme.rest(`POST ${feed}/seen`, { body: { ids: [one, two] } })
    expect(body).toEqual({ updated: 2 })
    expect((await acme.rest(`GET ${feed}/count`)).body).toMatchObject({ unseen: 1 })
  })
})

describe('deleting notifications', () => {
  test('removes one, which is not found afterwards', async () => {
    const [one = ''] = await send({ body: 'a' }, { body: 'b' })
    expect(await acme.rest(`DELETE ${feed}/${one}`)).toMatchObject({ status: 204, body: undefined })
    expect(await bodiesAt('')).toEqual(['b'])
    expect((await acme.rest(`DELETE ${feed}/${one}`)).status).toBe(404)
    expect((await acme.rest(`DELETE ${feed}/not-an-id`)).status).toBe(422)
  })

  test('removes several notifications, by their ids or by a filter', async () => {
    const [one, other] = await send({ body: 'a' }, { body: 'b' }, { body: 'c', tags: ['orders'] }, { body: 'd' })
    expect((await acme.rest(`POST ${feed}/delete`, { body: { ids: [one, other] } })).body).toEqual({ deleted: 2 })
    expect((await acme.rest(`POST ${feed}/delete`, { body: { read: true } })).body).toEqual({ deleted: 0 })
    expect((await acme.rest(`POST ${feed}/delete`, { body: { tags: ['orders'] } })).body).toEqual({ deleted: 1 })
    expect(await bodiesAt('')).toEqual(['d'])
    const elsewhere = await acme.rest(`POST ${feed}/delete?contextKeys=tenant:acme`, { body: {} })
    expect(elsewhere.body).toEqual({ deleted: 0 })
  })
})
