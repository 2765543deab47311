// Subscriber preferences over REST and GraphQL.
import { beforeEach, describe, expect, test } from 'vitest'
import { plansOf, statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
  await acme.act('createWorkflow', { identifier: 'welcome', name: 'Welcome' })
  await acme.act('createWorkflow', { identifier: 'alarm', name: 'Alarm', critical: true })
})

const read = async (query = '') => (await acme.rest(`GET /v2/subscribers/ada/preferences${query}`)).body
const write = (body: Record<string, unknown>) => acme.rest('PATCH /v2/subscribers/ada/preferences', { body })
const allOn = { in_app: true, email: true, sms: true, chat: true, push: true, tool: true }

describe('preferences', () => {
  test('enable everything by default', async () => {
    expect(await read()).toEqual({
      global: { enabled: true, channels: allOn },
      categories: [],
      workflows: [
        expect.objectContaining({
          enabled: true,
          channels: allOn,
          workflow: { slug: 'welcome', identifier: 'welcome', name: 'Welcome', critical: false, tags: [] },
        }),
        expect.objectContaining({
          enabled: true,
          workflow: { slug: 'alarm', identifier: 'alarm', name: 'Alarm', critical: true, tags: [] },
        }),
      ],
    })
  })

  test('for all workflows are defaults that a workflow overrides by channel and a critical workflow ignores', async () => {
    await write({ channels: { email: false, sms: false } })
    const changed = await write({ workflowId: 'welcome', channels: { email: true } })
    expect(changed.status).toBe(200)
    const { global, workflows } = changed.body
    expect(global.channels).toEqual({ ...allOn, email: false, sms: false })
    expect(workflows[0].channels).toEqual({ ...allOn, sms: false })
    expect(workflows[0].overrides).toContainEqual({ channel: 'email', source: 'subscriber' })
    expect(workflows[0].overrides).toContainEqual({ channel: 'push', source: 'template' })
    expect(workflows[1].channels).toEqual(allOn)
  })

  test('start with the channel defaults of the workflow, which the subscriber can override', async () => {
    await acme.rest('PUT /v2/workflows/welcome', { body: { channels: { sms: false, push: false } } })
    await acme.rest('PUT /v2/workflows/alarm', { body: { channels: { sms: false } } })
    const { global, workflows } = await read()
    expect(global.channels).toEqual(allOn)
    expect(workflows[0].channels).toEqual({ ...allOn, sms: false, push: false })
    expect(workflows[0].overrides).toContainEqual({ channel: 'sms', source: 'template' })
    expect(workflows[1].channels).toEqual(allOn)
    const chosen = await write({ channels: { sms: true } })
    expect(chosen.body.workflows[0].channels).toEqual({ ...allOn, push: false })
    expect(chosen.body.workflows[0].overrides).toContainEqual({ channel: 'sms', source: 'subscriber' })
    const { subscriber } = await acme.ask(
      '{ subscriber(subscriberId: "ada") { preferences { workflows { channels { channel enabled source } } } } }',
    )
    expect(subscriber.preferences.workflows[0].channels).toContainEqual({
      channel: 'PUSH',
      enabled: false,
      source: 'WORKFLOW',
    })
  })

  test('can turn off everything but critical workflows at once', async () => {
    const { body } = await write({ enabled: false })
    expect(body.global.enabled).toBe(false)
    expect(body.workflows[0]).toMatchObject({ enabled: false, channels: { email: false, in_app: false } })
    expect(body.workflows[1]).toMatchObject({ enabled: true, channels: { email: true } })
  })

  test('turned off for all workflows can be turned on for one, which is then displayed as on', async () => {
    await write({ enabled: false })
    const { body } = await write({ workflowId: 'welcome', enabled: true })
    expect(body.global.enabled).toBe(false)
    expect(body.workflows[0]).toMatchObject({ enabled: true, channels: allOn })
  })

  test('turned off for all workflows reset earlier choices for single workflows', async () => {
    await write({ workflowId: 'welcome', enabled: true, channels: { sms: true } })
    await write({ workflowId: 'welcome', channels: { chat: true }, context: { tenant: 'acme' } })
    const { body } = await write({ enabled: false })
    expect(body.workflows[0]).toMatchObject({ enabled: false, channels: { sms: false, email: false } })
    expect((await write({ enabled: true })).body.workflows[0]).toMatchObject({ enabled: true, channels: allOn })
    expect((await read('?contextKeys=tenant%3Aacme')).workflows[0].overrides).toContainEqual({
      channel: 'chat',
      source: 'subscriber',
    })
  })

  test('show a workflow as on only if one of its channels is', async () => {
    const off = { in_app: false, email: false, sms: false, chat: false, push: false, tool: false }
    expect((await write({ channels: off })).body.workflows[0]).toMatchObject({ enabled: false, channels: off })
    expect((await write({ workflowId: 'welcome', enabled: true })).body.workflows[0].enabled).toBe(false)
    const { body } = await write({ workflowId: 'welcome', channels: { sms: true } })
    expect(body.workflows[0]).toMatchObject({ enabled: true, channels: { ...off, sms: true } })
  })

  test('for all workflows replace the choices of single workflows for the same channel', async () => {
    await write({ workflowId: 'welcome', channels: { email: true, sms: false } })
    const { body } = await write({ channels: { email: false } })
    expect(body.workflows[0].channels).toMatchObject({ email: false, sms: false })
  })

  test('are separate for each exact set of contexts', async () => {
    await write({ channels: { email: false }, context: { tenant: 'acme', app: 'shop' } })
    expect((await read()).global.channels['email']).toBe(true)
    expect((await read('?contextKeys=tenant%3Aacme')).global.channels['email']).toBe(true)
    expect((await read('?contextKeys=tenant%3Aacme&contextKeys=app%3Ashop')).global.channels['email']).toBe(false)
  })

  test('show under contexts that everything is off without context, as it is applied, unless the contexts differ', async () => {
    await write({ enabled: false })
    await write({ workflowId: 'welcome', channels: { email: true }, context: { tenant: 'globex' } })
    await write({ enabled: true, context: { app: 'shop' } })
    const { global, workflows } = await read('?contextKeys=tenant%3Aacme')
    expect(global).toMatchObject({ enabled: false, channels: { email: false } })
    expect(workflows[0]).toMatchObject({ enabled: false, channels: { email: false } })
    expect(workflows[1]).toMatchObject({ enabled: true })
    const inGlobex = await read('?contextKeys=tenant%3Aglobex')
    expect(inGlobex.workflows[0]).toMatchObject({ enabled: true, channels: { email: true, sms: false } })
    expect((await read('?contextKeys=app%3Ashop')).global).toMatchObject({ enabled: true, channels: allOn })
    const { subscriber } = await acme.ask(`{ subscriber(subscriberId: "ada") {
      preferences(contextKeys: ["tenant:globex"]) {
        enabled
        workflows { channels { channel enabled decidedBy inherited } }
      } } }`)
    expect(subscriber.preferences.enabled).toBe(false)
    const [first] = subscriber.preferences.workflows
    expect(first.channels).toEqual(
      expect.arrayContaining([
        { channel: 'EMAIL', enabled: true, decidedBy: 'SUBSCRIBER_WORKFLOW', inherited: false },
        { channel: 'SMS', enabled: false, decidedBy: 'SUBSCRIBER_GLOBAL', inherited: true },
      ]),
    )
  })

  test('are read in one statement, with those without context', async () => {
    await write({ enabled: false })
    const statements = await statementsOf(() => read('?contextKeys=tenant%3Aacme'))
    expect(statements.filter((text) => text.includes('"subscriber_preferences"'))).toHaveLength(1)
  })

  test('return to the default when set to null', async () => {
    await write({ channels: { email: false } })
    const { body } = await write({ channels: { email: null } })
    expect(body.global.channels['email']).toBe(true)
  })

  test('are listed for each set of contexts with a choice that was not removed', async () => {
    const sets = async () => {
      const { subscriber } = await acme.ask(
        '{ subscriber(subscriberId: "ada") { preferenceContexts { contextKeys } } }',
      )
      return subscriber.preferenceContexts.map(({ contextKeys }) => contextKeys)
    }
    expect(await sets()).toEqual([])
    await write({ workflowId: 'welcome', enabled: false, context: { tenant: 'globex' } })
    await write({ workflowId: 'welcome', channels: { email: false } })
    await write({ channels: { email: false }, context: { tenant: 'acme', app: 'shop' } })
    await write({ workflowId: 'alarm', channels: { sms: false }, context: { app: 'shop', tenant: 'acme' } })
    await write({ channels: { sms: false }, context: { tenant: 'acme' } })
    await write({ channels: { sms: null }, context: { tenant: 'acme' } })
    expect(await sets()).toEqual([[], ['app:shop', 'tenant:acme'], ['tenant:globex']])
  })

  test('of the same subscriber in another environment are not listed', async () => {
    const globex = await world.environment()
    await globex.act('createSubscriber', { subscriberId: 'ada' })
    await write({ enabled: false })
    const query = '{ subscriber(subscriberId: "ada") { preferenceContexts { contextKeys } } }'
    expect(await globex.ask(query)).toEqual({ subscriber: { preferenceContexts: [] } })
  })

  test('are listed for at most 100 sets of contexts, by an index', async () => {
    await world.database.pool.query(
      `INSERT INTO subscriber_preferences
         (environment_id, id, subscriber_id, context_keys, workflow_id, enabled, channels, created_at, updated_at)
       SELECT environment_id, gen_random_uuid(), 'ada', ARRAY['tenant:n' || n], workflows.id, true, '{}', now(), now()
       FROM workflows, generate_series(1, 2000) AS n WHERE identifier IN ('welcome', 'alarm') AND environment_id = (
         SELECT environment_id FROM subscribers WHERE subscriber_id = 'ada' ORDER BY created_at DESC LIMIT 1
       )`,
    )
    await world.database.pool.query('VACUUM ANALYZE subscriber_preferences')
    const query = '{ subscriber(subscriberId: "ada") { preferenceContexts { contextKeys } } }'
    const { subscriber } = await acme.ask(query)
    expect(subscriber.preferenceContexts).toHaveLength(100)
    expect(subscriber.preferenceContexts[1]).toEqual({ contextKeys: ['tenant:n10'] })
    const [plan] = await plansOf(world.database.pool, 'subscriber_preferences', () => acme.ask(query))
    expect(plan).toContain('subscriber_preferences_row_key')
    expect(plan).not.toContain('Seq Scan')
    // Two workflows in each set, so that reading ends with the first row of the hundredth.
    expect(plan).toMatch(/subscriber_preferences_row_key.* rows=199\b/)
  })

  test('return a 404 that names an unknown subscriber or workflow', async () => {
    expect(await acme.rest('GET /v2/subscribers/nobody/preferences')).toMatchObject({
      status: 404,
      body: { message: 'Subscriber "nobody" not found' },
    })
    expect(await write({ workflowId: 'nothing' })).toMatchObject({
      status: 404,
      body: { message: 'Workflow "nothing" not found' },
    })
  })

  test('are the same over GraphQL', async () => {
    const payload = await acme.act(
      'updateSubscriberPreferences',
      {
        subscriberId: 'ada',
        workflowId: 'welcome',
        contexts: [{ type: 'tenant', identifier: 'acme' }],
        channels: [{ channel: 'EMAIL', enabled: false }],
      },
      'preferences { contextKeys enabled workflows { workflow { identifier } channels { channel enabled source } } }',
    )
    expect(payload.userErrors).toEqual([])
    expect(payload.preferences.contextKeys).toEqual(['tenant:acme'])
    expect(payload.preferences.workflows[0].channels).toContainEqual({
      channel: 'EMAIL',
      enabled: false,
      source: 'SUBSCRIBER',
    })
    expect((await read('?contextKeys=tenant:acme')).workflows[0].channels['email']).toBe(false)
  })

  test('lose nothing in twenty concurrent writes', async () => {
    const channels = ['in_app', 'email', 'sms', 'chat', 'push']
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => write({ channels: { [channels[index % 5] ?? '']: false } })),
    )
    expect((await read()).global.channels).toEqual({
      in_app: false,
      email: false,
      sms: false,
      chat: false,
      push: false,
      tool: true,
    })
  })
})
