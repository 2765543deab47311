// Retrying all runs that match a filter and ended without some of their messages.
import { beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, outcomes, storyOf, trigger } from '../support/delivery/story.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const text = { sms: { stepId: 'text', body: 'Hello' } }

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
})

const retryAll = (input: object = {}) => done(acme, 'retryWorkflowRuns', input, 'retriedCount next')

/** Triggers `order` and works until nothing is left. @returns the transaction id. */
async function send(more: object = {}): Promise<string> {
  const transactionId = await trigger(acme, more)
  await world.work()
  return transactionId
}

describe('all runs that match', () => {
  /** An event for ten recipients, of whom every second has no address. */
  async function sendToTen(): Promise<string> {
    const to = Array.from({ length: 10 }, (_, index) => ({
      subscriberId: `reader-${index}`,
      email: index % 2 === 0 ? `reader-${index}@example.com` : null,
    }))
    return send({ to })
  }

  const countsOf = async (id: string) => {
    const query = `query ($id: String!) { event(transactionId: $id) { outcome status
      recipientCounts { total delivered failed nothing pending }
      messageCounts { pending sent failed cancelled notifications } } }`
    return (await acme.ask(query, { id })).event
  }

  test('are repeated once, however often the mutation is called, and add up to ten', async () => {
    await createWorkflow(acme, [mail])
    const id = await sendToTen()
    expect(await countsOf(id)).toMatchObject({ outcome: 'FAILED', recipientCounts: { total: 10, failed: 10 } })
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const filter = { transactionId: id }
    expect(await retryAll({ filter, dryRun: true })).toMatchObject({ retriedCount: 10, next: null })
    const both = await Promise.all([retryAll({ filter }), retryAll({ filter })])
    expect(both.map(({ retriedCount }) => retriedCount).toSorted()).toEqual([0, 10])
    expect(await countsOf(id)).toMatchObject({ outcome: 'PENDING', recipientCounts: { total: 10, pending: 10 } })
    await world.work()
    expect(receiver.received).toHaveLength(5)
    expect(await countsOf(id)).toMatchObject({
      outcome: 'PARTLY',
      status: 'COMPLETED',
      recipientCounts: { total: 10, delivered: 5, failed: 0, nothing: 5, pending: 0 },
      messageCounts: { pending: 0, sent: 5, failed: 0 },
    })
    expect(await retryAll({ filter })).toMatchObject({ retriedCount: 5, next: null })
    await world.work()
    expect(receiver.received).toHaveLength(5)
  })

  test('take the same number of statements, however many runs, events and rejected messages there are', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail, text])
    receiver.answer(400)
    const one = { transactionId: await send() }
    for (let event = 0; event < 3; event += 1) await sendToTen()
    for (const workflowVersion of ['TRIGGERED', 'CURRENT']) {
      const few = await statementsOf(() => retryAll({ filter: one, workflowVersion }))
      await world.work()
      const many = await statementsOf(() => retryAll({ workflowVersion }))
      await world.work()
      expect(many.length).toBeLessThanOrEqual(few.length + 1)
      expect(many.length).toBeLessThan(25)
    }
  })

  test('are selected by any filter', async () => {
    await createWorkflow(acme, [mail, text])
    const id = await sendToTen()
    const matching = [
      { transactionId: id },
      { outcome: 'FAILED' },
      { outcomes: ['FAILED', 'NOTHING'] },
      { reasons: ['NO_INTEGRATION'] },
      { reasons: ['NO_INTEGRATION', 'CONTENT'], stepIds: ['mail'] },
      { stepId: 'text' },
      { workflowIdentifier: 'order' },
      { workflowIdentifiers: ['order', 'another'] },
      { contextKeys: [] },
      { createdAfter: '2020-01-01T00:00:00Z', createdBefore: '2999-01-01T00:00:00Z' },
    ]
    for (const filter of matching) {
      expect([filter, (await retryAll({ filter, dryRun: true })).retriedCount]).toEqual([filter, 10])
    }
    const others = [
      { transactionId: 'another' },
      { outcome: 'DELIVERED' },
      { reasons: ['CONTENT', 'TOPIC_PREFERENCE'] },
      { stepId: 'another' },
      { causes: ['REJECTED'] },
      { workflowIdentifier: 'another' },
      { topicKey: 'news' },
      { topicKeys: ['news', 'another'] },
      { contextKeys: ['tenant:acme'] },
      { createdAfter: '2999-01-01T00:00:00Z' },
    ]
    for (const filter of others) {
      expect([filter, (await retryAll({ filter, dryRun: true })).retriedCount]).toEqual([filter, 0])
    }
    expect(await retryAll({ filter: { subscriberIds: ['reader-0', 'reader-1'] } })).toMatchObject({ retriedCount: 2 })
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createIntegration(acme, 'GENERIC_SMS', receiver.url)
    await world.work()
    await retryAll({ filter: { stepId: 'text', subscriberId: 'reader-2' } })
    await world.work()
    const { 'reader-2': run } = await storyOf(acme, id)
    expect(run?.steps).toMatchObject([{ reason: 'no_integration' }, { reason: 'no_destination' }])
  })

  test('leave out cancelled events, deleted subscribers and what was decided on purpose', async () => {
    const off = { email: { ...mail.email, condition: { '==': [1, 2] } } }
    await createWorkflow(acme, [off, text])
    await done(acme, 'updateSubscriberPreferences', {
      subscriberId: 'ada',
      channels: [{ channel: 'SMS', enabled: false }],
    })
    const refused = await send()
    expect(await outcomes(acme, refused)).toEqual({
      mail: 'SKIPPED condition',
      text: 'SKIPPED subscriber_global_preference',
    })
    const cancelled = await send({ to: { subscriberId: 'grace', phone: '+4915123456789' } })
    await done(acme, 'cancelEvent', { transactionId: cancelled })
    await send({ to: 'gone' })
    await done(acme, 'deleteSubscriber', { subscriberId: 'gone' })
    for (const workflowVersion of ['TRIGGERED', 'CURRENT']) {
      expect(await retryAll({ workflowVersion, dryRun: true })).toMatchObject({ retriedCount: 0 })
      expect(await retryAll({ workflowVersion })).toMatchObject({ retriedCount: 0, next: null })
    }
  })

  test('wait while the workflow is paused', async () => {
    await createWorkflow(acme, [mail])
    const id = await send()
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await done(acme, 'pauseWorkflow', { identifier: 'order' })
    await retryAll()
    await world.work()
    expect(receiver.received).toHaveLength(0)
    await done(acme, 'resumeWorkflow', { identifier: 'order' })
    await world.work()
    expect(await outcomes(acme, id)).toEqual({ mail: 'SENT' })
  })

  test('tell for each version of the workflow whether they can be retried', async () => {
    const read = '{ workflowRuns { nodes { triggered: retriable current: retriable(workflowVersion: CURRENT) } } }'
    const versions = async () => (await acme.ask(read)).workflowRuns.nodes
    await createWorkflow(acme, [mail])
    await send()
    expect(await versions()).toEqual([{ triggered: true, current: true }])
    await done(acme, 'updateWorkflow', { identifier: 'order', active: false })
    expect(await versions()).toEqual([{ triggered: true, current: false }])
    await done(acme, 'updateWorkflow', { identifier: 'order', active: true, steps: [] })
    expect(await versions()).toEqual([{ triggered: true, current: false }])
  })

  test('continue after the runs of the previous call, and reject what is no place', async () => {
    await createWorkflow(acme, [mail])
    await send()
    const { workflowRuns } = await acme.ask('{ workflowRuns { nodes { retriable retriedAt } } }')
    expect(workflowRuns.nodes).toEqual([{ retriable: true, retriedAt: null }])
    expect(await retryAll({ after: 'ffffffff-ffff-7fff-bfff-ffffffffffff' })).toMatchObject({ retriedCount: 0 })
    const { userErrors } = await acme.act('retryWorkflowRuns', { after: 'nowhere' })
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['after'] }])
  })
})
