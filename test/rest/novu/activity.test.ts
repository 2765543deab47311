// Activities through the published client: runs of workflows, their jobs and execution details.
import type { Novu } from '@novu/api'
import { beforeEach, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { createIntegration } from '../../support/delivery/story.ts'
import { novuClient } from '../../support/novu/client.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client
let client: Novu

const steps = [
  { inApp: { stepId: 'inbox', body: 'Hello' } },
  { email: { stepId: 'mail', subject: 'Hello', body: 'Hello' } },
  { sms: { stepId: 'never', body: 'No', condition: { '==': [1, 2] } } },
  { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } },
]

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
  await acme.act('createWorkflow', { identifier: 'welcome', name: 'Welcome', tags: ['start'], severity: 'HIGH', steps })
})

const trigger = (to: string, transactionId: string, more: object = {}) =>
  client.trigger({
    workflowId: 'welcome',
    to: { subscriberId: to, email: `${to}@example.com` },
    transactionId,
    ...more,
  })

const listed = async (query: object = {}) => (await client.notifications.list(query)).result

test('an activity has the recipient, the workflow and a job for each step', async () => {
  await trigger('ada', 'order-1', { payload: { order: 1 } })
  await world.work()
  const { data, hasMore, page, pageSize } = await listed()
  expect({ hasMore, page, pageSize }).toEqual({ hasMore: false, page: 0, pageSize: 10 })
  const [activity] = data
  expect(activity).toMatchObject({
    ...{ transactionId: 'order-1', severity: 'high', critical: false, tags: ['start'] },
    payload: { order: 1 },
    subscriber: { subscriberId: 'ada', email: 'ada@example.com' },
    template: { name: 'Welcome', triggers: [{ identifier: 'welcome' }] },
  })
  expect(activity?.jobs?.map(({ type, status, providerId }) => ({ type, status, providerId }))).toEqual([
    { type: 'in_app', status: 'completed', providerId: 'novu' },
    { type: 'email', status: 'skipped', providerId: 'novu' },
    { type: 'sms', status: 'skipped', providerId: 'novu' },
    { type: 'delay', status: 'delayed', providerId: 'novu' },
  ])
  expect(activity?.jobs?.map(({ executionDetails }) => executionDetails.at(-1)?.status)).toEqual([
    ...['Success', 'Success', 'Success', 'Pending'],
  ])
  const { result } = await client.notifications.retrieve(activity?.id ?? '')
  expect(result).toEqual(activity)
})

test('a failed message has a detail for each attempt, with the answer of the provider', async () => {
  receiver.answer(400, 'no such address')
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await trigger('ada', 'order-1')
  await world.work()
  const job = (await listed()).data[0]?.jobs?.[1]
  expect(job).toMatchObject({ type: 'email', status: 'failed', providerId: 'email-webhook' })
  expect(job?.executionDetails).toMatchObject([
    { status: 'Failed', isRetry: false, providerId: 'email-webhook', raw: expect.stringContaining('no such address') },
    { status: 'Failed', detail: expect.any(String) },
  ])
})

test('a message outside the schedule of its subscriber is a canceled job', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await client.subscribers.create({ subscriberId: 'ada' })
  await client.subscribers.preferences.update({ schedule: { isEnabled: true, weeklySchedule: {} } }, 'ada')
  await trigger('ada', 'order-1')
  await world.work()
  expect((await listed()).data[0]?.jobs?.slice(0, 3).map(({ type, status }) => ({ type, status }))).toEqual([
    { type: 'in_app', status: 'completed' },
    { type: 'email', status: 'canceled' },
    { type: 'sms', status: 'skipped' },
  ])
})

test('activities are numbered in pages and filtered', async () => {
  await trigger('ada', 'order-1')
  await trigger('grace', 'order-2', { context: { tenant: 'shop' } })
  await world.work()
  const of = async (query: object) => (await listed(query)).data.map(({ transactionId }) => transactionId).sort()
  expect(await of({})).toEqual(['order-1', 'order-2'])
  expect(await listed({ limit: 1 })).toMatchObject({ data: [{ transactionId: 'order-2' }], hasMore: true, pageSize: 1 })
  expect(await listed({ limit: 1, page: 1 })).toMatchObject({
    ...{ data: [{ transactionId: 'order-1' }], hasMore: false, page: 1 },
  })
  expect(await of({ subscriberIds: ['ada'] })).toEqual(['order-1'])
  expect(await of({ emails: ['grace@example.com'] })).toEqual(['order-2'])
  expect(await of({ emails: ['nobody@example.com'] })).toEqual([])
  expect(await of({ transactionId: 'order-2' })).toEqual(['order-2'])
  expect(await of({ contextKeys: ['tenant:shop'] })).toEqual(['order-2'])
  expect(await of({ before: new Date(0).toISOString() })).toEqual([])
  expect(await of({ after: new Date(0).toISOString() })).toEqual(['order-1', 'order-2'])
  const template = (await listed()).data[0]?.template?.id ?? ''
  expect(await of({ templates: [template] })).toEqual(['order-1', 'order-2'])
})

test.each([
  [{ search: 'ada' }, 'search'],
  [{ channels: ['email' as const] }, 'channels'],
  [{ topicKey: 'news' }, 'topicKey'],
  [{ templates: ['welcome'] }, 'templates'],
  [{ page: 50_000, limit: 100 }, 'page'],
])('a filter that cannot be applied is a 422 that names the field: %j', async (query, field) => {
  await expect(client.notifications.list(query)).rejects.toMatchObject({
    statusCode: 422,
    data$: { errors: { [field]: {} } },
  })
})

test('a page of a hundred activities takes as many statements as one of ten', async () => {
  for (let count = 0; count < 100; count += 1) await trigger(`user-${count}`, `order-${count}`)
  await world.work()
  const counted = async (limit: number) => (await statementsOf(() => listed({ limit }))).length
  await counted(1)
  expect(await counted(100)).toBe(await counted(10))
})

test('an activity that does not exist is a 404', async () => {
  await expect(client.notifications.retrieve('0199b0a0-0000-7000-8000-000000000000')).rejects.toMatchObject({
    statusCode: 404,
  })
})
