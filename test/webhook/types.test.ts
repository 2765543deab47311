// The types of webhook messages, and what they cost.
import { expect, test } from 'vitest'
import { webhookTypes } from '../../src/domain/outbox/webhook-type.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { subscribe } from '../support/delivery/webhooks.ts'
import { statementsOf } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()

const all = Object.keys(webhookTypes).map((type) => type.replace('.', '_').toUpperCase())

test('each change of a story has a message, with the data that its example has', async () => {
  const client = await world.environment()
  const crm = await subscribe(client, receiver, { eventTypes: all })
  const greeting = { identifier: 'greeting', name: 'Greeting', steps: [{ inApp: { body: 'Hello' } }] }
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
      ...['message.seen', 'message.read', 'message.archived', 'message.unarchived', 'message.unread'],
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
