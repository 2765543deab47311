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

describe('the topic subscriptions of a session', () => {
  const mine = { subscriberId: 'ada', contextKeys: ['tenant:acme'], topicKey: 'orders', identifier: 'mine' }
  const all = (client: Client) =>
    client.ask(
      '{ topicSubscriptions(orderBy: { field: IDENTIFIER }) { nodes { identifier name version contextKeys subscriber { subscriberId } } } }',
    )
  const workflows = 'preferences { enabled condition tags workflows { identifier } }'
  let client: Client
  let hers: Client

  beforeAll(async () => {
    client = await world.environment()
    for (const subscriberId of ['ada', 'grace']) await client.act('createSubscriber', { subscriberId })
    const steps = [{ inApp: { body: 'Hi' } }]
    for (const identifier of ['shipped', 'news'])
      await client.act('createWorkflow', { identifier, name: identifier, steps })
    hers = await browserOf(world, client, 'ada', { tenant: 'acme' })
  })

  test('can be created, read, changed and deleted in the graph', async () => {
    const entry = { group: { workflowIdentifiers: ['shipped'], tags: ['orders'], condition: { '!': [false] } } }
    const input = { ...mine, topicName: 'Orders', name: 'Mine', preferences: [{ workflowIdentifier: 'news' }, entry] }
    const created = await hers.act('subscribeToTopic', input, `ownTopicSubscription { identifier ${workflows} }`)
    const preferences = [
      { enabled: true, condition: null, tags: [], workflows: [{ identifier: 'news' }] },
      { enabled: true, condition: { '!': [false] }, tags: ['orders'], workflows: [{ identifier: 'shipped' }] },
    ]
    expect(created).toEqual({ ownTopicSubscription: { identifier: 'mine', preferences }, userErrors: [] })
    const { session } = await hers.ask(`{ session {
      topicSubscriptions(topicKey: "orders") { identifier name topicKey ${workflows} }
      topicSubscription(topicKey: "orders", identifier: "mine") { identifier }
      missing: topicSubscription(topicKey: "orders", identifier: "nothing") { identifier }
    } }`)
    expect(session).toEqual({
      topicSubscriptions: [{ identifier: 'mine', name: 'Mine', topicKey: 'orders', preferences }],
      topicSubscription: { identifier: 'mine' },
      missing: null,
    })
    const changed = await hers.act(
      'updateOwnSubscriptionPreferences',
      { ...mine, preferences: [{ workflowIdentifier: 'shipped', enabled: false, condition: null }] },
      `ownTopicSubscription { ${workflows} }`,
    )
    expect(changed.ownTopicSubscription.preferences).toEqual([
      preferences[0],
      { enabled: true, condition: { '!': [false] }, tags: ['orders'], workflows: [] },
      { enabled: false, condition: null, tags: [], workflows: [{ identifier: 'shipped' }] },
    ])
    const updated = await hers.act(
      'updateOwnTopicSubscription',
      { ...mine, name: null, preferences: null },
      `ownTopicSubscription { name ${workflows} }`,
    )
    expect(updated.ownTopicSubscription).toEqual({ name: null, preferences: [] })
    expect(await hers.act('unsubscribeFromTopic', mine, 'deletedIdentifier')).toEqual({
      deletedIdentifier: 'mine',
      userErrors: [],
    })
    expect((await all(client)).topicSubscriptions.nodes).toEqual([])
  })

  test('are created with the contexts of the session, without data', async () => {
    await client.act('deleteContext', { key: 'tenant:acme' })
    await hers.act('subscribeToTopic', mine)
    expect(await client.ask('{ context(key: "tenant:acme") { data } }')).toEqual({ context: { data: {} } })
  })

  test.each([
    ['another subscriber', { subscriberId: 'grace', contextKeys: ['tenant:acme'] }],
    ['no context', { subscriberId: 'ada', contextKeys: [] }],
    ['another context', { subscriberId: 'ada', contextKeys: ['tenant:globex'] }],
    ['one context more', { subscriberId: 'ada', contextKeys: ['app:shop', 'tenant:acme'] }],
  ])('exclude those of %s', async (_whose, owner) => {
    const identifier = JSON.stringify(owner)
    const other = { topicKey: 'orders', identifier }
    expect(await client.act('subscribeToTopic', { ...owner, ...other })).toEqual({ userErrors: [] })
    const before = await all(client)
    const own = { subscriberId: 'ada', contextKeys: ['tenant:acme'], ...other }
    const preferences = [{ workflowIdentifier: 'shipped', enabled: false }]
    const changes = [
      ['updateOwnTopicSubscription', { name: 'Mallory', preferences: [] }, 'NOT_FOUND'],
      ['updateOwnSubscriptionPreferences', { preferences }, 'NOT_FOUND'],
      ['unsubscribeFromTopic', {}, 'NOT_FOUND'],
      ['subscribeToTopic', {}, 'CONFLICT'],
    ] as const
    for (const [name, change, code] of changes) {
      const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
      const mutation = `mutation ($input: ${typeName}!) { ${name}(input: $input) { userErrors { code } } }`
      const named = await hers.send(mutation, { input: { ...owner, ...other, ...change } })
      expect([name, named.errors]).toMatchObject([name, [forbidden]])
      expect([name, (await hers.act(name, { ...own, ...change })).userErrors]).toMatchObject([name, [{ code }]])
    }
    const { session } = await hers.ask(
      `query ($identifier: String!) { session {
        topicSubscriptions(topicKey: "orders") { identifier }
        topicSubscription(topicKey: "orders", identifier: $identifier) { identifier }
      } }`,
      { identifier },
    )
    expect(session.topicSubscription).toBeNull()
    expect(JSON.stringify(session.topicSubscriptions)).not.toContain('globex')
    expect(await all(client)).toEqual(before)
  })

  test('can only be read if a read-only key signed the session', async () => {
    const { newApiKey } = await client.act('createApiKey', { name: 'Page', access: 'READ_ONLY' }, 'newApiKey { key }')
    const reading = await browserOf(world, { ...client, key: newApiKey.key }, 'ada', { tenant: 'acme' })
    expect(
      (await reading.ask('{ session { topicSubscriptions(topicKey: "orders") { identifier } } }')).session,
    ).toBeTruthy()
    const mutation =
      'mutation ($input: SubscribeToTopicInput!) { subscribeToTopic(input: $input) { userErrors { code } } }'
    expect((await reading.send(mutation, { input: mine })).errors).toMatchObject([forbidden])
  })
})
