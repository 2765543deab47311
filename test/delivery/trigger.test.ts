// Triggers in the REST and GraphQL APIs: responses and deliveries.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import type { RestObject } from '../support/rest-body.ts'
import { bodiesOf, createWorkflow, done, feedOf, storyOf, trigger } from '../support/delivery/story.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const bell = { inApp: { stepId: 'bell', body: 'Order {{payload.id}}' } }
const toAda = [{ subscriber: { subscriberId: 'ada' } }]

const post = (body: object) => acme.rest('POST /v1/events/trigger', { body: { name: 'order', to: 'ada', ...body } })

describe('a workflow', () => {
  test.each([
    ['that is not active', 'trigger_not_active', { active: false }, [bell], 'is not active'],
    ['without steps', 'no_workflow_steps_defined', {}, [], 'has no steps'],
    [
      'of which no step is active',
      'no_workflow_active_steps_defined',
      {},
      [{ inApp: { body: 'x', active: false } }],
      'has no active steps',
    ],
  ])('%s delivers nothing, and its trigger returns %s', async (_what, status, settings, steps, why) => {
    await createWorkflow(acme, steps, settings)
    const error = [`Workflow "order" ${why}`]
    const answer = await post({ transactionId: 'one' })
    expect(answer).toMatchObject({ status: 201, body: { acknowledged: true, status, transactionId: 'one', error } })
    const again = await post({ transactionId: 'one' })
    const warnings = ['transactionId was used before: this trigger had no effect']
    expect(again.body).toEqual({ ...answer.body, warnings })
    const bulk = await acme.rest('POST /v1/events/trigger/bulk', {
      body: { events: [{ name: 'order', to: 'ada', transactionId: 'two' }] },
    })
    expect(bulk.body).toEqual([{ acknowledged: true, status, transactionId: 'two', error }])
    const input = { workflowIdentifier: 'order', to: toAda, transactionId: 'three' }
    const payload = await done(acme, 'triggerEvent', input, 'status event { transactionId }')
    expect(payload).toMatchObject({ status: status.toUpperCase(), event: { transactionId: 'three' } })
    await world.work({ early: true })
    for (const transactionId of ['one', 'two', 'three']) expect(await storyOf(acme, transactionId)).toEqual({})
    expect(await feedOf(acme)).toEqual([])
  })

  test('that is activated later delivers nothing for earlier triggers', async () => {
    await createWorkflow(acme, [bell], { active: false })
    await post({})
    await done(acme, 'updateWorkflow', { identifier: 'order', active: true })
    await world.work({ early: true })
    expect(await feedOf(acme)).toEqual([])
  })
})

describe('a payload', () => {
  const payloadSchema = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, total: { type: 'number', minimum: 0 } },
  }
  const wrong = { payload: { id: 'seven', total: -1 } }

  beforeEach(() => createWorkflow(acme, [bell], { payloadSchema }))

  test('that matches the schema of the workflow is delivered', async () => {
    await trigger(acme, { payload: { id: 7, total: 1.5 } })
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Order 7'])
  })

  test('that does not match returns 400 in REST with every invalid field, and writes nothing', async () => {
    const { status, body } = await post(wrong)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      statusCode: 400,
      path: '/v1/events/trigger',
      message: expect.any(String),
      type: 'PAYLOAD_VALIDATION_ERROR',
      errors: [
        { field: 'payload.id', message: expect.stringContaining('integer'), value: 'seven' },
        { field: 'payload.total', message: expect.stringContaining('0'), value: -1 },
      ],
    })
    const missing = await post({})
    expect(missing).toMatchObject({ status: 400, body: { errors: [{ field: 'payload.id' }] } })
    expect(missing.body.errors[0]).not.toHaveProperty('value')
    expect((await acme.ask('{ events { totalCount } }')).events.totalCount).toBe(0)
    expect((await acme.rest('GET /v2/subscribers/ada')).status).toBe(404)
  })

  test('that does not match returns a user error for each field in GraphQL', async () => {
    const payload = await acme.act(
      'triggerEvent',
      { workflowIdentifier: 'order', to: toAda, ...wrong },
      'status event { id }',
    )
    expect(payload).toEqual({
      status: null,
      event: null,
      userErrors: [
        { code: 'BAD_USER_INPUT', message: expect.stringContaining('payload.id'), field: ['payload', 'id'] },
        { code: 'BAD_USER_INPUT', message: expect.stringContaining('payload.total'), field: ['payload', 'total'] },
      ],
    })
  })

  test('that does not match fails only its own event in a bulk', async () => {
    const events = [{ payload: { id: 1 } }, wrong].map((more) => ({ name: 'order', to: 'ada', ...more }))
    const { status, body } = await acme.rest('POST /v1/events/trigger/bulk', { body: { events } })
    expect(status).toBe(201)
    expect(body).toMatchObject([
      { status: 'processed' },
      { status: 'error', error: [expect.stringContaining('payload.id')] },
    ])
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Order 1'])
  })
})

describe('a trigger', () => {
  beforeEach(() => createWorkflow(acme, [bell]))

  test('reaches each recipient once', async () => {
    const transactionId = await trigger(acme, { to: ['ada', { subscriberId: 'grace' }, 'ada'], payload: { id: 1 } })
    await world.work()
    expect(Object.keys(await storyOf(acme, transactionId)).toSorted()).toEqual(['ada', 'grace'])
    expect([await bodiesOf(acme), await bodiesOf(acme, 'grace')]).toEqual([['Order 1'], ['Order 1']])
  })

  test('with a repeated transaction id delivers once, even concurrently', async () => {
    const again = { transactionId: 'once', payload: { id: 1 } }
    await Promise.all(Array.from({ length: 10 }, () => trigger(acme, again)))
    await world.work()
    await trigger(acme, { ...again, to: 'grace', payload: { id: 2 } })
    await acme.act('triggerEvent', { workflowIdentifier: 'order', to: toAda, transactionId: 'once' }, 'status')
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Order 1'])
    expect(Object.keys(await storyOf(acme, 'once'))).toEqual(['ada'])
  })

  test('can reuse the transaction id of another environment', async () => {
    const globex = await world.environment()
    await createWorkflow(globex, [bell])
    await trigger(acme, { transactionId: 'one', payload: { id: 1 } })
    await trigger(globex, { transactionId: 'one', payload: { id: 2 } })
    await world.work()
    expect([await bodiesOf(acme), await bodiesOf(globex)]).toEqual([['Order 1'], ['Order 2']])
  })

  test('delivers each of 100 events in a bulk', async () => {
    const events = Array.from({ length: 100 }, (_, id) => ({ name: 'order', to: 'ada', payload: { id } }))
    const { body } = await acme.rest<RestObject[]>('POST /v1/events/trigger/bulk', { body: { events } })
    expect(new Set(body.map(({ transactionId }) => transactionId)).size).toBe(100)
    await world.work()
    expect(new Set(await bodiesOf(acme))).toEqual(new Set(events.map(({ payload }) => `Order ${payload.id}`)))
  })

  test('passes the actor to templates', async () => {
    await done(acme, 'updateWorkflow', {
      identifier: 'order',
      steps: [{ inApp: { body: '{{actor.firstName}} liked {{payload.id}}' } }],
    })
    await trigger(acme, { actor: { subscriberId: 'grace', firstName: 'Grace' }, payload: { id: 'it' } })
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Grace liked it'])
  })
})
