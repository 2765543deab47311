// The REST API end to end: a client generated from a running gateway's OpenAPI document uses it like a caller.
import { beforeAll, expect, test, vi } from 'vitest'
import { strictClient } from '../support/contract.ts'
import { build, freshSettings, started } from '../support/process/gateway-process.ts'

vi.setConfig({ testTimeout: 120_000 })
beforeAll(build, 120_000)

test('a strict client manages subscribers, credentials, topics, endpoints, contexts and an environment, and triggers events', async () => {
  const { address, keys } = await started(await freshSettings())
  const development = await strictClient(address, keys[0] ?? '')
  const environment = await development.call('environment.create', {}, { name: 'Shop', color: '#059669' })
  const shop = await strictClient(address, environment.apiKeys[0].key)

  const ada = { subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com', data: { plan: 'pro' } }
  const created = await shop.call('subscriber.upsert', { 'idempotency-key': 'move-ada' }, ada)
  expect(await shop.call('subscriber.upsert', { 'idempotency-key': 'move-ada' }, ada)).toEqual(created)
  const named = { lastName: 'Lovelace', timezone: 'Europe/London' }
  expect(await shop.call('subscriber.update', { subscriberId: 'ada' }, named)).toMatchObject({ ...ada, ...named })
  const rows = [
    { subscriberId: 'ada' },
    { subscriberId: 'grace', channels: { slack: { webhookUrl: 'https://chat.example.com/grace' } } },
  ]
  expect(await shop.call('subscriber.bulk', {}, { subscribers: rows })).toEqual({
    created: [{ subscriberId: 'grace' }],
    updated: [{ subscriberId: 'ada' }],
    failed: [],
  })
  expect(
    await shop.call('subscriber.list', { email: 'ada@example.com', limit: 1, includeCursor: false }),
  ).toMatchObject({
    data: [{ subscriberId: 'ada' }],
    totalCount: 1,
    totalCountCapped: false,
    next: null,
    previous: null,
  })

  const fcm = (token: string) => ({ providerId: 'fcm', credentials: { deviceTokens: [token] } })
  await shop.call('subscriber.setCredentials', { subscriberId: 'ada' }, fcm('token-1'))
  expect(await shop.call('subscriber.appendCredentials', { subscriberId: 'ada' }, fcm('token-2'))).toMatchObject({
    channels: [{ _integrationId: '', providerId: 'fcm', credentials: { deviceTokens: ['token-1', 'token-2'] } }],
  })
  await shop.call('subscriber.deleteCredentials', { subscriberId: 'grace', providerId: 'slack' })
  expect(await shop.call('subscriber.get', { subscriberId: 'grace' })).toMatchObject({ channels: [] })

  await shop.call(
    'workflow.create',
    {},
    { identifier: 'order-shipped', name: 'Order shipped', steps: [{ type: 'in_app', body: 'It is on its way' }] },
  )
  await shop.call('topic.upsert', {}, { key: 'orders:eu', name: 'Orders' })
  const subscribed = await shop.call(
    'topicSubscription.create',
    { topicKey: 'orders:eu' },
    { subscriptions: ['ada', { subscriberId: 'grace', name: 'VIP' }], context: { tenant: { id: 'acme' } } },
  )
  expect(subscribed.meta).toEqual({ totalCount: 2, successful: 2, failed: 0 })
  const [{ identifier }] = subscribed.data
  expect(identifier).toBe('tk=orders:eu:si=ada:ctx=tenant:acme')
  const condition = { '>': [{ var: 'payload.total' }, 100] }
  expect(
    await shop.call(
      'topicSubscription.update',
      { topicKey: 'orders:eu', identifier },
      { name: 'Daily', preferences: [{ workflowId: 'order-shipped', condition }, { filter: { tags: ['news'] } }] },
    ),
  ).toMatchObject({
    name: 'Daily',
    preferences: [{ enabled: true, workflow: { identifier: 'order-shipped' }, condition }, { enabled: true }],
  })
  expect(
    await shop.call('topicSubscription.listOfSubscriber', { subscriberId: 'ada', contextKeys: ['tenant:acme'] }),
  ).toMatchObject({ data: [{ identifier }] })

  await shop.call('integration.create', {}, { identifier: 'texts', providerId: 'twilio', credentials: { token: 'x' } })
  const phone = await shop.call(
    'channelEndpoint.create',
    {},
    {
      subscriberId: 'ada',
      integrationIdentifier: 'texts',
      context: { tenant: 'acme', app: 'web' },
      type: 'phone',
      endpoint: { phoneNumber: '+4915123456789' },
    },
  )
  await shop.call(
    'channelEndpoint.update',
    { identifier: phone.identifier },
    { endpoint: { phoneNumber: '+4915198765432' } },
  )
  const of = (contextKeys: string[]) => shop.call('channelEndpoint.list', { subscriberId: 'ada', contextKeys })
  expect(await of(['tenant:acme', 'app:web'])).toMatchObject({
    data: [{ channel: 'sms', providerId: 'twilio', endpoint: { phoneNumber: '+4915198765432' } }],
  })
  expect(await of([])).toMatchObject({ data: [], next: null, previous: null, totalCount: 0 })

  await shop.call('context.update', { type: 'tenant', id: 'acme' }, { data: { plan: 'pro' } })
  expect(await shop.call('context.list', { type: 'tenant' })).toMatchObject({ data: [{ data: { plan: 'pro' } }] })
  expect(await shop.call('preference.update', { subscriberId: 'ada' }, { channels: { email: false } })).toMatchObject({
    global: { channels: { email: false } },
  })

  const order = { name: 'order-shipped', to: 'ada', payload: { total: 120 }, transactionId: 'order-1' }
  const processed = { acknowledged: true, status: 'processed' }
  expect(await shop.call('event.trigger', {}, { ...order, context: { tenant: 'acme' } })).toEqual({
    ...processed,
    transactionId: 'order-1',
  })
  const events = [
    { name: 'order-shipped', to: { type: 'Topic', topicKey: 'orders:eu', exclude: ['ada'] } },
    { name: 'order-shipped', to: [{ subscriberId: 'katherine', firstName: 'Katherine' }, 'ada'] },
  ]
  expect(await shop.call('event.triggerBulk', {}, { events })).toMatchObject([processed, processed])
  expect(await shop.call('subscriber.get', { subscriberId: 'katherine' })).toMatchObject({ firstName: 'Katherine' })

  await shop.call('channelEndpoint.delete', { identifier: phone.identifier })
  expect(await shop.call('topic.delete', { topicKey: 'orders:eu' })).toEqual({ acknowledged: true })
  expect(await shop.call('subscriber.delete', { subscriberId: 'grace' })).toMatchObject({ acknowledged: true })
  await development.call('environment.delete', { id: environment._id })
  await expect(shop.call('subscriber.list')).rejects.toThrow('API Key not found')
})
