// Triggers that created no event leave a trace for a day: those that repeat a transaction id, and rejected ones.
import { beforeEach, describe, expect, test } from 'vitest'
import { TriggerTraces } from '../../src/data/trigger-traces.ts'
import { MAX_UNPROCESSED, type UnprocessedTrigger } from '../../src/data/unprocessed-trigger.ts'
import { done } from '../support/delivery/story.ts'
import { statementsAndTransactionsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createWorkflow', {
    identifier: 'order',
    name: 'Order',
    payloadSchema: { type: 'object', properties: { total: { type: 'number' } } },
  })
})

const post = (body: unknown, client = acme) =>
  client.rest('POST /v1/events/trigger', {
    body: typeof body === 'string' ? body : { name: 'order', to: 'ada', ...Object(body) },
  })
const act = (input: object) => acme.act('triggerEvent', { workflowIdentifier: 'order', ...input })
const ada = [{ subscriber: { subscriberId: 'ada' } }]

/** The traces that match a filter, newest first. */
async function traces(filter: object = {}) {
  await world.work()
  const { unprocessedTriggers } = await acme.ask(
    `query ($filter: UnprocessedTriggerFilter) {
      unprocessedTriggers(first: 100, filter: $filter) {
        nodes {
          kind explanation advice workflowIdentifier workflow { name } transactionId event { transactionId } subscriberIds topicKeys
          recipientCount code errors { message field reason } apiKey { hint } count createdAt updatedAt
        }
      }
    }`,
    { filter },
  )
  return unprocessedTriggers.nodes
}

describe('a trigger that repeats a transaction id', () => {
  test('leaves a trace that leads to the event and names the caller', async () => {
    await post({ transactionId: 'order-1' })
    await post({ transactionId: 'order-1', to: ['grace', { type: 'Topic', topicKey: 'news' }] })
    expect(await traces()).toEqual([
      {
        kind: 'REPEATED',
        explanation:
          'An event has the transaction id "order-1" already. This trigger had no effect: it created no event, and its recipients and its payload were not used.',
        advice: 'To send again, trigger under another transaction id.',
        workflowIdentifier: 'order',
        workflow: { name: 'Order' },
        transactionId: 'order-1',
        event: { transactionId: 'order-1' },
        subscriberIds: ['grace'],
        topicKeys: ['news'],
        recipientCount: 2,
        code: null,
        errors: [],
        apiKey: { hint: acme.key.slice(-4) },
        count: 1,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
  })

  test('is found at the event, also if it was repeated within a bulk', async () => {
    const events = ['order-1', 'order-1', 'order-2'].map((transactionId) => ({
      workflowIdentifier: 'order',
      to: ada,
      transactionId,
    }))
    await acme.act('triggerEvents', { events })
    await world.work()
    const read = '{ events { nodes { transactionId repeats { totalCount nodes { count } } } } }'
    expect((await acme.ask(read)).events.nodes).toEqual([
      { transactionId: 'order-2', repeats: { totalCount: 0, nodes: [] } },
      { transactionId: 'order-1', repeats: { totalCount: 1, nodes: [{ count: 1 }] } },
    ])
  })
})

describe('a rejected trigger', () => {
  test.each([
    ['for an unknown workflow', { name: 'none' }, 'NOT_FOUND', ['name'], 'Workflow "none" not found'],
    [
      'for an unknown topic',
      { to: { type: 'Topic', topicKey: 'none' } },
      'NOT_FOUND',
      ['to'],
      'Topic "none" not found',
    ],
    [
      'with a payload that the schema forbids',
      { payload: { total: 'secret' } },
      'BAD_USER_INPUT',
      ['payload', 'total'],
      'payload.total must be a number',
    ],
    [
      'with an unknown field',
      { too: 'ada' },
      'BAD_USER_INPUT',
      ['too'],
      'too is unknown; allowed fields: name, to, payload, context, transactionId, overrides, attachments, actor',
    ],
    [
      'with an invalid field',
      { transactionId: 7 },
      'BAD_USER_INPUT',
      ['transactionId'],
      'transactionId must be a string',
    ],
    [
      'with a payload that is too large',
      { payload: { text: 'a'.repeat(600_000) } },
      'PAYLOAD_TOO_LARGE',
      ['payload'],
      expect.stringContaining('payload must be at most'),
    ],
  ])('%s leaves the error as the caller saw it', async (_what, body, code, field, message) => {
    const { status } = await post(body)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(await traces()).toMatchObject([
      { kind: 'REJECTED', code, errors: [{ field, message }], event: null, apiKey: { hint: acme.key.slice(-4) } },
    ])
  })

  test('of the graph has the names of the graph', async () => {
    const recipient = { subscriber: { subscriberId: 'ada', email: 'nobody' } }
    await act({ workflowIdentifier: 'none', to: ada, transactionId: 'order-1' })
    await act({ to: [recipient] })
    await act({ workflowIdentifier: null, to: ada })
    expect(await traces()).toMatchObject([
      { errors: [{ field: ['workflowIdentifier'], reason: 'REQUIRED' }], subscriberIds: ['ada'], topicKeys: [] },
      { errors: [{ field: ['to', '0', 'subscriber', 'email'] }], workflowIdentifier: 'order' },
      { errors: [{ field: ['workflowIdentifier'] }], workflowIdentifier: 'none', transactionId: 'order-1' },
    ])
  })

  test('whose variables do not fit the schema of the graph has the fields, and no values', async () => {
    const inOne = 'mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { duplicate } }'
    await acme.send(inOne, { input: { workflowIdentifier: 'order', to: 'hunter2', transactionId: { a: 'hunter2' } } })
    await acme.send(
      `mutation ($workflowIdentifier: String!, $to: [RecipientInput!]!) {
         triggerEvent(input: { workflowIdentifier: $workflowIdentifier, to: $to }) { duplicate }
       }`,
      { workflowIdentifier: 'order' },
    )
    const found = await traces()
    expect(found).toMatchObject([
      { code: 'BAD_USER_INPUT', workflowIdentifier: 'order', errors: [{ field: ['to'] }] },
      {
        code: 'BAD_USER_INPUT',
        workflowIdentifier: 'order',
        errors: [{ field: ['to'] }, { field: ['transactionId'] }],
      },
    ])
    expect(JSON.stringify(found.map(({ errors }) => errors))).not.toContain('hunter2')
  })

  test('within a bulk of the graph has the names of the graph, as its result does', async () => {
    const recipient = { subscriber: { subscriberId: 'ada', email: 'nobody' } }
    const { results } = await acme.act(
      'triggerEvents',
      {
        events: [
          { workflowIdentifier: '', to: ada, transactionId: 'a' },
          { workflowIdentifier: 'order', to: [recipient], transactionId: 'b' },
          { workflowIdentifier: 'order', to: ada, transactionId: 'c' },
        ],
      },
      'results { event { transactionId } errors }',
    )
    expect(results).toEqual([
      { event: null, errors: ['workflowIdentifier must not be empty'] },
      { event: null, errors: [expect.stringContaining('email')] },
      { event: { transactionId: 'c' }, errors: ['Workflow "order" has no steps'] },
    ])
    expect(await traces()).toMatchObject([
      { transactionId: 'b', errors: [{ field: ['to', '0', 'subscriber', 'email'] }], subscriberIds: ['ada'] },
      {
        transactionId: 'a',
        errors: [{ field: ['workflowIdentifier'], message: 'workflowIdentifier must not be empty' }],
        subscriberIds: ['ada'],
      },
    ])
    await acme.rest('POST /v1/events/trigger/bulk', { body: { events: [{ name: '', to: 'ada', transactionId: 'd' }] } })
    const [fromRest] = await traces({ transactionId: 'd' })
    expect(fromRest).toMatchObject({ errors: [{ field: ['name'], message: 'name must not be empty' }] })
  })

  test('within a bulk is one of several, and a bulk that is rejected as a whole is one', async () => {
    await acme.rest('POST /v1/events/trigger/bulk', {
      body: { events: [{ name: 'none', to: 'ada', transactionId: 'a' }, 7, { name: 'order', to: 'ada' }] },
    })
    const tooMany = Array.from({ length: 101 }, (_, index) => ({ name: 'order', to: `user-${index}` }))
    await acme.rest('POST /v1/events/trigger/bulk', { body: { events: tooMany } })
    expect(await traces()).toMatchObject([
      { errors: [{ field: ['events'], reason: 'TOO_MANY' }], recipientCount: 101, workflowIdentifier: null },
      { workflowIdentifier: null, transactionId: null, recipientCount: 0 },
      { workflowIdentifier: 'none', transactionId: 'a', errors: [{ message: 'Workflow "none" not found' }] },
    ])
  })

  test('whose body is not JSON leaves no part of the body', async () => {
    await post('{ "password": hunter2')
    expect(await traces()).toMatchObject([
      {
        errors: [{ field: null, message: 'The body is not valid JSON' }],
        subscriberIds: [],
        topicKeys: [],
        workflowIdentifier: null,
      },
    ])
  })

  test('leaves nothing else of what the caller sent, and texts of a limited length', async () => {
    const to = [{ subscriberId: 'ada', email: 'nobody', firstName: 'hunter2' }, 'b'.repeat(300), { topicKey: 'news' }]
    await post({ name: 'x'.repeat(300), to, payload: { password: 'hunter2' }, overrides: { key: 'hunter2' } })
    const [found] = await traces()
    expect(JSON.stringify(found)).not.toMatch(/hunter2|nobody|x{256}|b{256}/)
    expect(found).toMatchObject({ subscriberIds: ['ada', `${'b'.repeat(254)}…`], topicKeys: ['news'] })
  })

  test('has no trace without an API key or a dashboard session, and none if it was previewed', async () => {
    const stranger = world.client('unknown')
    await post({ name: 'none' }, stranger)
    const { environment } = await acme.ask('{ environment { identifier } }')
    await post({ name: 'none' }, world.client(environment.identifier, 'Environment'))
    await acme.send(
      'query ($to: [RecipientInput!]!) { previewTrigger(input: { workflowIdentifier: "none", to: $to }) { runs { status } } }',
      { to: ada },
    )
    expect(await traces()).toEqual([])
  })

  test('of a key that may only read names what is missing', async () => {
    const { newApiKey } = await acme.act('createApiKey', { name: 'Reader', access: 'READ_ONLY' }, 'newApiKey { key }')
    expect((await post({}, world.client(newApiKey.key))).status).toBe(403)
    expect(await traces()).toMatchObject([
      {
        code: 'FORBIDDEN',
        advice: 'Trigger with an API key that has the access FULL.',
        subscriberIds: ['ada'],
      },
    ])
  })
})

describe('traces', () => {
  test('of identical triggers within an hour are one, with their number and both times', async () => {
    for (const time of ['12:00', '12:30', '12:59', '13:00']) {
      world.setClock(new Date(`2027-01-01T${time}:00Z`))
      await post({ name: 'none' })
      if (time !== '12:00') await world.work()
    }
    world.setClock(undefined)
    expect(await traces()).toMatchObject([
      { count: 1, createdAt: '2027-01-01T13:00:00.000Z' },
      { count: 3, createdAt: '2027-01-01T12:00:00.000Z', updatedAt: '2027-01-01T12:59:00.000Z' },
    ])
  })

  test('are filtered by kind, workflow, transaction id, recipient and time', async () => {
    await post({ transactionId: 'order-1' })
    await post({ transactionId: 'order-1', to: ['grace', 'eve'] })
    await post({ name: 'none', transactionId: 'order-2' })
    const count = async (filter: object) => (await traces(filter)).length
    expect(await count({})).toBe(2)
    expect(await count({ kind: 'REJECTED' })).toBe(1)
    expect(await count({ workflowIdentifier: 'none' })).toBe(1)
    expect(await count({ workflowIdentifiers: ['none', 'order'] })).toBe(2)
    expect(await count({ transactionId: 'order-2' })).toBe(1)
    expect(await count({ subscriberId: 'eve' })).toBe(1)
    expect(await count({ subscriberId: 'ada' })).toBe(1)
    expect(await count({ subscriberIds: ['eve', 'ada'] })).toBe(2)
    expect(await count({ subscriberId: 'ada', subscriberIds: ['eve'] })).toBe(0)
    expect(await count({ createdAfter: '2100-01-01T00:00:00Z' })).toBe(0)
    const { body } = await acme.rest(
      'GET /v2/unprocessed-triggers?kind=rejected&workflowIdentifiers=none&workflowIdentifiers=x',
    )
    expect(body).toMatchObject({
      data: [
        { kind: 'rejected', code: 'NOT_FOUND', errors: [{ field: 'name', message: 'Workflow "none" not found' }] },
      ],
      totalCount: 1,
    })
  })

  test('are written with one statement, in the order of their creation', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => post({ name })))
    const sent = await statementsAndTransactionsOf(() => world.work())
    expect(sent.filter((text) => text.includes('unprocessed_triggers'))).toHaveLength(1)
    expect(await statementsAndTransactionsOf(() => post({ name: 'a' }))).not.toContainEqual(
      expect.stringContaining('unprocessed_triggers'),
    )
  })

  test('of a caller with always other triggers stay within the limit, and the newest remain', async () => {
    const rejectMany = async (from: number) => {
      const events = Array.from({ length: 100 }, (_, index) => ({ name: `none-${from + index}`, to: 'ada' }))
      await acme.rest('POST /v1/events/trigger/bulk', { body: { events } })
      await world.work()
    }
    for (let from = 0; from < MAX_UNPROCESSED + 200; from += 100) await rejectMany(from)
    const read = '{ unprocessedTriggers(first: 1) { totalCount nodes { workflowIdentifier } } }'
    expect((await acme.ask(read)).unprocessedTriggers).toEqual({
      totalCount: MAX_UNPROCESSED,
      nodes: [{ workflowIdentifier: `none-${MAX_UNPROCESSED + 199}` }],
    })
  })

  test('that wait in memory are limited for each environment, and the others are counted in the log', async () => {
    const events = Array.from({ length: 60 }, (_, index) => ({ name: `none-${index}`, to: 'ada' }))
    const more = events.map(({ name, to }) => ({ name: `more-${name}`, to }))
    await acme.rest('POST /v1/events/trigger/bulk', { body: { events } })
    await acme.rest('POST /v1/events/trigger/bulk', { body: { events: more } })
    expect(await traces()).toHaveLength(100)
    const message = 'unprocessed triggers not recorded: too many at a time'
    expect(world.logged).toContainEqual(expect.objectContaining({ level: 40, count: 20, msg: message }))
  })

  test('of an environment that was just deleted do not keep others from being written', async () => {
    const globex = await world.environment()
    await post({ name: 'none' }, globex)
    await post({ name: 'none' })
    const { environment } = await globex.ask('{ environment { id } }')
    await done(world.development, 'deleteEnvironment', { id: environment.id })
    expect(await traces()).toHaveLength(1)
  })
})

test('the traces that wait in a process are limited for all environments together', () => {
  const waiting = new TriggerTraces()
  const at = new Date()
  const given: Omit<UnprocessedTrigger, 'environmentId'> = {
    ...{ id: '', kind: 'rejected', fingerprint: 'same', workflowIdentifier: null, transactionId: null, eventId: null },
    ...{
      recipients: [],
      recipientCount: 0,
      code: null,
      errors: [],
      apiKeyId: null,
      count: 1,
      createdAt: at,
      updatedAt: at,
    },
  }
  for (let index = 0; index < 3_000; index += 1) waiting.add({ ...given, environmentId: `environment-${index}` })
  const { traces, dropped } = waiting.take()
  expect([traces.length, dropped, waiting.isEmpty]).toEqual([2_000, 1_000, true])
})
