// The preferences of a page, through the unmodified package.
import type { Novu } from '@novu/js'
import { beforeEach, describe, expect, test } from 'vitest'
import { openedPage, stubFetch } from '../../support/novu/inbox.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client
let page: Novu
let token: string

const subscriber = { subscriberId: 'ada' }

stubFetch(world)
beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createWorkflow', {
    ...{ identifier: 'shipped', name: 'Shipped', tags: ['orders'], severity: 'HIGH' },
    steps: [{ inApp: { body: 'On its way' } }, { email: { subject: 'Shipped', body: 'On its way' } }],
  })
  await acme.act('createWorkflow', {
    ...{ identifier: 'news', name: 'News', severity: 'LOW' },
    steps: [{ sms: { body: 'News' } }],
  })
  await acme.act('createWorkflow', {
    ...{ identifier: 'password', name: 'Password', critical: true },
    steps: [{ email: { subject: 'Password', body: 'Reset' } }],
  })
  ;({ page, token } = await openedPage(acme, { subscriber }))
})

async function call(method: string, path: string, body?: object) {
  const response = await world.app.fetch(
    new Request(`http://gateway.test/novu/v1/inbox${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, body: (await response.json()) as { data?: unknown; message?: string } }
}

async function done<Data>(result: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await result
  if (error !== undefined) throw error as Error
  return data as Data
}

const listed = async (args: object = {}) =>
  (await done(page.preferences.list(args))).map(({ level, channels, workflow }) => ({
    ...{ level, channels, identifier: workflow?.identifier },
  }))

const global = { level: 'global', identifier: undefined, channels: { email: true, sms: true, in_app: true } }
const shipped = { level: 'template', identifier: 'shipped', channels: { email: true, in_app: true } }
const news = { level: 'template', identifier: 'news', channels: { sms: true } }
const password = { level: 'template', identifier: 'password', channels: { email: true } }

describe('the list', () => {
  test('begins with the global preferences, and each workflow has the channels of its steps', async () => {
    expect(await listed()).toEqual([global, shipped, news])
  })

  test('is filtered by tags, severity and criticality', async () => {
    expect(await listed({ tags: ['orders'] })).toEqual([global, shipped])
    expect(await listed({ severity: 'low' })).toEqual([global, news])
    expect(await listed({ severity: ['low', 'high'] })).toEqual([global, shipped, news])
    expect(await listed({ criticality: 'critical' })).toEqual([global, password])
    expect(await listed({ criticality: 'all' })).toEqual([global, shipped, news, password])
  })

  test('leaves out workflows that are not active', async () => {
    await acme.act('updateWorkflow', { identifier: 'news', active: false })
    expect((await listed()).map(({ identifier }) => identifier)).toEqual([undefined, 'shipped'])
  })
})

test('the global preferences are updated', async () => {
  const [preference] = await done(page.preferences.list())
  if (preference === undefined) throw new Error('there is no preference')
  const updated = await done(page.preferences.update({ preference, channels: { email: false } }))
  expect(updated).toMatchObject({ level: 'global', channels: { email: false, sms: true, in_app: true } })
  expect((await call('GET', '/preferences/global')).body).toMatchObject({ data: { channels: { email: false } } })
  const { subscriber: read } = await acme.ask(
    '{ subscriber(subscriberId: "ada") { preferences { channels { channel enabled } } } }',
  )
  expect(read.preferences.channels).toContainEqual({ channel: 'EMAIL', enabled: false })
})

test('the schedule is updated and read in the words of the page', async () => {
  const weeklySchedule = { monday: { isEnabled: true, hours: [{ start: '09:00 AM', end: '05:00 PM' }] } }
  const updated = await done(page.preferences.schedule.update({ isEnabled: true, weeklySchedule }))
  expect(updated).toMatchObject({ isEnabled: true, weeklySchedule })
  expect((await call('GET', '/preferences/global')).body).toMatchObject({
    data: { schedule: { isEnabled: true, weeklySchedule } },
  })
})

test('the preferences for a workflow are updated, by its id or identifier', async () => {
  const preference = (await done(page.preferences.list())).find(({ workflow }) => workflow?.identifier === 'shipped')
  if (preference === undefined) throw new Error('there is no preference')
  const updated = await done(page.preferences.update({ preference, channels: { email: false } }))
  expect(updated).toMatchObject({
    ...{ level: 'template', channels: { email: false, in_app: true }, workflow: { identifier: 'shipped' } },
  })
  await done(page.preferences.update({ workflowId: 'shipped', channels: { in_app: false } }))
  expect((await listed()).find(({ identifier }) => identifier === 'shipped')).toMatchObject({
    channels: { email: false, in_app: false },
  })
})

test('several preferences are updated in the order of the request', async () => {
  const updated = await done(
    page.preferences.bulkUpdate([
      { workflowId: 'news', channels: { sms: false } },
      { workflowId: 'shipped', channels: { email: false } },
    ]),
  )
  expect(updated).toMatchObject([
    { channels: { sms: false }, workflow: { identifier: 'news' } },
    { channels: { email: false, in_app: true }, workflow: { identifier: 'shipped' } },
  ])
})

test('nothing is written if one of several workflows is missing', async () => {
  const preferences = [
    { workflowId: 'news', sms: false },
    { workflowId: 'nothing', sms: false },
  ]
  expect(await call('PATCH', '/preferences/bulk', { preferences })).toMatchObject({ status: 404 })
  expect(await listed()).toContainEqual(news)
})

test.each([
  [
    'hours that end before they begin',
    {
      schedule: {
        isEnabled: true,
        weeklySchedule: { monday: { isEnabled: true, hours: [{ start: '05:00 PM', end: '09:00 AM' }] } },
      },
    },
    'schedule',
  ],
  ['a channel that does not exist', { pigeon: true }, 'pigeon'],
  ['a text as a channel', { email: 'no' }, 'email'],
])('%s is a 422 that names it', async (_what, body, field) => {
  expect(await call('PATCH', '/preferences', body)).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(field) },
  })
})

test('more than 100 preferences are a 422', async () => {
  const preferences = Array.from({ length: 101 }, () => ({ workflowId: 'news', sms: false }))
  expect((await call('PATCH', '/preferences/bulk', { preferences })).status).toBe(422)
})

test('another context has its own preferences', async () => {
  const opened = await openedPage(acme, { subscriber, context: { tenant: 'acme' } })
  await done(opened.page.preferences.update({ workflowId: 'news', channels: { sms: false } }))
  await done(opened.page.preferences.bulkUpdate([{ workflowId: 'shipped', channels: { email: false } }]))
  expect(await listed()).toEqual([global, shipped, news])
  const { subscriber: read } = await acme.ask(
    '{ subscriber(subscriberId: "ada") { preferences(contextKeys: ["tenant:acme"]) { workflows { workflowIdentifier channels { channel enabled } } } } }',
  )
  const ofNews = read.preferences.workflows.find(({ workflowIdentifier }) => workflowIdentifier === 'news')
  expect(ofNews?.channels).toContainEqual({ channel: 'SMS', enabled: false })
})

test('a session changes several preferences of nobody else, also in the graph', async () => {
  await acme.act('createSubscriber', { subscriberId: 'grace' })
  const change = (subscriberId: string, type?: string) => ({
    subscriberId,
    ...(type && { contexts: [{ type, identifier: 'acme' }] }),
    ...{ workflowIdentifier: 'news', channels: [{ channel: 'SMS', enabled: false }] },
  })
  const client = world.client(token, 'Bearer')
  const mutation =
    'mutation ($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { userErrors { code } } }'
  const send = async (...preferences: object[]) => (await client.send(mutation, { input: { preferences } })).errors
  const forbidden = [{ extensions: { code: 'FORBIDDEN' } }]
  expect(await send(change('grace'))).toMatchObject(forbidden)
  expect(await send(change('ada'), change('grace'))).toMatchObject(forbidden)
  expect(await send(change('ada', 'tenant'))).toMatchObject(forbidden)
  expect(await listed()).toContainEqual(news)
  expect(await send(change('ada'))).toEqual([])
  expect(await listed()).toContainEqual({ ...news, channels: { sms: false } })
})
