// The edges of the execution log: what a message was sent through, which digest collected a trigger, and what wrote a
// notification.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const tool = { tool: { stepId: 'tool', body: 'Hello' } }
const to = (subscriberId: string) => ({ subscriberId, email: `${subscriberId}@example.com` })

describe('a delivery', () => {
  const sent = async () => {
    const { deliveries } = await acme.ask(
      '{ deliveries { nodes { integration { identifier } channelEndpoint { identifier } } } }',
    )
    return deliveries.nodes
  }

  test('leads to its integration, and not to a later one with the same identifier', async () => {
    const id = await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'mailer' })
    await createWorkflow(acme, [mail])
    await trigger(acme, { to: to('ada') })
    await world.work()
    expect(await sent()).toEqual([{ integration: { identifier: 'mailer' }, channelEndpoint: null }])
    await done(acme, 'deleteIntegration', { id })
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'mailer' })
    expect(await sent()).toEqual([{ integration: null, channelEndpoint: null }])
  })

  test('leads to its channel endpoint until that is deleted', async () => {
    await createIntegration(acme, 'TOOL_WEBHOOK', receiver.url, { identifier: 'tools' })
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    await done(acme, 'createChannelEndpoint', {
      identifier: 'desk',
      subscriberId: 'ada',
      integrationIdentifier: 'tools',
      endpoint: { toolWebhook: { url: receiver.url } },
    })
    await createWorkflow(acme, [tool])
    await trigger(acme)
    await world.work()
    expect(await sent()).toEqual([{ integration: { identifier: 'tools' }, channelEndpoint: { identifier: 'desk' } }])
    await done(acme, 'deleteChannelEndpoint', { identifier: 'desk' })
    expect(await sent()).toEqual([{ integration: { identifier: 'tools' }, channelEndpoint: null }])
  })

  test('shows the time of the next attempt while one follows', async () => {
    const now = new Date('2027-01-01T12:00:00Z')
    world.setClock(now)
    onTestFinished(() => world.setClock(undefined))
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    const next = async () => {
      const { deliveries } = await acme.ask(
        '{ deliveries { nodes { status attemptCount nextAttemptAt attempts { statusCode } } } }',
      )
      return deliveries.nodes[0]
    }
    receiver.answer(503, 'busy', { 'retry-after': '60' })
    await trigger(acme, { to: to('ada') })
    expect(await next()).toBeUndefined()
    await world.work()
    expect(await next()).toEqual({
      ...{ status: 'PENDING', attemptCount: 1, nextAttemptAt: '2027-01-01T12:01:00.000Z' },
      attempts: [{ statusCode: 503 }],
    })
    receiver.answer(400, 'unknown recipient')
    world.setClock(new Date(now.getTime() + 61_000))
    await world.work()
    expect(await next()).toMatchObject({ nextAttemptAt: null, attemptCount: 2 })
  })

  test('reads the integrations of all deliveries in one statement', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    await trigger(acme, { to: [to('ada'), to('grace'), to('eve')] })
    await world.work()
    const plain = await statementsOf(() => acme.ask('{ deliveries { nodes { id } } }'))
    const whole = await statementsOf(() =>
      acme.ask('{ deliveries { nodes { id nextAttemptAt integration { id } channelEndpoint { id } } } }'),
    )
    expect(whole).toHaveLength(plain.length + 1)
  })
})

test('a merged step leads to the digest that collected its trigger', async () => {
  await createWorkflow(acme, [
    { digest: { stepId: 'gather', amount: 10, unit: 'MINUTES' } },
    { inApp: { stepId: 'bell', body: '{{digest.count}}' } },
  ])
  const first = await trigger(acme)
  await world.work()
  const second = await trigger(acme)
  await world.work()
  const { event } = await acme.ask(
    `query ($id: String!) { event(transactionId: $id) { runs { nodes { steps {
       status workflowRun { subscriberId }
       mergedInto { stepId mergedInto { stepId } workflowRun { event { transactionId } } }
     } } } } }`,
    { id: second },
  )
  expect(event.runs.nodes[0].steps).toEqual([
    {
      status: 'MERGED',
      workflowRun: { subscriberId: 'ada' },
      mergedInto: { stepId: 'gather', mergedInto: null, workflowRun: { event: { transactionId: first } } },
    },
  ])
})

test('a notification leads to its workflow and its step', async () => {
  await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: 'Hello' } }])
  await trigger(acme)
  await world.work()
  const { subscriber } = await acme.ask(
    '{ subscriber(subscriberId: "ada") { notifications { nodes { workflow { identifier } step { stepId workflowRun { status } } } } } }',
  )
  expect(subscriber.notifications.nodes).toEqual([
    { workflow: { identifier: 'order' }, step: { stepId: 'bell', workflowRun: { status: 'COMPLETED' } } },
  ])
})
