// The access of a session: allowed for its own feed and preferences, rejected for all others.
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { browserOf } from '../support/browser.ts'
import { notify } from '../support/feed.ts'
import { ada, furnish, type Furnished, grace, rowsOf } from '../support/furnish.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let adas: Furnished
let browser: Client

beforeAll(async () => {
  adas = await furnish(world, await world.environment(), ada)
  await adas.client.act('createSubscriber', { subscriberId: grace.subscriberId })
  browser = await browserOf(world, adas.client, ada.subscriberId, { tenant: ada.tenant })
})

const forbidden = { extensions: { code: 'FORBIDDEN' } }

describe('the feed of a session', () => {
  const keyOf = (context: Readonly<Record<string, string>>) =>
    Object.entries(context).map(([type, id]) => `${type}:${id}`)
  /** Creates a notification under these contexts, for Ada by default. */
  const notified = async (context: Readonly<Record<string, string>>, subscriberId = ada.subscriberId) => {
    const [id = ''] = await notify(world, adas.client, { subscriberId, contextKeys: keyOf(context) })
    return { id, rowId: decodeNodeId(id).id }
  }
  const stateOf = async (id: string) => {
    const query = 'query ($id: ID!) { node(id: $id) { ... on Notification { seenAt readAt archivedAt updatedAt } } }'
    return (await adas.client.ask(query, { id })).node
  }

  test('can be read, counted, marked and deleted through both APIs', async () => {
    const context = { tenant: 'hooli' }
    const [one, other] = [await notified(context), await notified(context)]
    const hers = await browserOf(world, adas.client, ada.subscriberId, context)
    const feed = '/v2/subscribers/ada/notifications'
    const query = '?contextKeys=tenant%3Ahooli'
    const marked = await hers.act('markNotification', { id: one.id, as: 'READ' }, 'notification { id readAt }')
    expect(marked).toEqual({ notification: { id: one.id, readAt: expect.any(String) }, userErrors: [] })
    expect((await hers.rest(`GET ${feed}/count${query}`)).body).toEqual({ unseen: 1, unread: 1, total: 2 })
    expect((await hers.rest(`PATCH ${feed}/${other.rowId}/archive`)).status).toBe(200)
    const { session } = await hers.ask(
      `{ session {
        notifications { totalCount nodes { id archivedAt } }
        archived: notifications(filter: { archived: true }) { totalCount nodes { id archivedAt } }
        notificationCounts { unseen unread total }
      } }`,
    )
    expect(session).toEqual({
      notifications: { totalCount: 1, nodes: [{ id: one.id, archivedAt: null }] },
      archived: { totalCount: 1, nodes: [{ id: other.id, archivedAt: expect.any(String) }] },
      notificationCounts: { unseen: 0, unread: 0, total: 1 },
    })
    expect((await hers.rest(`GET ${feed}${query}&archived=false`)).body.data).toMatchObject([{ _id: one.rowId }])
    expect((await hers.rest(`POST ${feed}/archive${query}`, { body: {} })).body).toEqual({ updated: 1 })
    expect((await hers.act('deleteNotification', { id: one.id }, 'deletedId')).deletedId).toBe(one.id)
    expect((await hers.rest(`POST ${feed}/delete${query}`, { body: {} })).body).toEqual({ deleted: 1 })
  })

  test.each([
    ['another subscriber', 'grace', { tenant: 'acme' }],
    ['no context', 'ada', {}],
    ['another context', 'ada', { tenant: 'globex' }],
    ['one context more', 'ada', { app: 'shop', tenant: 'acme' }],
  ])(
    'excludes %s: that feed returns 403, and its notifications are not found',
    async (_whose, subscriberId, context) => {
      const { id, rowId } = await notified(context, subscriberId)
      const before = await stateOf(id)
      const feed = `/v2/subscribers/${subscriberId}/notifications` as const
      const query = `?${keyOf(context)
        .map((key) => `contextKeys=${encodeURIComponent(key)}`)
        .join('&')}`
      expect((await browser.rest(`GET ${feed}${query}`)).status).toBe(403)
      expect((await browser.rest(`GET ${feed}/count${query}`)).status).toBe(403)
      expect((await browser.rest(`POST ${feed}/read${query}`, { body: { ids: [rowId] } })).status).toBe(403)
      const many = await browser.send(
        'mutation ($input: MarkNotificationsInput!) { markNotifications(input: $input) { updated } }',
        { input: { subscriberId, contextKeys: keyOf(context), ids: [id], as: 'READ' } },
      )
      expect(many.errors).toMatchObject([forbidden])

      const notFound = { message: `Notification "${rowId}" not found` }
      for (const named of [subscriberId, ada.subscriberId]) {
        const one = await browser.rest(`PATCH /v2/subscribers/${named}/notifications/${rowId}/read`)
        expect(one).toMatchObject({ status: 404, body: notFound })
      }
      const { userErrors } = await browser.act('markNotification', { id, as: 'READ' })
      expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', ...notFound }])
      const deleted = await browser.act('deleteNotification', { id })
      expect(deleted.userErrors).toMatchObject([{ code: 'NOT_FOUND', ...notFound }])
      expect((await browser.rest(`POST ${feed}/delete${query}`, { body: { ids: [rowId] } })).status).toBe(403)
      const own = { subscriberId: ada.subscriberId, contextKeys: [`tenant:${ada.tenant}`] }
      expect(await browser.act('markNotifications', { ...own, ids: [id], as: 'READ' }, 'updated')).toMatchObject({
        updated: 0,
      })
      expect(await stateOf(id)).toEqual(before)
    },
  )

  test('cannot be marked under the path of another subscriber', async () => {
    const { rowId } = await notified({ tenant: ada.tenant })
    expect((await browser.rest(`PATCH /v2/subscribers/grace/notifications/${rowId}/read`)).status).toBe(404)
  })
})

describe('the preferences of a session', () => {
  const preferences = (subscriberId: string, query = '') =>
    browser.rest(`GET /v2/subscribers/${subscriberId}/preferences${query}`)

  test('can be read and written through both APIs', async () => {
    const written = await browser.rest('PATCH /v2/subscribers/ada/preferences', {
      body: { context: { tenant: 'acme' }, enabled: true, channels: { email: false } },
    })
    expect(written).toMatchObject({ status: 200, body: { global: { channels: { email: false } } } })
    const read = await preferences('ada', '?contextKeys=tenant%3Aacme')
    expect(read.body.global).toEqual(written.body.global)
    const { session } = await browser.ask(
      '{ session { preferences { contextKeys enabled workflows { workflowIdentifier workflowName } } } }',
    )
    expect(session.preferences).toEqual({
      contextKeys: ['tenant:acme'],
      enabled: true,
      workflows: [{ workflowIdentifier: 'order-shipped', workflowName: 'order-shipped' }],
    })
  })

  test.each([
    ['another subscriber', 'grace', ['tenant:acme']],
    ['one who does not exist', 'nobody', ['tenant:acme']],
    ['no context', 'ada', []],
    ['another context', 'ada', ['tenant:globex']],
    ['one context more', 'ada', ['tenant:acme', 'app:shop']],
  ])('exclude %s: reads and writes are rejected', async (_whose, subscriberId, keys) => {
    const before = await rowsOf(world, adas)
    const query = `?${keys.map((key) => `contextKeys=${encodeURIComponent(key)}`).join('&')}`
    expect((await preferences(subscriberId, query)).status).toBe(403)
    const context = Object.fromEntries(keys.map((key) => key.split(':')))
    const written = await browser.rest(`PATCH /v2/subscribers/${subscriberId}/preferences`, {
      body: { context, channels: { sms: false } },
    })
    expect(written.status).toBe(403)
    const contexts = keys.map((key) => key.split(':')).map(([type, identifier]) => ({ type, identifier }))
    const { errors } = await browser.send(
      'mutation ($input: UpdateSubscriberPreferencesInput!) { updateSubscriberPreferences(input: $input) { userErrors { code } } }',
      { input: { subscriberId, contexts, channels: [{ channel: 'SMS', enabled: false }] } },
    )
    expect(errors).toMatchObject([forbidden])
    expect(await rowsOf(world, adas)).toEqual(before)
  })

  test('match the contexts of the session in any order, but only all of them', async () => {
    const client = await world.environment()
    const input = { app: 'shop', tenant: 'acme' }
    const ofBoth = await browserOf(world, client, 'ada', input)
    for (const keys of ['app:shop&contextKeys=tenant:acme', 'tenant:acme&contextKeys=app:shop']) {
      expect((await ofBoth.rest(`GET /v2/subscribers/ada/preferences?contextKeys=${keys}`)).status).toBe(200)
    }
    expect((await ofBoth.rest('GET /v2/subscribers/ada/preferences?contextKeys=tenant:acme')).status).toBe(403)
  })

  test('create a missing context without the data that the session sends', async () => {
    const client = await world.environment()
    const ofAda = await browserOf(world, client, 'ada', { tenant: 'acme' })
    await client.act('deleteContext', { key: 'tenant:acme' })
    const context = { tenant: { id: 'acme', data: { plan: 'free of charge' } } }
    const { status } = await ofAda.rest('PATCH /v2/subscribers/ada/preferences', { body: { context, enabled: false } })
    expect(status).toBe(200)
    expect(await client.ask('{ context(key: "tenant:acme") { data } }')).toEqual({ context: { data: {} } })
  })

  test('return 404 once its subscriber is deleted', async () => {
    const client = await world.environment()
    const ofAda = await browserOf(world, client, 'ada')
    await client.act('deleteSubscriber', { subscriberId: 'ada' })
    expect((await ofAda.rest('GET /v2/subscribers/ada/preferences')).status).toBe(404)
  })
})
