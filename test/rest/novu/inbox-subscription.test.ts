// The topic subscriptions of a page, through the unmodified package.
import type { Novu } from '@novu/js'
import { beforeEach, describe, expect, test } from 'vitest'
import { openedPage, pageOf, sessionOf, stubFetch } from '../../support/novu/inbox.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client
let page: Novu
let token: string

const subscriber = { subscriberId: 'ada' }
const topicKey = 'orders'
const byDefault = 'tk=orders:si=ada'

stubFetch(world)
beforeEach(async () => {
  acme = await world.environment()
  for (const identifier of ['shipped', 'returned', 'news']) {
    await acme.act('createWorkflow', {
      ...{ identifier, name: identifier, tags: identifier === 'news' ? ['marketing'] : ['orders'] },
      steps: [{ inApp: { body: 'Hi' } }],
    })
  }
  ;({ page, token } = await openedPage(acme, { subscriber }))
})

async function call(method: string, path: string, body?: object) {
  const response = await world.app.fetch(
    new Request(`http://gateway.test/novu/v1/inbox${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  return {
    status: response.status,
    body: (text === '' ? {} : JSON.parse(text)) as { data?: unknown; message?: string },
  }
}

async function done<Data>(result: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await result
  if (error !== undefined) throw error as Error
  return data as Data
}

/** What a page sees of a preference. */
const shown = ({ enabled, condition, workflow }: { enabled: boolean; condition?: unknown; workflow?: object }) => ({
  ...{ enabled, condition },
  identifier: (workflow as { identifier: string } | undefined)?.identifier,
})

const plan = { '==': [{ var: 'payload.plan' }, 'pro'] }

/** The subscriptions of the topic, as a back end sees them. */
const stored = async (client = acme) =>
  (
    await client.ask(`{ topicSubscriptions(first: 50) { nodes {
      identifier name contextKeys subscriber { subscriberId } topic { key name }
      preferences {
        ... on TopicSubscriptionWorkflowPreference { enabled condition workflow { identifier } }
        ... on TopicSubscriptionGroupPreference { enabled condition tags workflows { identifier } }
      }
    } } }`)
  ).topicSubscriptions.nodes

describe('a page', () => {
  test('subscribes to a topic, which is created with its name', async () => {
    const created = await done(page.subscriptions.create({ topicKey, topicName: 'Orders', preferences: ['shipped'] }))
    expect(created).toMatchObject({ identifier: byDefault, topicKey })
    expect(created.preferences?.map(shown)).toEqual([{ enabled: true, condition: undefined, identifier: 'shipped' }])
    expect(await stored()).toMatchObject([
      {
        ...{ identifier: byDefault, name: null, contextKeys: [] },
        ...{ subscriber: { subscriberId: 'ada' }, topic: { key: 'orders', name: 'Orders' } },
      },
    ])
  })

  test('gives preferences in each of their forms', async () => {
    await done(
      page.subscriptions.create({
        ...{ topicKey, identifier: 'daily', name: 'Daily' },
        preferences: [
          'shipped',
          { workflowId: 'returned', enabled: false },
          { filter: { workflowIds: ['news'], tags: ['marketing'] }, condition: plan as never },
        ],
      }),
    )
    expect(await stored()).toMatchObject([
      {
        ...{ identifier: 'daily', name: 'Daily' },
        preferences: [
          { enabled: true, condition: null, workflow: { identifier: 'shipped' } },
          { enabled: false, condition: null, workflow: { identifier: 'returned' } },
          { enabled: true, condition: plan, tags: ['marketing'], workflows: [{ identifier: 'news' }] },
        ],
      },
    ])
  })

  test('reads one of them with the preferences that it selects, and null if there is none', async () => {
    await done(page.subscriptions.create({ topicKey, preferences: ['shipped', 'returned', 'news'] }))
    const read = async (args: object = {}) =>
      (await done(page.subscriptions.get({ topicKey, identifier: byDefault, ...args })))?.preferences?.map(
        (preference) => shown(preference).identifier,
      )
    expect(await read()).toEqual(['shipped', 'returned', 'news'])
    expect(await read({ workflowIds: ['returned'] })).toEqual(['returned'])
    expect(await read({ tags: ['orders'] })).toEqual(['shipped', 'returned'])
    expect(await read({ workflowIds: ['news'], tags: ['orders'] })).toEqual(['shipped', 'returned', 'news'])
    expect(await done(page.subscriptions.get({ topicKey, identifier: 'nothing' }))).toBeNull()
    expect(await done(page.subscriptions.get({ topicKey: 'nothing', identifier: byDefault }))).toBeNull()
  })

  test('lists those of a topic', async () => {
    expect(await done(page.subscriptions.list({ topicKey }))).toEqual([])
    await done(page.subscriptions.create({ topicKey, identifier: 'daily' }))
    await done(page.subscriptions.create({ topicKey, identifier: 'weekly' }))
    await done(page.subscriptions.create({ topicKey: 'other' }))
    const listed = await done(page.subscriptions.list({ topicKey }))
    expect(listed.map(({ identifier }) => identifier).sort()).toEqual(['daily', 'weekly'])
  })

  test('receives a subscription that exists, unchanged', async () => {
    const first = await done(page.subscriptions.create({ topicKey, topicName: 'Orders', preferences: ['shipped'] }))
    const second = await done(page.subscriptions.create({ topicKey, topicName: 'Mine', preferences: ['news'] }))
    expect(second.id).toBe(first.id)
    expect(second.preferences?.map((preference) => shown(preference).identifier)).toEqual(['shipped'])
    expect(await stored()).toMatchObject([{ topic: { name: 'Orders' } }])
  })

  test('changes the name and the preferences', async () => {
    const created = await done(page.subscriptions.create({ topicKey, preferences: ['shipped'] }))
    const updated = await done(created.update({ name: 'Mine', preferences: ['news'] } as never))
    expect(updated.preferences?.map((preference) => shown(preference).identifier)).toEqual(['news'])
    expect(await stored()).toMatchObject([{ name: 'Mine', preferences: [{ workflow: { identifier: 'news' } }] }])
    expect(await call('PATCH', `/topics/orders/subscriptions/${byDefault}`, { name: null })).toMatchObject({
      status: 200,
      body: { data: { identifier: byDefault } },
    })
    expect(await stored()).toMatchObject([{ name: null, preferences: [{ workflow: { identifier: 'news' } }] }])
  })

  test('deletes it', async () => {
    const created = await done(page.subscriptions.create({ topicKey }))
    await done(created.delete())
    expect(await stored()).toEqual([])
    expect((await call('DELETE', `/topics/orders/subscriptions/${byDefault}`)).status).toBe(404)
  })
})

describe('the preference for one workflow', () => {
  test('is turned off and on, and keeps its condition', async () => {
    const preferences = [{ workflowId: 'shipped', condition: plan as never }, 'news']
    const created = await done(page.subscriptions.create({ topicKey, preferences }))
    const [first] = created.preferences ?? []
    if (first === undefined) throw new Error('there is no preference')
    const off = await done(first.update({ value: false }))
    expect(off.subscriptionId).toBe(byDefault)
    expect(shown(off)).toEqual({ enabled: false, condition: plan, identifier: 'shipped' })
    const on = await done(created.updatePreference({ workflowId: 'shipped', value: true }))
    expect(shown(on)).toEqual({ enabled: true, condition: plan, identifier: 'shipped' })
    expect(await stored()).toMatchObject([
      { preferences: [{ workflow: { identifier: 'shipped' } }, { workflow: { identifier: 'news' } }] },
    ])
  })

  test('gets a condition', async () => {
    const created = await done(page.subscriptions.create({ topicKey, preferences: ['shipped'] }))
    const changed = await done(created.updatePreference({ workflowId: 'shipped', value: plan as never }))
    expect(shown(changed)).toEqual({ enabled: true, condition: plan, identifier: 'shipped' })
  })

  test('is added if the subscription has none', async () => {
    const created = await done(page.subscriptions.create({ topicKey }))
    await done(created.updatePreference({ workflowId: 'shipped', value: false }))
    expect(await stored()).toMatchObject([{ preferences: [{ enabled: false, workflow: { identifier: 'shipped' } }] }])
  })

  test('leaves the group that it was in', async () => {
    const filter = { workflowIds: ['shipped', 'returned'] }
    const created = await done(
      page.subscriptions.create({ topicKey, preferences: [{ filter, enabled: false, condition: plan as never }] }),
    )
    await done(created.updatePreference({ workflowId: 'shipped', value: true }))
    expect(await stored()).toMatchObject([
      {
        preferences: [
          { enabled: false, condition: plan, workflows: [{ identifier: 'returned' }] },
          { enabled: true, condition: plan, workflow: { identifier: 'shipped' } },
        ],
      },
    ])
    await done(created.updatePreference({ workflowId: 'returned', value: true }))
    expect(await stored()).toMatchObject([
      { preferences: [{ workflow: { identifier: 'returned' } }, { workflow: { identifier: 'shipped' } }] },
    ])
  })

  test('is changed together with others, in the order of the request', async () => {
    const created = await done(page.subscriptions.create({ topicKey, preferences: ['shipped', 'news'] }))
    const changed = await done(
      created.bulkUpdatePreferences([
        { workflowId: 'news', value: false },
        { workflowId: 'shipped', value: plan as never },
      ]),
    )
    expect(changed.map(shown)).toEqual([
      { enabled: false, condition: undefined, identifier: 'news' },
      { enabled: true, condition: plan, identifier: 'shipped' },
    ])
  })

  test('is not changed if another workflow of the request is missing', async () => {
    const created = await done(page.subscriptions.create({ topicKey, preferences: ['shipped'] }))
    const { error } = await created.bulkUpdatePreferences([
      { workflowId: 'shipped', value: false },
      { workflowId: 'nothing', value: false },
    ])
    expect(error).toMatchObject({ originalError: { message: expect.stringContaining('nothing') } })
    expect(await stored()).toMatchObject([{ preferences: [{ enabled: true }] }])
  })

  test('keeps changes of others that are made at the same time', async () => {
    const created = await done(page.subscriptions.create({ topicKey, preferences: ['shipped', 'returned', 'news'] }))
    await Promise.all(
      ['shipped', 'returned', 'news'].map((workflowId) => done(created.updatePreference({ workflowId, value: false }))),
    )
    expect(await stored()).toMatchObject([
      { preferences: [{ enabled: false }, { enabled: false }, { enabled: false }] },
    ])
  })

  test.each([
    ['a channel of its own', { enabled: true, email: false }, 422, 'email'],
    ['a condition that is none', { condition: { log: 'hi' } }, 422, 'condition'],
    ['an unknown field', { pigeon: true }, 422, 'pigeon'],
  ])('with %s is an error that names it', async (_what, body, status, field) => {
    await done(page.subscriptions.create({ topicKey, preferences: ['shipped'] }))
    expect(await call('PATCH', `/subscriptions/${byDefault}/preferences/shipped`, body)).toMatchObject({
      status,
      body: { message: expect.stringContaining(field) },
    })
  })

  test('is not found if the subscription or the workflow does not exist', async () => {
    await done(page.subscriptions.create({ topicKey }))
    const statusOf = async (identifier: string, workflow: string) =>
      (await call('PATCH', `/subscriptions/${identifier}/preferences/${workflow}`, { enabled: true })).status
    expect(await statusOf('nothing', 'shipped')).toBe(404)
    expect(await statusOf(byDefault, 'nothing')).toBe(404)
  })

  test('must be of one subscription, whose identifier is of one topic', async () => {
    for (const topicKey of ['orders', 'other']) await done(page.subscriptions.create({ topicKey, identifier: 'mine' }))
    expect(await call('PATCH', '/subscriptions/mine/preferences/shipped', { enabled: true })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('several topics') },
    })
    const preferences = [
      { subscriptionIdentifier: 'mine', workflowId: 'shipped', enabled: true },
      { subscriptionIdentifier: 'other', workflowId: 'shipped', enabled: true },
    ]
    expect(await call('PATCH', '/preferences/bulk', { preferences })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('subscriptionIdentifier') },
    })
    expect(
      await call('PATCH', '/preferences/bulk', {
        preferences: [{ workflowId: 'shipped', email: true }, preferences[0]],
      }),
    ).toMatchObject({ status: 422 })
  })
})

describe('what a page cannot do', () => {
  const subscribe = (body: object) => call('POST', '/topics/orders/subscriptions', body)

  test('is to take the default identifier of someone else', async () => {
    expect(await subscribe({ identifier: 'tk=orders:si=grace' })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('identifier must not begin with "tk="') },
    })
    expect((await subscribe({ identifier: byDefault })).status).toBe(201)
  })

  test('is to take an identifier of someone else', async () => {
    await acme.act('createSubscriber', { subscriberId: 'grace' })
    const subscriptions = [{ subscriberId: 'grace', identifier: 'daily' }]
    await acme.act('createTopicSubscriptions', { topicKey, subscriptions })
    expect((await subscribe({ identifier: 'daily' })).status).toBe(400)
    expect(await stored()).toMatchObject([{ subscriber: { subscriberId: 'grace' } }])
  })

  test('is to have more than ten subscriptions to a topic', async () => {
    for (let index = 0; index < 10; index += 1) await subscribe({ identifier: `s${index}` })
    expect(await subscribe({ identifier: 's10' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('maximum') },
    })
  })

  test.each([
    ['a condition that is none', { preferences: [{ workflowId: 'shipped', condition: { log: 'hi' } }] }, 'condition'],
    ['another subscriber', { subscriberId: 'grace' }, 'subscriberId'],
    ['data of the topic', { topic: { name: 'Orders', data: {} } }, 'data'],
    ['a long name of the topic', { topic: { name: 'a'.repeat(256) } }, 'topic.name'],
    ['an empty filter', { preferences: [{ filter: {} }] }, 'filter'],
  ])('is to send %s', async (_what, body, field) => {
    expect(await subscribe(body)).toMatchObject({ status: 422, body: { message: expect.stringContaining(field) } })
    expect(await stored()).toEqual([])
  })

  test('is to create a topic in an unsigned session, which can subscribe to one that exists', async () => {
    await acme.act('updateEnvironment', {
      identifier: (await acme.ask('{ environment { identifier } }')).environment.identifier,
      ...{ allowsUnsignedSessions: true, confirmUnsignedSessions: true },
    })
    const unsigned = await pageOf(acme, { subscriber, subscriberHash: undefined })
    expect((await sessionOf(unsigned)).error).toBeUndefined()
    expect((await unsigned.subscriptions.create({ topicKey })).error).toMatchObject({
      originalError: { message: expect.stringContaining('"orders" not found') },
    })
    expect((await acme.ask('{ topics { totalCount } }')).topics.totalCount).toBe(0)
    await acme.act('createTopic', { key: topicKey })
    expect((await unsigned.subscriptions.create({ topicKey })).data).toMatchObject({ identifier: byDefault })
  })
})

test('pages of another context, subscriber and environment have their own subscriptions', async () => {
  await done(page.subscriptions.create({ topicKey, identifier: 'mine', preferences: ['shipped'] }))
  const before = await stored()
  const pages = [
    await openedPage(acme, { subscriber, context: { tenant: 'acme' } }),
    await openedPage(acme, { subscriber: { subscriberId: 'grace' } }),
    await openedPage(await world.environment(), { subscriber }),
  ]
  for (const { page: other, token: others } of pages) {
    expect(await done(other.subscriptions.list({ topicKey }))).toEqual([])
    expect(await done(other.subscriptions.get({ topicKey, identifier: 'mine' }))).toBeNull()
    token = others
    const update = { name: 'Taken', preferences: [] }
    expect((await call('PATCH', '/topics/orders/subscriptions/mine', update)).status).toBe(404)
    expect((await call('DELETE', '/topics/orders/subscriptions/mine')).status).toBe(404)
    expect((await call('PATCH', '/subscriptions/mine/preferences/shipped', { enabled: false })).status).toBe(404)
  }
  expect(await stored()).toEqual(before)
  const { page: ofTenant } = await openedPage(acme, { subscriber, context: { tenant: 'acme' } })
  const { identifier } = await done(ofTenant.subscriptions.create({ topicKey }))
  expect(identifier).toBe('tk=orders:si=ada:ctx=tenant:acme')
})

test('an API key is not a page', async () => {
  token = acme.key
  expect((await call('GET', '/topics/orders/subscriptions')).status).toBe(401)
})

test('the number of statements does not grow with subscriptions and preferences', async () => {
  const list = () => done(page.subscriptions.list({ topicKey }))
  const create = (identifier: string, preferences: string[]) =>
    done(page.subscriptions.create({ topicKey, identifier, preferences }))
  await create('first', ['shipped'])
  const change = (subscription: Awaited<ReturnType<typeof create>>, workflows: string[]) => () =>
    done(subscription.bulkUpdatePreferences(workflows.map((workflowId) => ({ workflowId, value: false }))))
  const [one] = await list()
  if (one === undefined) throw new Error('there is no subscription')
  await change(one, ['shipped'])()
  const few = await statementsOf(list)
  const fewChanged = await statementsOf(change(one, ['shipped']))
  for (const identifier of ['second', 'third']) await create(identifier, ['shipped', 'returned', 'news'])
  expect((await statementsOf(list)).length).toBe(few.length)
  const all = ['shipped', 'returned', 'news']
  expect((await statementsOf(change(one, all))).length).toBe(fewChanged.length)
})
