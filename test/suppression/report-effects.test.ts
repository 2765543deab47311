// What reports of providers lead to: a bounce stops the next message, a complaint silences one tenant only.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'
import { bySendgrid, sendgridKey } from '../support/reports/signed.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ baseUrl: 'https://gateway.example.com' })
const receiver = useReceiver()
let acme: Client
let url: string

const credentials = () => ({
  from: 'shop@example.com',
  apiKey: 'k',
  webhookSigningKey: sendgridKey,
  baseUrl: receiver.url,
})

beforeEach(async () => {
  acme = await world.environment()
  receiver.answer(202, '')
  await createIntegration(acme, 'SENDGRID', '', { identifier: 'mail', credentials: credentials() })
  const { integration } = await acme.ask<{ integration: { inboundWebhook: { url: string } } }>(
    '{ integration(identifier: "mail") { inboundWebhook { url } } }',
  )
  url = integration.inboundWebhook.url
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'Hi', body: 'Hello', cc: ['boss@example.com'] } }])
})
afterEach(() => world.setClock(undefined))

async function send(more: object = {}) {
  const transactionId = await trigger(acme, more)
  await world.work()
  return (await outcomes(acme, transactionId))['mail']
}

async function report(event: object) {
  const [delivery] = await world.gateway.db.delivery.findMany({
    where: { integrationId: url.split('/').at(-1) ?? '' },
    orderBy: { createdAt: 'desc' },
    take: 1,
  })
  const now = world.gateway.now()
  const fields = { email: 'ada@example.com', timestamp: Math.floor(now.getTime() / 1000), delivery_id: delivery?.id }
  const { body, headers } = bySendgrid([{ sg_event_id: `${Math.random()}`, ...fields, ...event }], now)
  const response = await world.app.fetch(new Request(url, { method: 'POST', body, headers: { ...headers } }))
  expect(response.status).toBe(200)
}

async function suppressed() {
  const { suppressions } = await acme.ask(
    '{ suppressions { nodes { reason address detail contextKeys sourceDelivery { id } } } }',
  )
  return suppressions.nodes
}

describe('a report', () => {
  test('of a hard bounce stops the next message', async () => {
    expect(await send()).toBe('SENT')
    await report({ event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 no such user' })
    expect(await suppressed()).toMatchObject([
      { reason: 'HARD_BOUNCE', address: 'ada@example.com', sourceDelivery: { id: expect.any(String) } },
    ])
    expect(await send()).toBe('SKIPPED suppressed')
  })

  test('of a complaint under a tenant silences messages under it only, and unsubscribes', async () => {
    await send({ context: { tenant: 'acme' } })
    await report({ event: 'spamreport' })
    expect(await suppressed()).toMatchObject([{ reason: 'COMPLAINT', contextKeys: ['tenant:acme'] }])
    expect(await send({ context: { tenant: 'acme' } })).toMatch(/^SKIPPED/)
    expect(await send({ context: { tenant: 'globex' } })).toBe('SENT')
    const { subscriber } = await acme.ask<{ subscriber: { preferenceChanges: { nodes: readonly object[] } } }>(
      '{ subscriber(subscriberId: "ada") { preferenceChanges { nodes { source channel enabled contextKeys } } } }',
    )
    expect(subscriber.preferenceChanges.nodes).toEqual([
      { source: 'COMPLAINT', channel: 'EMAIL', enabled: false, contextKeys: ['tenant:acme'] },
    ])
  })

  test('about a copy suppresses the copy, and the recipient still receives messages', async () => {
    await send()
    await report({ event: 'spamreport', email: 'boss@example.com' })
    expect(await suppressed()).toMatchObject([{ reason: 'COMPLAINT', address: 'boss@example.com' }])
    expect(await send()).toBe('SENT')
    expect(receiver.last.body).not.toContain('boss@')
  })

  test('of a delivery leads to nothing', async () => {
    await send()
    await report({ event: 'delivered' })
    expect(await suppressed()).toEqual([])
  })
})
