// Retrying runs that ended without some of their messages.
import { beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  adasRun,
  bodiesOf,
  createIntegration,
  createWorkflow,
  done,
  outcomes,
  trigger,
} from '../support/delivery/story.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const mailWith = (body: string, more: object = {}) => ({ email: { stepId: 'mail', subject: 'Hi', body, ...more } })
const mail = mailWith('Hello')
const text = { sms: { stepId: 'text', body: 'Hello' } }
/** A template that fails for every recipient. */
const broken = mailWith('{% for i in (1..100000) %}{{payload.text}}x{% endfor %}')

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
})

const change = (steps: readonly object[]) => done(acme, 'updateWorkflow', { identifier: 'order', steps })
const retryAll = (input: object = {}) => done(acme, 'retryWorkflowRuns', input, 'retriedCount next')

/** Triggers `order` and works until nothing is left. @returns the transaction id. */
async function send(more: object = {}): Promise<string> {
  const transactionId = await trigger(acme, more)
  await world.work()
  return transactionId
}

const retry = async (transactionId: string, more: object = {}) => {
  const { id } = await adasRun(acme, transactionId)
  const payload = await acme.act('retryWorkflowRun', { id, ...more }, 'workflowRun { status }')
  await world.work()
  return payload
}

const conflict = (message: string) => [{ code: 'CONFLICT', field: ['id'], message: expect.stringContaining(message) }]

describe('a run is repeated', () => {
  test('after a mended template, with the current workflow, in the steps that failed only', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [bell, broken])
    const id = await send()
    expect(await outcomes(acme, id)).toEqual({ bell: 'SENT', mail: 'FAILED content' })
    await retry(id)
    expect(await outcomes(acme, id)).toEqual({ bell: 'SENT', mail: 'FAILED content' })
    await change([bell, mail])
    expect((await retry(id, { workflowVersion: 'CURRENT' })).workflowRun).toEqual({ status: 'RUNNING' })
    expect(await outcomes(acme, id)).toEqual({ bell: 'SENT', mail: 'SENT' })
    expect(await bodiesOf(acme)).toEqual(['Hello'])
    expect(receiver.received).toHaveLength(1)
    const { userErrors } = await retry(id, { workflowVersion: 'CURRENT' })
    expect(userErrors).toEqual([
      expect.objectContaining(conflict('is completed: it has no step that can be repeated')[0]),
    ])
  })

  test('after an integration or an address was added, with the workflow of the event', async () => {
    await createWorkflow(acme, [mail, text])
    await done(acme, 'updateSubscriber', { subscriberId: 'ada', phone: null })
    await createIntegration(acme, 'GENERIC_SMS', receiver.url)
    const id = await send()
    expect(await outcomes(acme, id)).toEqual({ mail: 'SKIPPED no_integration', text: 'SKIPPED no_destination' })
    await change([mailWith('Changed'), text])
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await retry(id)
    expect(await outcomes(acme, id)).toEqual({ mail: 'SENT', text: 'SKIPPED no_destination' })
    expect(receiver.last.json).toMatchObject({ content: 'Hello' })
    await done(acme, 'updateSubscriber', { subscriberId: 'ada', phone: '+4915123456789' })
    await retry(id)
    expect(await outcomes(acme, id)).toEqual({ mail: 'SENT', text: 'SENT' })
    expect(receiver.received).toHaveLength(2)
  })

  test('with its failed messages as they are, or with new ones of the current workflow', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    receiver.answer(400)
    const id = await send()
    await change([mailWith('Changed')])
    await retry(id)
    expect(receiver.last.json).toMatchObject({ content: 'Hello' })
    receiver.answer(200)
    await retry(id, { workflowVersion: 'CURRENT' })
    expect(receiver.last.json).toMatchObject({ content: 'Changed' })
    const [{ status, reason, deliveries }] = (await adasRun(acme, id)).steps
    expect({ status, reason }).toEqual({ status: 'SENT', reason: null })
    expect(deliveries).toMatchObject([
      { status: 'CANCELLED', body: 'Hello', attempts: [{ status: 400 }, { status: 400 }] },
      { status: 'SENT', body: 'Changed', attempts: [{ status: 200 }] },
    ])
    expect(await done(acme, 'retryDeliveries', {}, 'retriedCount')).toMatchObject({ retriedCount: 0 })
  })

  test('and lets a fallback decide again, but not if the fallback was sent', async () => {
    const fallback = { sms: { ...text.sms, condition: { '!=': [{ var: 'steps.mail.status' }, 'sent'] } } }
    await createWorkflow(acme, [mail, fallback])
    await createIntegration(acme, 'EMAIL_WEBHOOK', `${receiver.url}/mail`)
    receiver.answer(400)
    const id = await send()
    expect(await outcomes(acme, id)).toEqual({ mail: 'FAILED refused', text: 'SKIPPED no_integration' })
    receiver.answer(200)
    await retry(id)
    expect(await outcomes(acme, id)).toEqual({ mail: 'SENT', text: 'SKIPPED condition' })
    await createIntegration(acme, 'GENERIC_SMS', receiver.url)
    receiver.respond((response, { url }) => response.writeHead(url === '/mail' ? 400 : 200).end())
    const other = await send()
    expect(await outcomes(acme, other)).toEqual({ mail: 'FAILED refused', text: 'SENT' })
    expect((await retry(other)).userErrors).toMatchObject(conflict('no step that can be repeated'))
  })

  test('after a digest, with the triggers that it collected', async () => {
    const digested = mailWith('{{digest.count}}')
    await createWorkflow(acme, [{ digest: { stepId: 'gather', amount: 1, unit: 'DAYS' } }, digested])
    const first = await trigger(acme)
    const second = await trigger(acme)
    await world.work({ early: true })
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    expect(await retryAll()).toMatchObject({ retriedCount: 1 })
    await world.work()
    expect(receiver.received).toHaveLength(1)
    expect(receiver.last.json).toMatchObject({ content: '2' })
    expect(await outcomes(acme, first)).toMatchObject({ mail: 'SENT' })
    expect(await outcomes(acme, second)).toEqual({ gather: 'MERGED' })
  })

  test('but ends again where it joined a digest', async () => {
    await createWorkflow(acme, [
      text,
      { digest: { stepId: 'gather', amount: 1, unit: 'DAYS' } },
      { inApp: { stepId: 'bell', body: '{{digest.count}}' } },
    ])
    await trigger(acme)
    const merged = await trigger(acme)
    await world.work({ early: true })
    await createIntegration(acme, 'GENERIC_SMS', receiver.url)
    expect(await retryAll()).toMatchObject({ retriedCount: 2 })
    await world.work()
    expect(await outcomes(acme, merged)).toEqual({ text: 'SENT', gather: 'MERGED' })
    expect(receiver.received).toHaveLength(2)
    expect(await bodiesOf(acme)).toEqual(['2'])
  })

  test('with a new time limit, unless its message has expired', async () => {
    const limited = mailWith('Hello', { timeLimit: { amount: 5, unit: 'MINUTES' } })
    const expiring = { sms: { ...text.sms, expiresAfter: { amount: 1, unit: 'HOURS' } } }
    await createWorkflow(acme, [limited, expiring])
    const id = await send()
    world.setClock(new Date(Date.now() + 2 * 3_600_000))
    try {
      await createIntegration(acme, 'GENERIC_SMS', receiver.url)
      await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
      await retry(id)
    } finally {
      world.setClock(undefined)
    }
    expect(await outcomes(acme, id)).toEqual({ mail: 'SENT', text: 'SKIPPED no_integration' })
    expect(receiver.received).toHaveLength(1)
  })

  test('only as far as the preferences of the subscriber allow it by now', async () => {
    await createWorkflow(acme, [mail])
    const id = await send()
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const channels = [{ channel: 'EMAIL', enabled: false }]
    await done(acme, 'updateSubscriberPreferences', { subscriberId: 'ada', channels })
    await retry(id)
    expect(await outcomes(acme, id)).toEqual({ mail: 'SKIPPED subscriber_global_preference' })
    expect((await retry(id)).userErrors).toMatchObject(conflict('no step that can be repeated'))
  })

  test('only as far as the topic subscriptions of the subscriber admit it by now', async () => {
    await acme.rest('POST /v2/topics/news/subscriptions', { body: { subscriptions: ['ada'] } })
    await createWorkflow(acme, [bell, mail])
    const id = await send({ to: { type: 'Topic', topicKey: 'news' } })
    expect(await retryAll({ filter: { topicKey: 'news' }, dryRun: true })).toMatchObject({ retriedCount: 1 })
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await acme.rest('DELETE /v2/topics/news/subscriptions', { body: { subscriptions: ['ada'] } })
    await retry(id)
    expect(await outcomes(acme, id)).toEqual({ bell: 'SENT', mail: 'SKIPPED topic_preference' })
    expect(receiver.received).toHaveLength(0)
  })

  test('with the secret values of its payload for a day, and not after that', async () => {
    const payloadSchema = { type: 'object', properties: { code: { type: 'string', writeOnly: true } } }
    await createWorkflow(acme, [mailWith('{{payload.code}}')], { payloadSchema })
    const [id, late] = [await send({ payload: { code: 'KX7Q9Z' } }), await send({ payload: { code: 'KX7Q9Z' } })]
    const sweepAfter = async (hours: number) => {
      world.setClock(new Date(Date.now() + hours * 3_600_000))
      await world.database.pool.query('DELETE FROM sweeps')
      expect(await housekeepingOf(world).perform('retention')).toBe(true)
      world.setClock(undefined)
    }
    await sweepAfter(23)
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await retry(id)
    expect(receiver.last.json).toMatchObject({ content: 'KX7Q9Z' })
    await sweepAfter(25)
    expect((await retry(late)).userErrors).toMatchObject(conflict('secret payload fields have been removed'))
    expect(await retryAll()).toMatchObject({ retriedCount: 0 })
  })

  test('again if a fault of the gateway stops it, and sends nothing twice', async () => {
    await createWorkflow(acme, [bell, mail, text])
    const id = await send()
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createIntegration(acme, 'GENERIC_SMS', receiver.url)
    const { pool } = world.database
    await done(acme, 'retryWorkflowRun', { id: (await adasRun(acme, id)).id })
    await pool.query('ALTER TABLE deliveries RENAME TO misplaced')
    try {
      await world.work({ early: true })
    } finally {
      await pool.query('ALTER TABLE misplaced RENAME TO deliveries')
    }
    expect(await adasRun(acme, id)).toMatchObject({ status: 'FAILED' })
    await retry(id)
    expect(await outcomes(acme, id)).toEqual({ bell: 'SENT', mail: 'SENT', text: 'SENT' })
    expect(await bodiesOf(acme)).toEqual(['Hello'])
    expect(receiver.received).toHaveLength(2)
  })
})

describe('the current workflow', () => {
  beforeEach(() => createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url))

  test('repeats the steps that it still has, in the order of the event, and executes no others', async () => {
    await createWorkflow(acme, [broken, text, bell])
    const id = await send()
    await change([{ inApp: { stepId: 'added', body: 'New' } }, bell, mail])
    await createIntegration(acme, 'GENERIC_SMS', receiver.url)
    await retry(id, { workflowVersion: 'CURRENT' })
    expect(await outcomes(acme, id)).toEqual({ mail: 'SENT', text: 'SKIPPED no_integration', bell: 'SENT' })
    expect(Object.keys(await outcomes(acme, id))).toEqual(['mail', 'text', 'bell'])
    expect(await bodiesOf(acme)).toEqual(['Hello'])
    expect(receiver.received).toHaveLength(1)
  })

  test.each([
    ['deleted', () => done(acme, 'deleteWorkflow', { identifier: 'order' }), 'workflow "order" was deleted'],
    [
      'inactive',
      () => done(acme, 'updateWorkflow', { identifier: 'order', active: false }),
      'workflow "order" is not active',
    ],
  ])(
    'does not exist once the workflow is %s, but the runs can be repeated with the triggered one',
    async (_title, end, why) => {
      await createWorkflow(acme, [text])
      const id = await send()
      await end()
      await createIntegration(acme, 'GENERIC_SMS', receiver.url)
      expect((await retry(id, { workflowVersion: 'CURRENT' })).userErrors).toMatchObject(conflict(why))
      expect(await retryAll({ workflowVersion: 'CURRENT' })).toMatchObject({ retriedCount: 0 })
      await retry(id)
      expect(await outcomes(acme, id)).toEqual({ text: 'SENT' })
    },
  )
})
