// Limits to the time of messages: how long they are of use, and for how long they may be attempted.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  adasRun,
  createIntegration,
  createWorkflow,
  done,
  outcomes,
  storyOf,
  trigger,
} from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const start = new Date('2026-03-01T12:00:00.000Z')
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000)
const minutes = (amount: number) => ({ amount, unit: 'MINUTES' })

const page = { stepId: 'page', subject: 'Down', body: 'The site is down' }
const notPaged = { '!=': [{ var: 'steps.page.status' }, 'sent'] }
const text = { sms: { stepId: 'text', body: 'The site is down', condition: notPaged } }

const paths = () => receiver.received.map(({ path }) => path)

/** Lets time pass, and runs what is due. */
async function at(seconds: number): Promise<void> {
  world.setClock(after(seconds))
  await world.work()
}

const deliveriesOf = async (transactionId: string) =>
  (
    await acme.ask(
      `query ($id: String!) { deliveries(filter: { transactionId: $id }) {
        nodes { id channel status cause expiresAt timeLimitAt nextAttemptAt attemptCount attempts { error } }
      } }`,
      { id: transactionId },
    )
  ).deliveries.nodes

const retry = (id: string) => acme.act('retryDelivery', { id }, 'userErrors { message code field }')

beforeEach(async () => {
  acme = await world.environment()
  world.setClock(start)
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+15550100' })
  await createIntegration(acme, 'EMAIL_WEBHOOK', `${receiver.url}/page`)
  await createIntegration(acme, 'GENERIC_SMS', `${receiver.url}/text`)
  receiver.respond((response, { url }) => response.writeHead(url === '/page' ? 503 : 200).end('{}'))
})

// Messages that one test leaves behind must not be sent in the next one.
afterEach(async () => {
  receiver.answer(400)
  world.setClock(undefined)
  await world.work({ early: true })
})

describe('a time limit', () => {
  beforeEach(() => createWorkflow(acme, [{ email: { ...page, timeLimit: minutes(2) } }, text]))

  test('lets an SMS go out at the limit while the pager answers 503', async () => {
    const transactionId = await trigger(acme)
    await at(0)
    expect(await outcomes(acme, transactionId)).toEqual({ page: 'SENDING' })
    expect(await deliveriesOf(transactionId)).toMatchObject([
      { expiresAt: null, timeLimitAt: after(120).toISOString(), nextAttemptAt: expect.any(String) },
    ])
    for (const seconds of [10, 40, 80]) await at(seconds)
    expect(paths()).not.toContain('/text')
    const attempts = receiver.received.length
    await at(119.999)
    expect(paths()).not.toContain('/text')
    await at(120)
    expect(await outcomes(acme, transactionId)).toEqual({ page: 'FAILED time_limit', text: 'SENT' })
    const { steps } = await adasRun(acme, transactionId)
    expect(steps[0]).toMatchObject({
      cause: 'TIME_LIMIT',
      detail: expect.stringMatching(/^The step's time limit ended .* The last error: .*503/),
      deliveries: [{ status: 'FAILED', cause: 'TIME_LIMIT' }],
    })
    expect(
      paths()
        .slice(attempts)
        .filter((path) => path === '/page').length,
    ).toBeLessThanOrEqual(1)
    await at(3600)
    await world.work({ early: true })
    expect(paths().filter((path) => path === '/text')).toHaveLength(1)
    expect(paths().at(-1)).toBe('/text')
  })

  test('never announces an attempt that would come after it', async () => {
    const transactionId = await trigger(acme)
    await at(0)
    for (const seconds of [10, 40, 100]) await at(seconds)
    expect(await deliveriesOf(transactionId)).toMatchObject([{ status: 'PENDING', nextAttemptAt: null }])
  })

  test('has no effect on a message that is sent', async () => {
    receiver.answer(200)
    const transactionId = await trigger(acme)
    await at(0)
    await at(120)
    expect(await outcomes(acme, transactionId)).toEqual({ page: 'SENT', text: 'SKIPPED condition' })
    expect(receiver.received).toHaveLength(1)
  })

  test('ends while the integration is paused', async () => {
    const { integration } = await acme.ask('{ integration(identifier: "email_webhook") { id } }')
    await done(acme, 'pauseIntegration', { id: integration.id, reason: 'outage' })
    const transactionId = await trigger(acme)
    await at(0)
    await at(120)
    expect(await outcomes(acme, transactionId)).toEqual({ page: 'FAILED time_limit', text: 'SENT' })
    expect((await adasRun(acme, transactionId)).steps[0].detail).toBe(
      "The step's time limit ended before the message was sent.",
    )
    receiver.answer(200)
    await done(acme, 'resumeIntegration', { id: integration.id })
    await at(121)
    expect(paths()).toEqual(['/text'])
  })

  test('starts again when an operator retries the message', async () => {
    const transactionId = await trigger(acme)
    await at(0)
    await at(120)
    const [failed] = (await deliveriesOf(transactionId)).filter(({ status }) => status === 'FAILED')
    if (failed === undefined) throw new Error('no message has failed')
    await at(600)
    expect(await retry(failed.id)).toMatchObject({ userErrors: [] })
    await at(600)
    expect((await deliveriesOf(transactionId)).find(({ id }) => id === failed.id)).toMatchObject({
      status: 'PENDING',
      timeLimitAt: after(720).toISOString(),
    })
    await at(720)
    expect(await outcomes(acme, transactionId)).toMatchObject({ page: 'FAILED time_limit' })
    await done(acme, 'retryDeliveries', { filter: { workflow: 'order' } })
    receiver.answer(200)
    await at(721)
    expect(await outcomes(acme, transactionId)).toMatchObject({ page: 'SENT' })
  })

  test('ends each of many retried messages', async () => {
    await trigger(acme)
    await trigger(acme)
    await at(0)
    await at(120)
    await done(acme, 'retryDeliveries', { filter: { workflow: 'order' } })
    await at(121)
    const pause = await acme.ask('{ integration(identifier: "email_webhook") { id } }')
    await done(acme, 'pauseIntegration', { id: pause.integration.id, reason: 'outage' })
    await at(240)
    const { deliveries } = await acme.ask('{ deliveries(filter: { channel: EMAIL }) { nodes { status cause } } }')
    expect(deliveries.nodes).toEqual([
      { status: 'FAILED', cause: 'TIME_LIMIT' },
      { status: 'FAILED', cause: 'TIME_LIMIT' },
    ])
  })

  test('does not lose a message that the provider accepts after it', async () => {
    receiver.respond((response, { url }) => {
      if (url !== '/page') return response.end('{}')
      world.setClock(after(121))
      return response.end('{}')
    })
    const transactionId = await trigger(acme)
    await at(0)
    expect(await outcomes(acme, transactionId)).toEqual({ page: 'SENT', text: 'SKIPPED condition' })
  })
})

describe('a message that expires', () => {
  const code = { sms: { stepId: 'code', body: 'Your code is 1234', expiresAfter: minutes(5) } }

  test('is not attempted again, and its step says why', async () => {
    receiver.answer(503)
    await createWorkflow(acme, [code])
    const transactionId = await trigger(acme)
    await at(0)
    await at(60)
    const attempts = receiver.received.length
    await at(300)
    receiver.answer(200)
    await at(4000)
    expect(receiver.received).toHaveLength(attempts)
    expect(await outcomes(acme, transactionId)).toEqual({ code: 'FAILED expired' })
    expect((await adasRun(acme, transactionId)).steps[0].detail).toMatch(
      /^The message expired .* The last error: .*503/,
    )
    expect(await deliveriesOf(transactionId)).toMatchObject([
      { status: 'FAILED', cause: 'EXPIRED', expiresAt: after(300).toISOString(), nextAttemptAt: null },
    ])
  })

  test('is skipped if it was never attempted', async () => {
    await createWorkflow(acme, [code])
    const { integration } = await acme.ask('{ integration(identifier: "generic_sms") { id } }')
    await done(acme, 'pauseIntegration', { id: integration.id, reason: 'outage' })
    const transactionId = await trigger(acme)
    await at(0)
    await at(301)
    expect(await outcomes(acme, transactionId)).toEqual({ code: 'SKIPPED expired' })
    expect(await deliveriesOf(transactionId)).toMatchObject([{ status: 'FAILED', attemptCount: 0, attempts: [] }])
    await done(acme, 'resumeIntegration', { id: integration.id })
    await at(302)
    expect(receiver.received).toEqual([])
  })

  test('is skipped after a pause of the environment', async () => {
    await createWorkflow(acme, [code])
    const { environment } = await acme.ask('{ environment { id } }')
    await done(acme, 'pauseEnvironment', { id: environment.id, reason: 'outage' })
    const transactionId = await trigger(acme)
    await at(301)
    await done(acme, 'resumeEnvironment', { id: environment.id })
    await at(302)
    expect(await outcomes(acme, transactionId)).toEqual({ code: 'SKIPPED expired' })
    expect(receiver.received).toEqual([])
  })

  test('is skipped after a delay, also in the feed', async () => {
    const bell = { inApp: { stepId: 'bell', body: 'Now', expiresAfter: minutes(5) } }
    const later = { sms: { ...code.sms, stepId: 'later', expiresAfter: minutes(11) } }
    await createWorkflow(acme, [{ delay: minutes(10) }, code, bell, later])
    const { previewTrigger } = await acme.ask(
      '{ previewTrigger(input: { name: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) { runs { steps { stepId status reason messages { expiresAt timeLimitAt } } } } }',
    )
    expect(previewTrigger.runs[0].steps).toMatchObject([
      { status: 'COMPLETED' },
      { status: 'SKIPPED', reason: 'expired', messages: [] },
      { status: 'SKIPPED', reason: 'expired' },
      { status: 'SENT', reason: null, messages: [{ expiresAt: after(660).toISOString(), timeLimitAt: null }] },
    ])
    const transactionId = await trigger(acme)
    await at(0)
    await at(600)
    expect(await outcomes(acme, transactionId)).toMatchObject({
      code: 'SKIPPED expired',
      bell: 'SKIPPED expired',
      later: 'SENT',
    })
  })

  test('cannot be retried', async () => {
    receiver.answer(400)
    await createWorkflow(acme, [code])
    const transactionId = await trigger(acme)
    await at(0)
    const [{ id }] = await deliveriesOf(transactionId)
    expect(await acme.act('retryDeliveries', { filter: {}, dryRun: true }, 'retriedCount')).toMatchObject({
      retriedCount: 1,
    })
    await at(300)
    expect(await retry(id)).toMatchObject({
      userErrors: [{ code: 'CONFLICT', message: expect.stringContaining(`expired at ${after(300).toISOString()}`) }],
    })
    expect(await acme.act('retryDeliveries', { filter: {}, dryRun: true }, 'retriedCount')).toMatchObject({
      retriedCount: 0,
    })
    await done(acme, 'retryDeliveries', { filter: {} })
    await at(301)
    expect(receiver.received).toHaveLength(1)
  })

  test('ends for each of many recipients at once', async () => {
    await createWorkflow(acme, [code])
    receiver.answer(503)
    await done(acme, 'createTopic', { key: 'all', name: 'All' })
    for (const subscriberId of ['bob', 'cleo']) {
      await done(acme, 'createSubscriber', { subscriberId, phone: '+15550101' })
    }
    const transactionId = await trigger(acme, { to: ['ada', 'bob', 'cleo'] })
    await at(0)
    await at(300)
    const story = await storyOf(acme, transactionId)
    expect(Object.values(story).map(({ steps }) => steps[0].reason)).toEqual(['expired', 'expired', 'expired'])
  })
})

describe('limits', () => {
  test('are at least a second and at most 30 days', async () => {
    const given = (sms: object) =>
      acme.act('createWorkflow', { identifier: 'x', name: 'X', steps: [{ sms: { body: 'x', ...sms } }] })
    expect(await given({ expiresAfter: { amount: 0, unit: 'SECONDS' } })).toMatchObject({
      userErrors: [{ field: ['steps', '0', 'sms', 'expiresAfter', 'amount'] }],
    })
    expect(await given({ timeLimit: { amount: 5, unit: 'WEEKS' } })).toMatchObject({
      userErrors: [
        {
          field: ['steps', '0', 'sms', 'timeLimit'],
          message: expect.stringContaining('must be 1 second to 30 days'),
        },
      ],
    })
    expect(await given({ timeLimit: { amount: 30, unit: 'DAYS' }, expiresAfter: null })).toMatchObject({
      userErrors: [],
    })
  })

  test('that a wait always exceeds are a warning', async () => {
    const steps = [{ delay: minutes(5) }, { sms: { body: 'x', expiresAfter: minutes(5) } }]
    const { checkWorkflow } = await acme.ask(
      'query ($steps: [WorkflowStepInput!]) { checkWorkflow(input: { steps: $steps }) { level message } }',
      { steps },
    )
    expect(checkWorkflow).toMatchObject([
      { level: 'WARNING', message: expect.stringContaining('expiresAfter is not longer than the delays and digests') },
    ])
  })

  test('are returned as they were given, and over REST', async () => {
    await createWorkflow(acme, [
      { email: { ...page, timeLimit: minutes(2), expiresAfter: { amount: 1, unit: 'DAYS' } } },
    ])
    const { workflow } = await acme.ask(
      '{ workflow(identifier: "order") { steps { ... on EmailStep { timeLimit { amount unit } expiresAfter { amount unit } } } } }',
    )
    expect(workflow.steps).toEqual([{ timeLimit: minutes(2), expiresAfter: { amount: 1, unit: 'DAYS' } }])
    const { body } = await acme.rest('GET /v2/workflows/order')
    expect(body.steps).toMatchObject([{ timeLimit: { amount: 2, unit: 'minutes' } }])
  })

  test('of an in-app step are stored', async () => {
    await createWorkflow(acme, [{ inApp: { body: 'Now', expiresAfter: minutes(5) } }])
    const { workflow } = await acme.ask(
      '{ workflow(identifier: "order") { steps { ... on InAppStep { expiresAfter { amount unit } } } } }',
    )
    expect(workflow.steps).toEqual([{ expiresAfter: minutes(5) }])
  })
})
