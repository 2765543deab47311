// The scenario of a campaign that is tried in an environment which sends nothing, and then shown to a tester.
import { expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { smtp } from '../support/delivery/smtp.ts'
import { createIntegration, createWorkflow, done } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
const PEOPLE = 60

async function furnish(sending: object): Promise<Client> {
  const name = `Campaign ${JSON.stringify(sending)}`.slice(0, 100)
  const input = { name, color: '#000', type: 'DEV', ...sending }
  const { newApiKey } = await done(world.development, 'createEnvironment', input, 'newApiKey { key }')
  const acme = world.client(newApiKey.key)
  const subscribers = Array.from({ length: PEOPLE }, (_, index) => ({
    subscriberId: `customer-${index}`,
    email: index === 7 ? 'reject@sandbox.invalid' : `customer-${index}@example.com`,
  }))
  await done(acme, 'createSubscribers', { subscribers })
  await acme.rest('POST /v2/topics/customers/subscriptions', {
    body: { subscriptions: subscribers.map(({ subscriberId }) => subscriberId) },
  })
  await createWorkflow(acme, [
    {
      email: {
        stepId: 'mail',
        subject: 'Spring, {{subscriber.subscriberId}}',
        body: '<p>Now.</p>',
        bcc: 'boss@example.com',
      },
    },
  ])
  return acme
}

async function launch(acme: Client): Promise<void> {
  const to = [{ type: 'Topic', topicKey: 'customers' }]
  const { status } = await acme.rest('POST /v1/events/trigger', {
    body: { name: 'order', to, transactionId: 'spring' },
  })
  expect(status).toBe(201)
  await world.work()
}

const countsOf = (acme: Client) =>
  acme
    .ask('{ event(transactionId: "spring") { messageCounts { pending sent failed } } }')
    .then(({ event }) => event.messageCounts)

test('a capture of a whole campaign: every message can be read, and none has left', async () => {
  const acme = await furnish({})
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await launch(acme)
  expect(await countsOf(acme)).toEqual({ pending: 0, sent: PEOPLE - 1, failed: 1 })
  const { deliveries } = await acme.ask(
    '{ deliveries(first: 100, filter: { isCaptured: true }) { totalCount nodes { subject } } }',
  )
  expect(deliveries.totalCount).toBe(PEOPLE)
  expect(new Set(deliveries.nodes.map(({ subject }) => subject)).size).toBe(PEOPLE)
  expect(receiver.received).toEqual([])
})

test('a redirect to the tester: every email arrives at the tester, and none anywhere else', async () => {
  const server = await smtp()
  const acme = await furnish({ sending: 'REDIRECT', redirectTo: 'tester@example.org' })
  await createIntegration(acme, 'NODEMAILER', '', { identifier: 'smtp', credentials: server.credentials })
  await launch(acme)
  expect(await countsOf(acme)).toEqual({ pending: 0, sent: PEOPLE, failed: 0 })
  expect(server.received).toHaveLength(PEOPLE)
  expect(new Set(server.received.flatMap(({ to }) => to))).toEqual(new Set(['tester@example.org']))
})
