// The feed of a subscriber through the published client: lists, counts, marks, snooze and actions.
import type { Novu } from '@novu/api'
import { beforeEach, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../../src/graphql/schema/node-id.ts'
import { type Given, notify } from '../../support/feed.ts'
import { novuClient } from '../../support/novu/client.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client
let client: Novu

const later = () => new Date(Date.now() + 86_400_000)

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
  await client.subscribers.create({ subscriberId: 'ada', firstName: 'Ada' })
})

/** Sends notifications to Ada. @returns their ids. */
const send = async (...given: Omit<Given, 'subscriberId'>[]) =>
  (await notify(world, acme, ...given.map((one) => ({ subscriberId: 'ada', ...one })))).map(
    (nodeId) => decodeNodeId(nodeId).id,
  )

async function sendOne(given: Omit<Given, 'subscriberId'> = {}): Promise<string> {
  const [id] = await send(given)
  if (id === undefined) throw new Error('nothing was sent')
  return id
}

async function list(query: object = {}) {
  const { result } = await client.subscribers.notifications.list({ subscriberId: 'ada', ...query })
  return { ...result, bodies: result.data.map(({ body }) => body) }
}

const rest = (method: string, path: string, body?: object) =>
  world.app.fetch(
    new Request(`http://gateway.test/novu${path}`, {
      method,
      headers: { authorization: `ApiKey ${acme.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )

const feed = '/v2/subscribers/ada/notifications'

describe('an item', () => {
  test('has the recipient, the workflow, the transaction id and its links', async () => {
    await acme.act('createWorkflow', {
      ...{ identifier: 'shipped', name: 'Shipped', tags: ['orders'], severity: 'HIGH', data: { team: 'shop' } },
      steps: [
        {
          inApp: {
            ...{ subject: 'Shipped', body: 'On its way', avatar: 'https://example.com/box.png' },
            ...{ url: 'https://example.com/orders/1', target: 'BLANK', data: { order: '1' } },
            actions: [
              { label: 'Track', url: 'https://example.com/track', target: 'SELF' },
              { label: 'Help', url: '/help' },
            ],
          },
        },
      ],
    })
    await client.trigger({ workflowId: 'shipped', to: 'ada', transactionId: 'order-1' })
    await world.work()
    const { data, hasMore } = await list()
    expect(hasMore).toBe(false)
    expect(data).toEqual([
      {
        id: expect.any(String),
        transactionId: 'order-1',
        subject: 'Shipped',
        body: 'On its way',
        avatar: 'https://example.com/box.png',
        to: { id: expect.any(String), subscriberId: 'ada', firstName: 'Ada' },
        ...{ isRead: false, isSeen: false, isArchived: false, isSnoozed: false },
        createdAt: expect.any(String),
        primaryAction: {
          label: 'Track',
          isCompleted: false,
          redirect: { url: 'https://example.com/track', target: '_self' },
        },
        secondaryAction: { label: 'Help', isCompleted: false, redirect: { url: '/help' } },
        redirect: { url: 'https://example.com/orders/1', target: '_blank' },
        channelType: 'in_app',
        tags: ['orders'],
        data: { order: '1' },
        severity: 'high',
        workflow: {
          id: expect.any(String),
          ...{ identifier: 'shipped', name: 'Shipped', critical: false, severity: 'high', tags: ['orders'] },
          data: { team: 'shop' },
        },
      },
    ])
  })

  test('of a deleted event and workflow can still be read', async () => {
    await sendOne({ body: 'old' })
    expect((await list()).data).toMatchObject([{ body: 'old', transactionId: expect.any(String) }])
  })
})

describe('a list', () => {
  test('is paged by the id of the last item, or by a number of items', async () => {
    for (const body of ['a', 'b', 'c', 'd']) await sendOne({ body })
    const first = await list({ limit: 2 })
    expect(first).toMatchObject({ bodies: ['d', 'c'], hasMore: true })
    expect(await list({ limit: 2, after: first.data[1]?.id })).toMatchObject({ bodies: ['b', 'a'], hasMore: false })
    expect(await list({ limit: 2, offset: 1 })).toMatchObject({ bodies: ['c', 'b'], hasMore: true })
    expect(await list({ limit: 2, offset: 1, after: first.data[0]?.id })).toMatchObject({ bodies: ['b', 'a'] })
  })

  test('is that of exact contexts', async () => {
    await send({ body: 'plain' }, { body: 'acme', contextKeys: ['tenant:acme'] })
    expect((await list()).bodies).toEqual(['plain'])
    expect((await list({ contextKeys: ['tenant:acme'] })).bodies).toEqual(['acme'])
  })

  test('is filtered by marks, data, severity and time', async () => {
    const before = Date.now()
    await send({ body: 'loud', severity: 'high', data: { order: '1' } }, { body: 'quiet', severity: 'low' })
    await client.subscribers.notifications.archive({
      subscriberId: 'ada',
      notificationId: await sendOne({ body: 'archived' }),
    })
    expect((await list({ archived: true })).bodies).toEqual(['archived'])
    expect((await list({ severity: ['high', 'medium'] })).bodies).toEqual(['loud'])
    expect((await list({ data: '{"order":"1"}' })).bodies).toEqual(['loud'])
    expect((await list({ createdLte: before - 1000 })).bodies).toEqual([])
    expect((await list({ createdGte: before - 1000, read: false })).bodies.sort()).toEqual(['loud', 'quiet'])
  })

  test('is filtered by tags as browsers send them, and repeats the filter', async () => {
    await send({ body: 'a', tags: ['a'] }, { body: 'ab', tags: ['a', 'b'] }, { body: 'c', tags: ['c'] })
    const read = async (query: string) => {
      const { data, filter } = (await (await rest('GET', `${feed}?${query}`)).json()) as {
        data: { body: string }[]
        filter: object
      }
      return { bodies: data.map(({ body }) => body).sort(), filter }
    }
    expect(await read('tags[]=a&tags[]=c&archived=false')).toEqual({
      bodies: ['a', 'ab', 'c'],
      filter: { tags: ['a', 'c'], archived: false },
    })
    expect(await read('tags%5B0%5D%5B%5D=a&tags%5B1%5D%5B%5D=b&tags%5B1%5D%5B%5D=c')).toEqual({
      bodies: ['ab'],
      filter: { tags: { and: [{ or: ['a'] }, { or: ['b', 'c'] }] } },
    })
    expect(await read('severity[]=none&tags=c')).toMatchObject({ bodies: ['c'] })
  })

  test('of a hundred items takes as many statements as one of ten', async () => {
    await send(...Array.from({ length: 100 }, (_none, place) => ({ body: String(place) })))
    const counted = async (limit: number) => (await statementsOf(() => list({ limit }))).length
    await counted(1)
    expect(await counted(100)).toBe(await counted(10))
  })
})

test.each([
  ['after', `${feed}?after=1`, 400],
  ['after', `${feed}?after=0199b0a0-0000-7000-8000-000000000000`, 400],
  ['filters', `${feed}/count?filters=read`, 400],
  ['filters', `${feed}/count?filters={}`, 422],
  ['filters.0.unread', `${feed}/count?filters=[{"unread":true}]`, 422],
  ['filters.0.tags.and.0.or', `${feed}/count?filters=[{"tags":{"and":[{"or":[]}]}}]`, 422],
  ['filters', `${feed}/count?filters=${JSON.stringify(Array.from({ length: 21 }, () => ({})))}`, 422],
  ['filters', `${feed}/count?filters=[{},{"contextKeys":["tenant:acme"]}]`, 422],
  ['data', `${feed}?data=order`, 422],
  ['createdGte', `${feed}?createdGte=yesterday`, 422],
])('an invalid %s of %s is a %d', async (field, path, status) => {
  const response = await rest('GET', path)
  expect(response.status).toBe(status)
  const body = (await response.json()) as { message: string; errors?: object }
  if (status === 422) expect(Object.keys(body.errors ?? {}).join()).toContain(field.split('.')[0])
  else expect(body.message).toContain(field)
})

describe('counts', () => {
  test('are those of each filter, which comes back exactly as it was sent', async () => {
    const read = await sendOne({ severity: 'high', tags: ['a'] })
    await send({ severity: 'low', tags: ['a', 'b'], data: { order: '1' } }, {})
    await client.subscribers.notifications.markAsRead({ subscriberId: 'ada', notificationId: read })
    const filters = [
      { read: false, archived: false, snoozed: false },
      { severity: 'high' },
      { severity: ['high', 'low'] },
      { tags: ['b'] },
      { tags: { and: [{ or: ['a'] }, { or: ['b', 'c'] }] } },
      { tags: { or: ['a'] }, data: { order: '1' } },
      { createdGte: 0, createdLte: 1 },
    ]
    const count = () => client.subscribers.notifications.count('ada', JSON.stringify(filters))
    const { result } = await count()
    expect(result.map(({ count }) => count)).toEqual([2, 1, 2, 1, 1, 1, 0])
    expect(result.map(({ filter }) => filter)).toEqual(filters)
    expect((await statementsOf(count)).filter((text) => text.includes('FROM notifications'))).toHaveLength(1)
  })

  test('are those of exact contexts', async () => {
    await send({}, { contextKeys: ['tenant:acme'] }, { contextKeys: ['tenant:acme'] })
    const filters = JSON.stringify([{ contextKeys: ['tenant:acme'] }])
    const { result } = await client.subscribers.notifications.count('ada', filters)
    expect(result).toEqual([{ count: 2, filter: { contextKeys: ['tenant:acme'] } }])
  })
})

describe('one notification', () => {
  test('is marked read, unread, archived and unarchived', async () => {
    const named = { subscriberId: 'ada', notificationId: await sendOne() }
    const { notifications } = client.subscribers
    expect((await notifications.markAsRead(named)).result).toMatchObject({ isRead: true, isSeen: true })
    expect((await notifications.markAsUnread(named)).result).toMatchObject({ isRead: false, isSeen: true })
    expect((await notifications.archive(named)).result).toMatchObject({ isArchived: true })
    expect((await notifications.unarchive(named)).result).toMatchObject({ isArchived: false })
  })

  test('is snoozed and returns', async () => {
    const named = { subscriberId: 'ada', notificationId: await sendOne() }
    const snoozeUntil = later()
    const snoozed = await client.subscribers.notifications.snooze({
      ...named,
      snoozeSubscriberNotificationDto: { snoozeUntil },
    })
    expect(snoozed.result).toMatchObject({ isSnoozed: true, snoozedUntil: snoozeUntil.toISOString() })
    expect((await list()).bodies).toEqual([])
    const { result } = await client.subscribers.notifications.unsnooze(named)
    expect(result).toMatchObject({ isSnoozed: false, deliveredAt: [expect.any(String)] })
    expect((await list()).data).toHaveLength(1)
  })

  test('is not snoozed until the past: the error names the field', async () => {
    const past = { snoozeUntil: new Date(0) }
    await expect(
      client.subscribers.notifications.snooze({
        ...{ subscriberId: 'ada', notificationId: await sendOne() },
        snoozeSubscriberNotificationDto: past,
      }),
    ).rejects.toMatchObject({ statusCode: 422, data$: { errors: { snoozeUntil: {} } } })
  })

  test('has actions that are completed and reopened', async () => {
    const actions = [
      { label: 'Yes', url: 'https://example.com/yes' },
      { label: 'No', url: 'https://example.com/no' },
    ]
    const named = { subscriberId: 'ada', notificationId: await sendOne({ actions }) }
    const { notifications } = client.subscribers
    const completed = await notifications.completeAction({ ...named, actionType: 'secondary' })
    expect(completed.result).toMatchObject({
      primaryAction: { isCompleted: false },
      secondaryAction: { isCompleted: true },
    })
    const reverted = await notifications.revertAction({ ...named, actionType: 'secondary' })
    expect(reverted.result).toMatchObject({ secondaryAction: { isCompleted: false } })
  })

  test('is deleted', async () => {
    const named = { subscriberId: 'ada', notificationId: await sendOne() }
    await client.subscribers.notifications.delete(named)
    expect((await list()).data).toEqual([])
  })

  test('of another subscriber, or of other contexts than the given ones, is not found', async () => {
    await client.subscribers.create({ subscriberId: 'grace' })
    const notificationId = await sendOne({ contextKeys: ['tenant:acme'] })
    const { notifications } = client.subscribers
    await expect(notifications.markAsRead({ subscriberId: 'grace', notificationId })).rejects.toMatchObject({
      statusCode: 404,
    })
    const named = { subscriberId: 'ada', notificationId }
    await expect(notifications.markAsRead({ ...named, contextKeys: ['tenant:other'] })).rejects.toMatchObject({
      statusCode: 404,
    })
    const { result } = await notifications.markAsRead({ ...named, contextKeys: ['tenant:acme'] })
    expect(result.isRead).toBe(true)
  })
})

describe('a whole feed', () => {
  const states = async () =>
    (await list({ limit: 100 })).data.map(({ body, isSeen, isRead }) => ({ body, isSeen, isRead }))

  test('is marked as seen: some of it, or all', async () => {
    const [one] = await send({ body: 'a' })
    await send({ body: 'b' })
    const seen = (given: object) => client.subscribers.notifications.markAsSeen(given, 'ada')
    await seen({ notificationIds: [one] })
    expect(await states()).toMatchObject([
      { body: 'b', isSeen: false },
      { body: 'a', isSeen: true },
    ])
    await seen({})
    expect(await states()).toMatchObject([{ isSeen: true }, { isSeen: true }])
  })

  test('is marked as read by a filter, archived once read, archived and deleted', async () => {
    await send({ body: 'a', data: { order: '1' } }, { body: 'b' }, { body: 'other', contextKeys: ['tenant:acme'] })
    const { notifications } = client.subscribers
    await notifications.markAllAsRead({ data: '{"order":"1"}' }, 'ada')
    expect((await list({ read: true })).bodies).toEqual(['a'])
    await notifications.archiveAllRead({}, 'ada')
    expect((await list()).bodies).toEqual(['b'])
    await notifications.archiveAll({}, 'ada')
    expect((await list({ archived: true })).bodies.sort()).toEqual(['a', 'b'])
    await notifications.deleteAll({}, 'ada')
    expect((await list({ archived: true })).bodies).toEqual([])
    expect((await list({ contextKeys: ['tenant:acme'] })).bodies).toEqual(['other'])
    await notifications.deleteAll({ contextKeys: ['tenant:acme'] }, 'ada')
    expect((await list({ contextKeys: ['tenant:acme'] })).bodies).toEqual([])
  })

  test('is not deleted by tags that the client cannot send: it sends an empty object', async () => {
    await sendOne({ tags: ['a'] })
    await expect(client.subscribers.notifications.deleteAll({ tags: { or: ['b'] } }, 'ada')).rejects.toMatchObject({
      statusCode: 422,
      data$: { errors: { 'tags.or': {} } },
    })
    expect((await list()).data).toHaveLength(1)
  })

  test('is marked by tags in each form that browsers send', async () => {
    await send({ body: 'a', tags: ['a'] }, { body: 'ab', tags: ['a', 'b'] }, { body: 'c', tags: ['c'] })
    const archive = async (tags: unknown) => (await rest('POST', `${feed}/archive`, { tags })).status
    expect(await archive({ and: [{ or: ['a'] }, { or: ['b'] }] })).toBe(204)
    expect((await list()).bodies.sort()).toEqual(['a', 'c'])
    expect(await archive({ or: ['a'] })).toBe(204)
    expect(await archive(['c'])).toBe(204)
    expect((await list()).bodies).toEqual([])
  })
})
