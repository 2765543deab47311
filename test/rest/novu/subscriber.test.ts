// Subscribers, credentials, preferences and triggers through the published client.
import { ChatOrPushProviderEnum } from '@novu/api/models/components/index.js'
import type { Novu } from '@novu/api'
import { beforeEach, describe, expect, test } from 'vitest'
import { novuClient } from '../../support/novu/client.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client
let client: Novu

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
})

const welcome = { identifier: 'welcome', name: 'Welcome', steps: [{ inApp: { body: 'Hello' } }] }

describe('a subscriber', () => {
  test('is created, found, changed and deleted', async () => {
    await client.subscribers.create({ subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com' })
    expect((await client.subscribers.search({ email: 'ada@example.com' })).result.data).toMatchObject([
      { subscriberId: 'ada', firstName: 'Ada' },
    ])
    await client.subscribers.patch({ lastName: 'King' }, 'ada')
    expect((await client.subscribers.retrieve('ada')).result).toMatchObject({ firstName: 'Ada', lastName: 'King' })
    await client.subscribers.delete('ada')
    await expect(client.subscribers.retrieve('ada')).rejects.toMatchObject({ statusCode: 404 })
  })

  test('is made online and offline', async () => {
    await client.subscribers.create({ subscriberId: 'ada' })
    const online = await client.subscribers.properties.updateOnlineFlag({ isOnline: true }, 'ada')
    expect(online.result).toMatchObject({ subscriberId: 'ada', isOnline: true })
    expect(online.result.lastOnlineAt).toBeUndefined()
    await client.subscribers.properties.updateOnlineFlag({ isOnline: false }, 'ada')
    const { result } = await client.subscribers.retrieve('ada')
    expect(result).toMatchObject({ isOnline: false, lastOnlineAt: expect.any(String) })
    await expect(client.subscribers.properties.updateOnlineFlag({ isOnline: true }, 'bob')).rejects.toMatchObject({
      statusCode: 404,
    })
  })

  test('that exists is answered with 409 and the subscriber, as the client models it', async () => {
    await client.subscribers.create({ subscriberId: 'ada', firstName: 'Ada' })
    await expect(client.subscribers.create({ subscriberId: 'ada' }, true)).rejects.toMatchObject({
      subscriberId: 'ada',
      firstName: 'Ada',
    })
  })

  test('is created and updated in bulk', async () => {
    await client.subscribers.create({ subscriberId: 'ada' })
    const { result } = await client.subscribers.createBulk({
      subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'bob' }],
    })
    expect(result.created).toMatchObject([{ subscriberId: 'bob' }])
    expect(result.updated).toMatchObject([{ subscriberId: 'ada' }])
  })

  test('has credentials of a provider under its own name', async () => {
    await client.subscribers.create({ subscriberId: 'ada' })
    const { NovuSlack, Fcm } = ChatOrPushProviderEnum
    const credentials = { webhookUrl: 'https://hooks.example.com/ada' }
    const { result } = await client.subscribers.credentials.update({ providerId: NovuSlack, credentials }, 'ada')
    expect(result.channels).toMatchObject([{ providerId: 'novu-slack', credentials }])
    await client.subscribers.credentials.append({ providerId: Fcm, credentials: { deviceTokens: ['token-1'] } }, 'ada')
    await client.subscribers.credentials.delete('ada', NovuSlack)
    const { subscriber } = await acme.ask(
      '{ subscriber(subscriberId: "ada") { channels { providerId deviceTokens } } }',
    )
    expect(subscriber.channels).toEqual([{ providerId: 'FCM', deviceTokens: ['token-1'] }])
  })

  test('has no channel of a workspace: the error names the field', async () => {
    await client.subscribers.create({ subscriberId: 'ada' })
    const credentials = { webhookUrl: 'https://hooks.example.com/ada', channel: '#general' }
    await expect(
      client.subscribers.credentials.update({ providerId: ChatOrPushProviderEnum.Slack, credentials }, 'ada'),
    ).rejects.toMatchObject({ statusCode: 422, data$: { errors: { 'credentials.channel': {} } } })
  })
})

describe('preferences', () => {
  beforeEach(async () => {
    await acme.act('createWorkflow', welcome)
    await acme.act('createWorkflow', { ...welcome, identifier: 'alarm', name: 'Alarm', critical: true })
    await client.subscribers.create({ subscriberId: 'ada' })
  })

  test('list critical workflows only if the caller asks for them', async () => {
    const listed = async (criticality: 'all' | 'critical' | 'nonCritical') => {
      const { result } = await client.subscribers.preferences.list({ subscriberId: 'ada', criticality })
      return result.workflows.map(({ workflow }) => workflow.identifier).sort()
    }
    expect(await listed('nonCritical')).toEqual(['welcome'])
    expect(await listed('critical')).toEqual(['alarm'])
    expect(await listed('all')).toEqual(['alarm', 'welcome'])
  })

  test('of several workflows are changed at once', async () => {
    const { result } = await client.subscribers.preferences.bulkUpdate(
      { preferences: [{ workflowId: 'welcome', channels: { inApp: false } }] },
      'ada',
    )
    expect(result).toMatchObject([
      { level: 'template', channels: { inApp: false }, workflow: { identifier: 'welcome' } },
    ])
  })

  test('have a schedule, in the form in which it was written', async () => {
    const schedule = {
      isEnabled: true,
      weeklySchedule: {
        monday: { isEnabled: true, hours: [{ start: '09:00 AM', end: '05:00 PM' }] },
        saturday: { isEnabled: true, hours: [{ start: '10:30 PM', end: '12:00 AM' }] },
        sunday: { isEnabled: false, hours: [] },
      },
    }
    const { result } = await client.subscribers.preferences.update({ schedule }, 'ada')
    expect(result.global.schedule).toEqual(schedule)
    await client.subscribers.preferences.update({ schedule: { isEnabled: false } }, 'ada')
    const listed = await client.subscribers.preferences.list({ subscriberId: 'ada' })
    expect(listed.result.global.schedule).toEqual({ ...schedule, isEnabled: false })
    const { subscriber } = await acme.ask(
      '{ subscriber(subscriberId: "ada") { preferences { schedule { isEnabled days { day hours { start end } } } } } }',
    )
    expect(subscriber.preferences.schedule.days).toEqual([
      { day: 'MONDAY', hours: [{ start: '09:00', end: '17:00' }] },
      { day: 'SATURDAY', hours: [{ start: '22:30', end: '24:00' }] },
      { day: 'SUNDAY', hours: [] },
    ])
  })

  test('have a schedule that decides about messages', async () => {
    const chat = { chat: { stepId: 'chat', body: 'Hello' } }
    await acme.act('createWorkflow', { identifier: 'news', name: 'News', steps: [chat] })
    await client.subscribers.preferences.update({ schedule: { isEnabled: true, weeklySchedule: {} } }, 'ada')
    const { result } = await client.trigger({ workflowId: 'news', to: 'ada' })
    await world.work()
    const { event } = await acme.ask(
      'query ($id: String!) { event(transactionId: $id) { runs { nodes { steps { status reasonCode } } } } }',
      { id: result.transactionId },
    )
    expect(event.runs.nodes[0].steps).toEqual([{ status: 'SKIPPED', reasonCode: 'OUTSIDE_SCHEDULE' }])
  })

  test.each([
    ['hours over midnight', { start: '10:00 PM', end: '06:00 AM' }, 'schedule.weeklySchedule.monday.hours.0.end'],
    ['a time that is none', { start: '25:00 AM', end: '06:00 AM' }, 'schedule.weeklySchedule.monday.hours.0.start'],
  ])('have no %s in a schedule: the error names the field', async (_what, hours, field) => {
    const schedule = { isEnabled: true, weeklySchedule: { monday: { isEnabled: true, hours: [hours] } } }
    await expect(client.subscribers.preferences.update({ schedule }, 'ada')).rejects.toMatchObject({
      statusCode: 422,
      data$: { errors: { [field]: {} } },
    })
  })

  test('of one workflow have no schedule: the error names the field', async () => {
    await expect(
      client.subscribers.preferences.update({ workflowId: 'welcome', schedule: { isEnabled: true } }, 'ada'),
    ).rejects.toMatchObject({ statusCode: 422, data$: { errors: { schedule: {} } } })
  })

  test('of a workflow are changed, and decide about the next message', async () => {
    await client.subscribers.preferences.update({ workflowId: 'welcome', channels: { inApp: false } }, 'ada')
    await client.trigger({ workflowId: 'welcome', to: 'ada' })
    await world.work()
    const { subscriber } = await acme.ask('{ subscriber(subscriberId: "ada") { notifications { totalCount } } }')
    expect(subscriber.notifications.totalCount).toBe(0)
  })
})

describe('a trigger', () => {
  beforeEach(() => acme.act('createWorkflow', welcome))

  test('delivers, with its tenant as a context', async () => {
    const { result } = await client.trigger({
      workflowId: 'welcome',
      to: { subscriberId: 'ada', firstName: 'Ada' },
      tenant: { identifier: 'shop', name: 'The shop' },
    })
    expect(result).toMatchObject({ acknowledged: true, status: 'processed' })
    await world.work()
    const { context } = await acme.ask('{ context(key: "tenant:shop") { data } }')
    expect(context.data).toEqual({ name: 'The shop' })
    const { subscriber } = await acme.ask(
      '{ subscriber(subscriberId: "ada") { notifications(contextKeys: ["tenant:shop"]) { nodes { body } } } }',
    )
    expect(subscriber.notifications.nodes).toEqual([{ body: 'Hello' }])
  })

  test('for code elsewhere is rejected, and the error names the field', async () => {
    await expect(
      client.trigger({ workflowId: 'welcome', to: 'ada', bridgeUrl: 'https://app.example.com/bridge' }),
    ).rejects.toMatchObject({ statusCode: 422, data$: { errors: { bridgeUrl: {} } } })
  })

  test('for everyone reaches each subscriber of the environment once, without the actor', async () => {
    for (const subscriberId of ['ada', 'bob', 'eve']) await client.subscribers.create({ subscriberId })
    const { result } = await client.triggerBroadcast({ name: 'welcome', payload: {}, actor: 'eve', tenant: 'shop' })
    expect(result).toMatchObject({ acknowledged: true, status: 'processed' })
    await world.work()
    const { event } = await acme.ask(
      `query ($id: String!) { event(transactionId: $id) {
         contextKeys runs { nodes { subscriberId outcome } } to { __typename }
       } }`,
      { id: result.transactionId },
    )
    expect(event.runs.nodes.map(({ subscriberId }) => subscriberId).toSorted()).toEqual(['ada', 'bob'])
    expect(event).toMatchObject({ contextKeys: ['tenant:shop'], to: [{ __typename: 'EveryoneRecipient' }] })
  })

  test('fails alone in a bulk request', async () => {
    const { result } = await client.triggerBulk({
      events: [
        { workflowId: 'welcome', to: 'ada' },
        { workflowId: 'welcome', to: 'bob', bridgeUrl: 'https://app.example.com/bridge' },
      ],
    })
    expect(result.map(({ status }) => status)).toEqual(['processed', 'error'])
    expect((await client.cancel(result[0]?.transactionId ?? '')).result).toBe(true)
  })
})
