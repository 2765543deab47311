// The data and the payload fields of a notification: what an application reads beside the text.
import { beforeEach, describe, expect, test } from 'vitest'
import { adasRun, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const feed = async (subscriberId = 'ada') =>
  (
    await acme.ask(
      'query ($id: String!) { subscriber(subscriberId: $id) { notifications { nodes { data payload } } } }',
      { id: subscriberId },
    )
  ).subscriber.notifications.nodes

async function run(payload: object, more: object = {}): Promise<string> {
  const transactionId = await trigger(acme, { payload, ...more })
  await world.work()
  return transactionId
}

const inApp = (more: object) => ({ inApp: { stepId: 'bell', body: 'Hello', ...more } })

describe('data of an in-app step', () => {
  test('is rendered at any depth, and always results in text', async () => {
    const data = {
      id: '{{payload.id}}',
      list: ['{{payload.id | plus: 1}}', { 'a.b': '{{subscriber.subscriberId}}', plain: 'a', count: 3, on: true }],
      a: { b: '<{{payload.name}}>' },
      '{{payload.id}}': null,
    }
    await createWorkflow(acme, [inApp({ data })])
    await run({ id: 7, name: '<b>' })
    expect(await feed()).toEqual([
      {
        data: {
          id: '7',
          list: ['8', { 'a.b': 'ada', plain: 'a', count: 3, on: true }],
          a: { b: '<<b>>' },
          '{{payload.id}}': null,
        },
        payload: null,
      },
    ])
  })

  test('fails the step if a template fails or the result is too large', async () => {
    await createWorkflow(acme, [inApp({ data: { text: '{{payload.text}}{{payload.text}}' } })])
    const { steps } = await adasRun(acme, await run({ text: 'x'.repeat(40_000) }))
    expect(steps).toMatchObject([{ status: 'FAILED', reason: 'content', detail: expect.stringContaining('65536') }])
  })

  test('must have valid templates, and at most 100', async () => {
    const problemsOf = async (data: object) =>
      (
        await acme.ask('query ($input: CheckWorkflowInput!) { checkWorkflow(input: $input) { field message } }', {
          input: { steps: [inApp({ data })] },
        })
      ).checkWorkflow
    expect(await problemsOf({ order: { id: '{{ payload.id' } })).toMatchObject([
      { field: ['steps', '0', 'inApp', 'data', 'order', 'id'], message: expect.stringContaining('valid template') },
    ])
    expect(await problemsOf({ list: Array.from({ length: 100 }, () => '{{transactionId}}') })).toEqual([])
    expect(await problemsOf({ list: Array.from({ length: 101 }, () => '{{transactionId}}') })).toMatchObject([
      { message: 'steps[0].data must have at most 100 templates' },
    ])
  })

  test('stays as it is in a step that an earlier version stored', async () => {
    await createWorkflow(acme, [])
    const step = {
      ...{ type: 'in_app', stepId: 'bell', name: null, active: true, condition: null, subject: null, body: 'Hello' },
      ...{ avatar: null, url: null, actions: [], data: { text: '{{payload.id}} {{' } },
    }
    await world.gateway.db.workflow.updateMany({
      where: { environmentId: await environmentIdOf(acme), identifier: 'order' },
      data: { steps: [step] },
    })
    await run({ id: 7 })
    expect(await feed()).toEqual([{ data: { text: '{{payload.id}} {{' }, payload: null }])
    const { workflow } = await acme.ask(
      '{ workflow(identifier: "order") { steps { ... on InAppStep { payloadFields } } } }',
    )
    expect(workflow.steps).toEqual([{ payloadFields: [] }])
    expect((await acme.rest('GET /v2/workflows/order')).body.steps).toEqual([step])
  })
})

describe('payload fields of an in-app step', () => {
  const payloadFields = ['orderId', 'items', 'absent', 'toString']

  test('are the payload of the notification, with their types, in the graph and at REST', async () => {
    await createWorkflow(acme, [inApp({ payloadFields })])
    await run({ orderId: 7, items: [{ sku: 'a' }], secret: 's' })
    const payload = { orderId: 7, items: [{ sku: 'a' }] }
    expect(await feed()).toEqual([{ data: {}, payload }])
    const { body } = await acme.rest('GET /v2/subscribers/ada/notifications')
    expect(body.data).toMatchObject([{ data: {}, payload }])
    const { subscriberExport } = await acme.ask('{ subscriberExport(subscriberId: "ada") }')
    expect(subscriberExport).toMatchObject({ notifications: [{ payload }] })
  })

  test('are part of a preview', async () => {
    await createWorkflow(acme, [inApp({ payloadFields, data: { id: '{{payload.orderId}}' } })])
    const { previewTrigger } = await acme.ask(
      'query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { runs { steps { notification { data payload } } } } }',
      {
        input: { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'ada' } }], payload: { orderId: 7 } },
      },
    )
    expect(previewTrigger.runs).toMatchObject([
      { steps: [{ notification: { data: { id: '7' }, payload: { orderId: 7 } } }] },
    ])
  })

  test('may have at most 64 KiB, and a step 20 of them', async () => {
    await createWorkflow(acme, [inApp({ payloadFields })])
    const { steps } = await adasRun(acme, await run({ items: 'x'.repeat(70_000) }))
    expect(steps).toMatchObject([{ status: 'FAILED', reason: 'content', detail: expect.stringContaining('65536') }])
    const many = { steps: [inApp({ payloadFields: Array.from({ length: 21 }, (_, index) => `a${index}`) })] }
    const { userErrors } = await acme.act('updateWorkflow', { identifier: 'order', ...many })
    expect(userErrors).toMatchObject([{ message: 'steps[0].payloadFields must be at most 20 items long' }])
  })

  test('name nobody after an erasure', async () => {
    await createWorkflow(acme, [inApp({ payloadFields: ['from'] })])
    await done(acme, 'createSubscriber', { subscriberId: 'grace-1906', email: 'grace@example.com' })
    await run({ from: { id: 'grace-1906', email: 'Grace@example.com' } })
    await done(acme, 'eraseSubscriber', { subscriberId: 'grace-1906' })
    await world.work()
    const [notification] = await feed()
    expect(JSON.stringify(notification)).not.toMatch(/grace/i)
    expect(notification).toMatchObject({ payload: { from: { id: expect.stringMatching(/^erased-/) } } })
  })
})
