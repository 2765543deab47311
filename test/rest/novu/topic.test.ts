// Topics and contexts through the published client.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Novu } from '@novu/api'
import type { UpdateContextRequestDto } from '@novu/api/models/components/index.js'
import { novuClient } from '../../support/novu/client.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client
let client: Novu

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
  await acme.act('upsertSubscriber', { subscriberId: 'ada' })
  await acme.act('upsertSubscriber', { subscriberId: 'bob' })
})

/** Deprecated in the client, and sent by existing applications. */
const older = { subscriberIds: ['ada'] }

describe('a topic', () => {
  test('is created, listed, renamed and deleted', async () => {
    await client.topics.create({ key: 'news', name: 'News' })
    expect((await client.topics.list({})).result.data).toMatchObject([{ key: 'news', name: 'News' }])
    await client.topics.update({ name: 'Daily news' }, 'news')
    expect((await client.topics.get('news')).result).toMatchObject({ name: 'Daily news' })
    expect((await client.topics.delete('news')).result).toEqual({ acknowledged: true })
    expect(await acme.ask('{ topics { totalCount } }')).toEqual({ topics: { totalCount: 0 } })
  })

  test('that exists is answered with 409 and the topic, as the client models it', async () => {
    await client.topics.create({ key: 'news', name: 'News' })
    await expect(client.topics.create({ key: 'news' }, true)).rejects.toMatchObject({
      message: expect.stringContaining('News'),
      key: 'news',
    })
  })

  test('has subscribers under both names of the field, and the client can check and remove one', async () => {
    const { result } = await client.topics.subscriptions.create({ ...older, subscriptions: ['bob'] }, 'news')
    expect(result.meta).toEqual({ totalCount: 2, successful: 2, failed: 0 })
    expect((await client.topics.subscribers.retrieve('ada', 'news')).result).toMatchObject({
      topicKey: 'news',
      externalSubscriberId: 'ada',
    })
    const { identifier } = result.data[0] ?? { identifier: '' }
    expect((await client.topics.subscriptions.getSubscription('news', identifier ?? '')).result).toMatchObject({
      identifier,
    })
    await client.topics.subscriptions.delete(older, 'news')
    await expect(client.topics.subscribers.retrieve('ada', 'news')).rejects.toMatchObject({ statusCode: 404 })
  })

  test('cannot be subscribed to by nobody: the error names the field', async () => {
    await expect(client.topics.subscriptions.create({}, 'news')).rejects.toMatchObject({
      statusCode: 422,
      data$: { errors: { subscriptions: { messages: ['subscriptions is required'] } } },
    })
  })
})

describe('a context', () => {
  test('is created, changed and deleted, and a duplicate is a 400, because the client repeats a 409', async () => {
    await client.contexts.create({ type: 'tenant', id: 'acme', data: { plan: 'pro' } })
    await expect(client.contexts.create({ type: 'tenant', id: 'acme' })).rejects.toMatchObject({ statusCode: 400 })
    await client.contexts.update({ type: 'tenant', id: 'acme', updateContextRequestDto: { data: { plan: 'free' } } })
    expect((await client.contexts.retrieve('acme', 'tenant')).result).toMatchObject({ data: { plan: 'free' } })
    await client.contexts.delete('acme', 'tenant')
    expect((await client.contexts.list({})).result.data).toEqual([])
  })

  test('has no bridge: the error names the field, and null is none', async () => {
    const bridgeUrl = 'https://bridge.example.com'
    const refusal = { statusCode: 422, data$: { errors: { bridgeUrl: { messages: [expect.any(String)] } } } }
    await expect(client.contexts.create({ type: 'tenant', id: 'acme', bridgeUrl })).rejects.toMatchObject(refusal)
    await client.contexts.create({ type: 'tenant', id: 'acme' })
    const update = (updateContextRequestDto: UpdateContextRequestDto) =>
      client.contexts.update({ type: 'tenant', id: 'acme', updateContextRequestDto })
    await expect(update({ data: {}, bridgeUrl })).rejects.toMatchObject(refusal)
    await update({ data: { plan: 'pro' }, bridgeUrl: null })
    expect((await client.contexts.retrieve('acme', 'tenant')).result).toMatchObject({ data: { plan: 'pro' } })
  })
})
