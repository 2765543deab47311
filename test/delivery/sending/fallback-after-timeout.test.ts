// A mail server that takes a whole message and does not answer: nobody knows whether it accepted it, so the message goes
// to the fallback only if the integration allows that.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { silentSmtp } from '../../support/delivery/silent-smtp.ts'
import { createIntegration, createWorkflow, done, trigger } from '../../support/delivery/story.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
const second = useReceiver()
let acme: Client

const start = new Date('2026-03-01T12:00:00.000Z')

beforeEach(async () => {
  acme = await world.environment()
  world.setClock(start)
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await createIntegration(acme, 'EMAIL_WEBHOOK', second.url, { identifier: 'second', isFallback: true })
  await createWorkflow(acme, [{ email: { subject: 'Hi', body: 'Hello' } }])
})

// Messages that one test leaves behind must not be sent in the next one.
afterEach(async () => {
  await done(acme, 'deleteIntegration', { identifier: 'first' })
  world.setClock(new Date(start.getTime() + 86_400_000))
  await world.work()
  world.setClock(undefined)
})

/** Triggers a message through a mail server that never answers, and makes two attempts. @returns the log of the message. */
async function attemptTwice(fallbackAfterTimeout: boolean) {
  const { credentials, bodies } = await silentSmtp()
  const first = { identifier: 'first', primary: true, fallbackAfterTimeout, credentials }
  await createIntegration(acme, 'NODEMAILER', '', first)
  const transactionId = await trigger(acme)
  for (const seconds of [0, 6]) {
    world.setClock(new Date(start.getTime() + seconds * 1000))
    await world.work()
  }
  expect(bodies).toHaveLength(2)
  const { deliveries } = await acme.ask(
    `query ($id: String!) { deliveries(filter: { transactionId: $id }) {
      nodes { status routes { leftReason } attempts { error integrationIdentifier nextRouteReason } }
    } }`,
    { id: transactionId },
  )
  return deliveries.nodes[0]
}

const unconfirmed = { error: expect.stringContaining('did not confirm the message') as string }

test('without fallbackAfterTimeout, a message that may have been accepted stays with its integration', async () => {
  expect(await attemptTwice(false)).toMatchObject({
    status: 'PENDING',
    routes: [{ leftReason: null }, { leftReason: null }],
    attempts: [unconfirmed, unconfirmed],
  })
  expect(second.received).toEqual([])
})

test('with fallbackAfterTimeout, it goes to the next integration after the second attempt', async () => {
  expect(await attemptTwice(true)).toMatchObject({
    status: 'SENT',
    routes: [{ leftReason: 'UNCONFIRMED' }, { leftReason: null }],
    attempts: [
      { ...unconfirmed, nextRouteReason: null },
      { ...unconfirmed, nextRouteReason: 'UNCONFIRMED' },
      { error: null, integrationIdentifier: 'second' },
    ],
  })
  expect(second.received).toHaveLength(1)
})
