// Environments that capture messages: nothing leaves, and everything that would be sent is recorded as sent.
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createOutbound } from '../../src/delivery/network/outbound.ts'
import { providers } from '../../src/delivery/sending/provider-registry.ts'
import { handlingOf } from '../../src/delivery/sending/capture.ts'
import { createWorker } from '../../src/delivery/worker/worker.ts'
import { openCallerCache } from '../../src/domain/resolver/caller-cache.ts'
import { kindOf, providerIds } from '../../src/domain/channel/provider-id.ts'
import { createClock } from '../../src/data/connection/clock.ts'
import { ada, toEmail } from '../support/delivery/message.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { adasRun, createIntegration, createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ allowPrivateAddresses: false })
const receiver = useReceiver()
let acme: Client

const ownSending =
  (sending: string, more: object = {}) =>
  async (client: Client) => {
    const { environment } = await client.ask('{ environment { identifier } }')
    // Environments of this world are of the type PROD.
    return done(world.production, 'updateEnvironment', { identifier: environment.identifier, sending, ...more })
  }
const capture = ownSending('CAPTURE')

const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }

beforeEach(async () => {
  acme = await world.environment()
  await capture(acme)
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
})

const captured = (client: Client, filter: object = {}) =>
  client
    .ask(
      'query ($filter: DeliveryFilter) { deliveries(filter: $filter) { nodes { destination isCaptured status providerId integrationIdentifier integration { id } attempts { isCaptured error } } } }',
      { filter: { isCaptured: true, ...filter } },
    )
    .then(({ deliveries }) => deliveries.nodes)

describe('without any integration', () => {
  test('messages of all channels end as sent', async () => {
    await done(acme, 'setSubscriberCredentials', {
      ...{ subscriberId: 'ada', providerId: 'EXPO', credentials: { deviceTokens: ['phone'] } },
    })
    await done(acme, 'setSubscriberCredentials', {
      ...{ subscriberId: 'ada', providerId: 'SLACK', credentials: { webhookUrl: 'https://chat.example.com/ada' } },
    })
    await createWorkflow(acme, [
      mail,
      { sms: { stepId: 'text', body: 'Hello' } },
      { push: { stepId: 'push', subject: 'Hi', body: 'Hello' } },
      { chat: { stepId: 'chat', body: 'Hello' } },
      { inApp: { stepId: 'feed', body: 'Hello' } },
    ])
    const id = await trigger(acme)
    await world.work()
    expect(await outcomes(acme, id)).toEqual({ mail: 'SENT', text: 'SENT', push: 'SENT', chat: 'SENT', feed: 'SENT' })
    const found = await captured(acme)
    expect(found).toHaveLength(4)
    const { event } = await acme.ask(
      'query ($id: String!) { event(transactionId: $id) { runs { nodes { steps { explanation } } } } }',
      { id },
    )
    const [run] = event.runs.nodes
    expect(run.steps.map(({ explanation }) => explanation).slice(0, 4)).toEqual(
      Array.from({ length: 4 }, () => 'The environment captured the message: nothing was sent.'),
    )
    for (const message of found) {
      expect(message).toMatchObject({
        ...{ isCaptured: true, status: 'SENT', providerId: 'CAPTURE', integrationIdentifier: 'capture' },
        ...{ integration: null, attempts: [{ isCaptured: true, error: null }] },
      })
    }
  })

  test('a subscriber without an address still has no destination', async () => {
    await done(acme, 'updateSubscriber', { subscriberId: 'ada', email: null })
    await createWorkflow(acme, [mail])
    const id = await trigger(acme)
    await world.work()
    expect(await outcomes(acme, id)).toEqual({ mail: 'SKIPPED no_destination' })
  })
})

test('messages of all providers end as sent without a request', () => {
  const rules = { sending: 'capture', redirectTo: null, allowedDestinations: [] } as const
  expect(Object.keys(providers)).toHaveLength(41)
  for (const providerId of providerIds) {
    const kind = kindOf(providerId)
    const channel = kind === 'agent' || kind === 'capture' ? 'email' : kind
    const message = { ...ada, providerId, channel, target: toEmail }
    const passage = handlingOf({ ...rules, allowedDestinations: [] }, message)
    expect(passage).toEqual({ captured: { status: null, answer: null, isCaptured: true } })
  }
})

test('a message without an integration is captured even if the environment begins to send meanwhile', () => {
  const rules = { sending: 'live' as const, redirectTo: null, allowedDestinations: [] }
  expect(handlingOf(rules, { ...ada, providerId: 'capture' })).toMatchObject({ captured: { isCaptured: true } })
})

test('a captured message names the integration that it would have used', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [mail])
  await trigger(acme)
  await world.work()
  expect(receiver.received).toEqual([])
  expect(await captured(acme)).toMatchObject([
    { providerId: 'EMAIL_WEBHOOK', integrationIdentifier: 'email_webhook', attempts: [{ isCaptured: true }] },
  ])
})

test.each([
  ['reject@sandbox.invalid', '+15005550004', 'FAILED refused', 'REJECTED'],
  ['bounce@sandbox.invalid', '+15005550001', 'SENT', null],
  ['complaint@sandbox.invalid', '+15005550002', 'SENT', null],
  ['defer@sandbox.invalid', '+15005550003', 'SENDING', null],
])('%s and %s simulate an outcome', async (email, phone, outcome, cause) => {
  await done(acme, 'updateSubscriber', { subscriberId: 'ada', email, phone })
  await createWorkflow(acme, [mail, { sms: { stepId: 'text', body: 'Hello' } }])
  const id = await trigger(acme)
  await world.work()
  expect(await outcomes(acme, id)).toEqual({ mail: outcome, text: outcome })
  expect((await adasRun(acme, id)).steps.map((step) => step.cause)).toEqual([cause, cause])
  if (outcome !== 'SENDING') return
  await world.work({ early: true })
  const { steps } = await adasRun(acme, id)
  expect(steps[0]).toMatchObject({ status: 'FAILED', cause: 'UNAVAILABLE' })
  expect(steps[0].deliveries[0].attempts).toHaveLength(10)
})

test('captured messages are found by a part of their address, and not those that were sent', async () => {
  await done(acme, 'createSubscriber', { subscriberId: 'bob', email: 'bob@example.org' })
  await createWorkflow(acme, [mail])
  await trigger(acme, { to: ['ada', 'bob'] })
  await world.work()
  const destinationsOf = async (search: string) =>
    (await captured(acme, { search })).map(({ destination }) => destination)
  expect(await destinationsOf('EXAMPLE.ORG')).toEqual(['bob@example.org'])
  expect(await destinationsOf('ad')).toEqual(['ada@example.com'])
  expect(await destinationsOf('%')).toEqual([])
  expect(await captured(acme, { isCaptured: false })).toEqual([])
})

test('a preview shows that the message would be captured', async () => {
  await createWorkflow(acme, [mail])
  const { previewTrigger } = await acme.ask(
    `{ previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) {
      eventStatus runs { steps { status reason messages { isCaptured error destination } } }
    } }`,
  )
  expect(previewTrigger.runs).toMatchObject([
    {
      steps: [
        { status: 'SENT', reason: null, messages: [{ isCaptured: true, error: null, destination: 'ada@example.com' }] },
      ],
    },
  ])
})

test('a test message is captured, too', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  const { result } = await done(
    acme,
    'sendTestMessage',
    { integrationIdentifier: 'email_webhook', to: { email: 'ada@example.com' } },
    'result { accepted isCaptured statusCode }',
  )
  expect(result).toEqual({ accepted: true, isCaptured: true, statusCode: null })
  expect(receiver.received).toEqual([])
})

describe('within a second of the change to CAPTURE', () => {
  /** The worker of a process whose notice of changes may be lost. */
  async function openProcess(stopwatch: () => number) {
    const { database, gateway } = world
    const deaf = { catchUp: async () => false, listen: async () => () => {} }
    const callers = await openCallerCache({ ...database, ...deaf }, stopwatch)
    const outbound = createOutbound({ allowPrivateAddresses: true })
    onTestFinished(() => outbound.close())
    const logger = pino({ level: 'silent' })
    return createWorker({
      ...{ gateway: { ...gateway, callers }, database, clock: createClock(), outbound, logger },
      ...{ stopwatch, embedded: true },
    })
  }

  test('no message leaves from any of three processes, even if none of them hears of it', async () => {
    let elapsed = 0
    const processes = await Promise.all([1, 2, 3].map(() => openProcess(() => elapsed)))
    await ownSending('LIVE')(acme)
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    for (const one of processes) {
      await trigger(acme)
      await one.drain()
    }
    expect(receiver.received).toHaveLength(3)
    await capture(acme)
    elapsed += 1_000
    for (const one of processes) {
      await trigger(acme)
      await one.drain()
    }
    expect(receiver.received).toHaveLength(3)
    expect(await captured(acme)).toHaveLength(3)
  })
})
