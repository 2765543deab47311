// Webhook messages and the network: a receiver that hangs, private addresses, and how long messages are kept.
import { afterEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { done } from '../support/delivery/story.ts'
import { subscribe } from '../support/delivery/webhooks.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { type Client, useWorld, type World } from '../support/world.ts'

const open = useWorld()
const guarded = useWorld({ allowPrivateAddresses: false })
const receiver = useReceiver()

const DAY = 24 * 3600_000

afterEach(() => open.setClock(undefined))

/** The last delivery of the subscription `crm`. */
async function deliveryOf(client: Client) {
  const { webhookSubscription } = await client.ask(
    '{ webhookSubscription(identifier: "crm") { deliveries(first: 1) { nodes { status attemptCount attempts { error } } } } }',
  )
  return webhookSubscription.deliveries.nodes[0]
}

const countsOf = async ({ gateway: { db } }: World, client: Client) => {
  const where = { environmentId: await environmentIdOf(client) }
  return [await db.webhookMessage.count({ where }), await db.webhookDelivery.count({ where })]
}

test('a receiver that hangs costs one attempt, and the next one delivers the message', async () => {
  const acme = await open.environment()
  const crm = await subscribe(acme, receiver, { eventTypes: ['SUBSCRIBER_CREATED'] })
  receiver.respond(() => {})
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
  await open.work()
  expect(await deliveryOf(acme)).toMatchObject({
    status: 'PENDING',
    attemptCount: 1,
    attempts: [{ error: expect.stringMatching(/did not respond within 2000 ms$/) }],
  })
  receiver.answer(200)
  open.setClock(new Date(Date.now() + 60_000))
  await open.work()
  expect(await deliveryOf(acme)).toMatchObject({ status: 'SUCCEEDED', attemptCount: 2 })
  const [first, second] = crm.messages()
  expect(second?.id).toBe(first?.id)
})

describe('a private address', () => {
  const input = { identifier: 'crm', eventTypes: ['SUBSCRIBER_CREATED'] }

  test.each([['http://127.0.0.1:8080/'], ['https://10.0.0.1/'], ['https://[::1]/'], ['http://169.254.169.254/latest']])(
    'is rejected when a subscription is created: %s',
    async (url) => {
      const acme = await guarded.environment()
      const { userErrors } = await acme.act('createWebhookSubscription', { ...input, url })
      expect(userErrors).toMatchObject([{ message: expect.stringContaining('ALLOW_PRIVATE_ADDRESSES') }])
    },
  )

  test('that a name resolves to is rejected when a message is sent', async () => {
    const acme = await guarded.environment()
    await done(acme, 'createWebhookSubscription', { ...input, url: `http://localhost:${receiver.port}/crm` })
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    await guarded.work()
    expect(await deliveryOf(acme)).toMatchObject({
      attempts: [{ error: expect.stringContaining('private address') }],
    })
    expect(receiver.received).toEqual([])
  })
})

describe('webhook messages', () => {
  test('are deleted after seven days, with their deliveries', async () => {
    const acme = await open.environment()
    await subscribe(acme, receiver, { eventTypes: ['SUBSCRIBER_CREATED'] })
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    await open.work()
    expect(await countsOf(open, acme)).toEqual([1, 1])
    open.setClock(new Date(Date.now() + 8 * DAY))
    await open.database.pool.query('DELETE FROM sweeps')
    await housekeepingOf(open).perform('retention')
    expect(await countsOf(open, acme)).toEqual([0, 0])
  })

  test('about a person who is erased do not name the person', async () => {
    const acme = await open.environment()
    const environmentId = await environmentIdOf(acme)
    const stored = async () => {
      const { rows } = await open.database.pool.query(
        `SELECT data::text FROM webhook_messages WHERE environment_id = $1
         UNION ALL SELECT attempts::text FROM webhook_deliveries WHERE environment_id = $1`,
        [environmentId],
      )
      return JSON.stringify(rows)
    }
    await subscribe(acme, receiver, { eventTypes: ['SUBSCRIBER_CREATED'] })
    await done(acme, 'createSubscriber', { subscriberId: 'ludmilla' })
    await open.work()
    expect(await stored()).toContain('ludmilla')
    await done(acme, 'eraseSubscriber', { subscriberId: 'ludmilla' })
    await open.work()
    expect(await stored()).not.toContain('ludmilla')
  })
})
