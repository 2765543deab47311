// Scenarios of a product with many tenants, each of which is a context: their brand, sender and channels.
import { beforeEach, expect, test } from 'vitest'
import { messageTo, useReceiver } from '../support/delivery/receiver.ts'
import { readMail, smtp } from '../support/delivery/smtp.ts'
import { createIntegration, createWorkflow, done, feedOf, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const tenants = ['acme', 'globex']
const at = (path: string) => `${receiver.url}/${path}`
const onlyFor = (tenant: string) => ({ '==': [{ var: 'context.tenant.id' }, tenant] })

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
})

test('two tenants get their own brand from one workflow', async () => {
  const inApp = { body: 'Welcome to {{context.tenant.data.name}}', avatar: '{{context.tenant.data.logo}}' }
  await createWorkflow(acme, [{ inApp }])
  for (const id of tenants) {
    const data = { name: id.toUpperCase(), logo: `https://${id}.example/logo.png` }
    await trigger(acme, { context: { tenant: { id, data } } })
  }
  await world.work()
  for (const id of tenants) {
    expect(await feedOf(acme, 'ada', [`tenant:${id}`])).toMatchObject([
      { body: `Welcome to ${id.toUpperCase()}`, avatar: `https://${id}.example/logo.png` },
    ])
  }
})

test('each tenant sends its mail through its own account, and others through the common one', async () => {
  await createWorkflow(acme, [{ email: { subject: 'Hi', body: 'Hello' } }])
  await createIntegration(acme, 'EMAIL_WEBHOOK', at('common'), { identifier: 'common', primary: true })
  for (const id of tenants) {
    await createIntegration(acme, 'EMAIL_WEBHOOK', at(id), { identifier: id, conditions: onlyFor(id) })
  }
  for (const tenant of [...tenants, 'initech']) {
    await trigger(acme, { context: { tenant } })
    await world.work()
    expect(receiver.last.path).toBe(tenant === 'initech' ? '/common' : `/${tenant}`)
  }
})

test('each tenant writes from its own address through one account, and others from the address of the account', async () => {
  const { received, credentials } = await smtp()
  await createIntegration(acme, 'NODEMAILER', '', { identifier: 'smtp', credentials })
  const [from, senderName] = ['{{context.tenant.data.mail}}', '{{context.tenant.data.name}}']
  await createWorkflow(acme, [{ email: { subject: 'Hi', body: 'Hello', from, senderName } }])
  const senders = [
    { id: 'acme', data: { name: 'Acme', mail: 'hello@acme.example' } },
    { id: 'globex', data: { name: 'Globex', mail: 'hello@globex.example' } },
    { id: 'initech', data: {} },
  ]
  for (const tenant of senders) {
    await trigger(acme, { context: { tenant } })
    await world.work()
  }
  expect(received.map((mail) => [mail.from, readMail(mail).headers.get('from')])).toEqual([
    ['hello@acme.example', 'Acme <hello@acme.example>'],
    ['hello@globex.example', 'Globex <hello@globex.example>'],
    ['shop@example.com', 'The Shop <shop@example.com>'],
  ])
})

test('a channel of the workspace of each tenant gets what concerns this tenant, with its token', async () => {
  receiver.answer(200, { ok: true })
  await createWorkflow(acme, [{ chat: { body: 'Deployed' } }])
  for (const id of tenants) {
    await done(acme, 'createIntegration', {
      ...{ identifier: id, providerId: 'SLACK', conditions: onlyFor(id) },
      credentials: { botToken: `xoxb-${id}`, baseUrl: receiver.url },
    })
    await done(acme, 'createChannelEndpoint', {
      subscriberId: 'ada',
      integrationIdentifier: id,
      contexts: [{ type: 'tenant', identifier: id }],
      endpoint: { workspaceChatChannel: { channelId: `C-${id}` } },
    })
  }
  for (const tenant of tenants) {
    await trigger(acme, { context: { tenant } })
    await world.work()
  }
  expect(receiver.received.map(({ headers, json }) => [headers.authorization, json])).toEqual(
    tenants.map((id) => [`Bearer xoxb-${id}`, { channel: `C-${id}`, text: 'Deployed' }]),
  )
})

test('a number that is registered without context serves triggers without context; others need their own', async () => {
  await createIntegration(acme, 'GENERIC_SMS', receiver.url)
  await createWorkflow(acme, [{ sms: { body: 'Hello' } }])
  const register = (phoneNumber: string, contexts: object[]) =>
    done(acme, 'createChannelEndpoint', {
      ...{ subscriberId: 'ada', integrationIdentifier: 'generic_sms', contexts },
      endpoint: { phone: { phoneNumber } },
    })
  const reached = async (more: object) => {
    await trigger(acme, more)
    await world.work()
    return messageTo.parse(receiver.last.json).to
  }
  await register('+4930111111', [])
  const context = { tenant: 'acme' }
  expect(await reached({})).toBe('+4930111111')
  expect(await reached({ context })).toBe('+4915123456789')
  await register('+4930222222', [{ type: 'tenant', identifier: 'acme' }])
  expect(await reached({ context })).toBe('+4930222222')
})

test('of a topic, exactly the subscribers whose condition holds are reached', async () => {
  await createWorkflow(acme, [{ inApp: { body: '{{payload.price}}' } }])
  const subscribers = Array.from({ length: 300 }, (_, index) => `buyer-${index}`)
  await acme.rest('POST /v1/subscribers/bulk', {
    body: { subscribers: subscribers.map((subscriberId, index) => ({ subscriberId, data: { limit: index } })) },
  })
  const condition = { '<=': [{ var: 'payload.price' }, { var: 'subscriber.data.limit' }] }
  for (let from = 0; from < subscribers.length; from += 100) {
    const subscriptions = subscribers.slice(from, from + 100)
    const preferences = [{ workflowId: 'order', condition }]
    await acme.rest('POST /v2/topics/prices/subscriptions', { body: { subscriptions, preferences } })
  }
  const id = await trigger(acme, { to: { type: 'Topic', topicKey: 'prices' }, payload: { price: 200 } })
  await world.work()
  expect((await acme.rest<object>(`GET /v1/events/${id}`)).body).toMatchObject({
    outcome: 'partly',
    recipients: {
      ...{ total: 300, delivered: 100, nothing: 200 },
      groups: [
        { outcome: 'nothing', reason: 'topic_preference', count: 200 },
        { outcome: 'delivered', count: 100 },
      ],
    },
  })
  expect([await feedOf(acme, 'buyer-199'), await feedOf(acme, 'buyer-200')]).toMatchObject([[], [{ body: '200' }]])
})
