// Webhook messages about reports of providers and about suppressions.
import { beforeEach, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { type Subscribed, subscribe } from '../support/delivery/webhooks.ts'
import { bySendgrid, sendgridKey } from '../support/reports/signed.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ baseUrl: 'https://gateway.example.com' })
const receiver = useReceiver()
const eventTypes = ['MESSAGE_DELIVERED', 'MESSAGE_BOUNCED', 'MESSAGE_COMPLAINED', 'SUPPRESSION_CREATED']
let acme: Client
let url: string
let events = 0
let subscriptions = 0

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  receiver.answer(202, '', { 'x-message-id': 'abc' })
  const credentials = {
    ...{ baseUrl: receiver.url, from: 'shop@example.com', apiKey: 'SG.key', webhookSigningKey: sendgridKey },
  }
  const given = { identifier: 'mail', providerId: 'SENDGRID', credentials }
  const { integration } = await done(acme, 'createIntegration', given, 'integration { inboundWebhook { url } }')
  url = integration.inboundWebhook.url ?? ''
  await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'Shipped', body: 'On its way' } }])
})

/** Subscribes with a path of its own, where messages of earlier tests do not arrive. */
const subscribed = (types: readonly string[] = eventTypes, client = acme) =>
  subscribe(client, receiver, { identifier: `crm-${(subscriptions += 1)}`, eventTypes: types })

/** Sends Ada a message. @returns its id. */
async function sent(more: object = {}): Promise<string> {
  const transactionId = await trigger(acme, more)
  await world.work()
  const { event } = await acme.ask(
    'query ($id: String!) { event(transactionId: $id) { runs { nodes { steps { deliveries { id } } } } } }',
    { id: transactionId },
  )
  return decodeNodeId(event.runs.nodes[0].steps[0].deliveries[0].id).id
}

/** Posts reports about messages in one request, each with an id of its own. */
async function report(...reports: readonly { readonly delivery_id: string }[]): Promise<void> {
  const now = world.gateway.now()
  const common = { email: 'ada@example.com', timestamp: now.getTime() / 1000 }
  const told = reports.map((one) => ({ ...common, sg_event_id: `event-${(events += 1)}`, ...one }))
  const { body, headers } = bySendgrid(told, now)
  const response = await world.app.fetch(new Request(url, { method: 'POST', body, headers: { ...headers } }))
  expect(response.status).toBe(200)
}

/** The messages that a subscription receives, as type and data. */
async function receivedBy({ messages }: Subscribed) {
  await world.work()
  return messages().map(({ type, data }) => ({ type, data }))
}

const reason = '550 5.1.1 <ada@example.com> does not exist'
const hardBounce = { event: 'bounce', type: 'bounce', reason }
const softBounce = { event: 'bounce', type: 'blocked', reason }
const dropped = { event: 'dropped', reason: 'Spam Content' }

describe('a report of a provider', () => {
  test.each([
    ['a delivery', { event: 'delivered' }, 'message.delivered'],
    ['a hard bounce', hardBounce, 'message.bounced'],
    ['a soft bounce', softBounce, 'message.bounced'],
    ['a message that was dropped', dropped, 'message.bounced'],
    ['a complaint', { event: 'spamreport' }, 'message.complained'],
  ])('of %s has a message', async (_name, event, type) => {
    const crm = await subscribed(eventTypes.slice(0, 3))
    const delivery_id = await sent({ transactionId: 'order-1', context: { tenant: 'acme' } })
    await report({ delivery_id, ...event })
    const common = {
      messageId: delivery_id,
      subscriberId: 'ada',
      transactionId: 'order-1',
      contextKeys: ['tenant:acme'],
    }
    const detail = 'reason' in event ? { detail: event.reason } : {}
    expect(await receivedBy(crm)).toMatchObject([{ type, data: { ...common, ...detail } }])
  })

  test.each(['processed', 'deferred', 'unsubscribe'])('of the kind "%s" has none', async (event) => {
    const crm = await subscribed()
    await report({ delivery_id: await sent(), ...{ event } })
    expect(await receivedBy(crm)).toEqual([])
  })

  test('has a message once, although the provider repeats it', async () => {
    const crm = await subscribed()
    const again = { delivery_id: await sent(), event: 'delivered', sg_event_id: 'the-same' }
    await report(again, again)
    await report(again)
    expect(await receivedBy(crm)).toMatchObject([{ type: 'message.delivered' }])
  })

  test('about a copy has no message', async () => {
    await done(acme, 'updateWorkflow', {
      identifier: 'order',
      steps: [{ email: { stepId: 'mail', subject: 'Shipped', body: 'On its way', cc: ['grace@example.com'] } }],
    })
    const crm = await subscribed(['MESSAGE_DELIVERED', 'MESSAGE_BOUNCED'])
    const delivery_id = await sent()
    await report({ delivery_id, ...hardBounce, ...{ email: 'grace@example.com' } }, { delivery_id, ...softBounce })
    expect(await receivedBy(crm)).toMatchObject([{ type: 'message.bounced', data: { messageId: delivery_id } }])
  })

  test('about the message of a deleted person has no detail', async () => {
    const crm = await subscribed()
    const delivery_id = await sent()
    await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
    await world.work()
    await report({ delivery_id, ...hardBounce })
    const messages = await receivedBy(crm)
    expect(messages).toMatchObject([{ type: 'message.bounced', data: { messageId: delivery_id, detail: null } }])
    expect(JSON.stringify(messages)).not.toContain('@example.com')
  })

  test('about a message of another environment has no message', async () => {
    const globex = await world.environment()
    const theirs = await subscribed(eventTypes, globex)
    await report({ delivery_id: await sent(), ...hardBounce })
    expect(await receivedBy(theirs)).toEqual([])
  })

  test('costs no statement for webhooks without a subscription that wants it', async () => {
    await subscribed(['MESSAGE_SENT'])
    const delivery_id = await sent()
    const kinds = [{ event: 'delivered' }, hardBounce, { event: 'spamreport' }]
    const statements = await statementsOf(() => report(...kinds.map((kind) => ({ delivery_id, ...kind }))))
    expect(statements.filter((text) => text.includes('webhook_'))).toEqual([])
  })

  test('needs no more statements in a request with others', async () => {
    await subscribed()
    const [first, ...others] = [await sent(), await sent(), await sent(), await sent()]
    const delivered = (delivery_id: string) => ({ delivery_id, event: 'delivered' })
    // The first report of an integration is also noted.
    await report(delivered(first))
    const one = await statementsOf(() => report(delivered(first)))
    const three = await statementsOf(() => report(...others.map(delivered)))
    expect(three).toHaveLength(one.length)
    expect(one.filter((text) => text.includes('webhook_'))).not.toEqual([])
  })
})

describe('a suppression', () => {
  const mine = { channel: 'EMAIL', address: 'ada@example.com' }

  test('by a caller has a message once', async () => {
    const crm = await subscribed()
    await done(acme, 'createSuppression', mine)
    expect(await acme.act('createSuppression', mine)).toMatchObject({ userErrors: [{ code: 'CONFLICT' }] })
    const messages = await receivedBy(crm)
    expect(messages).toMatchObject([
      { type: 'suppression.created', data: { channel: 'email', reason: 'manual', messageId: null, contextKeys: [] } },
    ])
    expect(JSON.stringify(messages)).not.toContain('ada')
  })

  test('by a complaint has the message and the contexts that it is about', async () => {
    const crm = await subscribed(['SUPPRESSION_CREATED'])
    const messageId = await sent({ context: { tenant: 'acme' } })
    await report({ delivery_id: messageId, ...{ event: 'spamreport' } })
    expect(await receivedBy(crm)).toMatchObject([
      { data: { channel: 'email', reason: 'complaint', messageId, contextKeys: ['tenant:acme'] } },
    ])
  })
})
