// A whole story of an existing caller. Every answer is held against the OpenAPI document on its way (support/contract).
import { expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

test('a caller moves in: subscribers, credentials, topics, endpoints, contexts, an environment and a trigger', async () => {
  const environment = await world.development.rest('POST /v1/environments', {
    body: { name: 'Shop', color: '#059669' },
  })
  const shop = world.client(environment.body.apiKeys[0].key)

  await shop.rest('POST /v2/subscribers', { body: { subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com' } })
  const updated = await shop.rest('PATCH /v2/subscribers/ada', {
    body: { lastName: 'Lovelace', timezone: 'Europe/London' },
  })
  expect(updated.body).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace' })
  const bulk = await shop.rest('POST /v1/subscribers/bulk', {
    body: { subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }] },
  })
  expect(bulk.body).toEqual({ created: [{ subscriberId: 'grace' }], updated: [{ subscriberId: 'ada' }], failed: [] })
  const found = await shop.rest('GET /v2/subscribers?email=ada%40example.com')
  expect(found.body).toMatchObject({ data: [{ subscriberId: 'ada' }], totalCount: 1, next: null, previous: null })
  const reachable = await shop.rest('PUT /v1/subscribers/ada/credentials', {
    body: { providerId: 'fcm', credentials: { deviceTokens: ['token-1'] } },
  })
  expect(reachable.body.channels).toMatchObject([{ providerId: 'fcm', credentials: { deviceTokens: ['token-1'] } }])

  await shop.rest('POST /v2/workflows', { body: { identifier: 'order-shipped', name: 'Order shipped' } })
  await shop.rest('POST /v2/topics', { body: { key: 'orders', name: 'Orders' } })
  const subscribed = await shop.rest('POST /v2/topics/orders/subscriptions', { body: { subscriptions: ['ada'] } })
  const { identifier } = subscribed.body.data[0]
  const changed = await shop.rest(`PATCH /v2/topics/orders/subscriptions/${encodeURIComponent(identifier)}`, {
    body: { preferences: [{ workflowId: 'order-shipped', condition: { '>': [{ var: 'payload.total' }, 100] } }] },
  })
  expect(changed.body.preferences).toMatchObject([{ enabled: true, workflow: { identifier: 'order-shipped' } }])

  await shop.rest('POST /v1/integrations', {
    body: { identifier: 'texts', providerId: 'twilio', channel: 'sms', credentials: { token: 'secret' } },
  })
  await shop.rest('POST /v1/channel-endpoints', {
    body: {
      subscriberId: 'ada',
      integrationIdentifier: 'texts',
      context: { tenant: 'acme' },
      type: 'phone',
      endpoint: { phoneNumber: '+4915123456789' },
    },
  })
  const endpoints = await shop.rest('GET /v1/channel-endpoints?subscriberId=ada&contextKeys=tenant%3Aacme')
  expect(endpoints.body.data).toMatchObject([{ type: 'phone', endpoint: { phoneNumber: '+4915123456789' } }])

  await shop.rest('PATCH /v2/contexts/tenant/acme', { body: { data: { plan: 'pro' } } })
  await shop.rest('PATCH /v2/subscribers/ada/preferences', { body: { channels: { email: false } } })
  const triggered = await shop.rest('POST /v1/events/trigger', {
    body: {
      name: 'order-shipped',
      to: 'ada',
      payload: { total: 120 },
      context: { tenant: 'acme' },
      transactionId: 'order-1',
    },
  })
  expect(triggered.body).toEqual({ acknowledged: true, status: 'processed', transactionId: 'order-1' })

  await shop.rest('DELETE /v2/subscribers/grace')
  expect(await world.development.rest(`DELETE /v1/environments/${environment.body._id}`)).toMatchObject({ status: 200 })
  expect((await shop.rest('GET /v2/subscribers')).status).toBe(401)
})
