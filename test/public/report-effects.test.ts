// What follows from reports of providers: suppressed addresses, later steps, and erasure.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'
import { bySendgrid, sendgridKey } from '../support/reports/signed.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ baseUrl: 'https://gateway.example.com' })
const receiver = useReceiver()
const start = new Date('2026-11-27T08:00:00Z')
const DAY = 24 * 3600_000
let acme: Client
let url: string
let events = 0

beforeEach(async () => {
  world.setClock(start)
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  receiver.answer(202, '', { 'x-message-id': 'abc' })
  const credentials = {
    ...{ baseUrl: receiver.url, from: 'shop@example.com', apiKey: 'SG.key', webhookSigningKey: sendgridKey },
  }
  const given = { identifier: 'acme', providerId: 'SENDGRID', credentials }
  const { integration } = await done(acme, 'createIntegration', given, 'integration { inboundWebhook { url } }')
  url = integration.inboundWebhook.url ?? ''
  await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'Shipped', body: 'On its way' } }])
})
afterEach(() => world.setClock(undefined))

async function send(more: object = {}): Promise<string> {
  const transactionId = await trigger(acme, more)
  await world.work()
  return transactionId
}

/** Reports about the newest message. */
async function report(event: object): Promise<void> {
  const { id } = await world.gateway.db.delivery.findFirstOrThrow({
    where: { integrationId: url.split('/').at(-1) ?? '' },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  })
  const now = world.gateway.now()
  const told = { email: 'ada@example.com', sg_event_id: `event-${(events += 1)}`, delivery_id: id, ...event }
  const { body, headers } = bySendgrid([{ timestamp: now.getTime() / 1000, ...told }], now)
  const response = await world.app.fetch(new Request(url, { method: 'POST', body, headers: { ...headers } }))
  expect(response.status).toBe(200)
}

const bounce = { event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 <ada@example.com> does not exist' }

describe('a report', () => {
  test.each([
    ['a hard bounce', bounce],
    ['an invalid address', { event: 'dropped', reason: 'Invalid SMTPAPI header' }],
    ['an address on the list of the provider', { event: 'dropped', reason: 'Bounced Address' }],
  ])('of %s stops the next message', async (_name, event) => {
    await send()
    await report(event)
    expect(await outcomes(acme, await send())).toEqual({ mail: 'SKIPPED suppressed' })
  })

  test.each([
    ['a delivered message', { event: 'delivered' }],
    ['a blocked message', { event: 'bounce', type: 'blocked' }],
    ['a message that was dropped because of its content', { event: 'dropped', reason: 'Spam Content' }],
  ])('of %s does not', async (_name, event) => {
    await send()
    await report(event)
    expect(await outcomes(acme, await send())).toEqual({ mail: 'SENT' })
  })

  test('of a complaint stops the next message, and those of other workflows', async () => {
    await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'News', body: 'News' } }], { identifier: 'news' })
    await send()
    await report({ event: 'spamreport' })
    expect(await outcomes(acme, await send())).toEqual({ mail: 'SKIPPED subscriber_workflow_preference' })
    expect(await outcomes(acme, await send({ name: 'news' }))).toEqual({ mail: 'SKIPPED suppressed' })
  })

  test('of a complaint about one tenant does not silence another', async () => {
    await send({ context: { tenant: 'acme' } })
    await report({ event: 'spamreport' })
    // The complaint has turned off the workflow too, which is decided first.
    expect(await outcomes(acme, await send({ context: { tenant: 'acme' } }))).toEqual({
      mail: 'SKIPPED subscriber_workflow_preference',
    })
    expect(await outcomes(acme, await send({ context: { tenant: 'globex' } }))).toEqual({ mail: 'SENT' })
  })

  test('of soft bounces stops messages after the third day', async () => {
    for (const day of [0, 1, 2]) {
      world.setClock(new Date(start.getTime() + day * DAY))
      expect(await outcomes(acme, await send())).toEqual({ mail: 'SENT' })
      await report({ event: 'bounce', type: 'blocked' })
      await report({ event: 'bounce', type: 'blocked' })
    }
    expect(await outcomes(acme, await send())).toEqual({ mail: 'SKIPPED suppressed' })
  })

  test('is a variable of later steps', async () => {
    await done(acme, 'updateWorkflow', {
      identifier: 'order',
      steps: [
        { email: { stepId: 'mail', subject: 'Shipped', body: 'On its way' } },
        { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } },
        { inApp: { stepId: 'after', body: 'Bounced', condition: { var: 'steps.mail.bounced' } } },
        { inApp: { stepId: 'else', body: 'Arrived', condition: { var: 'steps.mail.delivered' } } },
      ],
    })
    const transactionId = await send()
    await report(bounce)
    world.setClock(new Date(start.getTime() + 2 * 3600_000))
    await world.work({ early: true })
    expect(await outcomes(acme, transactionId)).toMatchObject({
      after: 'SENT',
      else: expect.stringContaining('SKIPPED'),
    })
  })

  test('has no text of a person who was deleted', async () => {
    await send()
    await report(bounce)
    await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
    await world.work()
    await report({ ...bounce, event: 'bounce', type: 'blocked' })
    const rows = await world.gateway.db.deliveryReport.findMany({
      where: { delivery: { integrationId: url.split('/').at(-1) ?? '' } },
    })
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toContain('ada')
  })

  test('is part of the export of a person', async () => {
    await send()
    await report(bounce)
    const { subscriberExport } = await acme.ask<{ subscriberExport: object }>(
      '{ subscriberExport(subscriberId: "ada") }',
    )
    expect(JSON.stringify(subscriberExport)).toContain('does not exist')
  })
})
