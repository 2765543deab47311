// Defaults of payload schemas, which the payload of the event has.
import { beforeEach, describe, expect, test } from 'vitest'
import { bodiesOf, createWorkflow } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const payloadSchema = {
  type: 'object',
  required: ['currency'],
  properties: {
    amount: { type: 'integer' },
    currency: { type: 'string', default: 'EUR' },
    address: { type: 'object', default: {}, properties: { country: { default: 'DE' } } },
    items: { type: 'array', items: { type: 'object', properties: { count: { default: 1 } } } },
  },
}
const body = '{{payload.amount}} {{payload.currency}} {{payload.address.country}}'

beforeEach(async () => {
  acme = await world.environment()
  const condition = { '==': [{ var: 'payload.address.country' }, 'DE'] }
  await createWorkflow(acme, [{ inApp: { body, condition } }], { payloadSchema })
})

const one = (payload: object) => ({ name: 'order', to: 'ada', payload })

async function payloadOf(transactionId: string): Promise<unknown> {
  const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { payload } }', {
    id: transactionId,
  })
  return event.payload
}

describe('a default of a payload schema', () => {
  test('is part of the stored payload, and conditions and templates read it', async () => {
    const { status, body: answer } = await acme.rest('POST /v1/events/trigger', {
      body: one({ amount: 7, items: [{}, { count: 2 }] }),
    })
    expect(status).toBe(201)
    await world.work()
    expect(await payloadOf(answer.transactionId)).toEqual({
      amount: 7,
      currency: 'EUR',
      address: { country: 'DE' },
      items: [{ count: 1 }, { count: 2 }],
    })
    expect(await bodiesOf(acme)).toEqual(['7 EUR DE'])
  })

  test('is added to each trigger of a bulk, and to triggers of the graph', async () => {
    const events = [one({ amount: 1 }), one({ amount: 2, currency: 'USD' })]
    await acme.rest('POST /v1/events/trigger/bulk', { body: { events } })
    await acme.act(
      'triggerEvent',
      { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'ada' } }] },
      'event { id }',
    )
    await world.work()
    expect((await bodiesOf(acme)).toSorted()).toEqual([' EUR DE', '1 EUR DE', '2 USD DE'])
  })

  test('is part of a preview, also with a schema that is not saved', async () => {
    const preview = async (more: object) => {
      const { previewTrigger } = await acme.ask(
        `query ($input: PreviewTriggerInput!) {
          previewTrigger(input: $input) { runs { steps { notification { body } } } }
        }`,
        {
          input: {
            workflowIdentifier: 'order',
            to: [{ subscriber: { subscriberId: 'ada' } }],
            payload: { amount: 3 },
            ...more,
          },
        },
      )
      return previewTrigger.runs[0].steps[0].notification.body
    }
    expect(await preview({})).toBe('3 EUR DE')
    const unsaved = { ...payloadSchema, properties: { ...payloadSchema.properties, currency: { default: 'CHF' } } }
    expect(await preview({ payloadSchema: unsaved })).toBe('3 CHF DE')
  })

  test('does not change the request: a repeated idempotency key has no effect', async () => {
    const options = { body: one({ amount: 7 }), headers: { 'idempotency-key': 'once' } }
    const first = await acme.rest('POST /v1/events/trigger', options)
    const second = await acme.rest('POST /v1/events/trigger', options)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['7 EUR DE'])
  })

  test('never replaces a given value, and is checked like one', async () => {
    await createWorkflow(acme, [{ inApp: { body: '{{payload.a}}' } }], {
      identifier: 'wrong',
      payloadSchema: { properties: { a: { type: 'integer', default: 'many' } } },
    })
    const wrong = await acme.rest('POST /v1/events/trigger', { body: { ...one({}), name: 'wrong' } })
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ field: 'payload.a' }] } })
    const given = await acme.rest('POST /v1/events/trigger', { body: { ...one({ a: 0 }), name: 'wrong' } })
    expect(given.status).toBe(201)
    const nothing = await acme.rest('POST /v1/events/trigger', { body: { ...one({ a: null }), name: 'wrong' } })
    expect(nothing).toMatchObject({ status: 400, body: { errors: [{ field: 'payload.a' }] } })
  })

  test('cannot make a payload larger than 512 KiB', async () => {
    await createWorkflow(acme, [{ inApp: { body: 'x' } }], {
      identifier: 'large',
      payloadSchema: { properties: { list: { items: { properties: { text: { default: 'x'.repeat(6_000) } } } } } },
    })
    const trigger = (length: number) =>
      acme.rest('POST /v1/events/trigger', {
        body: { ...one({ list: Array.from({ length }, () => ({})) }), name: 'large' },
      })
    expect((await trigger(10)).status).toBe(201)
    const { status, body: answer } = await trigger(100)
    expect({ status, answer }).toMatchObject({
      status: 400,
      answer: { errors: [{ field: 'payload', message: expect.stringContaining('with the defaults of its schema') }] },
    })
  })
})
