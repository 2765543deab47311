// Scenarios of product teams: series of messages over days, one workflow for several wishes, and texts for one reader.
import { beforeEach, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, feedOf, outcomes, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const ada = { subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com' }

beforeEach(async () => {
  acme = await world.environment()
})

const mail = (stepId: string, more: object = {}) => ({ email: { stepId, subject: stepId, body: 'Hello', ...more } })
const wait = { delay: { stepId: 'wait', amount: 3, unit: 'DAYS' } }
const bell = { inApp: { stepId: 'bell', body: 'Comment by {{payload.by}}' } }

const sent = () => receiver.received.map(({ json }) => json)

test('an onboarding series ends for a user who has become active', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  const inactive = { '!': [{ var: 'subscriber.data.activated' }] }
  await createWorkflow(acme, [mail('welcome'), wait, mail('reminder', { condition: inactive })])
  const grace = { subscriberId: 'grace', email: 'grace@example.com' }
  const series = await trigger(acme, { to: [ada, grace] })
  await world.work()
  expect(receiver.received).toHaveLength(2)
  await acme.rest('PATCH /v2/subscribers/ada', { body: { data: { activated: true } } })
  await world.work({ early: true })
  expect(await outcomes(acme, series)).toEqual({ welcome: 'SENT', wait: 'COMPLETED', reminder: 'SKIPPED condition' })
  expect(sent().slice(2)).toMatchObject([{ to: 'grace@example.com', subject: 'reminder' }])
})

test('comments arrive at once or once a day, as each user has chosen', async () => {
  const daily = { '==': [{ var: 'subscriber.data.comments' }, 'daily'] }
  await createWorkflow(acme, [
    { digest: { stepId: 'day', amount: 1, unit: 'DAYS', condition: daily } },
    {
      inApp: { stepId: 'bell', body: '{% if digest %}{{digest.count}} comments{% else %}By {{payload.by}}{% endif %}' },
    },
  ])
  const to = [
    { subscriberId: 'ada', data: { comments: 'daily' } },
    { subscriberId: 'grace', data: { comments: 'now' } },
  ]
  for (const by of ['Ann', 'Bob']) {
    await trigger(acme, { to, payload: { by } })
    await world.work()
  }
  expect(await feedOf(acme, 'ada')).toEqual([])
  expect(await feedOf(acme, 'grace')).toMatchObject([{ body: 'By Ann' }, { body: 'By Bob' }])
  await world.work({ early: true })
  expect(await feedOf(acme, 'ada')).toMatchObject([{ body: '2 comments' }])
})

test('a text that is changed during a delay applies to new events, and the delayed ones keep theirs', async () => {
  await createWorkflow(acme, [wait, { inApp: { stepId: 'bell', body: 'Old text' } }])
  await trigger(acme)
  await world.work()
  const steps = [wait, { inApp: { stepId: 'bell', body: 'New text' } }]
  await done(acme, 'updateWorkflow', { identifier: 'order', steps })
  await trigger(acme)
  await world.work({ early: true })
  expect((await feedOf(acme)).map(({ body }) => body).toSorted()).toEqual(['New text', 'Old text'])
})

test('an unread notification is escalated by email after an hour, and a read one is not', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  const unread = { '!': [{ var: 'steps.bell.read' }] }
  await createWorkflow(acme, [
    bell,
    { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } },
    mail('escalation', { condition: unread }),
  ])
  const id = await trigger(acme, { to: [ada, { subscriberId: 'grace', email: 'grace@example.com' }] })
  await world.work()
  await acme.rest('POST /v2/subscribers/ada/notifications/read', { body: {} })
  await world.work({ early: true })
  expect(await outcomes(acme, id)).toEqual({ bell: 'SENT', wait: 'COMPLETED', escalation: 'SKIPPED condition' })
  expect(sent()).toMatchObject([{ to: 'grace@example.com', subject: 'escalation' }])
})

test('one text has the language and the local time of each reader', async () => {
  const time = '{{payload.at | date: "%H:%M", subscriber.timezone}}'
  const body = `{% case subscriber.locale %}{% when "de_DE" %}Um ${time} Uhr{% else %}At ${time}{% endcase %}`
  await createWorkflow(acme, [{ inApp: { body } }])
  await trigger(acme, {
    to: [
      { subscriberId: 'ada', locale: 'de_DE', timezone: 'Europe/Berlin' },
      { subscriberId: 'grace', locale: 'en_US', timezone: 'UTC' },
    ],
    payload: { at: '2026-07-01T12:00:00Z' },
  })
  await world.work()
  expect(await feedOf(acme, 'ada')).toMatchObject([{ body: 'Um 14:00 Uhr' }])
  expect(await feedOf(acme, 'grace')).toMatchObject([{ body: 'At 12:00' }])
})

test('a recipient of whom only the email address is known is reached, with the address as subscriberId', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [mail('invitation')])
  const email = 'new.person@example.com'
  await trigger(acme, { to: { subscriberId: email, email } })
  await world.work()
  expect(sent()).toMatchObject([{ to: email, subject: 'invitation' }])
})

test('a workflow moves from development to production as REST returns it', async () => {
  const production = await world.environment()
  const condition = { '==': [{ var: 'payload.urgent' }, true] }
  const payloadSchema = { type: 'object', properties: { urgent: { type: 'boolean', default: true } } }
  await createWorkflow(acme, [wait, mail('mail', { condition }), bell], { payloadSchema, tags: ['orders'] })
  const { body: workflow } = await acme.rest('GET /v2/workflows/order')
  const copied = await production.rest('POST /v2/workflows', { body: workflow })
  expect(copied.status).toBe(201)
  const { body: copy } = await production.rest('GET /v2/workflows/order')
  const own = { _id: expect.any(String), createdAt: expect.any(String), updatedAt: expect.any(String) }
  expect({ ...copy, ...own }).toEqual({ ...workflow, ...own })
})
