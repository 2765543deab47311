// Cancelling all events that match a filter.
import { beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { adasRun, bodiesOf, createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const bell = (body: string) => ({ inApp: { stepId: body, body } })
const wait = { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }
const email = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }

beforeEach(async () => {
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await done(acme, 'createSubscriber', { subscriberId: 'bob', email: 'bob@example.com' })
})

const fields = 'eventCount runCount remainingEventCount remainingRunCount hasMore'
const cancel = (filter: object, input: object = {}) => done(acme, 'cancelEvents', { filter, ...input }, fields)
const statusOf = async (id: string) =>
  (await acme.ask('query ($id: String!) { event(transactionId: $id) { status cancelledAt } }', { id })).event

test('stops delayed runs of a workflow, and says how many', async () => {
  await createWorkflow(acme, [wait, bell('late')])
  const ids = [await trigger(acme), await trigger(acme, { to: [{ subscriberId: 'ada' }, { subscriberId: 'bob' }] })]
  await world.work()
  expect(await cancel({ workflowIdentifier: 'order' }, { dryRun: true })).toMatchObject({
    ...{ eventCount: 2, runCount: 3, remainingEventCount: 2, remainingRunCount: 3, hasMore: false },
  })
  expect(await cancel({ workflowIdentifier: 'another' })).toMatchObject({ eventCount: 0, runCount: 0, hasMore: false })
  expect(await cancel({ workflowIdentifier: 'order' })).toMatchObject({ eventCount: 2, runCount: 3, hasMore: false })
  expect(await cancel({ workflowIdentifier: 'order' })).toMatchObject({ eventCount: 0, runCount: 0, hasMore: false })
  await world.work({ early: true })
  expect(await bodiesOf(acme)).toEqual([])
  for (const id of ids) expect(await statusOf(id)).toMatchObject({ status: 'CANCELLED' })
})

test('stops more runs than one transaction has, in one call', async () => {
  await createWorkflow(acme, [wait, bell('late')])
  for (let start = 0; start < 600; start += 100) {
    const to = Array.from({ length: 100 }, (_, index) => ({ subscriberId: `reader-${start + index}` }))
    await trigger(acme, { to })
  }
  await world.work()
  expect(await cancel({ workflowIdentifier: 'order' })).toMatchObject({ eventCount: 6, runCount: 600, hasMore: false })
  const { workflowRuns } = await acme.ask('{ workflowRuns(filter: { status: CANCELLED }) { totalCount } }')
  expect(workflowRuns.totalCount).toBe(600)
})

test('ends the series of one subscriber only', async () => {
  await createWorkflow(acme, [wait, bell('late')])
  const both = await trigger(acme, { to: [{ subscriberId: 'ada' }, { subscriberId: 'bob' }] })
  await world.work()
  // Its run does not exist yet.
  const accepted = await trigger(acme)
  expect(await cancel({ workflowIdentifier: 'order', subscriberId: 'ada' })).toMatchObject({
    eventCount: 1,
    runCount: 1,
  })
  expect(await adasRun(acme, both)).toMatchObject({
    status: 'CANCELLED',
    steps: [{ stepId: 'wait', status: 'CANCELLED', reason: 'cancelled', detail: 'The run was cancelled.' }],
  })
  expect(await statusOf(both)).toMatchObject({ status: 'RUNNING', cancelledAt: null })
  expect(await statusOf(accepted)).toMatchObject({ status: 'CANCELLED' })
  await world.work({ early: true })
  expect(await bodiesOf(acme)).toEqual([])
  expect(await bodiesOf(acme, 'bob')).toEqual(['late'])
})

test('stops messages that wait for their next attempt, and leaves sent ones', async () => {
  await createWorkflow(acme, [email])
  await trigger(acme)
  await world.work()
  receiver.answer(500)
  await trigger(acme)
  await world.work()
  expect(await cancel({ workflowIdentifier: 'order' })).toMatchObject({ eventCount: 1, runCount: 1 })
  receiver.answer(200)
  await world.work({ early: true })
  const { deliveries } = await acme.ask('{ deliveries(orderBy: { direction: ASC }) { nodes { status } } }')
  expect(deliveries.nodes).toEqual([{ status: 'SENT' }, { status: 'CANCELLED' }])
})

test('stops digests with everything that was merged into them', async () => {
  await createWorkflow(acme, [{ digest: { stepId: 'hour', amount: 1, unit: 'HOURS' } }, bell('digest')])
  for (let count = 0; count < 3; count += 1) await trigger(acme)
  await world.work()
  expect(await cancel({ workflowIdentifier: 'order' })).toMatchObject({ eventCount: 3, hasMore: false })
  await world.work({ early: true })
  expect(await bodiesOf(acme)).toEqual([])
})

describe('a filter', () => {
  test.each([
    ['topicKey', { topicKey: 'releases' }, { topicKey: 'another' }],
    ['topicKeys', { topicKeys: ['another', 'releases'] }, { topicKey: 'releases', topicKeys: ['another'] }],
    ['contextKeys', { contextKeys: ['tenant:acme'] }, { contextKeys: [] }],
    ['workflowIdentifiers', { workflowIdentifiers: ['another', 'order'] }, { workflowIdentifiers: ['another'] }],
    ['subscriberIds', { subscriberIds: ['grace', 'ada'] }, { subscriberIds: ['grace', 'another'] }],
    ['createdAfter', { createdAfter: '2020-01-01T00:00:00Z' }, { createdAfter: '2999-01-01T00:00:00Z' }],
    ['createdBefore', { createdBefore: '2999-01-01T00:00:00Z' }, { createdBefore: '2020-01-01T00:00:00Z' }],
  ])('by %s selects', async (_name, matching, other) => {
    await createWorkflow(acme, [wait])
    await done(acme, 'createTopic', { key: 'releases', name: 'Releases' })
    await trigger(acme, {
      to: [{ subscriberId: 'ada' }, { type: 'Topic', topicKey: 'releases' }],
      context: { tenant: 'acme' },
    })
    await world.work()
    expect(await cancel(other)).toMatchObject({ runCount: 0 })
    expect(await cancel(matching)).toMatchObject({ runCount: 1 })
  })

  test('is required, and works through REST', async () => {
    const { userErrors } = await acme.act('cancelEvents', { filter: {} })
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['filter'] }])
    await createWorkflow(acme, [wait])
    await trigger(acme)
    await world.work()
    const { status, body } = await acme.rest('POST /v1/events/bulk/cancel', { body: { workflow: 'order' } })
    expect({ status, body }).toEqual({
      status: 200,
      body: { eventCount: 1, runCount: 1, remainingEventCount: 0, remainingRunCount: 0, hasMore: false },
    })
  })
})
