// Incidents at the services that tool steps call: one key opens, acknowledges and resolves them.
import { beforeEach, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { adasRun, createWorkflow, done, trigger } from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const incident = { body: '{{payload.text}}', incidentKey: '{{payload.incident}}' }
const tool = (more: object = {}) => ({ tool: { stepId: 'page', ...incident, ...more } })

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
  const credentials = { baseUrl: receiver.url }
  await done(acme, 'createIntegration', { identifier: 'pager', providerId: 'PAGERDUTY', credentials })
  await done(acme, 'createChannelEndpoint', {
    identifier: 'pager',
    subscriberId: 'ada',
    integrationIdentifier: 'pager',
    endpoint: { incidentService: { routingKey: 'r'.repeat(32), region: 'US' } },
  })
})

test('one workflow resolves the incident that another one opened', async () => {
  await createWorkflow(acme, [tool()])
  const solved = { identifier: 'solved', name: 'Solved', steps: [tool({ incidentAction: 'RESOLVE' })] }
  await done(acme, 'createWorkflow', solved)
  const payload = { incident: 'db-1', text: 'The database' }
  await trigger(acme, { payload })
  await world.work()
  await trigger(acme, { name: 'solved', payload })
  await world.work()
  expect(receiver.received.map(({ json }) => json)).toMatchObject([
    { event_action: 'trigger', dedup_key: 'db-1' },
    { event_action: 'resolve', dedup_key: 'db-1' },
  ])
})

test('a message without a key opens an incident of its own', async () => {
  await createWorkflow(acme, [{ tool: { stepId: 'page', body: 'Down' } }])
  const transactionId = await trigger(acme)
  await world.work()
  const { steps } = await adasRun(acme, transactionId)
  expect(receiver.last.json).toMatchObject({
    event_action: 'trigger',
    dedup_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(steps).toMatchObject([{ status: 'SENT' }])
})

test('the preview and the log show the key and the action', async () => {
  await createWorkflow(acme, [tool({ incidentAction: 'ACKNOWLEDGE' })])
  const payload = { incident: ' db-1 ', text: 'The database' }
  const { previewTrigger } = await acme.ask(
    'query ($payload: JSONObject) { previewTrigger(input: { name: "order", to: [{ subscriber: { subscriberId: "ada" } }], payload: $payload }) { runs { steps { messages { incidentKey incidentAction } } } } }',
    { payload },
  )
  const shown = { incidentKey: 'db-1', incidentAction: 'ACKNOWLEDGE' }
  expect(previewTrigger.runs[0].steps).toEqual([{ messages: [shown] }])
  await trigger(acme, { payload })
  await world.work()
  const { deliveries } = await acme.ask('{ deliveries { nodes { incidentKey incidentAction } } }')
  expect(deliveries.nodes).toEqual([shown])
})

const withSecret = (name: string) => ({
  payloadSchema: { type: 'object', properties: { [name]: { type: 'string', writeOnly: true } } },
})

test('a text with a secret payload field resolves the incident of its key', async () => {
  await createWorkflow(acme, [tool({ incidentAction: 'RESOLVE' })], withSecret('text'))
  await trigger(acme, { payload: { incident: 'db-1', text: 'hunter2' } })
  await world.work()
  expect(receiver.received.map(({ json }) => json)).toMatchObject([{ event_action: 'resolve', dedup_key: 'db-1' }])
})

test('a key with a secret payload field is an error of the step', async () => {
  await createWorkflow(acme, [tool()], withSecret('incident'))
  const transactionId = await trigger(acme, { payload: { incident: 'db-1', text: 'The database' } })
  await world.work()
  expect((await adasRun(acme, transactionId)).steps).toMatchObject([
    { status: 'FAILED', reason: 'content', detail: 'incidentKey must not contain a secret payload field' },
  ])
  expect(receiver.received).toEqual([])
})

test.each(['', '.', '..', 'x'.repeat(256)])('a key that renders to "%s" is an error of the step', async (key) => {
  await createWorkflow(acme, [tool({ incidentAction: 'RESOLVE' })])
  const transactionId = await trigger(acme, { payload: { incident: key, text: 'x' } })
  await world.work()
  expect((await adasRun(acme, transactionId)).steps).toMatchObject([
    { status: 'FAILED', reason: 'content', detail: expect.stringContaining('incidentKey must render to 1 to 255') },
  ])
  expect(receiver.received).toEqual([])
})

test('a step needs a key to resolve an incident', async () => {
  const steps = [{ tool: { body: 'x', incidentAction: 'RESOLVE' } }]
  expect(await acme.act('createWorkflow', { identifier: 'x', name: 'X', steps })).toMatchObject({
    userErrors: [{ field: ['steps', '0', 'tool', 'incidentKey'], message: expect.stringContaining('must be set') }],
  })
})
