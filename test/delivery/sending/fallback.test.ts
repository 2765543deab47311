// Fallback integrations: a message that one provider does not take goes to the next. The circuit of an integration keeps
// messages from a provider that is down.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { quietWorker } from '../../support/delivery/quiet-worker.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../../support/delivery/story.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
const primary = useReceiver()
const second = useReceiver()
let acme: Client

const start = new Date('2026-03-01T12:00:00.000Z')
const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }

const readers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    subscriberId: `reader-${index}`,
    email: `reader-${index}@example.com`,
  }))

/** Lets time pass, and sends what may be sent. */
async function at(seconds: number): Promise<void> {
  world.setClock(new Date(start.getTime() + seconds * 1000))
  await world.work()
}

const messagesOf = async (transactionId: string) =>
  (
    await acme.ask(
      `query ($id: String!) { deliveries(first: 100, filter: { transactionId: $id }) {
        nodes { id status cause providerId integrationIdentifier attemptCount circuitOpenUntil
          routes { integrationIdentifier providerId isPresent leftReason }
          attempts { number error integrationIdentifier providerId nextRouteReason } }
      } }`,
      { id: transactionId },
    )
  ).deliveries.nodes

const circuitOf = async (identifier: string) =>
  (
    await acme.ask(
      'query ($identifier: String!) { integration(identifier: $identifier) { circuit openCircuit { openedAt nextProbeAt } } }',
      { identifier },
    )
  ).integration

const keysOf = (received: typeof primary.received) => received.map(({ headers }) => headers['idempotency-key'])

beforeEach(async () => {
  acme = await world.environment()
  world.setClock(start)
  await createIntegration(acme, 'EMAIL_WEBHOOK', primary.url, { identifier: 'first', primary: true })
  await createIntegration(acme, 'EMAIL_WEBHOOK', second.url, { identifier: 'second', isFallback: true })
  await createWorkflow(acme, [mail])
})

// Messages that one test leaves behind must not be sent in the next one.
afterEach(async () => {
  primary.answer(400)
  second.answer(400)
  await at(86_400)
  await at(2 * 86_400)
  world.setClock(undefined)
})

test('a message that is cancelled while it is sent stays with its integration', async () => {
  let transactionId = ''
  primary.respond((response) => {
    void acme.rest(`DELETE /v1/events/trigger/${transactionId}`).then(() => response.writeHead(401).end())
  })
  transactionId = await trigger(acme, { to: readers(1) })
  for (const seconds of [0, 3600]) await at(seconds)
  expect(await messagesOf(transactionId)).toMatchObject([
    {
      ...{ status: 'CANCELLED', integrationIdentifier: 'first' },
      routes: [{ leftReason: null }, { leftReason: null }],
      attempts: [{ integrationIdentifier: 'first', nextRouteReason: null }],
    },
  ])
  expect([primary.received.length, second.received.length]).toEqual([1, 0])
})

test('a preview shows the fallback that takes a message, or why it does not', async () => {
  const previewed = async () => {
    const { previewTrigger } = await acme.ask(
      `query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { runs { steps {
         status detail messages { integrationIdentifier routes { integrationIdentifier leftReason } }
       } } } }`,
      { input: { name: 'order', to: [{ subscriber: readers(1)[0] }] } },
    )
    return previewTrigger.runs
  }
  await done(acme, 'updateIntegration', { currentIdentifier: 'first', credentials: { from: 'news@example.com' } })
  expect(await previewed()).toMatchObject([
    {
      steps: [
        {
          status: 'SENT',
          messages: [
            {
              integrationIdentifier: 'second',
              routes: [
                { integrationIdentifier: 'first', leftReason: 'UNUSABLE' },
                { integrationIdentifier: 'second', leftReason: null },
              ],
            },
          ],
        },
      ],
    },
  ])
  await done(acme, 'updateIntegration', { currentIdentifier: 'second', credentials: { from: 'news@example.com' } })
  expect(await previewed()).toMatchObject([{ steps: [{ status: 'FAILED' }] }])
})

describe('a provider that is down', () => {
  test('loses no message: the fallback sends each once, and every log shows both', async () => {
    primary.answer(503)
    const transactionId = await trigger(acme, { to: readers(100) })
    for (const seconds of [0, 6, 12]) await at(seconds)
    const messages = await messagesOf(transactionId)
    expect(messages).toHaveLength(100)
    expect(new Set(messages.map(({ status, integrationIdentifier }) => `${status} ${integrationIdentifier}`))).toEqual(
      new Set(['SENT second']),
    )
    for (const { routes } of messages) {
      expect(routes).toMatchObject([
        { integrationIdentifier: 'first', isPresent: false, leftReason: 'CIRCUIT_OPEN' },
        { integrationIdentifier: 'second', isPresent: true, leftReason: null },
      ])
    }
    expect(second.received).toHaveLength(100)
    expect(new Set(keysOf(second.received)).size).toBe(100)
    // Only those that were in flight when the circuit opened tried it.
    expect(primary.received.length).toBeLessThan(50)
  }, 120_000)

  test('is tried by one probe in 30 seconds, and used again at once when a probe succeeds', async () => {
    primary.answer(503)
    await trigger(acme, { to: readers(20) })
    await at(0)
    const probed = new Date(start.getTime() + 30_000).toISOString()
    expect(await circuitOf('first')).toEqual({
      circuit: 'OPEN',
      openCircuit: { openedAt: start.toISOString(), nextProbeAt: probed },
    })
    const before = primary.received.length
    world.setClock(new Date(start.getTime() + 31_000))
    await trigger(acme, { to: readers(10) })
    await at(31)
    expect(primary.received).toHaveLength(before + 1)
    primary.answer(200)
    world.setClock(new Date(start.getTime() + 62_000))
    await trigger(acme, { to: readers(5) })
    await at(62)
    expect(await circuitOf('first')).toEqual({ circuit: 'CLOSED', openCircuit: null })
    const recovered = primary.received.length
    await trigger(acme, { to: readers(3) })
    await at(62)
    expect(primary.received).toHaveLength(recovered + 3)
  })

  test('is found down by two processes together', async () => {
    primary.answer(503)
    const transactionId = await trigger(acme, { to: readers(40) })
    const workers = [1, 2].map(() => quietWorker(world))
    for (const seconds of [0, 6]) {
      world.setClock(new Date(start.getTime() + seconds * 1000))
      for (let round = 0; round < 3; round += 1) await Promise.all(workers.map((worker) => worker.drain()))
    }
    expect(new Set((await messagesOf(transactionId)).map(({ status }) => status))).toEqual(new Set(['SENT']))
    expect(new Set(keysOf(second.received)).size).toBe(40)
    expect(second.received).toHaveLength(40)
  })
})

describe('a message without a further integration', () => {
  test('waits for the probe instead of using attempts, and is sent within a minute', async () => {
    await done(acme, 'deleteIntegration', { identifier: 'second' })
    primary.answer(503)
    await trigger(acme, { to: readers(5) })
    await at(0)
    const waiting = await trigger(acme, { to: readers(8) })
    await at(1)
    const until = new Date(start.getTime() + 30_000).toISOString()
    for (const message of await messagesOf(waiting)) {
      expect(message).toMatchObject({ status: 'PENDING', attemptCount: 0, attempts: [], circuitOpenUntil: until })
    }
    primary.answer(200)
    await at(30)
    await at(30)
    expect((await messagesOf(waiting)).map(({ status, circuitOpenUntil }) => [status, circuitOpenUntil])).toEqual(
      Array.from({ length: 8 }, () => ['SENT', null]),
    )
  })

  test('is captured with the next probe if the environment no longer sends', async () => {
    await done(acme, 'deleteIntegration', { identifier: 'second' })
    primary.answer(503)
    await trigger(acme, { to: readers(5) })
    await at(0)
    const waiting = await trigger(acme, { to: readers(8) })
    await at(1)
    const { environment } = await acme.ask('{ environment { identifier } }')
    await done(world.production, 'updateEnvironment', { identifier: environment.identifier, sending: 'CAPTURE' })
    const before = primary.received.length
    await at(30)
    expect(new Set((await messagesOf(waiting)).map(({ status }) => status))).toEqual(new Set(['SENT']))
    expect(primary.received).toHaveLength(before)
  })

  test('is attempted a last time after four hours', async () => {
    await done(acme, 'deleteIntegration', { identifier: 'second' })
    primary.answer(503)
    await trigger(acme, { to: readers(5) })
    await at(0)
    const waiting = await trigger(acme, { to: readers(2) })
    await at(1)
    await at(4 * 3600 + 5)
    await at(4 * 3600 + 40)
    expect((await messagesOf(waiting)).map(({ status, cause }) => [status, cause])).toEqual([
      ['FAILED', 'UNAVAILABLE'],
      ['FAILED', 'UNAVAILABLE'],
    ])
  })
})

describe('the failure decides about the next integration', () => {
  const one = readers(1)

  test.each([
    [401, 'at once', 'ACCOUNT'],
    [402, 'at once', 'ACCOUNT'],
    [403, 'at once', 'ACCOUNT'],
    [503, 'after the second attempt', 'UNAVAILABLE'],
    [429, 'after the second attempt', 'UNAVAILABLE'],
  ])('%i: %s', async (status, when, reason) => {
    primary.answer(status)
    const transactionId = await trigger(acme, { to: one })
    await at(0)
    if (when !== 'at once') {
      expect(second.received).toHaveLength(0)
      await at(6)
    }
    const [message] = await messagesOf(transactionId)
    const attempts = Array.from({ length: when === 'at once' ? 1 : 2 }, () => 'first')
    expect(message.status).toBe('SENT')
    expect(message.attempts.map(({ integrationIdentifier }) => integrationIdentifier)).toEqual([...attempts, 'second'])
    expect(message.attempts.at(-2)?.nextRouteReason).toBe(reason)
    expect(message.routes).toMatchObject([{ leftReason: reason }, { isPresent: true }])
  })

  test.each([400, 404, 422])('%i: the message ends', async (status) => {
    primary.answer(status)
    const transactionId = await trigger(acme, { to: one })
    await at(0)
    expect(await messagesOf(transactionId)).toMatchObject([{ status: 'FAILED', cause: 'REJECTED', attempts: [{}] }])
    expect(second.received).toHaveLength(0)
  })

  test('of the last integration leads to the usual attempts, and a retry begins with the first', async () => {
    primary.answer(401)
    second.answer(401)
    const transactionId = await trigger(acme, { to: one })
    await at(0)
    const [failed] = await messagesOf(transactionId)
    expect(failed).toMatchObject({ status: 'FAILED', integrationIdentifier: 'second' })
    primary.answer(200)
    await done(acme, 'retryDelivery', { id: failed.id })
    await at(1)
    const [sent] = await messagesOf(transactionId)
    expect(sent).toMatchObject({ status: 'SENT', integrationIdentifier: 'first', attemptCount: 1 })
  })

  test('an inactive fallback is passed over', async () => {
    await done(acme, 'updateIntegration', { currentIdentifier: 'second', active: false })
    primary.answer(401)
    const transactionId = await trigger(acme, { to: one })
    await at(0)
    expect(await messagesOf(transactionId)).toMatchObject([{ status: 'FAILED', cause: 'CREDENTIALS_REJECTED' }])
  })

  test('a deleted first integration is passed over', async () => {
    await done(acme, 'pauseIntegration', { identifier: 'first' })
    const transactionId = await trigger(acme, { to: one })
    await at(0)
    await done(acme, 'resumeIntegration', { identifier: 'first' })
    await done(acme, 'deleteIntegration', { identifier: 'first' })
    await at(2)
    expect(await messagesOf(transactionId)).toMatchObject([
      { status: 'SENT', integrationIdentifier: 'second', attempts: [{ nextRouteReason: 'UNUSABLE' }, {}] },
    ])
  })
})

describe('an integration', () => {
  test('that is the only one is used even as a fallback', async () => {
    await done(acme, 'deleteIntegration', { identifier: 'first' })
    await trigger(acme, { to: readers(1) })
    await at(0)
    expect(second.received).toHaveLength(1)
  })

  test('cannot be primary and a fallback, or a fallback of a channel without any', async () => {
    const rank = { currentIdentifier: 'second', primary: true }
    expect((await acme.act('updateIntegration', rank)).userErrors).toMatchObject([
      { code: 'BAD_USER_INPUT', field: ['primary'] },
    ])
    const other = { currentIdentifier: 'first', isFallback: true }
    expect((await acme.act('updateIntegration', other)).userErrors).toMatchObject([{ field: ['isFallback'] }])
    const chat = { providerId: 'CHAT_WEBHOOK', isFallback: true }
    expect((await acme.act('createIntegration', chat)).userErrors).toMatchObject([
      { field: ['isFallback'], message: expect.stringContaining('email or SMS') },
    ])
    await done(acme, 'updateIntegration', { ...rank, isFallback: false })
  })

  test('shows its fallback and its circuit at REST', async () => {
    const { body } = await acme.rest('GET /v1/integrations/second')
    expect(body).toMatchObject({ isFallback: true, fallbackAfterTimeout: false, circuit: 'closed' })
    expect(body).not.toHaveProperty('openCircuit')
  })

  test('that is deleted takes its circuit along', async () => {
    primary.answer(503)
    await trigger(acme, { to: readers(1) })
    await at(0)
    await done(acme, 'deleteIntegration', { identifier: 'first' })
    const { rows } = await world.database.pool.query(
      'SELECT FROM integration_circuits WHERE integration_id NOT IN (SELECT id FROM integrations)',
    )
    expect(rows).toEqual([])
  })
})

describe('a step', () => {
  const selecting = (integrationIdentifier: string) => [{ email: { ...mail.email, integrationIdentifier } }]

  test('selects one integration', async () => {
    await done(acme, 'updateIntegration', { currentIdentifier: 'second', isFallback: false })
    await createWorkflow(acme, selecting('second'), { identifier: 'chosen' })
    await trigger(acme, { name: 'chosen', to: readers(1) })
    await at(0)
    expect([primary.received.length, second.received.length]).toEqual([0, 1])
  })

  test('cannot select an integration that does not exist, or one of another channel', async () => {
    await createIntegration(acme, 'GENERIC_SMS', second.url, { identifier: 'texts' })
    const globex = await world.environment()
    await createIntegration(globex, 'EMAIL_WEBHOOK', second.url, { identifier: 'foreign' })
    for (const [name, message] of [
      ['missing', /identifier of an integration/],
      ['foreign', /identifier of an integration/],
      ['texts', /channel email.*channel sms/],
    ] as const) {
      const { userErrors } = await acme.act('createWorkflow', { identifier: 'x', name: 'X', steps: selecting(name) })
      expect(userErrors).toMatchObject([
        { field: ['steps', '0', 'email', 'integrationIdentifier'], message: expect.stringMatching(message) },
      ])
    }
  })

  test('is skipped with a reason once its integration is gone', async () => {
    await createWorkflow(acme, selecting('first'), { identifier: 'chosen' })
    await done(acme, 'deleteIntegration', { identifier: 'first' })
    const transactionId = await trigger(acme, { name: 'chosen', to: readers(1) })
    await at(0)
    const { event } = await acme.ask(
      'query ($id: String!) { event(transactionId: $id) { runs { nodes { steps { reasonCode detail } } } } }',
      { id: transactionId },
    )
    expect(event.runs.nodes[0].steps).toEqual([
      { reasonCode: 'NO_INTEGRATION', detail: 'Step "mail" selects the integration "first", which does not exist.' },
    ])
  })
})

describe('without fallbacks and failures', () => {
  test('a message costs no statement for routes or circuits', async () => {
    await done(acme, 'deleteIntegration', { identifier: 'second' })
    const transactionId = await trigger(acme, { to: { subscriberId: 'only-one', email: 'one@example.com' } })
    const statements = await statementsOf(() => at(0))
    expect(statements.filter((text) => /(?:INTO|UPDATE|FROM) "?integration_circuits/.test(text))).toEqual([])
    expect(await messagesOf(transactionId)).toMatchObject([{ status: 'SENT', routes: [{ leftReason: null }] }])
    const { rows } = await world.database.pool.query<{ routes: unknown }>(
      `SELECT routes FROM deliveries WHERE subscriber_id = 'only-one'`,
    )
    expect(rows).toEqual([{ routes: null }])
  })
})
