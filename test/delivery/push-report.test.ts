// Expo's receipts: reports about push messages that were accepted, read by housekeeping.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { adasRun, createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client
let start: number
let receipts: Record<string, object>

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const gone = { status: 'error', message: '"dead-phone" is gone', details: { error: 'DeviceNotRegistered' } }

const asked = () => receiver.received.filter(({ path }) => path.endsWith('/getReceipts')).map(({ json }) => json)

/** Lets time pass since the first message, and reads the receipts that are due. @returns the warnings in the log. */
async function after(milliseconds: number): Promise<readonly object[]> {
  world.setClock(new Date(start + milliseconds))
  const logged: Record<string, unknown>[] = []
  expect(await housekeepingOf(world, { logged }).perform('push_reports')).toBe(true)
  return logged.filter(({ level }) => Number(level) >= 40)
}

beforeEach(async () => {
  start = Date.UTC(2030, 0, 1)
  world.setClock(new Date(start))
  receipts = {}
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
  await createIntegration(acme, 'EXPO', '', { identifier: 'push', credentials: { baseUrl: receiver.url } })
  await createWorkflow(acme, [{ push: { stepId: 'alert', subject: 'Shipped', body: 'On its way' } }])
  receiver.respond((response, { url }) => {
    if (url?.endsWith('/getReceipts')) response.end(JSON.stringify({ data: receipts }))
    else response.end(JSON.stringify({ data: { status: 'ok', id: `ticket-${Object(receiver.last.json).to}` } }))
  })
})
afterEach(async () => {
  await world.gateway.db.pushTicket.deleteMany()
  world.setClock(undefined)
})

const setTokens = (deviceTokens: readonly string[]) =>
  done(acme, 'setSubscriberCredentials', { subscriberId: 'ada', providerId: 'EXPO', credentials: { deviceTokens } })

async function tokens() {
  const { subscriber } = await acme.ask('{ subscriber(subscriberId: "ada") { channels { deviceTokens } } }')
  return subscriber.channels.flatMap(({ deviceTokens }) => deviceTokens)
}

async function send() {
  const transactionId = await trigger(acme)
  await world.work()
  return transactionId
}

const answersOf = async (transactionId: string) =>
  (await adasRun(acme, transactionId)).steps.flatMap(({ deliveries }) =>
    deliveries.map(({ status, attempts }) => `${status} ${attempts.at(-1)?.answer}`),
  )

describe('the receipt of a message', () => {
  test('is read after 15 minutes, and an unregistered device loses its token', async () => {
    await setTokens(['dead-phone', 'tablet'])
    const transactionId = await send()
    receipts = { 'ticket-dead-phone': gone, 'ticket-tablet': { status: 'ok' } }
    await after(15 * MINUTE - 1)
    expect(asked()).toEqual([])
    expect(await after(15 * MINUTE)).toEqual([])
    expect(asked()).toEqual([{ ids: expect.arrayContaining(['ticket-dead-phone', 'ticket-tablet']) }])
    expect(await tokens()).toEqual(['tablet'])
    const answers = await answersOf(transactionId)
    expect(answers).toContainEqual(
      expect.stringMatching(
        /^SENT .*Later, the provider reported DeviceNotRegistered\. The token of the device was removed\.$/,
      ),
    )
    expect(answers.join()).not.toContain('is gone')
    expect(world.logged.at(-1)).toMatchObject({ msg: 'device token removed', subscriberId: 'ada', integration: 'push' })
    await after(60 * MINUTE)
    expect(asked()).toHaveLength(1)
  })

  test('with another error is in the log of the message, and the token stays', async () => {
    await setTokens(['phone'])
    const transactionId = await send()
    receipts = { 'ticket-phone': { status: 'error', details: { error: 'MessageTooBig' } } }
    await after(15 * MINUTE)
    const { deliveries } = await acme.ask('{ deliveries { nodes { updatedAt } } }')
    expect(deliveries.nodes).toEqual([{ updatedAt: new Date(start + 15 * MINUTE).toISOString() }])
    expect(await tokens()).toEqual(['phone'])
    expect(await answersOf(transactionId)).toEqual([
      expect.stringMatching(/^SENT .* Later, the provider reported MessageTooBig\.$/),
    ])
  })

  test('that does not exist yet is read again, for a day', async () => {
    await setTokens(['phone'])
    await send()
    for (const milliseconds of [15 * MINUTE, 20 * MINUTE, 30 * MINUTE, DAY, DAY + 15 * MINUTE])
      await after(milliseconds)
    expect(asked()).toHaveLength(3)
    expect(await world.gateway.db.pushTicket.count()).toBe(0)
  })

  test('is read again if the provider does not answer, which the log tells without the tickets', async () => {
    await setTokens(['dead-phone'])
    await send()
    receiver.answer(503, 'ticket-dead-phone')
    const logged = await after(15 * MINUTE)
    expect(logged).toContainEqual(expect.objectContaining({ msg: 'push reports not read: trying again later' }))
    expect(JSON.stringify(logged)).not.toContain('ticket-dead-phone')
    receiver.respond((response) => response.end(JSON.stringify({ data: { 'ticket-dead-phone': gone } })))
    await after(30 * MINUTE)
    expect(await tokens()).toEqual([])
  })

  test('is not read for more than a day, even if the provider never answers', async () => {
    await setTokens(['phone'])
    await send()
    receiver.answer(503)
    for (const milliseconds of [15 * MINUTE, DAY, DAY + 15 * MINUTE, 2 * DAY]) await after(milliseconds)
    expect(asked()).toHaveLength(2)
    expect(await world.gateway.db.pushTicket.count()).toBe(0)
  })

  test('does not remove a token that has taken the place of the rejected one', async () => {
    await setTokens(['dead-phone'])
    await send()
    await setTokens(['new-phone'])
    receipts = { 'ticket-dead-phone': gone }
    await after(15 * MINUTE)
    expect(await tokens()).toEqual(['new-phone'])
  })

  test('is not read for an integration that was deleted, or a subscriber that was', async () => {
    await setTokens(['dead-phone'])
    await send()
    receipts = { 'ticket-dead-phone': gone }
    await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
    await world.work()
    await after(15 * MINUTE)
    expect(asked()).toHaveLength(1)
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    await setTokens(['phone'])
    world.setClock(new Date(start))
    await send()
    await done(acme, 'deleteIntegration', { identifier: 'push' })
    await after(30 * MINUTE)
    expect(asked()).toHaveLength(1)
    expect(await world.gateway.db.pushTicket.count()).toBe(0)
  })
})

test('a message of another provider costs no statement for receipts', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [{ email: { subject: 'Hi', body: 'Hello' } }], { identifier: 'news' })
  await trigger(acme, { name: 'news', to: { subscriberId: 'ada', email: 'ada@example.com' } })
  const statements = await statementsOf(() => world.work())
  expect(statements.filter((text) => text.includes('push_tickets'))).toEqual([])
})
