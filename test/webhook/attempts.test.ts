// Attempts to deliver webhook messages: failures, their schedule, and what deactivates a subscription.
import { afterEach, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { subscribe } from '../support/delivery/webhooks.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()

const HOUR = 3_600_000
const start = new Date('2030-01-01T00:00:00.000Z')
const at = (milliseconds: number) => new Date(start.getTime() + milliseconds)

let last: Client | undefined

/** Begins at `start` with a subscription, and a message for it. */
async function begin(): Promise<Client> {
  world.setClock(start)
  const client = await world.environment()
  last = client
  await subscribe(client, receiver, { eventTypes: ['SUBSCRIBER_CREATED'] })
  await client.act('createSubscriber', { subscriberId: 'ada' })
  return client
}

// What is still pending would be sent to the receiver of the next test.
afterEach(() => last?.act('deleteWebhookSubscription', { identifier: 'crm' }))

const logOf = async (client: Client) => {
  const { webhookSubscription } = await client.ask(
    `{ webhookSubscription(identifier: "crm") { active disabledReason deliveries(first: 1) { nodes {
       id status attemptCount nextAttemptAt body attempts { statusCode answer error } } } } }`,
  )
  const { deliveries, ...subscription } = webhookSubscription
  const [delivery] = deliveries.nodes
  return { ...subscription, delivery }
}

test('a receiver that is down for a day gets the message when it is back, with the same id', async () => {
  const client = await begin()
  receiver.answer(503, 'down for maintenance')
  for (const hours of [0, 0.01, 0.2, 1, 4, 10, 21, 24]) {
    world.setClock(at(hours * HOUR))
    await world.work()
  }
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  expect(ids.size).toBe(1)
  const down = await logOf(client)
  expect(down).toMatchObject({ active: true, delivery: { status: 'PENDING' } })
  expect(down.delivery.attempts[0]).toEqual({
    statusCode: 503,
    answer: 'down for maintenance',
    error: 'The receiver responded with 503.',
  })
  const before = receiver.received.length
  expect(before).toBeGreaterThanOrEqual(6)
  receiver.answer(204)
  world.setClock(at(40 * HOUR))
  await world.work()
  expect(receiver.received.length).toBe(before + 1)
  expect(await logOf(client)).toMatchObject({ delivery: { status: 'SUCCEEDED', nextAttemptAt: null } })
})

test('the message fails after ten attempts, each within 10 % of the schedule, and can be retried', async () => {
  const client = await begin()
  receiver.answer(500)
  const pauses: number[] = []
  let now = start.getTime()
  for (;;) {
    await world.work()
    const { delivery } = await logOf(client)
    if (delivery.nextAttemptAt === null) break
    const next = new Date(delivery.nextAttemptAt).getTime()
    pauses.push((next - now) / 1000)
    now = next
    world.setClock(new Date(now))
  }
  const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
  expect(pauses).toHaveLength(schedule.length)
  for (const [index, pause] of pauses.entries()) {
    const planned = schedule[index] ?? 0
    expect(Math.abs(pause - planned)).toBeLessThanOrEqual(planned * 0.1 + 0.001)
  }
  const { delivery } = await logOf(client)
  expect(delivery).toMatchObject({ status: 'FAILED', attemptCount: 10 })
  receiver.answer(200)
  await client.act('retryWebhookDelivery', { id: delivery.id })
  await world.work()
  expect(await logOf(client)).toMatchObject({ delivery: { status: 'SUCCEEDED', attemptCount: 1 } })
})

test('Retry-After puts off the next attempt', async () => {
  const client = await begin()
  receiver.answer(429, '', { 'retry-after': '3600' })
  await world.work()
  const { delivery } = await logOf(client)
  expect(new Date(String(delivery.nextAttemptAt))).toEqual(at(HOUR))
})

test('a redirect is a failure, and is not followed', async () => {
  const client = await begin()
  receiver.answer(302, '', { location: `${receiver.url}/elsewhere` })
  await world.work()
  expect(receiver.received.map(({ path }) => path)).toEqual(['/crm'])
  const { delivery } = await logOf(client)
  expect(delivery.attempts[0].error).toBe('The receiver responded with 302: redirects are not followed.')
})

test('410 deactivates the subscription, and says so', async () => {
  const client = await begin()
  receiver.answer(410)
  await world.work()
  expect(await logOf(client)).toMatchObject({
    active: false,
    disabledReason: 'The receiver answered 410: it wants no more messages.',
    delivery: { status: 'FAILED' },
  })
  expect(world.logged).toContainEqual(expect.objectContaining({ msg: 'webhook subscription deactivated' }))
  await client.act('createSubscriber', { subscriberId: 'grace' })
  await world.work()
  expect(receiver.received).toHaveLength(1)
})

test('nothing but failures for five days deactivates the subscription; what was pending is sent once it is activated', async () => {
  const client = await begin()
  receiver.answer(500)
  await world.work()
  world.setClock(at(4 * 24 * HOUR))
  await client.act('createSubscriber', { subscriberId: 'grace' })
  await world.work()
  expect(await logOf(client)).toMatchObject({ active: true })
  world.setClock(at(5 * 24 * HOUR))
  await world.work()
  expect(await logOf(client)).toMatchObject({
    active: false,
    disabledReason: 'Every attempt of the last 5 days failed.',
  })
  receiver.answer(200)
  const before = receiver.received.length
  world.setClock(at(6 * 24 * HOUR))
  await world.work()
  expect(receiver.received).toHaveLength(before)
  await client.act('updateWebhookSubscription', { identifier: 'crm', active: true })
  await world.work()
  expect(receiver.received.length).toBeGreaterThan(before)
  expect(await logOf(client)).toMatchObject({ active: true, disabledReason: null })
})
