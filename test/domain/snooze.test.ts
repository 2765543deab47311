// Snoozed notifications: hidden, due, and back at the top of their feed.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { browserOf } from '../support/browser.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { subscribe } from '../support/delivery/webhooks.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { notify } from '../support/feed.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { plansOf, statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client
let ids: string[]

const monday = new Date('2027-03-01T09:00:00Z')
const tuesday = new Date('2027-03-02T09:00:00Z')
const later = new Date('2027-03-02T09:00:01Z')

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscribers', { subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }] })
  world.setClock(monday)
  ids = []
  for (const subject of ['a', 'b', 'c']) ids.push(...(await notify(world, acme, { subscriberId: 'ada', subject })))
})
afterEach(() => world.setClock(undefined))

const state = 'notification { snoozedUntil readAt seenAt archivedAt deliveredAt createdAt }'
const snooze = (until: Date, id = ids[0], client = acme) =>
  client.act('snoozeNotification', { id, until: until.toISOString() }, state)
const sweep = () => housekeepingOf(world).perform('snoozed_notifications')

async function feed(filter: object = {}) {
  const { subscriber } = await acme.ask(
    `query ($filter: NotificationFilter) { subscriber(subscriberId: "ada") {
      notifications(filter: $filter) { totalCount nodes { subject } } notificationCounts { unseen unread total } } }`,
    { filter },
  )
  const { notifications, notificationCounts } = subscriber
  const subjects = notifications.nodes.map(({ subject }) => subject).join('')
  expect(notifications.totalCount).toBe(subjects.length)
  return { subjects, counts: notificationCounts }
}

describe('a snoozed notification', () => {
  test('is hidden from lists and counts, unless the filter asks for it', async () => {
    await acme.act('markNotification', { id: ids[0], as: 'ARCHIVED' })
    const { notification, userErrors } = await snooze(tuesday)
    expect(userErrors).toEqual([])
    expect(notification).toMatchObject({ snoozedUntil: tuesday.toISOString(), archivedAt: null, deliveredAt: [] })
    expect(await feed()).toEqual({ subjects: 'cb', counts: { unseen: 2, unread: 2, total: 2 } })
    expect((await feed({ snoozed: true })).subjects).toBe('a')
    expect((await feed({ snoozed: false })).subjects).toBe('cb')
  })

  test('returns when it is due: unread, at the top, once, and to open streams', async () => {
    await acme.act('markNotification', { id: ids[0], as: 'READ' })
    await snooze(tuesday)
    const stream = await acme.follow('subscription { notificationReceived(subscriberId: "ada") { id } }')
    const counts = await acme.follow('subscription { notificationCountsChanged(subscriberId: "ada") { total } }')
    expect(await counts.next()).toEqual({ data: { notificationCountsChanged: { total: 2 } } })
    await sweep()
    expect((await feed()).subjects).toBe('cb')
    world.setClock(later)
    await sweep()
    await sweep()
    expect(await stream.next()).toEqual({ data: { notificationReceived: { id: ids[0] } } })
    expect(await counts.next()).toEqual({ data: { notificationCountsChanged: { total: 3 } } })
    await Promise.all([stream.leave(), counts.leave()])
    expect(await feed()).toEqual({ subjects: 'acb', counts: { unseen: 2, unread: 3, total: 3 } })
    const { node } = await acme.ask(
      'query ($id: ID!) { node(id: $id) { ... on Notification { snoozedUntil readAt deliveredAt createdAt } } }',
      { id: ids[0] },
    )
    expect(node).toEqual({
      snoozedUntil: null,
      readAt: null,
      deliveredAt: [later.toISOString()],
      createdAt: monday.toISOString(),
    })
  })

  test('returns at once when its snooze is ended, and keeps the time of each return', async () => {
    await snooze(tuesday)
    world.setClock(new Date('2027-03-01T10:00:00Z'))
    const ended = await acme.act('unsnoozeNotification', { id: ids[0] }, state)
    expect(ended.notification).toMatchObject({ snoozedUntil: null, deliveredAt: ['2027-03-01T10:00:00.000Z'] })
    expect((await feed()).subjects).toBe('acb')
    await snooze(tuesday)
    world.setClock(later)
    await sweep()
    const again = await acme.act('unsnoozeNotification', { id: ids[0] }, state)
    expect(again.notification).toMatchObject({
      deliveredAt: ['2027-03-01T10:00:00.000Z', later.toISOString()],
      createdAt: monday.toISOString(),
    })
  })

  test('is kept by retention until it has returned, and from then on as long as a new one', async () => {
    await snooze(new Date('2027-03-20T09:00:00Z'))
    const sweepOn = async (day: string) => {
      world.setClock(new Date(day))
      await housekeepingOf(world, { retention: { events: undefined, feed: 7 } }).perform('retention')
      await sweep()
      return (await feed()).subjects
    }
    await world.database.pool.query('DELETE FROM sweeps')
    expect(await sweepOn('2027-03-18T09:00:00Z')).toBe('')
    expect((await feed({ snoozed: true })).subjects).toBe('a')
    expect(await sweepOn('2027-03-21T09:00:00Z')).toBe('a')
    await world.database.pool.query('DELETE FROM sweeps')
    expect(await sweepOn('2027-03-27T09:00:00Z')).toBe('a')
    await world.database.pool.query('DELETE FROM sweeps')
    expect(await sweepOn('2027-03-29T09:00:00Z')).toBe('')
  })

  test('has webhook messages when it leaves and when it returns', async () => {
    const crm = await subscribe(acme, receiver, { eventTypes: ['MESSAGE_SNOOZED', 'MESSAGE_UNSNOOZED'] })
    // Receivers verify the time of a message.
    const [now, soon] = [Date.now(), new Date(Date.now() + 60_000)]
    world.setClock(new Date(now))
    await snooze(soon)
    world.setClock(soon)
    await sweep()
    await world.work()
    expect(crm.messages().map(({ type, data }) => [type, Reflect.get(data, 'snoozedUntil')])).toEqual([
      ['message.snoozed', soon.toISOString()],
      ['message.unsnoozed', undefined],
    ])
  })
})

test.each([
  ['in the past', new Date('2027-03-01T08:59:59Z')],
  ['now', monday],
  ['more than 90 days ahead', new Date('2027-05-30T09:00:01Z')],
])('a time %s is rejected', async (_when, until) => {
  expect((await snooze(until)).userErrors).toEqual([
    { code: 'BAD_USER_INPUT', message: 'until must be in the future, at most 90 days ahead', field: ['until'] },
  ])
  expect((await feed()).subjects).toBe('cba')
})

test('a session snoozes in its own feed only', async () => {
  const [graces] = await notify(world, acme, { subscriberId: 'grace' })
  const browser = await browserOf(world, acme, 'ada', {})
  expect((await snooze(tuesday, ids[0], browser)).notification).toMatchObject({ snoozedUntil: tuesday.toISOString() })
  expect((await snooze(tuesday, graces, browser)).userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['id'] }])
  expect((await browser.act('unsnoozeNotification', { id: ids[0] }, state)).notification).toMatchObject({
    snoozedUntil: null,
  })
})

test('2,000 that are due return in few statements, which find them by an index', async () => {
  const environmentId = await environmentIdOf(acme)
  const many = Array.from({ length: 2000 }, () => ({ subscriberId: 'ada' }))
  await notify(world, acme, ...many)
  await world.database.pool.query('UPDATE notifications SET snoozed_until = $1 WHERE environment_id = $2', [
    tuesday,
    environmentId,
  ])
  const total = async () => {
    const { subscriber } = await acme.ask('{ subscriber(subscriberId: "ada") { notificationCounts { total } } }')
    return subscriber.notificationCounts.total
  }
  expect(await total()).toBe(0)
  world.setClock(later)
  const statements = await statementsOf(sweep)
  expect(statements.filter((text) => text.includes('UPDATE notifications')).length).toBeLessThan(6)
  expect(await total()).toBe(2003)
  // Without statistics, the planner does not know that few rows are snoozed.
  await world.database.pool.query('ANALYZE notifications')
  const plans = await plansOf(world.database.pool, 'snoozed_until <=', sweep)
  expect(plans.join()).toContain('notifications_snoozed_idx')
})
