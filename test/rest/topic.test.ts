// Topics and topic subscriptions in the REST API.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await acme.rest('POST /v1/subscribers/bulk', {
    body: { subscribers: [{ subscriberId: 'ada', firstName: 'Ada' }, { subscriberId: 'grace' }] },
  })
  await acme.rest('POST /v2/workflows', { body: { identifier: 'welcome', name: 'Welcome', severity: 'high' } })
})

const subscribe = (body: Record<string, unknown>) => acme.rest('POST /v2/topics/orders%3Aeu/subscriptions', { body })

describe('topics', () => {
  test('return 201 when new, 200 when they exist, and 409 with the existing topic if failIfExists is set', async () => {
    const created = await acme.rest('POST /v2/topics', { body: { key: 'orders:eu', name: 'Orders' } })
    expect(created).toMatchObject({ status: 201, body: { key: 'orders:eu', name: 'Orders', data: {} } })
    const again = await acme.rest('POST /v2/topics', { body: { key: 'orders:eu', data: { a: 1 } } })
    expect(again).toMatchObject({ status: 200, body: { _id: created.body._id, name: 'Orders', data: { a: 1 } } })
    const refused = await acme.rest('POST /v2/topics?failIfExists=true', { body: { key: 'orders:eu' } })
    expect(refused).toMatchObject({ status: 409, body: { statusCode: 409, _id: created.body._id } })
  })

  test('can be changed, deleted and read by key', async () => {
    await acme.rest('POST /v2/topics', { body: { key: 'ada@example.com', name: 'Mail' } })
    const path = '/v2/topics/ada%40example.com' as const
    expect((await acme.rest(`PATCH ${path}`, { body: { name: null } })).body).not.toHaveProperty('name')
    expect(await acme.rest(`DELETE ${path}`)).toMatchObject({ status: 200, body: { acknowledged: true } })
    expect(await acme.rest(`GET ${path}`)).toMatchObject({
      status: 404,
      body: { message: 'Topic "ada@example.com" not found' },
    })
  })
})

describe('subscriptions', () => {
  test('create a missing topic, succeed or fail one by one, and have the documented shape', async () => {
    const { status, body } = await subscribe({
      subscriptions: ['ada', { subscriberId: 'nobody' }, { subscriberId: 'grace', identifier: 'vip', name: 'VIP' }],
      name: 'Daily',
      preferences: [
        'welcome',
        { workflowId: 'welcome', condition: { '==': [{ var: 'payload.plan' }, 'pro'] }, enabled: false },
        'no such workflow',
      ],
      context: { tenant: 'acme' },
    })
    expect(status).toBe(201)
    expect(body.meta).toEqual({ totalCount: 3, successful: 2, failed: 1 })
    expect(body.errors).toEqual([
      { subscriberId: 'nobody', code: 'SUBSCRIBER_NOT_FOUND', message: 'Subscriber "nobody" not found' },
    ])
    const identifier = 'tk=orders:eu:si=ada:ctx=tenant:acme'
    const workflow = {
      id: expect.any(String),
      identifier: 'welcome',
      name: 'Welcome',
      critical: false,
      severity: 'high',
      tags: [],
      data: {},
    }
    expect(body.data[0]).toEqual({
      _id: expect.any(String),
      topic: { _id: expect.any(String), key: 'orders:eu', data: {} },
      subscriber: { _id: expect.any(String), subscriberId: 'ada', firstName: 'Ada' },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      identifier,
      name: 'Daily',
      preferences: [
        { subscriptionId: identifier, enabled: true, workflow },
        {
          subscriptionId: identifier,
          enabled: false,
          workflow,
          condition: { '==': [{ var: 'payload.plan' }, 'pro'] },
        },
      ],
      contextKeys: ['tenant:acme'],
    })
    expect(body.data[1]).toMatchObject({ identifier: 'vip', name: 'VIP', subscriber: { subscriberId: 'grace' } })
  })

  test.each([
    ['', {}],
    [', with an idempotency key too', { 'idempotency-key': 'subscribe' }],
  ])('return 400 and create neither topic nor context when all fail%s', async (_how, headers) => {
    const { status, body } = await acme.rest('POST /v2/topics/orders%3Aeu/subscriptions', {
      body: { subscriptions: ['nobody'], preferences: ['welcome'], context: { tenant: 'acme' } },
      headers,
    })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      statusCode: 400,
      data: [],
      meta: { totalCount: 1, successful: 0, failed: 1 },
      errors: [{ code: 'SUBSCRIBER_NOT_FOUND' }],
    })
    expect((await acme.rest('GET /v2/topics/orders%3Aeu')).status).toBe(404)
    expect((await acme.rest('GET /v2/contexts')).body.totalCount).toBe(0)
  })

  test('create no context when all fail because their identifiers are taken', async () => {
    await subscribe({ subscriptions: [{ subscriberId: 'ada', identifier: 'vip' }] })
    const refused = await subscribe({
      subscriptions: [{ subscriberId: 'grace', identifier: 'vip' }],
      context: { tenant: 'acme' },
    })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ code: 'IDENTIFIER_TAKEN' }] } })
    expect((await acme.rest('GET /v2/contexts')).body.totalCount).toBe(0)
  })

  test('can be patched: preferences are replaced whole, absent fields are kept, and invalid conditions return 422', async () => {
    await subscribe({ subscriptions: ['ada'], preferences: ['welcome'] })
    const path = '/v2/topics/orders%3Aeu/subscriptions/tk%3Dorders%3Aeu%3Asi%3Dada' as const
    const named = await acme.rest(`PATCH ${path}`, { body: { name: 'Weekly' } })
    expect(named).toMatchObject({ status: 200, body: { name: 'Weekly', preferences: [{ enabled: true }] } })
    expect(await acme.rest(`PATCH ${path}`, { body: {} })).toMatchObject({ status: 200, body: { name: 'Weekly' } })
    const group = await acme.rest(`PATCH ${path}`, {
      body: { preferences: [{ filter: { tags: ['news'] }, enabled: false }] },
    })
    expect(group.body.preferences).toEqual([
      { subscriptionId: 'tk=orders:eu:si=ada', enabled: false, filter: { tags: ['news'] } },
    ])
    expect((await acme.rest(`PATCH ${path}`, { body: { preferences: [] } })).body.preferences).toEqual([])
    const bad = await acme.rest(`PATCH ${path}`, {
      body: { preferences: [{ workflowId: 'welcome', condition: { log: 'x' } }] },
    })
    expect(bad.status).toBe(422)
    expect(Object.keys(bad.body.errors)[0]).toMatch(/^preferences\.0\.condition/)
  })

  test('show preferences that can be written back as they are: nothing vanishes', async () => {
    await acme.rest('POST /v2/workflows', { body: { identifier: 'alarm', name: 'Alarm', tags: ['news'] } })
    await subscribe({ subscriptions: ['ada'] })
    const path = '/v2/topics/orders%3Aeu/subscriptions/tk%3Dorders%3Aeu%3Asi%3Dada' as const
    const condition = { '==': [{ var: 'payload.plan' }, 'pro'] }
    const { body: written } = await acme.rest(`PATCH ${path}`, {
      body: {
        preferences: [
          'welcome',
          { workflowId: 'alarm', enabled: false, condition },
          { filter: { workflowIds: ['welcome', 'alarm'], tags: ['news', 'billing'] }, enabled: false, condition },
          { filter: { workflowIds: ['alarm'] } },
          { filter: { tags: ['billing'] }, enabled: false },
        ],
      },
    })
    const subscriptionId = 'tk=orders:eu:si=ada'
    const tags = ['news', 'billing']
    const welcome = expect.objectContaining({ identifier: 'welcome' })
    const alarm = expect.objectContaining({ identifier: 'alarm' })
    expect(written.preferences).toEqual([
      { subscriptionId, enabled: true, workflow: welcome },
      { subscriptionId, enabled: false, workflow: alarm, condition },
      { subscriptionId, enabled: false, workflow: welcome, filter: { workflowIds: ['welcome'], tags }, condition },
      { subscriptionId, enabled: false, workflow: alarm, filter: { workflowIds: ['alarm'], tags }, condition },
      { subscriptionId, enabled: true, workflow: alarm, filter: { workflowIds: ['alarm'] } },
      { subscriptionId, enabled: false, filter: { tags: ['billing'] } },
    ])
    const { preferences } = (await acme.rest(`GET ${path}`)).body
    expect(preferences).toEqual(written.preferences)
    const back = await acme.rest(`PATCH ${path}`, { body: { preferences } })
    expect(back).toMatchObject({ status: 200, body: { preferences: written.preferences } })
    await acme.rest('DELETE /v2/workflows/alarm')
    const rest = (await acme.rest(`GET ${path}`)).body.preferences
    expect(rest).toEqual([
      { subscriptionId, enabled: true, workflow: welcome },
      { subscriptionId, enabled: false, workflow: welcome, filter: { workflowIds: ['welcome'], tags }, condition },
      { subscriptionId, enabled: false, filter: { tags }, condition },
      { subscriptionId, enabled: false, filter: { tags: ['billing'] } },
    ])
    const again = await acme.rest(`PATCH ${path}`, { body: { preferences: rest } })
    expect(again).toMatchObject({ status: 200, body: { preferences: rest } })
  })

  test('show groups of many workflows, which can be written back although there are more than 100 entries', async () => {
    const workflowIds = Array.from({ length: 60 }, (_, index) => `alarm-${index}`)
    await Promise.all(
      workflowIds.map((identifier) => acme.rest('POST /v2/workflows', { body: { identifier, name: identifier } })),
    )
    await subscribe({ subscriptions: ['ada'] })
    const path = '/v2/topics/orders%3Aeu/subscriptions/tk%3Dorders%3Aeu%3Asi%3Dada' as const
    const written = await acme.rest(`PATCH ${path}`, {
      body: {
        preferences: [
          { filter: { workflowIds, tags: ['news'] }, enabled: false },
          { filter: { workflowIds }, enabled: true, condition: { '==': [{ var: 'payload.plan' }, 'pro'] } },
        ],
      },
    })
    expect(written.body.preferences).toHaveLength(120)
    const { preferences } = written.body
    const back = await acme.rest(`PATCH ${path}`, { body: { preferences } })
    expect(back).toMatchObject({ status: 200, body: { preferences } })
  })

  test('are listed by topic and by subscriber, and filtered by exact contexts', async () => {
    await subscribe({ subscriptions: ['ada', 'grace'] })
    await subscribe({ subscriptions: ['ada'], context: { tenant: 'acme' } })
    const count = async (path: `/${string}`) => (await acme.rest(`GET ${path}`)).body.totalCount
    expect(await count('/v2/topics/orders%3Aeu/subscriptions')).toBe(3)
    expect(await count('/v2/topics/orders%3Aeu/subscriptions?contextKeys=')).toBe(2)
    expect(await count('/v2/subscribers/ada/subscriptions')).toBe(2)
    expect(await count('/v2/subscribers/ada/subscriptions?contextKeys=tenant%3Aacme&key=orders%3Aeu')).toBe(1)
    expect((await acme.rest('GET /v2/subscribers/nobody/subscriptions')).status).toBe(404)
    expect((await acme.rest('GET /v2/topics/nothing/subscriptions')).status).toBe(404)
  })

  test('can be deleted by subscriberId or by identifier', async () => {
    await subscribe({ subscriptions: ['ada', { subscriberId: 'grace', identifier: 'vip' }] })
    const ended = await acme.rest('DELETE /v2/topics/orders%3Aeu/subscriptions', {
      body: { subscriptions: ['ada', { subscriberId: 'grace', identifier: 'vip' }, 'nobody'] },
    })
    expect(ended).toMatchObject({ status: 200, body: { meta: { successful: 2, failed: 1 } } })
    expect((await acme.rest('GET /v2/topics/orders%3Aeu/subscriptions')).body.totalCount).toBe(0)
  })
})
