// The scenario of an incident that has to be reported while the first provider is down itself.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const sendgrid = useReceiver()
const postmark = useReceiver()
let acme: Client

const start = new Date('2026-03-01T03:12:00.000Z')

beforeEach(async () => {
  acme = await world.environment()
  world.setClock(start)
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  const from = 'alerts@example.com'
  await done(acme, 'createIntegration', {
    ...{ identifier: 'usual-mail', providerId: 'SENDGRID', primary: true },
    credentials: { apiKey: 'key-1', from, baseUrl: sendgrid.url },
  })
  await done(acme, 'createIntegration', {
    ...{ identifier: 'spare-mail', providerId: 'POSTMARK', isFallback: true },
    credentials: { apiKey: 'key-2', from, baseUrl: postmark.url },
  })
})
afterEach(() => world.setClock(undefined))

test('an incident whose first provider is down is sent by the second, and the log shows every attempt and why', async () => {
  sendgrid.answer(503, { errors: [{ message: 'maintenance' }] })
  const email = { stepId: 'mail', subject: '{{payload.service}} is down', body: '<p>Since 03:12</p>' }
  await createWorkflow(acme, [{ email }], { identifier: 'incident', critical: true })
  const transactionId = await trigger(acme, { name: 'incident', payload: { service: 'Checkout' } })
  for (const seconds of [0, 6]) {
    world.setClock(new Date(start.getTime() + seconds * 1000))
    await world.work()
  }
  expect([sendgrid.received.length, postmark.received.length]).toEqual([2, 1])
  expect(postmark.last.json).toMatchObject({ To: 'ada@example.com', Subject: 'Checkout is down' })
  const { event } = await acme.ask(
    `query ($id: String!) { event(transactionId: $id) { outcome runs { nodes { steps { explanation deliveries {
      status attempts { number error integrationIdentifier providerId nextRouteReason }
      routes { integrationIdentifier isPresent leftReason }
    } } } } } }`,
    { id: transactionId },
  )
  expect(event.outcome).toBe('DELIVERED')
  const error = `127.0.0.1:${sendgrid.port} responded with 503`
  const usual = { integrationIdentifier: 'usual-mail', providerId: 'SENDGRID' }
  expect(event.runs.nodes[0].steps[0].deliveries).toEqual([
    {
      status: 'SENT',
      attempts: [
        { number: 1, error, ...usual, nextRouteReason: null },
        { number: 2, error, ...usual, nextRouteReason: 'UNAVAILABLE' },
        {
          ...{ number: 3, error: null, integrationIdentifier: 'spare-mail', providerId: 'POSTMARK' },
          nextRouteReason: null,
        },
      ],
      routes: [
        { integrationIdentifier: 'usual-mail', isPresent: false, leftReason: 'UNAVAILABLE' },
        { integrationIdentifier: 'spare-mail', isPresent: true, leftReason: null },
      ],
    },
  ])
})
