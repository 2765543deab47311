// Retrying all failed messages that match a filter.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }])
})

/** Sends messages that fail permanently to `count` new subscribers. @returns the transaction id. */
async function lose(count: number, status = 400): Promise<string> {
  receiver.answer(status, `error ${status}`)
  const to = Array.from({ length: count }, (_, index) => {
    const subscriberId = `reader-${status}-${index}`
    return { subscriberId, email: `${subscriberId}@example.com` }
  })
  const transactionId = await trigger(acme, { to })
  await world.work()
  receiver.answer(200)
  return transactionId
}

const fields = 'retriedCount remainingCount next'
const retry = (input: object = {}) => done(acme, 'retryDeliveries', input, fields)

async function counts() {
  const { failed, sent, pending } = await acme.ask(`{
    failed: deliveries(filter: { status: FAILED }) { totalCount }
    sent: deliveries(filter: { status: SENT }) { totalCount }
    pending: deliveries(filter: { status: PENDING }) { totalCount }
  }`)
  return { failed: failed.totalCount, sent: sent.totalCount, pending: pending.totalCount }
}

test('sends each failed message again once, however often the mutation is called', async () => {
  await lose(7)
  const lost = receiver.received.length
  expect(await retry({ dryRun: true })).toMatchObject({ retriedCount: 7, remainingCount: 7, next: null })
  expect(await counts()).toEqual({ failed: 7, sent: 0, pending: 0 })

  const [one, another] = await Promise.all([retry(), retry()])
  expect(one.retriedCount + another.retriedCount).toBe(7)
  expect(await retry()).toMatchObject({ retriedCount: 0, remainingCount: 0, next: null })
  await world.work()
  expect(receiver.received).toHaveLength(lost + 7)
  expect(await counts()).toEqual({ failed: 0, sent: 7, pending: 0 })
  expect(world.logged).toContainEqual(expect.objectContaining({ msg: 'messages retried' }))
})

test('sets their steps to SENDING again', async () => {
  const transactionId = await lose(1)
  await retry()
  const query = 'query ($id: String!) { event(transactionId: $id) { runs { nodes { steps { status reason } } } } }'
  expect((await acme.ask(query, { id: transactionId })).event.runs.nodes).toEqual([
    { steps: [{ status: 'SENDING', reason: null }] },
  ])
})

describe('a filter', () => {
  test.each([
    ['integrationIdentifier', { integrationIdentifier: 'email_webhook' }, { integrationIdentifier: 'another' }],
    ['workflow', { workflowIdentifier: 'order' }, { workflowIdentifier: 'another' }],
    ['channel', { channel: 'EMAIL' }, { channel: 'SMS' }],
    ['channels', { channels: ['SMS', 'EMAIL'] }, { channels: ['SMS', 'CHAT'] }],
    ['workflowIdentifiers', { workflowIdentifiers: ['order', 'another'] }, { workflowIdentifiers: ['another'] }],
    ['stepIds', { stepIds: ['mail', 'text'] }, { stepIds: ['text'] }],
    ['subscriberIds', { subscriberIds: ['reader-400-0', 'reader-400-1'] }, { subscriberIds: ['another'] }],
    ['causes', { causes: ['REJECTED', 'UNAVAILABLE'] }, { causes: ['UNAVAILABLE'] }],
    ['contextKeys', { contextKeys: [] }, { contextKeys: ['tenant:acme'] }],
    ['reason', { reason: '400' }, { reason: '4000' }],
    ['failedAfter', { failedAfter: '2020-01-01T00:00:00Z' }, { failedAfter: '2999-01-01T00:00:00Z' }],
    ['failedBefore', { failedBefore: '2999-01-01T00:00:00Z' }, { failedBefore: '2020-01-01T00:00:00Z' }],
  ])('by %s selects', async (_name, matching, other) => {
    await lose(2)
    expect(await retry({ filter: other })).toMatchObject({ retriedCount: 0 })
    expect(await retry({ filter: matching })).toMatchObject({ retriedCount: 2 })
  })
})

test('leaves out deleted subscribers and cancelled events', async () => {
  await lose(2)
  await done(acme, 'deleteSubscriber', { subscriberId: 'reader-400-0' })
  const cancelled = await lose(1, 401)
  await done(acme, 'cancelEvent', { transactionId: cancelled })
  expect(await retry({ dryRun: true })).toMatchObject({ retriedCount: 1 })
  expect(await retry()).toMatchObject({ retriedCount: 1 })
})

test('continues after the messages of the previous call, and works through REST', async () => {
  await lose(2)
  const { body } = await acme.rest('POST /v1/messages/retry', { body: { reason: '400', dryRun: true } })
  expect(body).toEqual({ retriedCount: 2, remainingCount: 2, next: null })
  const { deliveries } = await acme.ask('{ deliveries { nodes { createdAt } } }')
  const after = `${deliveries.nodes[0].createdAt}_ffffffff-ffff-ffff-ffff-ffffffffffff`
  expect(await retry({ after })).toMatchObject({ retriedCount: 0, next: null })
  const at = '2026-01-01T00:00:00.000Z'
  for (const other of ['nowhere', `${at}_${'-'.repeat(36)}`, `-100000-01-01T00:00:00.000Z_${crypto.randomUUID()}`]) {
    const { userErrors } = await acme.act('retryDeliveries', { after: other })
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['after'] }])
  }
})
