// The types of webhook messages, and what they cost.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { webhookTypes } from '../../src/domain/outbox/webhook-type.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { subscribe } from '../support/delivery/webhooks.ts'
import { bySendgrid, sendgridKey } from '../support/reports/signed.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()

const all = Object.keys(webhookTypes).map((type) => type.replace('.', '_').toUpperCase())

test('each change of a story has a message, with the data that its example has', async () => {
  const client = await world.environment()
  const crm = await subscribe(client, receiver, { eventTypes: all })
  const step = { inApp: { body: 'Hello', actions: [{ label: 'Approve', url: '/approve' }] } }
  const greeting = { identifier: 'greeting', name: 'Greeting', steps: [step] }
  await client.act('createWorkflow', greeting)
  await client.act('updateWorkflow', { identifier: 'greeting', name: 'Hello' })
  const to = [{ subscriber: { subscriberId: 'ada', firstName: 'Ada' } }]
  const contexts = [{ type: 'tenant', identifier: 'acme' }]
  await client.act('triggerEvent', { workflowIdentifier: 'greeting', to, contexts, transactionId: 'order-1' })
  await world.work()
  const feed = { subscriberId: 'ada', contextKeys: ['tenant:acme'] }
  await client.act('markNotifications', { ...feed, as: 'ARCHIVED' })
  await client.act('markNotifications', { ...feed, as: 'UNARCHIVED' })
  await client.act('markNotifications', { ...feed, as: 'UNREAD' })
  await client.act('markNotifications', { ...feed, as: 'UNSEEN' })
  const { subscriber } = await client.ask(
    '{ subscriber(subscriberId: "ada") { notifications(contextKeys: ["tenant:acme"]) { nodes { id } } } }',
  )
  const id = subscriber.notifications.nodes[0].id
  await client.act('snoozeNotification', { id, until: new Date(Date.now() + 86_400_000) })
  await client.act('unsnoozeNotification', { id })
  await client.act('completeNotificationAction', { id, action: 'PRIMARY' })
  await client.act('completeNotificationAction', { id, action: 'PRIMARY' })
  await client.act('updateSubscriber', { subscriberId: 'ada', lastName: 'Lovelace' })
  await client.act('updateSubscriberPreferences', { subscriberId: 'ada', enabled: false })
  await client.act('deleteSubscriber', { subscriberId: 'ada' })
  await client.act('deleteWorkflow', { identifier: 'greeting' })
  await world.work()
  const messages = crm.messages()
  expect(messages.map(({ type }) => type).sort()).toEqual(
    [
      ...['workflow.created', 'workflow.updated', 'workflow.deleted'],
      ...['subscriber.created', 'subscriber.updated', 'subscriber.deleted', 'preference.updated', 'message.sent'],
      ...['message.seen', 'message.unseen', 'message.read', 'message.archived', 'message.unarchived', 'message.unread'],
      ...['message.snoozed', 'message.unsnoozed', 'message.action_completed'],
    ].sort(),
  )
  for (const { type, data } of messages) {
    const { example } = webhookTypes[type as keyof typeof webhookTypes]
    const inFeed = Object.keys(example).filter((name) => name !== 'providerId' && name !== 'integrationIdentifier')
    expect([type, Object.keys(data).sort()]).toEqual([
      type,
      (type === 'message.sent' ? inFeed : Object.keys(example)).sort(),
    ])
  }
  expect(messages.find(({ type }) => type === 'message.sent')?.data).toMatchObject({
    ...{ subscriberId: 'ada', transactionId: 'order-1', contextKeys: ['tenant:acme'], channel: 'in_app' },
  })
})

test('the documentation has each type with its example', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)`\s*\| (.+?)\s*\| `(\{.*\})`\s*\|$/gm)]
  expect(
    rows.map(([, type, description, example = '']) => [type, { description, example: JSON.parse(example) }]),
  ).toEqual(Object.entries(webhookTypes))
})

describe('reports of a provider', () => {
  const url = async (client: Client) => {
    receiver.answer(202, '', { 'x-message-id': 'abc' })
    const credentials = {
      ...{ baseUrl: receiver.url, from: 'shop@example.com', apiKey: 'SG.key', webhookSigningKey: sendgridKey },
    }
    const given = { identifier: 'mail', providerId: 'SENDGRID', credentials }
    const { integration } = await done(client, 'createIntegration', given, 'integration { id }')
    const { environment } = await client.ask('{ environment { id } }')
    const [environmentId, integrationId] = [environment.id, integration.id].map((id) => decodeNodeId(id).id)
    return `http://gateway.test/v2/inbound-webhooks/delivery-providers/${environmentId}/${integrationId}`
  }

  test('about delivery, bounces and complaints have messages, and so do suppressions', async () => {
    const client = await world.environment()
    const crm = await subscribe(client, receiver, {
      eventTypes: ['MESSAGE_DELIVERED', 'MESSAGE_BOUNCED', 'MESSAGE_COMPLAINED', 'SUPPRESSION_CREATED'],
    })
    const reports = await url(client)
    await done(client, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
    await createWorkflow(client, [{ email: { stepId: 'mail', subject: 'Shipped', body: 'On its way' } }])
    await trigger(client)
    await world.work()
    const { deliveries } = await client.ask('{ deliveries { nodes { id } } }')
    const messageId = decodeNodeId(deliveries.nodes[0].id).id
    const now = world.gateway.now()
    const shared = { email: 'ada@example.com', delivery_id: messageId, timestamp: now.getTime() / 1000 }
    const events = [
      { ...shared, sg_event_id: '1', event: 'delivered' },
      { ...shared, sg_event_id: '2', event: 'bounce', type: 'bounce', reason: '550 5.1.1 does not exist' },
      { ...shared, sg_event_id: '3', event: 'spamreport' },
    ]
    const { body, headers } = bySendgrid(events, now)
    const send = () => world.app.fetch(new Request(reports, { method: 'POST', body, headers: { ...headers } }))
    for (const response of [await send(), await send()]) expect(response.status).toBe(200)
    await world.work()
    const messages = crm.messages()
    expect(messages.map(({ type }) => type).sort()).toEqual([
      ...['message.bounced', 'message.complained', 'message.delivered', 'suppression.created'],
    ])
    for (const { type, data } of messages) {
      const { example } = webhookTypes[type as keyof typeof webhookTypes]
      expect([type, Object.keys(data).sort()]).toEqual([type, Object.keys(example).sort()])
      expect(data['messageId']).toBe(messageId)
    }
  })
})

test('without a subscription, no change adds a statement', async () => {
  const client = await world.environment()
  const other = await world.environment()
  await subscribe(other, receiver, { eventTypes: all })
  const act = async () => {
    await client.act('upsertSubscriber', { subscriberId: 'ada', firstName: 'Ada' })
    await client.act('updateSubscriberPreferences', { subscriberId: 'ada', enabled: true })
    await client.act('createWorkflow', { identifier: 'greeting', name: 'Greeting', steps: [{ inApp: { body: 'Hi' } }] })
    await client.act('triggerEvent', { workflowIdentifier: 'greeting', to: [{ subscriber: { subscriberId: 'ada' } }] })
    await client.act('markNotifications', { subscriberId: 'ada', as: 'READ' })
  }
  const statements = await statementsOf(act)
  expect(statements.filter((text) => text.includes('webhook'))).toEqual([])
})

test('a filter by contexts only sends messages under exactly these contexts', async () => {
  const client = await world.environment()
  const acme = await subscribe(client, receiver, {
    ...{ identifier: 'acme', eventTypes: ['MESSAGE_SENT'], contextKeys: ['tenant:acme'], includeContent: true },
  })
  await client.act('createWorkflow', { identifier: 'greeting', name: 'Greeting', steps: [{ inApp: { body: 'Hi' } }] })
  for (const identifier of ['acme', 'globex']) {
    const contexts = [{ type: 'tenant', identifier }]
    const to = [{ subscriber: { subscriberId: 'ada' } }]
    await client.act('triggerEvent', { workflowIdentifier: 'greeting', to, contexts })
  }
  await world.work()
  expect(acme.messages().map(({ data }) => [data['contextKeys'], data['content']])).toEqual([
    [['tenant:acme'], { subject: null, body: 'Hi' }],
  ])
})

test.each([
  [{ url: 'ftp://example.com' }, 'url must be an absolute http or https URL'],
  [{ url: 'https://ada:secret@example.com' }, 'url must have no user name and no password'],
  [{ eventTypes: [] }, 'eventTypes must be at least 1 item long'],
  [{ url: 'crm' }, 'url must be an absolute http or https URL'],
  [{ secret: 'whsec_AAAA' }, 'secret must be "whsec_" and the base64 of 24 to 64 bytes'],
  [
    { secret: `whsec_${Buffer.alloc(65).toString('base64')}` },
    'secret must be "whsec_" and the base64 of 24 to 64 bytes',
  ],
  [{ contextKeys: ['tenant'] }, 'contextKeys[0] must have the form <type>:<id>, such as tenant:acme'],
])('rejects %o, and names the field', async (given, message) => {
  const client = await world.environment()
  const valid = { url: 'https://example.com/hook', eventTypes: ['MESSAGE_SENT'] }
  const { userErrors } = await client.act('createWebhookSubscription', { ...valid, ...given })
  expect(userErrors.map((error) => error.message)).toEqual([message])
})

test('rejects an unknown type, and the 21st subscription', async () => {
  const client = await world.environment()
  const body = { url: 'https://example.com/hook', eventTypes: ['message.lost'] }
  expect(await client.rest('POST /v2/webhook-subscriptions', { body })).toMatchObject({ status: 422 })
  for (let count = 0; count < 20; count += 1) {
    await client.act('createWebhookSubscription', { url: body.url, eventTypes: ['MESSAGE_SENT'] })
  }
  expect(await client.act('createWebhookSubscription', { url: body.url, eventTypes: ['MESSAGE_SENT'] })).toMatchObject({
    userErrors: [{ code: 'CONFLICT', field: ['identifier'] }],
  })
})
