// The outcomes of runs and events: what arrived, and why not. They follow every change of a step, and add up.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { foldOutcomes } from '../../src/data/event-outcome.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const receiver = useReceiver()
let acme: Client

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const wait = { delay: { amount: 1, unit: 'HOURS' } }
const day = { digest: { stepId: 'day', amount: 1, unit: 'DAYS' } }
const counts = { total: 1, delivered: 0, failed: 0, nothing: 0, pending: 0 }

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

/** Compares what is stored and counted with the steps themselves. */
async function expectToAddUp(): Promise<void> {
  const { rows: wrong } = await world.database.pool.query(
    `SELECT run.outcome, run.reason, settled.* FROM workflow_runs AS run
     CROSS JOIN LATERAL run_outcome(run.environment_id, run.id, run.status, run.error, run.updated_at) AS settled
     WHERE run.outcome IS NOT NULL AND (run.outcome, run.reason, run.reason_step_id)
       IS DISTINCT FROM (settled.outcome, settled.reason, settled.reason_step_id)`,
  )
  expect(wrong).toEqual([])
  const { rows: uncounted } = await world.database.pool.query(
    `SELECT event_id, outcome, reason, sum(runs) FROM (
       SELECT event_id, outcome, coalesce(reason, '') AS reason, -1 AS runs FROM workflow_runs WHERE outcome IS NOT NULL
       UNION ALL SELECT event_id, outcome, reason, runs FROM event_outcomes
       UNION ALL SELECT event_id, outcome, reason, runs FROM event_outcome_changes
     ) AS part GROUP BY event_id, outcome, reason HAVING sum(runs) <> 0`,
  )
  expect(uncounted).toEqual([])
}
afterEach(expectToAddUp)

/** The event with its counts, and Ada's run. */
async function outcomeOf(id: string) {
  const { event } = await acme.ask(
    `query ($id: String!) {
      event(transactionId: $id) {
        id status outcome
        recipientCounts { total delivered failed nothing pending groups { outcome reason count } }
        runs(filter: { subscriberId: "ada" }) { nodes { id outcome reason reasonStepId } }
      }
    }`,
    { id },
  )
  const { id: nodeId, status, outcome, recipientCounts, runs } = event
  const { groups, ...numbers } = recipientCounts
  const ada = runs.nodes.at(0) ?? null
  return { nodeId, status, outcome, counts: numbers, groups, ada }
}

/** Triggers `order` for Ada and works. @returns the transaction id. */
async function send(more: object = {}): Promise<string> {
  const id = await trigger(acme, more)
  await world.work()
  return id
}

describe('the event of ten recipients', () => {
  test('adds up to ten, by outcome and by reason', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const condition = { '!=': [{ var: 'subscriber.data.plan' }, 'free'] }
    await createWorkflow(acme, [{ email: { ...mail.email, condition } }])
    const addressed = ['sent', 'refused', 'off-1', 'off-2', 'quiet']
    for (const subscriberId of addressed) {
      await done(acme, 'createSubscriber', { subscriberId, email: `${subscriberId}@example.com` })
    }
    for (const subscriberId of ['free-1', 'free-2']) {
      await done(acme, 'createSubscriber', { subscriberId, email: 'free@example.com', data: { plan: 'free' } })
    }
    const channels = [{ channel: 'EMAIL', enabled: false }]
    for (const subscriberId of ['off-1', 'off-2']) {
      await done(acme, 'updateSubscriberPreferences', { subscriberId, workflowIdentifier: 'order', channels })
    }
    await done(acme, 'updateSubscriberPreferences', { subscriberId: 'quiet', channels })
    receiver.respond((response) => {
      const to = receiver.last.body.includes('refused@') ? 400 : 200
      response.writeHead(to).end()
    })
    const to = [...addressed, 'free-1', 'free-2', 'nobody-1', 'nobody-2', 'nobody-3']
    const id = await send({ to })
    const seen = await outcomeOf(id)
    expect(seen).toMatchObject({
      status: 'COMPLETED',
      outcome: 'PARTLY',
      counts: { total: 10, delivered: 1, failed: 1, nothing: 8, pending: 0 },
    })
    expect(seen.groups.slice(0, 1)).toEqual([{ outcome: 'NOTHING', reason: 'no_destination', count: 3 }])
    expect(new Set(seen.groups)).toEqual(
      new Set([
        { outcome: 'NOTHING', reason: 'no_destination', count: 3 },
        { outcome: 'NOTHING', reason: 'condition', count: 2 },
        { outcome: 'NOTHING', reason: 'subscriber_workflow_preference', count: 2 },
        { outcome: 'NOTHING', reason: 'subscriber_global_preference', count: 1 },
        { outcome: 'FAILED', reason: 'refused', count: 1 },
        { outcome: 'DELIVERED', reason: null, count: 1 },
      ]),
    )
    await expectToAddUp()
    await housekeepingOf(world).perform('event_tallies')
    const { rows } = await world.database.pool.query('SELECT count(*)::int AS left FROM event_outcome_changes')
    expect(rows).toEqual([{ left: 0 }])
    expect(await outcomeOf(id)).toEqual(seen)
  })
})

describe('a run of which nothing arrived', () => {
  test('has failed if its template is broken, although the engine is done', async () => {
    await createWorkflow(acme, [{ inApp: { ...bell.inApp, url: '{{ payload.url }}' } }])
    expect(await outcomeOf(await send({ payload: { url: 'javascript:alert(1)' } }))).toMatchObject({
      status: 'COMPLETED',
      outcome: 'FAILED',
      counts: { ...counts, failed: 1 },
      groups: [{ outcome: 'FAILED', reason: 'content', count: 1 }],
      ada: { outcome: 'FAILED', reason: 'content', reasonStepId: 'bell' },
    })
  })

  test('has failed if there is no integration', async () => {
    await createWorkflow(acme, [mail])
    expect(await outcomeOf(await send())).toMatchObject({
      outcome: 'FAILED',
      ada: { outcome: 'FAILED', reason: 'no_integration', reasonStepId: 'mail' },
    })
  })

  test('names the first step that decided it, and an inactive step last', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const off = { inApp: { ...bell.inApp, active: false } }
    await createWorkflow(acme, [off, { email: { ...mail.email, condition: { '==': [1, 2] } } }])
    expect(await outcomeOf(await send())).toMatchObject({
      outcome: 'NOTHING',
      ada: { outcome: 'NOTHING', reason: 'condition', reasonStepId: 'mail' },
    })
  })

  test('was merged into a digest, and arrives after all if that digest is cancelled', async () => {
    await createWorkflow(acme, [day, bell])
    const [first, second] = [await send(), await send()]
    expect(await outcomeOf(first)).toMatchObject({ outcome: 'PENDING', ada: { outcome: 'PENDING', reason: null } })
    const merged = { outcome: 'NOTHING', reason: 'merged', reasonStepId: 'day' }
    expect(await outcomeOf(second)).toMatchObject({ status: 'COMPLETED', outcome: 'NOTHING', ada: merged })
    await done(acme, 'cancelEvent', { transactionId: first })
    const cancelled = { outcome: 'NOTHING', reason: 'cancelled', reasonStepId: 'day' }
    expect(await outcomeOf(first)).toMatchObject({ status: 'CANCELLED', outcome: 'NOTHING', ada: cancelled })
    expect(await outcomeOf(second)).toMatchObject({ outcome: 'PENDING' })
    await world.work({ early: true })
    expect(await outcomeOf(second)).toMatchObject({ outcome: 'DELIVERED', ada: { outcome: 'DELIVERED', reason: null } })
  })

  test('has no step that sends', async () => {
    await createWorkflow(acme, [wait])
    const id = await send()
    expect(await outcomeOf(id)).toMatchObject({ outcome: 'PENDING', counts: { ...counts, pending: 1 } })
    await world.work({ early: true })
    const reason = 'no_message_step'
    expect(await outcomeOf(id)).toMatchObject({ outcome: 'NOTHING', ada: { outcome: 'NOTHING', reason } })
  })

  test('belongs to a deleted subscriber', async () => {
    await createWorkflow(acme, [wait, bell])
    const id = await send()
    await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
    await world.work()
    expect(await outcomeOf(id)).toMatchObject({
      outcome: 'NOTHING',
      groups: [{ outcome: 'NOTHING', reason: 'subscriber_deleted', count: 1 }],
    })
  })
})

describe('an outcome', () => {
  test('is pending until the last message has ended', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [bell, mail])
    receiver.answer(500)
    const id = await send()
    expect(await outcomeOf(id)).toMatchObject({
      status: 'COMPLETED',
      outcome: 'PENDING',
      counts: { ...counts, pending: 1 },
    })
    await world.work({ early: true })
    expect(await outcomeOf(id)).toMatchObject({ outcome: 'DELIVERED', counts: { ...counts, delivered: 1 } })
  })

  test('is taken back while a message is sent again', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    receiver.answer(400)
    const id = await send()
    expect(await outcomeOf(id)).toMatchObject({ outcome: 'FAILED', ada: { reason: 'refused', reasonStepId: 'mail' } })
    const { deliveries } = await acme.ask('{ deliveries { nodes { id } } }')
    receiver.answer(200)
    await done(acme, 'retryDelivery', { id: deliveries.nodes[0].id })
    expect(await outcomeOf(id)).toMatchObject({ outcome: 'PENDING', counts: { ...counts, pending: 1 } })
    await world.work()
    expect(await outcomeOf(id)).toMatchObject({
      outcome: 'DELIVERED',
      groups: [{ outcome: 'DELIVERED', reason: null, count: 1 }],
    })
  })

  test('is failed for a run that an internal error stopped, and is taken back by a retry', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    const id = await trigger(acme)
    await world.database.pool.query('ALTER TABLE deliveries RENAME TO misplaced')
    try {
      await world.work({ early: true })
    } finally {
      await world.database.pool.query('ALTER TABLE misplaced RENAME TO deliveries')
    }
    const failed = await outcomeOf(id)
    expect(failed).toMatchObject({ outcome: 'FAILED', ada: { reason: 'run_failed', reasonStepId: null } })
    await done(acme, 'retryWorkflowRun', { id: failed.ada?.id })
    expect(await outcomeOf(id)).toMatchObject({ outcome: 'PENDING' })
    await world.work()
    expect(await outcomeOf(id)).toMatchObject({ outcome: 'DELIVERED' })
  })

  test('of an event that was cancelled tells what arrived before', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    let received = 0
    receiver.respond((response) => response.writeHead((received += 1) > 1 ? 500 : 200).end())
    const to = ['ada', 'grace'].map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` }))
    const id = await send({ to })
    await done(acme, 'cancelEvent', { transactionId: id })
    const seen = await outcomeOf(id)
    expect(seen).toMatchObject({
      status: 'CANCELLED',
      outcome: 'PARTLY',
      counts: { ...counts, total: 2, delivered: 1, nothing: 1 },
    })
    expect(seen.groups).toContainEqual({ outcome: 'NOTHING', reason: 'cancelled', count: 1 })
  })

  test('of an event without runs is nothing if it was skipped, and failed if the fan-out failed', async () => {
    await createWorkflow(acme, [bell], { active: false })
    const to = [{ subscriber: { subscriberId: 'ada' } }]
    const { event } = await done(acme, 'triggerEvent', { workflowIdentifier: 'order', to }, 'event { transactionId }')
    const id = event.transactionId
    expect(await outcomeOf(id)).toMatchObject({
      status: 'SKIPPED',
      outcome: 'NOTHING',
      counts: { ...counts, total: 0 },
    })
    const fail = `UPDATE events SET fanned_out_at = NULL, reason = 'fan_out_failed' WHERE transaction_id = $1`
    await world.database.pool.query(fail, [id])
    expect(await outcomeOf(id)).toMatchObject({ status: 'FAILED', outcome: 'FAILED' })
  })

  test('of an event whose fan-out failed halfway is partly', async () => {
    await createWorkflow(acme, [bell])
    const id = await send()
    const fail = `UPDATE events SET fanned_out_at = NULL, reason = 'fan_out_failed' WHERE transaction_id = $1`
    await world.database.pool.query(fail, [id])
    expect(await outcomeOf(id)).toMatchObject({
      status: 'FAILED',
      outcome: 'PARTLY',
      counts: { ...counts, delivered: 1 },
    })
  })
})

test('a preview tells the outcome that the trigger would have', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [wait, mail])
  const to = [{ subscriber: { subscriberId: 'ada' } }, { subscriber: { subscriberId: 'grace' } }]
  const { previewTrigger } = await acme.ask(
    'query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { runs { subscriberId outcome reason reasonStepId } } }',
    { input: { workflowIdentifier: 'order', to } },
  )
  expect(previewTrigger.runs).toEqual([
    { subscriberId: 'ada', outcome: 'DELIVERED', reason: null, reasonStepId: null },
    { subscriberId: 'grace', outcome: 'NOTHING', reason: 'no_destination', reasonStepId: 'mail' },
  ])
})

test('runs of earlier versions have the same outcomes, before and after they are stored', async () => {
  await createWorkflow(acme, [
    { inApp: { ...bell.inApp, condition: { '==': [{ var: 'subscriber.subscriberId' }, 'ada'] } } },
  ])
  const id = await send({ to: ['ada', 'grace', 'alan'] })
  const seen = await outcomeOf(id)
  expect(seen).toMatchObject({ outcome: 'PARTLY', counts: { ...counts, total: 3, delivered: 1, nothing: 2 } })
  const { pool } = world.database
  const forget = async () => {
    await pool.query('UPDATE workflow_runs SET outcome = NULL, reason = NULL, reason_step_id = NULL')
    for (const table of ['event_outcome_changes', 'event_outcomes']) await pool.query(`DELETE FROM ${table}`)
  }
  await forget()
  expect(await outcomeOf(id)).toEqual(seen)
  await housekeepingOf(world).perform('copied_columns')
  const { rows } = await pool.query('SELECT count(*)::int AS left FROM workflow_runs WHERE outcome IS NULL')
  expect(rows).toEqual([{ left: 0 }])
  expect(await outcomeOf(id)).toEqual(seen)
})

test('the outcomes of many events cost as many statements as those of one, also while two processes add them up', async () => {
  await createWorkflow(acme, [bell])
  for (let index = 0; index < 4; index++) await send({ to: ['ada', 'grace'] })
  const read = async (first: number) =>
    (
      await acme.ask(
        `query ($first: Int!) { events(first: $first) { nodes { outcome recipientCounts { total delivered } runs(first: 5) { nodes { outcome reason } } } } }`,
        { first },
      )
    ).events.nodes
  const before = await read(4)
  expect(before).toHaveLength(4)
  const { db } = world.gateway
  await Promise.all([foldOutcomes(db, 3), foldOutcomes(db, 3)])
  expect(await read(4)).toEqual(before)
  while ((await foldOutcomes(db, 100)).count > 0);
  const statements = await statementsOf(async () => expect(await read(4)).toEqual(before))
  expect(statements).toHaveLength((await statementsOf(() => read(1))).length)
})
