// Messages of version 1 through the published client: feeds in numbered pages, marks, actions and deletion.
/* eslint-disable @typescript-eslint/no-deprecated -- Applications that move over call what the package has deprecated. */
import type { Novu } from '@novu/api'
import { beforeEach, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../../src/graphql/schema/node-id.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { createIntegration } from '../../support/delivery/story.ts'
import { type Given, notify } from '../../support/feed.ts'
import { novuClient } from '../../support/novu/client.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client
let client: Novu

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
  await client.subscribers.create({ subscriberId: 'ada', firstName: 'Ada' })
})

/** Sends notifications to Ada. @returns their ids. */
const send = async (...given: Omit<Given, 'subscriberId'>[]) =>
  (await notify(world, acme, ...given.map((one) => ({ subscriberId: 'ada', ...one })))).map(
    (nodeId) => decodeNodeId(nodeId).id,
  )

async function sendOne(given: Omit<Given, 'subscriberId'> = {}): Promise<string> {
  const [id] = await send(given)
  if (id === undefined) throw new Error('nothing was sent')
  return id
}

const feed = async (query: object = {}) =>
  (await client.subscribers.notifications.feed({ subscriberId: 'ada', ...query })).result

describe('a feed of version 1', () => {
  test('has numbered pages', async () => {
    for (const body of ['a', 'b', 'c']) await sendOne({ body })
    expect(await feed({ limit: 2 })).toMatchObject({
      ...{ page: 0, pageSize: 2, hasMore: true, totalCount: 3 },
      data: [{ content: 'c' }, { content: 'b' }],
    })
    expect(await feed({ limit: 2, page: 1 })).toMatchObject({ hasMore: false, data: [{ content: 'a' }] })
  })

  test('has messages with their activity, links and buttons', async () => {
    await acme.act('createWorkflow', {
      ...{ identifier: 'shipped', name: 'Shipped', tags: ['orders'] },
      steps: [
        {
          inApp: { body: 'On its way', url: '/orders/1', actions: [{ label: 'Track', url: 'https://example.com/1' }] },
        },
      ],
    })
    await client.trigger({ workflowId: 'shipped', to: 'ada', transactionId: 'order-1' })
    await world.work()
    const [message] = (await feed()).data
    expect(message).toMatchObject({
      ...{ transactionId: 'order-1', content: 'On its way', channel: 'in_app', status: 'sent', tags: ['orders'] },
      ...{ read: false, seen: false, archived: false },
      cta: {
        type: 'redirect',
        data: { url: '/orders/1' },
        action: { status: 'pending', buttons: [{ content: 'Track' }] },
      },
    })
    const [activity] = (await client.notifications.list({})).result.data
    expect(message).toMatchObject({
      notificationId: activity?.id,
      subscriberId: activity?.subscriberId,
      jobId: activity?.jobs?.[0]?.id,
    })
  })

  test('is filtered by marks, and counts what is unseen', async () => {
    const [read] = await send({ body: 'read' }, { body: 'new' })
    await client.subscribers.messages.markAllAs({ messageId: read ?? '', markAs: 'read' }, 'ada')
    expect((await feed({ read: true })).data).toMatchObject([{ content: 'read', seen: true }])
    expect((await feed({ seen: false })).data).toMatchObject([{ content: 'new' }])
    const unseen = async (query: object = {}) =>
      (await client.subscribers.notifications.unseenCount({ subscriberId: 'ada', ...query })).result.count
    expect(await unseen()).toBe(1)
    expect(await unseen({ seen: true })).toBe(1)
    await send({}, {}, {})
    expect(await unseen({ limit: 2 })).toBe(2)
  })

  test('cannot be filtered by the payload: the error names the field', async () => {
    await expect(feed({ payload: 'e30=' })).rejects.toMatchObject({
      statusCode: 422,
      data$: { errors: { payload: {} } },
    })
  })
})

describe('marks', () => {
  test('of all messages are counted, and can be taken back', async () => {
    await send({}, {})
    const { messages } = client.subscribers
    const markAll = async (markAs: 'read' | 'seen' | 'unread' | 'unseen') =>
      (await messages.markAll({ markAs }, 'ada')).result
    const states = async () => (await feed()).data.map(({ seen, read }) => ({ seen, read }))
    expect(await markAll('seen')).toBe(2)
    expect(await states()).toEqual([
      { seen: true, read: false },
      { seen: true, read: false },
    ])
    expect(await markAll('read')).toBe(2)
    expect(await markAll('unread')).toBe(2)
    expect(await markAll('unseen')).toBe(2)
    expect(await states()).toEqual([
      { seen: false, read: false },
      { seen: false, read: false },
    ])
  })

  test('of some messages return them, under any contexts', async () => {
    const ids = await send({ contextKeys: ['tenant:acme'] }, { contextKeys: ['tenant:acme'] })
    const { result } = await client.subscribers.messages.markAllAs({ messageId: ids, markAs: 'seen' }, 'ada')
    expect(result).toMatchObject([
      { id: ids[0], seen: true, read: false, contextKeys: ['tenant:acme'] },
      { id: ids[1], seen: true },
    ])
  })

  test('of a message that another subscriber has are a 404', async () => {
    await client.subscribers.create({ subscriberId: 'grace' })
    const messageId = await sendOne()
    await expect(client.subscribers.messages.markAllAs({ messageId, markAs: 'seen' }, 'grace')).rejects.toMatchObject({
      statusCode: 404,
    })
  })
})

test('an action of a message is completed and reopened', async () => {
  const messageId = await sendOne({ actions: [{ label: 'Yes', url: 'https://example.com/yes' }] })
  const update = async (status: 'pending' | 'done') =>
    (
      await client.subscribers.messages.updateAsSeen({
        ...{ subscriberId: 'ada', messageId, type: 'primary' },
        markMessageActionAsSeenDto: { status },
      })
    ).result.cta.action
  expect(await update('done')).toMatchObject({ status: 'done', result: { type: 'primary' } })
  expect(await update('pending')).toMatchObject({ status: 'pending' })
})

describe('a list of messages', () => {
  const retrieve = async (query: object = {}) => (await client.messages.retrieve(query)).result

  beforeEach(async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await acme.act('createWorkflow', {
      ...{ identifier: 'hello', name: 'Hello' },
      steps: [{ inApp: { body: 'In the app' } }, { email: { subject: 'Hello', body: 'By mail' } }],
    })
    const to = { subscriberId: 'ada', email: 'ada@example.com' }
    await client.trigger({ workflowId: 'hello', to, transactionId: 'one' })
    await client.trigger({ workflowId: 'hello', to: 'grace', transactionId: 'two', context: { tenant: 'shop' } })
    await world.work()
  })

  test('has notifications and messages of other channels, in numbered pages', async () => {
    const all = await retrieve()
    expect(all).toMatchObject({ page: 0, pageSize: 10, hasMore: false })
    expect(all.data.map(({ channel, transactionId }) => `${transactionId} ${channel}`).sort()).toEqual([
      ...['one email', 'one in_app', 'two in_app'],
    ])
    const pages = await Promise.all([0, 1, 2].map((page) => retrieve({ limit: 1, page })))
    expect(pages.flatMap(({ data }) => data)).toEqual(all.data)
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false])
  })

  test('is filtered by channel, recipient, events and contexts', async () => {
    const of = async (query: object) => (await retrieve(query)).data.map(({ content }) => content).sort()
    expect(await of({ channel: 'email' })).toEqual(['By mail'])
    expect(await of({ channel: 'in_app' })).toEqual(['In the app', 'In the app'])
    expect(await of({ subscriberId: 'ada' })).toEqual(['By mail', 'In the app'])
    expect(await of({ transactionId: ['one', 'two'] })).toEqual(['By mail', 'In the app', 'In the app'])
    expect(await of({ transactionId: ['two'], channel: 'email' })).toEqual([])
    expect(await of({ contextKeys: ['tenant:shop'] })).toEqual(['In the app'])
  })

  test('shows what was sent by mail, which cannot be deleted', async () => {
    const [mail] = (await retrieve({ channel: 'email' })).data
    expect(mail).toMatchObject({ email: 'ada@example.com', subject: 'Hello', transactionId: 'one' })
    await expect(client.messages.delete(mail?.id ?? '')).rejects.toMatchObject({ statusCode: 422 })
  })

  test('takes a constant number of statements', async () => {
    const counted = async (limit: number) => (await statementsOf(() => retrieve({ limit }))).length
    await counted(3)
    await client.trigger({ workflowId: 'hello', to: Array.from({ length: 50 }, (_none, place) => `user-${place}`) })
    await world.work()
    expect(await counted(50)).toBeLessThanOrEqual(await counted(53))
  })
})

describe('a message', () => {
  test('is deleted by its id', async () => {
    const { result } = await client.messages.delete(await sendOne())
    expect(result).toEqual({ acknowledged: true, status: 'deleted' })
    expect((await feed()).data).toEqual([])
  })

  test('that does not exist is a 404', async () => {
    await expect(client.messages.delete('652f9a0c8e5b4a0012345678')).rejects.toMatchObject({ statusCode: 404 })
  })

  test('is deleted with all others of its event, in every feed', async () => {
    await acme.act('createWorkflow', { identifier: 'hello', name: 'Hello', steps: [{ inApp: { body: 'Hello' } }] })
    await client.trigger({ workflowId: 'hello', to: ['ada', 'grace'], transactionId: 'one' })
    await client.trigger({ workflowId: 'hello', to: 'ada', transactionId: 'two', context: { tenant: 'acme' } })
    await client.trigger({ workflowId: 'hello', to: 'ada', transactionId: 'three' })
    await world.work()
    await client.messages.deleteByTransactionId('one')
    await client.messages.deleteByTransactionId('two', 'in_app')
    expect((await feed()).data).toMatchObject([{ transactionId: 'three' }])
    expect((await client.subscribers.notifications.feed({ subscriberId: 'grace' })).result.data).toEqual([])
    const { result } = await client.subscribers.notifications.list({
      ...{ subscriberId: 'ada', contextKeys: ['tenant:acme'] },
    })
    expect(result.data).toEqual([])
    await expect(client.messages.deleteByTransactionId('four')).rejects.toMatchObject({ statusCode: 404 })
  })

  test('of another channel cannot be deleted, because it is sent', async () => {
    await expect(client.messages.deleteByTransactionId('one', 'email')).rejects.toMatchObject({
      statusCode: 422,
      data$: { errors: { channel: {} } },
    })
  })
})
