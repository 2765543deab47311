// The event of REST: its progress, what arrived of it, and why not.
import { expect, test } from 'vitest'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const bell = {
  inApp: { stepId: 'bell', body: 'Hello', condition: { '==': [{ var: 'subscriber.subscriberId' }, 'ada'] } },
}
const messages = { pending: 0, sent: 0, failed: 0, cancelled: 0, notifications: 0 }
const recipients = { total: 0, delivered: 0, failed: 0, nothing: 0, pending: 0, groups: [] }

test('GET /v1/events/{transactionId} tells the status, the outcome and the recipients by reason', async () => {
  const acme = await world.environment()
  await createWorkflow(acme, [bell])
  const transactionId = await trigger(acme, { to: ['ada', 'grace', 'alan'] })
  const path = `GET /v1/events/${transactionId}` as const
  const accepted = {
    transactionId,
    workflowIdentifier: 'order',
    workflowVersion: 1,
    status: 'accepted',
    outcome: 'pending',
  }
  expect(await acme.rest(path)).toMatchObject({ status: 200, body: { ...accepted, recipients, messages } })
  await world.work()
  const { status, body } = await acme.rest(path)
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      _id: expect.any(String),
      ...accepted,
      status: 'completed',
      outcome: 'partly',
      recipients: {
        ...recipients,
        total: 3,
        delivered: 1,
        nothing: 2,
        groups: [
          { outcome: 'nothing', reason: 'condition', count: 2 },
          { outcome: 'delivered', count: 1 },
        ],
      },
      messages: { ...messages, notifications: 1 },
      createdAt: expect.any(String),
    },
  })
  await done(acme, 'cancelEvent', { transactionId })
  expect((await acme.rest(path)).body).toMatchObject({ status: 'cancelled', cancelledAt: expect.any(String) })
})

test('an event of another environment, or an unknown one, is 404', async () => {
  const [acme, globex] = [await world.environment(), await world.environment()]
  await createWorkflow(acme, [bell])
  const transactionId = await trigger(acme)
  expect(await acme.rest(`GET /v1/events/${transactionId}`)).toMatchObject({ status: 200 })
  for (const [client, id] of [
    [globex, transactionId],
    [acme, 'unknown'],
  ] as const) {
    const { status, body } = await client.rest(`GET /v1/events/${id}`)
    expect({ status, body }).toMatchObject({ status: 404, body: { message: `Event "${id}" not found` } })
  }
})

test('an event that was skipped says why', async () => {
  const acme = await world.environment()
  await createWorkflow(acme, [bell], { active: false })
  const to = [{ subscriber: { subscriberId: 'ada' } }]
  const { event } = await done(acme, 'triggerEvent', { workflowIdentifier: 'order', to }, 'event { transactionId }')
  expect((await acme.rest(`GET /v1/events/${event.transactionId}`)).body).toMatchObject({
    status: 'skipped',
    outcome: 'nothing',
    reason: 'workflow_inactive',
    detail: 'Workflow "order" is not active.',
  })
})

test('the response to a repeated transaction id warns that the trigger had no effect, also in a bulk', async () => {
  const acme = await world.environment()
  await createWorkflow(acme, [bell])
  const once = { name: 'order', to: 'ada', transactionId: 'once' }
  const warnings = ['transactionId was used before: this trigger had no effect']
  const send = async (body: object) => (await acme.rest('POST /v1/events/trigger', { body })).body
  expect(await send(once)).not.toHaveProperty('warnings')
  expect(await send({ ...once, to: 'grace' })).toMatchObject({ status: 'processed', warnings })
  const other = { ...once, transactionId: 'other' }
  const { body } = await acme.rest('POST /v1/events/trigger/bulk', { body: { events: [other, once, other] } })
  expect(body).toMatchObject([{ status: 'processed' }, { warnings }, { warnings }])
  expect(body).not.toHaveProperty('0.warnings')
})

test('a file that is invalid rejects only its own trigger of a bulk', async () => {
  const acme = await world.environment()
  await createWorkflow(acme, [bell])
  const fileOf = (file: string) => ({ attachments: [{ file, name: 'a.pdf', mime: 'application/pdf' }] })
  const events = ['aGk=', '****'].map((file, index) => ({
    ...{ name: 'order', to: 'ada', transactionId: `t-${index}`, payload: fileOf(file) },
  }))
  const { status, body } = await acme.rest('POST /v1/events/trigger/bulk', { body: { events } })
  expect(status).toBe(201)
  expect(body).toEqual([
    { acknowledged: true, status: 'processed', transactionId: 't-0' },
    {
      ...{ acknowledged: true, status: 'error', transactionId: 't-1' },
      error: [expect.stringContaining('payload.attachments[0].file must be base64')],
    },
  ])
  await world.work()
  const { unprocessedTriggers } = await acme.ask('{ unprocessedTriggers { nodes { transactionId errors { field } } } }')
  expect(unprocessedTriggers.nodes).toEqual([
    { transactionId: 't-1', errors: [{ field: ['payload', 'attachments', '0', 'file'] }] },
  ])
})
