// Changing the preferences of many subscribers in one call.
import { beforeEach, expect, test } from 'vitest'
import { browserOf } from '../../support/browser.ts'
import { createWorkflow, done } from '../../support/delivery/story.ts'
import { environmentIdOf } from '../../support/environment-id.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const off = [{ channel: 'EMAIL', enabled: false }]
const tenant = [{ type: 'tenant', identifier: 'acme' }]

beforeEach(async () => {
  acme = await world.environment()
  await createWorkflow(acme, [bell])
  await createWorkflow(acme, [bell], { identifier: 'alarm', critical: true })
  await done(acme, 'createSubscribers', { subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'bob' }] })
})

const fields =
  'preferences { contextKeys enabled } failed { index subscriberId errors { code reason field message } } notes'
const update = (preferences: readonly object[], input: object = {}) =>
  acme.act('updatePreferences', { preferences, ...input }, fields)

/** The channels that are off, for a workflow or for all. */
async function offOf(subscriberId: string, workflow?: string, contextKeys: readonly string[] = []) {
  const { subscriber } = await acme.ask<{ subscriber: { preferences: Shown } }>(
    `query ($subscriberId: String!, $contextKeys: [String!]) {
      subscriber(subscriberId: $subscriberId) { preferences(contextKeys: $contextKeys) {
        channels { channel enabled } workflows { workflowIdentifier channels { channel enabled } }
      } }
    }`,
    { subscriberId, contextKeys },
  )
  const { channels, workflows } = subscriber.preferences
  const shown =
    workflow === undefined ? channels : workflows.find((one) => one.workflowIdentifier === workflow)?.channels
  return shown?.filter(({ enabled }) => !enabled).map(({ channel }) => channel)
}
interface Setting {
  readonly channel: string
  readonly enabled: boolean
}
interface Shown {
  readonly channels: readonly Setting[]
  readonly workflows: readonly { readonly workflowIdentifier: string; readonly channels: readonly Setting[] }[]
}

test('many subscribers change their preferences, for one workflow, for all and under contexts', async () => {
  const result = await update([
    { subscriberId: 'ada', workflowIdentifier: 'order', channels: off },
    { subscriberId: 'bob', channels: [{ channel: 'SMS', enabled: false }] },
    { subscriberId: 'bob', contexts: tenant, enabled: false },
  ])
  expect(result).toEqual({
    preferences: [
      { contextKeys: [], enabled: true },
      { contextKeys: [], enabled: true },
      { contextKeys: ['tenant:acme'], enabled: false },
    ],
    failed: [],
    notes: [],
    userErrors: [],
  })
  expect(await offOf('ada', 'order')).toEqual(['EMAIL'])
  expect(await offOf('ada')).toEqual([])
  expect(await offOf('bob', 'order')).toEqual(['SMS'])
  expect(await offOf('bob', 'order', ['tenant:acme'])).toHaveLength(6)
  const { context } = await acme.ask('{ context(key: "tenant:acme") { key } }')
  expect(context).toEqual({ key: 'tenant:acme' })
})

test('items are applied in order: a choice for all workflows replaces earlier ones, and a later one counts again', async () => {
  await update([{ subscriberId: 'ada', workflowIdentifier: 'order', enabled: true, channels: off }])
  await update([
    { subscriberId: 'ada', channels: [{ channel: 'EMAIL', enabled: true }] },
    { subscriberId: 'ada', workflowIdentifier: 'order', channels: [{ channel: 'PUSH', enabled: false }] },
  ])
  expect(await offOf('ada', 'order')).toEqual(['PUSH'])
  await update([
    { subscriberId: 'ada', enabled: false },
    { subscriberId: 'ada', workflowIdentifier: 'order', enabled: true },
  ])
  expect(await offOf('ada', 'order')).toEqual([])
  await update([
    { subscriberId: 'bob', workflowIdentifier: 'order', enabled: true },
    { subscriberId: 'bob', enabled: false },
  ])
  expect(await offOf('bob', 'order')).toHaveLength(6)
  await update([{ subscriberId: 'ada', enabled: false }])
  expect(await offOf('ada', 'order')).toHaveLength(6)
})

test('the result is the one of single calls in the same order', async () => {
  const changes = [
    { workflowIdentifier: 'order', channels: off },
    { enabled: false },
    { workflowIdentifier: 'order', enabled: true, channels: [{ channel: 'CHAT', enabled: false }] },
    { channels: [{ channel: 'CHAT', enabled: null }] },
    { enabled: true, channels: [{ channel: 'SMS', enabled: false }] },
  ]
  await update(changes.map((change) => ({ subscriberId: 'ada', ...change })))
  for (const change of changes) await done(acme, 'updateSubscriberPreferences', { subscriberId: 'bob', ...change })
  for (const workflow of [undefined, 'order'])
    expect(await offOf('ada', workflow)).toEqual(await offOf('bob', workflow))
})

test('an item fails alone, and its errors name the item and the field', async () => {
  const { failed } = await update([
    { subscriberId: 'nobody', channels: off },
    { subscriberId: 'ada', workflowIdentifier: 'unknown', channels: off },
    { subscriberId: 'ada', contexts: [{ type: 'a b', identifier: 'x' }] },
    { subscriberId: '', enabled: false },
    { subscriberId: 'bob', workflowIdentifier: 'order', channels: off },
  ])
  expect(failed).toMatchObject([
    { index: 0, subscriberId: 'nobody', errors: [{ code: 'NOT_FOUND', field: ['subscriberId'] }] },
    { index: 1, subscriberId: 'ada', errors: [{ code: 'NOT_FOUND', field: ['workflowIdentifier'] }] },
    { index: 2, subscriberId: 'ada', errors: [{ code: 'BAD_USER_INPUT', field: ['contexts', '0', 'type'] }] },
    { index: 3, errors: [{ code: 'BAD_USER_INPUT', field: ['subscriberId'] }] },
  ])
  expect(await offOf('bob', 'order')).toEqual(['EMAIL'])
})

test('an item names its subscriber by node id, and fails alone if it is no subscriber', async () => {
  const { subscriber } = await acme.ask('{ subscriber(subscriberId: "bob") { id } }')
  const { failed } = await update([
    { id: 'nobody', enabled: false },
    { id: subscriber.id, subscriberId: 'bob', enabled: false },
    { id: subscriber.id, workflowIdentifier: 'order', channels: off },
  ])
  expect(failed).toMatchObject([
    { index: 0, errors: [{ field: ['id'], message: 'id must be a node id of the type Subscriber' }] },
    { index: 1, errors: [{ field: ['id'], message: 'id must not be given together with subscriberId' }] },
  ])
  expect(await offOf('bob', 'order')).toEqual(['EMAIL'])
})

test('allOrNothing writes nothing if an item fails', async () => {
  const { userErrors } = await update(
    [
      { subscriberId: 'bob', workflowIdentifier: 'order', channels: off },
      { subscriberId: 'ada', workflowIdentifier: 'unknown', channels: off },
    ],
    { allOrNothing: true },
  )
  expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['preferences', '1', 'workflowIdentifier'] }])
  expect(await offOf('bob', 'order')).toEqual([])
})

test('a critical workflow has a note, and 1 to 100 items are allowed', async () => {
  const { notes } = await update([{ subscriberId: 'ada', workflowIdentifier: 'alarm', enabled: false }])
  expect(notes).toEqual([expect.stringContaining('"alarm" is critical')])
  for (const count of [0, 101]) {
    const { userErrors } = await update(Array.from({ length: count }, () => ({ subscriberId: 'ada', enabled: true })))
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['preferences'] }])
  }
})

test('takes as many statements for one item as for a hundred', async () => {
  await done(acme, 'createSubscribers', {
    subscribers: Array.from({ length: 50 }, (_, index) => ({ subscriberId: `user-${index}` })),
  })
  const changesOf = (count: number) =>
    Array.from({ length: count }, (_, index) => [
      { subscriberId: `user-${index}`, workflowIdentifier: 'order', channels: off, contexts: tenant },
      { subscriberId: `user-${index}`, enabled: false, contexts: tenant },
    ]).flat()
  await update(changesOf(2))
  const few = await statementsOf(() => update(changesOf(1)))
  const many = await statementsOf(() => update(changesOf(50)))
  expect(many).toHaveLength(few.length)
})

test('two calls that name the same subscribers in different orders both succeed', async () => {
  const changes = [
    { subscriberId: 'ada', channels: off },
    { subscriberId: 'bob', channels: off },
  ]
  await Promise.all([update(changes), update(changes.toReversed()), update(changes)])
  expect(await offOf('ada')).toEqual(['EMAIL'])
  const { rows } = await world.database.pool.query(
    'SELECT FROM subscriber_preferences WHERE environment_id = $1 AND workflow_id IS NULL',
    [await environmentIdOf(acme)],
  )
  expect(rows).toHaveLength(2)
})

test('a browser session changes its own preferences, and those of nobody else', async () => {
  const browser = await browserOf(world, acme, 'ada')
  const change = (...subscriberIds: string[]) =>
    browser.send(
      'mutation ($all: [PreferenceChangeInput!]!) { updatePreferences(input: { preferences: $all }) { notes } }',
      {
        all: subscriberIds.map((subscriberId) => ({ subscriberId, enabled: false })),
      },
    )
  expect((await change('ada')).errors).toEqual([])
  for (const others of [['bob'], ['ada', 'bob']]) {
    expect((await change(...others)).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  }
})

test('REST changes several preferences of one subscriber, or none', async () => {
  const patch = (body: object) => acme.rest('PATCH /v2/subscribers/ada/preferences/bulk', { body })
  const context = { tenant: 'acme' }
  const preferences = [{ workflowId: 'order', channels: { email: false } }, { channels: { sms: false } }]
  expect(await patch({ preferences, context })).toMatchObject({
    status: 200,
    body: [
      { level: 'template', enabled: true, channels: { email: false, sms: false }, workflow: { identifier: 'order' } },
      { level: 'global', enabled: true, channels: { sms: false } },
    ],
  })
  expect(await offOf('ada', 'order', ['tenant:acme'])).toEqual(['EMAIL', 'SMS'])
  const failing = [{ channels: { chat: false } }, { workflowId: 'unknown', enabled: false }]
  expect(await patch({ preferences: failing, context })).toMatchObject({ status: 404 })
  expect(await offOf('ada', undefined, ['tenant:acme'])).toEqual(['SMS'])
  expect(await patch({ preferences: [{ workflowID: 'order', enabled: false }] })).toMatchObject({ status: 422 })
})
