// The status of an event: the result of a trigger, why it had no effect, and its counts of runs and messages.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import * as topicSubscriptions from '../../src/data/topic-subscription.ts'
import { foldTallies } from '../../src/data/event.ts'
import { createWorkflow, createIntegration, done, trigger } from '../support/delivery/story.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const wait = { delay: { amount: 1, unit: 'HOURS' } }

const statusFields = 'status reason detail'
const countFields =
  'runCounts { running waiting completed failed cancelled } messageCounts { pending sent failed cancelled notifications }'

/** Counts by status. */
const tally = z.record(z.string(), z.number()).nullable()

interface Shown {
  readonly id: string
  readonly messageCounts: Readonly<Record<string, number>>
  readonly runCounts: { readonly completed: number }
}

/** The event with this transaction id. */
async function eventOf(transactionId: string, fields = statusFields) {
  const { event } = await acme.ask<{ event: Shown }>(
    `query ($id: String!) { event(transactionId: $id) { ${fields} } }`,
    { id: transactionId },
  )
  return event
}

const none = { status: 'COMPLETED', reason: null, detail: null }
const runs = { running: 0, waiting: 0, completed: 0, failed: 0, cancelled: 0 }
const messages = { pending: 0, sent: 0, failed: 0, cancelled: 0, notifications: 0 }

/** Triggers `order` through the graph, which also accepts workflows that do nothing. @returns the transaction id. */
async function triggerAs(input: object): Promise<string> {
  const { event } = await done(
    acme,
    'triggerEvent',
    { workflowIdentifier: 'order', ...input },
    'event { transactionId }',
  )
  return event.transactionId
}

const toNews = [{ topic: { topicKey: 'news' } }]

describe('an event', () => {
  test('is accepted until its runs are created, then running, and completed when they have ended', async () => {
    await createWorkflow(
      acme,
      [bell, wait, bell].map((step, index) =>
        'inApp' in step ? { inApp: { ...step.inApp, stepId: `bell-${index}` } } : step,
      ),
    )
    const id = await trigger(acme)
    expect(await eventOf(id)).toEqual({ ...none, status: 'ACCEPTED' })
    await world.work()
    expect(await eventOf(id)).toEqual({ ...none, status: 'RUNNING' })
    await world.work({ early: true })
    expect(await eventOf(id)).toEqual(none)
  })

  test.each([
    ['inactive', { active: false, steps: [bell] }, 'WORKFLOW_INACTIVE', 'Workflow "order" is not active.'],
    ['without steps', { steps: [] }, 'NO_STEPS', 'Workflow "order" has no steps.'],
    [
      'without active steps',
      { steps: [{ inApp: { ...bell.inApp, active: false } }] },
      'NO_ACTIVE_STEPS',
      'Workflow "order" has no active steps.',
    ],
  ])('of a workflow %s is skipped, and a preview says so', async (_case, { steps, ...more }, reason, detail) => {
    await createWorkflow(acme, steps, more)
    const to = [{ subscriber: { subscriberId: 'ada' } }]
    await expectSkipped(to, reason, detail)
  })

  /** Triggers and previews `order`, and expects both to be skipped for this reason. */
  async function expectSkipped(to: object[], reason: string, detail: string, more: object = {}) {
    const { previewTrigger } = await acme.ask(
      'query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { status: eventStatus reason detail runs { subscriberId } } }',
      { input: { workflowIdentifier: 'order', to, ...more } },
    )
    const id = await triggerAs({ to, ...more })
    await world.work()
    const skipped = { status: 'SKIPPED', reason, detail }
    expect(await eventOf(id, `${statusFields} ${countFields}`)).toEqual({
      ...skipped,
      runCounts: runs,
      messageCounts: messages,
    })
    expect(previewTrigger).toEqual({ ...skipped, runs: [] })
    const { events } = await acme.ask(
      'query ($reason: EventReason) { events(filter: { reason: $reason }) { totalCount nodes { transactionId } } }',
      { reason },
    )
    expect(events).toEqual({ totalCount: 1, nodes: [{ transactionId: id }] })
  }

  const subscribe = (...subscriberIds: string[]) =>
    done(acme, 'createTopicSubscriptions', {
      topicKey: 'news',
      subscriptions: subscriberIds.map((subscriberId) => ({ subscriberId })),
    })

  test('for a topic without a subscription under exactly its contexts is skipped', async () => {
    await createWorkflow(acme, [bell])
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    await subscribe('ada')
    const detail = 'Nobody is subscribed to the topic "news" under exactly the contexts tenant:acme.'
    const contexts = [{ type: 'tenant', identifier: 'acme' }]
    await expectSkipped(toNews, 'NO_SUBSCRIPTIONS', detail, { contexts })
  })

  test('that excludes all subscribers of its topic is skipped', async () => {
    await createWorkflow(acme, [bell])
    for (const subscriberId of ['ada', 'grace']) await done(acme, 'createSubscriber', { subscriberId })
    await subscribe('ada', 'grace')
    const to = [{ topic: { topicKey: 'news', exclude: ['ada'] } }]
    const detail = 'The trigger excludes every subscriber of the topic "news".'
    await expectSkipped(to, 'ALL_EXCLUDED', detail, { actor: { subscriberId: 'grace' } })
  })

  test('whose recipient was deleted before its run was created is skipped', async () => {
    await createWorkflow(acme, [bell])
    const id = await trigger(acme)
    await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
    await world.work()
    expect(await eventOf(id)).toMatchObject({ status: 'SKIPPED', reason: 'RECIPIENTS_DELETED' })
  })

  test('whose recipient was deleted and created again before its run was created runs only for the others', async () => {
    await createWorkflow(acme, [bell])
    const id = await trigger(acme, { to: ['ada', 'grace'] })
    await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    await world.work()
    expect(await eventOf(id, 'runs { nodes { subscriberId } } recipients')).toEqual({
      runs: { nodes: [{ subscriberId: 'grace' }] },
      recipients: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }],
    })
  })

  test('that was cancelled has the status cancelled', async () => {
    await createWorkflow(acme, [wait, bell])
    const id = await trigger(acme)
    await world.work()
    await done(acme, 'cancelEvent', { transactionId: id })
    expect(await eventOf(id, `${statusFields} ${countFields}`)).toEqual({
      ...none,
      status: 'CANCELLED',
      runCounts: { ...runs, cancelled: 1 },
      messageCounts: messages,
    })
  })
})

describe('an event whose runs cannot be created', () => {
  const subscribers = Array.from({ length: 501 }, (_, index) => ({ subscriberId: `reader-${index}` }))

  test('has failed, keeps its runs, and creates the others when it is retried', async () => {
    await createWorkflow(acme, [bell])
    for (let start = 0; start < subscribers.length; start += 100) {
      const some = subscribers.slice(start, start + 100)
      await done(acme, 'createSubscribers', { subscribers: some })
      await done(acme, 'createTopicSubscriptions', { topicKey: 'news', subscriptions: some })
    }
    const id = await triggerAs({ to: toNews })
    const page = topicSubscriptions.subscriptionPage
    const spy = vi.spyOn(topicSubscriptions, 'subscriptionPage')
    spy.mockImplementation(async (...args) => {
      if (args[1].after !== null) throw new Error('the second page cannot be read')
      return page(...args)
    })
    try {
      for (let attempt = 0; attempt < 20; attempt++) await world.work({ early: true })
    } finally {
      spy.mockRestore()
    }
    const failed = await eventOf(id, `id ${statusFields} ${countFields}`)
    expect(failed).toMatchObject({ status: 'FAILED', reason: 'FAN_OUT_FAILED' })
    // As many runs as the first page has.
    expect(failed.runCounts.completed).toBeGreaterThan(0)
    expect(failed.runCounts.completed).toBeLessThan(501)
    await done(acme, 'retryEvent', { id: failed.id })
    expect(await eventOf(id)).toEqual({ ...none, status: 'RUNNING' })
    await world.work()
    expect(await eventOf(id, `${statusFields} ${countFields}`)).toEqual({
      ...none,
      runCounts: { ...runs, completed: 501 },
      messageCounts: { ...messages, notifications: 501 },
    })
  })

  test('is the only event that can be retried', async () => {
    await createWorkflow(acme, [bell])
    const id = await trigger(acme)
    await world.work()
    const { id: nodeId } = await eventOf(id, 'id')
    const { userErrors } = await acme.act('retryEvent', { id: nodeId })
    expect(userErrors).toMatchObject([{ code: 'CONFLICT', field: ['id'] }])
    expect(userErrors[0].message).toMatch(/is completed: only a failed event can be retried$/)
  })
})

describe('the counts of an event', () => {
  const counted = `${statusFields} ${countFields}`

  /** Counts the rows themselves. */
  async function recount(transactionId: string) {
    const { rows } = await world.database.pool.query(
      `SELECT jsonb_build_object('runs', (
                SELECT jsonb_object_agg(status, count) FROM (
                  SELECT status, count(*) FROM workflow_runs WHERE event_id = event.id GROUP BY status) AS runs),
              'messages', (
                SELECT jsonb_object_agg(status, count) FROM (
                  SELECT delivery.status, count(*) FROM deliveries AS delivery
                  JOIN step_runs AS step ON step.id = step_run_id JOIN workflow_runs AS run ON run.id = run_id
                  WHERE run.event_id = event.id GROUP BY delivery.status) AS messages)) AS counts
       FROM events AS event WHERE transaction_id = $1`,
      [transactionId],
    )
    const [{ counts }] = z.tuple([z.object({ counts: z.object({ runs: tally, messages: tally }) })]).parse(rows)
    return { runCounts: { ...runs, ...counts.runs }, messageCounts: { ...messages, ...counts.messages } }
  }

  test('match its rows after messages failed, were retried, and two workers shared the work', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    const to = Array.from({ length: 40 }, (_, index) => ({
      subscriber: { subscriberId: `reader-${index}`, email: `reader-${index}@example.com` },
    }))
    let received = 0
    receiver.respond((response) => response.writeHead((received += 1) > 29 ? 400 : 200).end())
    const id = await triggerAs({ to })
    await Promise.all([world.work(), world.work()])
    const expected = { ...none, runCounts: { ...runs, completed: 40 } }
    const failed = { ...messages, sent: 29, failed: 11 }
    expect(await eventOf(id, counted)).toEqual({ ...expected, messageCounts: failed })
    expect(await recount(id)).toEqual({ runCounts: expected.runCounts, messageCounts: failed })

    const { deliveries } = await acme.ask('{ deliveries(filter: { status: FAILED }) { nodes { id } } }')
    receiver.answer(200)
    await done(acme, 'retryDelivery', { id: deliveries.nodes[0].id })
    expect((await eventOf(id, counted)).messageCounts).toEqual({ ...failed, failed: 10, pending: 1 })
    await Promise.all([world.work(), world.work()])
    const retried = { ...failed, failed: 10, sent: 30 }
    expect((await eventOf(id, counted)).messageCounts).toEqual(retried)
    expect((await recount(id)).messageCounts).toEqual(retried)
  })

  test('stay the same when changes are added up, and cost one statement for any number of events', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [bell, mail, wait])
    const ids = []
    for (let index = 0; index < 5; index++) {
      ids.push(await triggerAs({ to: [{ subscriber: { subscriberId: 'ada', email: 'ada@example.com' } }] }))
    }
    await world.work()
    await done(acme, 'cancelEvent', { transactionId: ids[0] })
    const read = async (first: number) =>
      (await acme.ask<{ events: { nodes: unknown[] } }>(`{ events(first: ${first}) { nodes { ${counted} } } }`)).events
    const before = await read(5)
    expect(before.nodes[0]).toEqual({
      ...none,
      status: 'RUNNING',
      runCounts: { ...runs, waiting: 1 },
      messageCounts: { ...messages, sent: 1, notifications: 1 },
    })
    expect(before.nodes[4]).toMatchObject({ status: 'CANCELLED', runCounts: { waiting: 0, cancelled: 1 } })
    const { db } = world.gateway
    await Promise.all([foldTallies(db, 3), foldTallies(db, 3)])
    expect(await read(5)).toEqual(before)
    while ((await foldTallies(db, 100)) > 0);
    const tallies = await statementsOf(async () => expect(await read(5)).toEqual(before))
    expect(tallies).toHaveLength((await statementsOf(() => read(1))).length)
  })

  test('are gone with their environment', async () => {
    await createWorkflow(acme, [bell])
    await trigger(acme)
    await world.work()
    const { environment } = await acme.ask('{ environment { id } }')
    await done(world.development, 'deleteEnvironment', { id: environment.id })
    await housekeepingOf(world).perform('deletion')
    while ((await foldTallies(world.gateway.db, 100)) > 0);
    const { rows } = await world.database.pool.query(
      `SELECT FROM event_tallies AS tally WHERE NOT EXISTS (SELECT FROM events WHERE id = tally.event_id)`,
    )
    expect(rows).toEqual([])
  })
})
