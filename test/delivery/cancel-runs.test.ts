// Cancelling single runs of events, and all that match a filter.
import { beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  adasRun,
  bodiesOf,
  createIntegration,
  createWorkflow,
  done,
  outcomes,
  storyOf,
  trigger,
} from '../support/delivery/story.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const bell = (body: string) => ({ inApp: { stepId: body, body } })
const wait = { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }
const email = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const digest = { digest: { stepId: 'hour', amount: 1, unit: 'HOURS' } }
const both = { to: [{ subscriberId: 'ada' }, { subscriberId: 'bob' }] }

beforeEach(async () => {
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await done(acme, 'createSubscriber', { subscriberId: 'bob', email: 'bob@example.com' })
})

const cancelAll = (filter: object, input: object = {}) =>
  done(acme, 'cancelWorkflowRuns', { filter, ...input }, 'cancelledCount remainingCount')

async function cancelOne(id: string) {
  const payload = await acme.act('cancelWorkflowRun', { id }, 'workflowRun { status error cancellable }')
  return { workflowRun: payload.workflowRun, messages: payload.userErrors.map(({ message }) => message) }
}

const eventOf = async (id: string) =>
  (
    await acme.ask(
      `query ($id: String!) {
        event(transactionId: $id) {
          status outcome cancelledAt
          runCounts { running waiting completed cancelled }
          recipientCounts { pending delivered nothing groups { outcome reasonCode count } }
        }
      }`,
      { id },
    )
  ).event

describe('a run that is not over', () => {
  test('is cancelled alone, and its event continues for the others', async () => {
    await createWorkflow(acme, [wait, bell('late')])
    const id = await trigger(acme, both)
    await world.work()
    const run = await adasRun(acme, id)
    expect(await cancelOne(run.id)).toEqual({
      workflowRun: { status: 'CANCELLED', error: 'The run was cancelled.', cancellable: false },
      messages: [],
    })
    expect((await adasRun(acme, id)).steps).toMatchObject([
      { stepId: 'wait', status: 'CANCELLED', reason: 'cancelled', detail: 'The run was cancelled.' },
    ])
    expect(await eventOf(id)).toMatchObject({
      ...{ status: 'RUNNING', outcome: 'PENDING', cancelledAt: null },
      runCounts: { running: 0, waiting: 1, completed: 0, cancelled: 1 },
      recipientCounts: { pending: 1, delivered: 0, nothing: 1 },
    })
    await world.work({ early: true })
    expect(await bodiesOf(acme)).toEqual([])
    expect(await bodiesOf(acme, 'bob')).toEqual(['late'])
    expect(await eventOf(id)).toMatchObject({
      ...{ status: 'COMPLETED', outcome: 'PARTLY' },
      recipientCounts: {
        groups: expect.arrayContaining([
          { outcome: 'DELIVERED', reasonCode: null, count: 1 },
          { outcome: 'NOTHING', reasonCode: 'CANCELLED', count: 1 },
        ]),
      },
    })
  })

  test('can have nothing but messages that wait for their next attempt', async () => {
    await createWorkflow(acme, [bell('first'), email])
    receiver.answer(500)
    const id = await trigger(acme)
    await world.work()
    const run = await adasRun(acme, id)
    expect(run.status).toBe('COMPLETED')
    expect(await cancelOne(run.id)).toMatchObject({ workflowRun: { status: 'COMPLETED', cancellable: false } })
    receiver.answer(200)
    await world.work({ early: true })
    expect(await outcomes(acme, id)).toEqual({ first: 'SENT', mail: 'CANCELLED cancelled' })
    const { deliveries } = await acme.ask('{ deliveries { nodes { status } } }')
    expect(deliveries.nodes).toEqual([{ status: 'CANCELLED' }])
    expect(await eventOf(id)).toMatchObject({ status: 'COMPLETED', outcome: 'DELIVERED' })
  })

  test('leaves an open digest, and a digest that it opened leaves the others to a new one', async () => {
    await createWorkflow(acme, [digest, { inApp: { stepId: 'bell', body: '{{digest.count}}' } }])
    const ids: string[] = []
    for (let count = 0; count < 4; count += 1) {
      ids.push(await trigger(acme))
      await world.work()
    }
    const [opened = '', merged = '', ...others] = ids
    for (const id of [merged, opened]) {
      expect(await cancelOne((await adasRun(acme, id)).id)).toMatchObject({ workflowRun: { status: 'CANCELLED' } })
      expect(await outcomes(acme, id)).toEqual({ hour: 'CANCELLED cancelled' })
    }
    await world.work({ early: true })
    expect(await bodiesOf(acme)).toEqual(['2'])
    for (const id of others) expect(await eventOf(id)).toMatchObject({ status: 'COMPLETED' })
  })
})

test.each(['completed', 'cancelled'])('a run that is %s cannot be cancelled', async (status) => {
  await createWorkflow(acme, status === 'completed' ? [bell('now')] : [wait])
  const id = await trigger(acme)
  await world.work()
  const run = await adasRun(acme, id)
  if (status === 'cancelled') await cancelOne(run.id)
  const conflict = `Run "${decodeNodeId(run.id).id}" is ${status}: only a run that is not over can be cancelled`
  expect(await cancelOne(run.id)).toEqual({ workflowRun: null, messages: [conflict] })
  expect(await cancelAll({ transactionId: id })).toMatchObject({ cancelledCount: 0 })
})

test('a cancelled run is not retried', async () => {
  await createWorkflow(acme, [wait, bell('late')])
  const id = await trigger(acme)
  await world.work()
  await cancelOne((await adasRun(acme, id)).id)
  const { userErrors } = await acme.act('retryWorkflowRun', { id: (await adasRun(acme, id)).id })
  expect(userErrors).toMatchObject([{ code: 'CONFLICT' }])
  expect(await done(acme, 'retryWorkflowRuns', { filter: { transactionId: id } }, 'retriedCount')).toMatchObject({
    retriedCount: 0,
  })
})

test('a run that waits for the end of a pause is cancelled', async () => {
  await createWorkflow(acme, [wait, bell('late')])
  const id = await trigger(acme, both)
  await world.work()
  await done(acme, 'pauseWorkflow', { identifier: 'order' })
  await world.work({ early: true })
  expect(await cancelAll({ transactionId: id, subscriberId: 'ada' })).toMatchObject({ cancelledCount: 1 })
  await done(acme, 'resumeWorkflow', { identifier: 'order' })
  await world.work({ early: true })
  expect(await bodiesOf(acme)).toEqual([])
  expect(await bodiesOf(acme, 'bob')).toEqual(['late'])
})

describe('all that match', () => {
  test('are counted first, and cancelled in more portions than one', async () => {
    await createWorkflow(acme, [wait, bell('late')])
    for (let start = 0; start < 600; start += 100) {
      const to = Array.from({ length: 100 }, (_, index) => ({ subscriberId: `reader-${start + index}` }))
      await trigger(acme, { to })
    }
    await world.work()
    const filter = { workflowIdentifier: 'order' }
    expect(await cancelAll(filter, { dryRun: true })).toMatchObject({ cancelledCount: 600, remainingCount: 600 })
    expect(await cancelAll(filter)).toMatchObject({ cancelledCount: 600, remainingCount: 0 })
    expect(await cancelAll(filter)).toMatchObject({ cancelledCount: 0, remainingCount: 0 })
    const { workflowRuns, events } = await acme.ask(
      '{ workflowRuns(filter: { status: CANCELLED }) { totalCount } events(filter: { status: CANCELLED }) { totalCount } }',
    )
    expect({ workflowRuns, events }).toEqual({ workflowRuns: { totalCount: 600 }, events: { totalCount: 0 } })
  })

  test('are the runs that say that they can be cancelled', async () => {
    await createWorkflow(acme, [wait])
    await createWorkflow(acme, [digest], { identifier: 'news' })
    await createWorkflow(acme, [email], { identifier: 'mail' })
    await createWorkflow(acme, [bell('now')], { identifier: 'bell' })
    await createWorkflow(acme, [email], { identifier: 'sent' })
    await trigger(acme, { name: 'sent' })
    await world.work()
    receiver.answer(500)
    for (const name of ['order', 'news', 'news', 'mail', 'bell']) await trigger(acme, { name, ...both })
    await world.work()
    const read = '{ workflowRuns(first: 50) { nodes { id cancellable subscriberId event { workflowIdentifier } } } }'
    const { workflowRuns } = await acme.ask(read)
    const open = workflowRuns.nodes.filter(({ cancellable }) => cancellable)
    const namesOf = (runs: typeof open) => runs.map(({ event }) => event.workflowIdentifier).toSorted()
    expect(namesOf(open)).toEqual(['mail', 'mail', 'news', 'news', 'news', 'news', 'order', 'order'])
    const all = { createdBefore: '2999-01-01T00:00:00Z' }
    expect(await cancelAll(all, { dryRun: true })).toMatchObject({ cancelledCount: open.length })
    expect(await cancelAll({ subscriberIds: ['ada', 'bob'] }, { dryRun: true })).toMatchObject({
      cancelledCount: open.length,
    })
    expect(await cancelAll(all)).toMatchObject({ cancelledCount: open.length, remainingCount: 0 })
    const after = await acme.ask(read)
    expect(after.workflowRuns.nodes.filter(({ cancellable }) => cancellable)).toEqual([])
  })

  test.each([
    ['transactionId', (id: string) => ({ transactionId: id }), { transactionId: 'another' }],
    ['status', { status: 'WAITING' }, { status: 'RUNNING' }],
    ['statuses', { statuses: ['RUNNING', 'WAITING'] }, { statuses: ['COMPLETED', 'FAILED'] }],
    ['outcomes', { outcomes: ['PENDING'] }, { outcome: 'DELIVERED' }],
    ['subscriberId', { subscriberId: 'ada' }, { subscriberId: 'grace' }],
    ['subscriberIds', { subscriberIds: ['grace', 'ada'] }, { subscriberIds: ['grace', 'another'] }],
    ['workflowIdentifier', { workflowIdentifier: 'order' }, { workflowIdentifier: 'another' }],
    ['workflowIdentifiers', { workflowIdentifiers: ['another', 'order'] }, { workflowIdentifiers: ['another'] }],
    ['contextKeys', { contextKeys: ['tenant:acme'] }, { contextKeys: [] }],
    ['createdAfter', { createdAfter: '2020-01-01T00:00:00Z' }, { createdAfter: '2999-01-01T00:00:00Z' }],
    ['createdBefore', { createdBefore: '2999-01-01T00:00:00Z' }, { createdBefore: '2020-01-01T00:00:00Z' }],
  ])('are selected by %s', async (_name, matching, other) => {
    await createWorkflow(acme, [wait])
    const id = await trigger(acme, { context: { tenant: 'acme' } })
    await world.work()
    const filter = typeof matching === 'function' ? matching(id) : matching
    const list = 'query ($filter: WorkflowRunFilter) { workflowRuns(filter: $filter) { totalCount } }'
    expect(await acme.ask(list, { filter })).toEqual({ workflowRuns: { totalCount: 1 } })
    expect(await acme.ask(list, { filter: other })).toEqual({ workflowRuns: { totalCount: 0 } })
    expect(await cancelAll(other)).toMatchObject({ cancelledCount: 0 })
    expect(await cancelAll(filter)).toMatchObject({ cancelledCount: 1 })
  })

  test('are selected by the reason and the step of runs that were merged into an open digest', async () => {
    await createWorkflow(acme, [digest, bell('now')])
    for (let count = 0; count < 2; count += 1) await trigger(acme)
    await world.work()
    expect(await cancelAll({ reasons: ['CONTENT'] })).toMatchObject({ cancelledCount: 0 })
    expect(await cancelAll({ stepId: 'another' })).toMatchObject({ cancelledCount: 0 })
    const filter = { reasons: ['MERGED'], stepIds: ['hour', 'another'] }
    expect(await cancelAll(filter)).toMatchObject({ cancelledCount: 1, remainingCount: 0 })
    expect(await cancelAll({ status: 'WAITING' })).toMatchObject({ cancelledCount: 1 })
  })

  test('need a condition', async () => {
    const { userErrors } = await acme.act('cancelWorkflowRuns', { filter: {} })
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['filter'] }])
  })

  test('are cancelled through REST, all or one', async () => {
    await createWorkflow(acme, [wait])
    const id = await trigger(acme, both)
    await world.work()
    const run = await adasRun(acme, id)
    const one = await acme.rest(`POST /v1/workflow-runs/${decodeNodeId(run.id).id}/cancel`)
    expect(one).toMatchObject({ status: 200, body: { subscriberId: 'ada', status: 'cancelled' } })
    expect(await acme.rest(`POST /v1/workflow-runs/${decodeNodeId(run.id).id}/cancel`)).toMatchObject({ status: 409 })
    const cancel = (body: object) => acme.rest('POST /v1/workflow-runs/cancel', { body })
    const selected = { transactionId: id, statuses: ['waiting'] }
    const counted = await cancel({ ...selected, dryRun: true })
    expect(counted.body).toEqual({ cancelledCount: 1, remainingCount: 1 })
    const { status, body } = await cancel(selected)
    expect({ status, body }).toEqual({ status: 200, body: { cancelledCount: 1, remainingCount: 0 } })
    const { bob } = await storyOf(acme, id)
    expect(bob).toMatchObject({ status: 'CANCELLED' })
    expect(await cancel({ transaction: id })).toMatchObject({ status: 422 })
  })
})
