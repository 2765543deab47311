// Former names of input fields: they still work, alone or beside the name that replaces them.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const to = [{ subscriber: { subscriberId: 'ada' } }]

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  for (const identifier of ['order', 'other']) {
    await acme.act('createWorkflow', { identifier, name: identifier, steps: [{ inApp: { body: 'Hi' } }] })
  }
})

describe('a trigger', () => {
  const trigger = (named: object) => acme.act('triggerEvent', { ...named, to }, 'event { workflowIdentifier }')
  const event = { workflowIdentifier: 'order' }

  test.each([
    ['its name', { workflowIdentifier: 'order' }],
    ['its former name', { name: 'order' }],
    ['both names', { workflowIdentifier: 'order', name: 'order' }],
    ['a null beside its name', { workflowIdentifier: 'order', name: null }],
  ])('names its workflow by %s', async (_title, named) => {
    expect(await trigger(named)).toEqual({ event, userErrors: [] })
  })

  test.each([
    [{}, 'workflowIdentifier is required'],
    [{ name: null }, 'workflowIdentifier is required'],
    [{ workflowIdentifier: 'order', name: 'other' }, 'workflowIdentifier must not differ from name, its former name'],
    [{ workflowIdentifier: '' }, 'workflowIdentifier must not be empty'],
  ])('%j is rejected', async (named, message) => {
    const { userErrors } = await trigger(named)
    expect(userErrors).toEqual([{ code: 'BAD_USER_INPUT', message, field: ['workflowIdentifier'] }])
  })

  test('has errors at the name that the caller used', async () => {
    const { userErrors } = await trigger({ name: 'missing' })
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['name'] }])
  })

  test('among several is named by its position', async () => {
    const events = [{ name: 'order', to }, { to }]
    const { userErrors } = await acme.act('triggerEvents', { events }, 'results { errors }')
    expect(userErrors).toEqual([
      {
        code: 'BAD_USER_INPUT',
        message: 'events[1].workflowIdentifier is required',
        field: ['events', '1', 'workflowIdentifier'],
      },
    ])
    const empty = await acme.act('triggerEvents', { events: [{ workflowIdentifier: '', to }] }, 'results { errors }')
    expect(empty.results).toEqual([{ errors: ['workflowIdentifier must not be empty'] }])
  })
})

describe('a filter', () => {
  const lists = ['events', 'workflowRuns', 'deliveries'] as const

  test.each(lists)('of %s takes both names of the workflow', async (list) => {
    const count = (filter: string) => acme.send(`{ ${list}(filter: { ${filter} }) { totalCount } }`)
    const { data } = await count('workflowIdentifier: "order"')
    expect((await count('workflow: "order"')).data).toEqual(data)
    expect((await count('workflow: "order", workflowIdentifier: "order"')).data).toEqual(data)
    expect((await count('workflow: "missing"')).data).toEqual({ [list]: { totalCount: 0 } })
    expect((await count('workflow: "other", workflowIdentifier: "order"')).errors).toMatchObject([
      {
        message: 'filter.workflowIdentifier must not differ from workflow, its former name',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
  })

  test.each(['cancelEvents', 'cancelWorkflowRuns', 'retryDeliveries'])(
    'of %s takes both names of the workflow',
    async (mutation) => {
      const call = (filter: object) => acme.act(mutation, { filter, dryRun: true })
      for (const filter of [{ workflow: 'other' }, { workflowIdentifier: 'other' }]) {
        expect(await call(filter)).toMatchObject({ userErrors: [] })
      }
      expect(await call({ workflow: 'other', workflowIdentifier: 'order' })).toMatchObject({
        userErrors: [{ code: 'BAD_USER_INPUT', field: ['filter', 'workflowIdentifier'] }],
      })
    },
  )
})

test('a preference takes both names of the workflow', async () => {
  const write = (named: object) =>
    acme.act('updateSubscriberPreferences', { subscriberId: 'ada', enabled: true, ...named })
  expect(await write({ workflowId: 'order' })).toEqual({ userErrors: [] })
  expect(await write({ workflowIdentifier: 'order' })).toEqual({ userErrors: [] })
  expect(await write({ workflowIdentifier: 'missing' })).toMatchObject({
    userErrors: [{ code: 'NOT_FOUND', field: ['workflowIdentifier'] }],
  })
  expect(await write({ workflowId: 'missing' })).toMatchObject({
    userErrors: [{ code: 'NOT_FOUND', field: ['workflowId'] }],
  })
})

test('a preference of a topic subscription takes both names of the workflow', async () => {
  const subscribe = (...preferences: object[]) =>
    acme.act(
      'createTopicSubscriptions',
      { topicKey: 'news', subscriptions: [{ subscriberId: 'ada' }], preferences },
      'failed { message }',
    )
  const accepted = await subscribe(
    { workflowId: 'order' },
    { workflow: { workflowId: 'other' } },
    { group: { workflowIds: ['order'] } },
    { workflowIdentifier: 'order' },
    { workflow: { workflowIdentifier: 'other' } },
    { group: { workflowIdentifiers: ['order'] } },
  )
  expect(accepted).toEqual({ failed: [], userErrors: [] })
  expect((await subscribe({ workflow: { enabled: true } })).userErrors).toMatchObject([
    { field: ['preferences', '0', 'workflow', 'workflowIdentifier'], code: 'BAD_USER_INPUT' },
  ])
  expect(
    (await subscribe({ group: { workflowIds: ['order'], workflowIdentifiers: ['other'] } })).userErrors,
  ).toMatchObject([{ field: ['preferences', '0', 'group', 'workflowIdentifiers'] }])
})
