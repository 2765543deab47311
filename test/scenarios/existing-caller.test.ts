// The story of an existing caller: its trigger carries the overrides that it has always sent, in their older form.
import { expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createWorkflow, done } from '../support/delivery/story.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()

test('an existing caller copies the accountant and tags an email by its overrides, and learns which one has no effect', async () => {
  const acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await done(acme, 'createIntegration', {
    ...{ identifier: 'sendgrid', providerId: 'SENDGRID' },
    credentials: { apiKey: 'key-123', from: 'billing@example.com', baseUrl: receiver.url },
  })
  await createWorkflow(acme, [{ email: { stepId: 'invoice', subject: 'Invoice', body: '<p>Your invoice</p>' } }])
  const { status, body } = await acme.rest('POST /v1/events/trigger', {
    body: {
      ...{ name: 'order', to: { subscriberId: 'ada' }, payload: { number: 7 } },
      overrides: {
        email: { bcc: ['accountant@example.com'], replyTo: 'support@example.com' },
        sendgrid: { categories: ['invoice'] },
        layoutIdentifier: 'invoice-layout',
      },
    },
  })
  expect({ status, body }).toMatchObject({ status: 201, body: { acknowledged: true, status: 'processed' } })
  await world.work()
  expect(receiver.last.json).toMatchObject({
    subject: 'Invoice',
    personalizations: [{ to: [{ email: 'ada@example.com' }], bcc: [{ email: 'accountant@example.com' }] }],
    reply_to_list: [{ email: 'support@example.com' }],
    categories: ['invoice'],
  })
  const event = await acme.rest(`GET /v1/events/${body.transactionId}`)
  expect(event.body).toMatchObject({
    ...{ status: 'completed', outcome: 'delivered' },
    notes: ['overrides.layoutIdentifier was not used: the gateway has no layouts.'],
  })
})
