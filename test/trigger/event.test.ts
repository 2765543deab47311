// Event triggers over REST and GraphQL.
import { beforeEach, describe, expect, test } from 'vitest'
import { activateAll } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createWorkflow', { identifier: 'welcome', name: 'Welcome', steps: [{ inApp: { body: 'Hello' } }] })
})

const trigger = (body: Record<string, unknown>) => acme.rest('POST /v1/events/trigger', { body })

describe('a trigger', () => {
  test('returns 201, and writes the event, the subscriber and the contexts', async () => {
    const answer = await trigger({
      name: 'welcome',
      to: { subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com' },
      payload: { plan: 'pro' },
      context: { tenant: { id: 'acme', data: { name: 'Acme' } }, app: 'shop' },
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ acknowledged: true, status: 'processed', transactionId: expect.any(String) })
    expect((await acme.rest('GET /v2/subscribers/ada')).body).toMatchObject({ firstName: 'Ada' })
    expect((await acme.rest('GET /v2/contexts/tenant/acme')).body.data).toEqual({ name: 'Acme' })
    const { event } = await acme.ask(
      `query ($id: String!) { event(transactionId: $id) {
         workflow { name } payload recipients contexts { key } contextKeys cancelledAt
       } }`,
      { id: answer.body.transactionId },
    )
    expect(event).toEqual({
      workflow: { name: 'Welcome' },
      payload: { plan: 'pro' },
      recipients: [{ subscriberId: 'ada' }],
      contextKeys: ['app:shop', 'tenant:acme'],
      contexts: [{ key: 'app:shop' }, { key: 'tenant:acme' }],
      cancelledAt: null,
    })
  })

  test('updates an existing subscriber, but not the data of an existing context', async () => {
    await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', firstName: 'Ada', phone: '+1' } })
    await acme.rest('POST /v2/contexts', { body: { type: 'tenant', id: 'acme', data: { plan: 'pro' } } })
    await trigger({
      name: 'welcome',
      to: { subscriberId: 'ada', firstName: 'Augusta', phone: null },
      context: { tenant: { id: 'acme', data: { plan: 'free' } } },
    })
    const { body } = await acme.rest('GET /v2/subscribers/ada')
    expect(body.firstName).toBe('Augusta')
    expect(body).not.toHaveProperty('phone')
    expect((await acme.rest('GET /v2/contexts/tenant/acme')).body.data).toEqual({ plan: 'pro' })
  })

  test('accepts a list of subscriber ids, subscribers and topics as recipients', async () => {
    await acme.act('createTopic', { key: 'news' })
    const { status } = await trigger({
      name: 'welcome',
      to: ['ada', { subscriberId: 'grace' }, { type: 'Topic', topicKey: 'news', exclude: ['eve'] }],
    })
    expect(status).toBe(201)
    expect((await acme.rest('GET /v2/subscribers/ada')).status).toBe(200)
  })

  test('with a transaction id creates one event, even if it is sent repeatedly and concurrently', async () => {
    const body = { name: 'welcome', to: 'ada', transactionId: 'order-1' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => trigger(body)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect((await acme.ask('{ events { totalCount nodes { transactionId } } }')).events).toEqual({
      totalCount: 1,
      nodes: [{ transactionId: 'order-1' }],
    })
    await trigger({ ...body, to: { subscriberId: 'grace' } })
    expect((await acme.rest('GET /v2/subscribers/grace')).status).toBe(404)
  })

  test('with a repeated transaction id is a duplicate, in the payload of the graph, and returns the first event', async () => {
    const to = [{ subscriber: { subscriberId: 'ada' } }]
    const send = (plan: string) =>
      acme.act(
        'triggerEvent',
        { name: 'welcome', to, transactionId: 'once', payload: { plan } },
        'duplicate event { transactionId payload }',
      )
    const first = { event: { transactionId: 'once', payload: { plan: 'free' } }, userErrors: [] }
    expect(await send('free')).toEqual({ ...first, duplicate: false })
    expect(await send('pro')).toEqual({ ...first, duplicate: true })
  })

  test('keeps its overrides, and notes those without effect', async () => {
    const overrides = { email: { from: 'news@example.com' }, layoutIdentifier: 'plain' }
    const eventWith = async (given: object) =>
      (
        await acme.act(
          'triggerEvent',
          { workflowIdentifier: 'welcome', to: [{ subscriber: { subscriberId: 'ada' } }], ...given },
          'event { overrides notes }',
        )
      ).event
    expect(await eventWith({ overrides })).toEqual({
      overrides,
      notes: ['overrides.layoutIdentifier was not used: the gateway has no layouts.'],
    })
    expect(await eventWith({})).toEqual({ overrides: {}, notes: [] })
  })

  test('that is rejected writes nothing', async () => {
    const context = { tenant: 'new' }
    const unknownWorkflow = await trigger({ name: 'nothing', to: 'ada', context })
    expect(unknownWorkflow).toMatchObject({ status: 404, body: { message: 'Workflow "nothing" not found' } })
    const unknownTopic = await trigger({ name: 'welcome', to: ['ada', { type: 'Topic', topicKey: 'no' }], context })
    expect(unknownTopic).toMatchObject({ status: 404, body: { message: 'Topic "no" not found' } })
    expect((await acme.rest('GET /v2/subscribers/ada')).status).toBe(404)
    expect((await acme.rest('GET /v2/contexts/tenant/new')).status).toBe(404)
    expect((await acme.ask('{ events { totalCount } }')).events.totalCount).toBe(0)
  })

  test('returns a 422 that names the invalid field', async () => {
    const bad = await trigger({ name: 'welcome', to: { subscriberId: 'ada', email: 'x' } })
    expect(bad).toMatchObject({ status: 422, body: { errors: { 'to.email': { value: 'x' } } } })
    const six = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((type) => [type, 'x']))
    const many = await trigger({ name: 'welcome', to: 'ada', context: six })
    expect(many).toMatchObject({
      status: 422,
      body: { errors: { context: { messages: [expect.stringContaining('5')] } } },
    })
    const nobody = await trigger({ name: 'welcome' })
    expect(nobody).toMatchObject({ status: 422, body: { errors: { to: expect.anything() } } })
  })

  test('returns 413 for a payload over 512 KB', async () => {
    const refused = await trigger({ name: 'welcome', to: 'ada', payload: { text: 'x'.repeat(512 * 1024) } })
    expect(refused.status).toBe(413)
  })
})

describe('channels of a subscriber in a trigger', () => {
  const push = (...deviceTokens: string[]) => ({ providerId: 'fcm', credentials: { deviceTokens } })
  const many = Array.from({ length: 101 }, (_, index) => `token-${index}`)
  const channelsOf = async (subscriberId = 'ada') =>
    (await acme.rest(`GET /v2/subscribers/${subscriberId}`)).body.channels.map(({ providerId, credentials }) => [
      providerId,
      credentials.webhookUrl ?? credentials.deviceTokens,
    ])

  test('are written as in a subscriber: each replaces all credentials of its provider', async () => {
    const webhookUrl = 'https://chat.example.com/hook'
    await trigger({
      name: 'welcome',
      to: { subscriberId: 'ada', channels: [push('one', 'two'), { providerId: 'slack', credentials: { webhookUrl } }] },
    })
    expect(await channelsOf()).toEqual([
      ['fcm', ['one', 'two']],
      ['slack', webhookUrl],
    ])
    await trigger({ name: 'welcome', to: ['grace', { subscriberId: 'ada', channels: [push('three')] }] })
    await trigger({ name: 'welcome', to: { subscriberId: 'ada', channels: [] } })
    await trigger({ name: 'welcome', to: { subscriberId: 'ada', channels: null } })
    expect(await channelsOf()).toEqual([
      ['fcm', ['three']],
      ['slack', webhookUrl],
    ])
  })

  test('can be an object by provider, in a bulk and for the actor too', async () => {
    await trigger({ name: 'welcome', to: { subscriberId: 'ada', channels: { fcm: { deviceTokens: ['one'] } } } })
    const actor = { subscriberId: 'eve', channels: { expo: { deviceTokens: ['three'] } } }
    await acme.rest('POST /v1/events/trigger/bulk', {
      body: {
        events: [
          { name: 'welcome', to: { subscriberId: 'grace', channels: { fcm: { deviceTokens: ['two'] } } } },
          { name: 'welcome', to: 'grace', actor },
        ],
      },
    })
    expect(await channelsOf()).toEqual([['fcm', ['one']]])
    expect(await channelsOf('grace')).toEqual([['fcm', ['two']]])
    expect(await channelsOf('eve')).toEqual([['expo', ['three']]])
  })

  test.each<[string, object, string]>([
    ['a provider without credentials', [{ providerId: 'twilio', credentials: {} }], 'providerId'],
    ['an invalid URL', [{ providerId: 'slack', credentials: { webhookUrl: 'x' } }], 'credentials.webhookUrl'],
    ['an empty entry', [{}], 'providerId'],
  ])('with %s are rejected, with the path of the field', async (_what, channels, field) => {
    const alone = await trigger({ name: 'welcome', to: { subscriberId: 'ada', channels } })
    expect(alone).toMatchObject({ status: 422, body: { errors: { [`to.channels.0.${field}`]: {} } } })
    const second = await trigger({ name: 'welcome', to: ['grace', { subscriberId: 'ada', channels }] })
    expect(second).toMatchObject({ status: 422, body: { errors: { [`to.1.channels.0.${field}`]: {} } } })
    expect((await acme.rest('GET /v2/subscribers/grace')).status).toBe(404)
  })

  test('have at most 100 device tokens, and a trigger with more writes nothing', async () => {
    const transactionId = 'too-many'
    const to = ['grace', { subscriberId: 'ada', channels: [push(...many)] }]
    expect(await trigger({ name: 'welcome', to, transactionId })).toMatchObject({
      status: 400,
      body: {
        ctx: { currentCount: 0, limit: 100 },
        errors: [{ field: 'to.1.channels.0.credentials.deviceTokens' }],
      },
    })
    expect((await acme.rest('GET /v2/subscribers/ada')).status).toBe(404)
    expect(await acme.ask('{ event(transactionId: "too-many") { transactionId } }')).toEqual({ event: null })
  })

  test('are the same over GraphQL, where the error has the path in the input', async () => {
    const channels = (...deviceTokens: string[]) => [{ providerId: 'FCM', credentials: { deviceTokens } }]
    const send = (subscriber: object) =>
      acme.act('triggerEvent', {
        workflowIdentifier: 'welcome',
        to: [{ subscriber: { subscriberId: 'ada', ...subscriber } }],
      })
    expect((await send({ channels: channels('one') })).userErrors).toEqual([])
    expect(await channelsOf()).toEqual([['fcm', ['one']]])
    expect((await send({ channels: channels(...many) })).userErrors).toMatchObject([
      { field: ['to', '0', 'subscriber', 'channels', '0', 'credentials', 'deviceTokens'] },
    ])
  })

  test('are used by the trigger that names them, and by its preview, which does not keep them', async () => {
    await acme.act('createIntegration', { identifier: 'push', providerId: 'FCM' })
    await activateAll(world)
    await acme.act('createWorkflow', {
      identifier: 'ring',
      name: 'Ring',
      steps: [{ push: { subject: 'x', body: 'x' } }],
    })
    const { previewTrigger } = await acme.ask(
      `{ previewTrigger(input: {
           workflowIdentifier: "ring"
           to: [{ subscriber: {
             subscriberId: "ada", channels: [{ providerId: FCM, credentials: { deviceTokens: ["token-one"] } }]
           } }]
         }) { runs { steps { messages { destination } } } } }`,
    )
    expect(previewTrigger.runs).toEqual([{ steps: [{ messages: [{ destination: 'device …-one' }] }] }])
    expect((await acme.rest('GET /v2/subscribers/ada')).status).toBe(404)
  })
})

describe('POST /v1/events/trigger/bulk', () => {
  test('lets each event succeed or fail independently', async () => {
    const { status, body } = await acme.rest('POST /v1/events/trigger/bulk', {
      body: {
        events: [
          { name: 'welcome', to: 'ada', transactionId: 'one' },
          { name: 'nothing', to: 'grace', transactionId: 'two' },
          { name: 'welcome', to: 'eve', transactionId: 'three' },
        ],
      },
    })
    expect(status).toBe(201)
    expect(body).toEqual([
      { acknowledged: true, status: 'processed', transactionId: 'one' },
      { acknowledged: true, status: 'error', transactionId: 'two', error: ['Workflow "nothing" not found'] },
      { acknowledged: true, status: 'processed', transactionId: 'three' },
    ])
    expect((await acme.rest('GET /v2/subscribers/grace')).status).toBe(404)
    expect((await acme.rest('GET /v2/subscribers/eve')).status).toBe(200)
  })
})

describe('DELETE /v1/events/trigger/{transactionId}', () => {
  test('returns whether there was anything to cancel', async () => {
    await trigger({ name: 'welcome', to: 'ada', transactionId: 'order-1' })
    expect(await acme.rest('DELETE /v1/events/trigger/order-1')).toMatchObject({ status: 200, body: true })
    expect(await acme.rest('DELETE /v1/events/trigger/order-1')).toMatchObject({ status: 200, body: false })
  })
})

describe('triggerEvent', () => {
  test('follows the same rules as REST, and returns the input path of a rejected field', async () => {
    const accepted = await acme.act(
      'triggerEvent',
      {
        name: 'welcome',
        to: [{ subscriber: { subscriberId: 'ada' } }],
        contexts: [{ type: 'tenant', identifier: 'acme' }],
      },
      'event { workflowIdentifier contextKeys }',
    )
    expect(accepted).toEqual({ event: { workflowIdentifier: 'welcome', contextKeys: ['tenant:acme'] }, userErrors: [] })
    const refused = await acme.act(
      'triggerEvent',
      { workflowIdentifier: 'welcome', to: [{ subscriber: { subscriberId: 'ada', email: 'x' } }] },
      'event { id }',
    )
    expect(refused.userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['to', '0', 'subscriber', 'email'] }])
    const unknown = await acme.act(
      'triggerEvent',
      { workflowIdentifier: 'nothing', to: [{ subscriber: { subscriberId: 'ada' } }] },
      'event { id }',
    )
    expect(unknown.userErrors).toEqual([
      { code: 'NOT_FOUND', message: 'Workflow "nothing" not found', field: ['workflowIdentifier'] },
    ])
  })
})
