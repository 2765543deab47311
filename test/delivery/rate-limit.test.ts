// The rate limit of an integration: its messages wait for tokens that all processes share, and none fails.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { takeJobs } from '../../src/data/queue/job-taking.ts'
import { readQueueState } from '../../src/data/queue/queue-state.ts'
import { drawTokens } from '../../src/data/queue/send-rate.ts'
import { quietWorker } from '../support/delivery/quiet-worker.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'
import { NIL_ID } from '../../src/lib/new-id.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const start = new Date('2026-03-01T12:00:00.000Z')
const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello {{subscriber.subscriberId}}' } }
const perSecond = (messages: number) => ({ messages, per: 'SECOND' })

const readers = (count: number, kind = 'reader') =>
  Array.from({ length: count }, (_, index) => ({
    subscriberId: `${kind}-${index}`,
    email: `${kind}-${index}@example.com`,
  }))

const sent = () => receiver.received.length
const recipients = () => receiver.received.map(({ body }) => /([\w-]+)@example.com/.exec(body)?.[1])

/** Lets time pass, and sends what may be sent. */
async function at(milliseconds: number): Promise<void> {
  world.setClock(new Date(start.getTime() + milliseconds))
  await world.work()
}

const messagesOf = async (transactionId: string) =>
  (
    await acme.ask(
      `query ($id: String!) { deliveries(filter: { transactionId: $id }) {
        nodes { id status cause attemptCount rateLimitedUntil nextAttemptAt attempts { number error } }
      } }`,
      { id: transactionId },
    )
  ).deliveries.nodes

const limit = (rateLimit: object | null) =>
  done(acme, 'updateIntegration', { currentIdentifier: 'email_webhook', rateLimit })

beforeEach(async () => {
  acme = await world.environment()
  world.setClock(start)
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { rateLimit: perSecond(10) })
  await createWorkflow(acme, [mail])
})

// Messages that one test leaves behind must not be sent in the next one.
afterEach(async () => {
  if ((await acme.ask('{ integrations { totalCount } }')).integrations.totalCount > 0) await limit(null)
  receiver.answer(400)
  await at(86_400_000)
  world.setClock(undefined)
})

describe('a burst', () => {
  test('is sent at the rate of the integration, without a failed or additional attempt', async () => {
    const transactionId = await trigger(acme, { to: readers(12) })
    await at(0)
    expect(sent()).toBe(1)
    for (let tenths = 1; tenths < 12; tenths += 1) {
      await at(tenths * 100)
      expect(sent()).toBe(tenths + 1)
    }
    expect(new Set(recipients()).size).toBe(12)
    const messages = await messagesOf(transactionId)
    expect(new Set(messages.map(({ status, attemptCount }) => `${status} ${attemptCount}`))).toEqual(
      new Set(['SENT 1']),
    )
  })

  test('never has more messages than the limit in any interval', async () => {
    await limit({ messages: 10, per: 'MINUTE' })
    await trigger(acme, { to: readers(22) })
    const counts: number[] = []
    for (let look = 0; look <= 22; look += 1) {
      await at(look * 6_000)
      counts.push(sent())
    }
    const inAMinute = counts.map((count, look) => count - (counts[look - 10] ?? 0))
    expect(Math.max(...inAMinute)).toBe(10)
    expect(counts.at(-1)).toBe(22)
  })

  test('does not give a quiet integration more tokens than its bucket has', async () => {
    await at(3_600_000)
    await trigger(acme, { to: readers(5) })
    await at(3_600_000)
    expect(sent()).toBe(1)
  })

  test('sends messages of critical workflows first', async () => {
    await trigger(acme, { to: readers(3) })
    await at(0)
    await createWorkflow(acme, [mail], { identifier: 'alarm', critical: true })
    await trigger(acme, { name: 'alarm', to: readers(1, 'guard') })
    // Both messages wait before there is a token.
    await at(0)
    world.setClock(new Date(start.getTime() + 100))
    // Every fourth look of a worker begins with a lower priority. The first one of a new worker does not.
    await quietWorker(world).drain()
    expect(recipients()).toEqual(['reader-0', 'guard-0'])
  })

  test('keeps the order of the messages that wait', async () => {
    for (const reader of readers(4)) {
      world.setClock(new Date(start.getTime() + 10 * Number(reader.subscriberId.at(-1))))
      await trigger(acme, { to: reader })
      await world.work()
    }
    for (const milliseconds of [100, 200, 300]) await at(milliseconds)
    expect(recipients()).toEqual(['reader-0', 'reader-1', 'reader-2', 'reader-3'])
  })
})

describe('messages that wait', () => {
  let transactionId: string
  beforeEach(async () => {
    transactionId = await trigger(acme, { to: readers(3) })
    await at(0)
  })

  test('say until when the rate limit holds them', async () => {
    const messages = await messagesOf(transactionId)
    const until = new Date(start.getTime() + 100).toISOString()
    expect(messages.map(({ status, rateLimitedUntil }) => [status, rateLimitedUntil])).toEqual(
      expect.arrayContaining([
        ['PENDING', until],
        ['PENDING', until],
        ['SENT', null],
      ]),
    )
    for (const milliseconds of [100, 200]) await at(milliseconds)
    expect((await messagesOf(transactionId)).map(({ rateLimitedUntil }) => rateLimitedUntil)).toEqual([
      null,
      null,
      null,
    ])
  })

  test('are due in no list of the queue, so no alert is raised', async () => {
    const { gateway } = world
    const [state] = (await readQueueState(gateway.db, gateway.now())).filter(({ kind }) => kind === 'messages')
    expect(state).toMatchObject({ due: 0, limited: 2, oldestSince: null })
    const refilled = new Date(start.getTime() + 100)
    world.setClock(refilled)
    const [later] = (await readQueueState(gateway.db, gateway.now())).filter(({ kind }) => kind === 'messages')
    expect(later).toMatchObject({ due: 2, limited: 0, oldestSince: refilled })
  })

  test('are read by no statement that takes messages until there are tokens', async () => {
    const { gateway } = world
    const taking = { kind: 'messages', count: { all: 10, each: 10 }, rooms: { known: {}, room: 10 } } as const
    const more = { after: NIL_ID, except: [], now: gateway.now(), lease: 10_000 }
    const statements = await statementsOf(async () => {
      expect(await takeJobs(gateway.db, { ...taking, ...more })).toMatchObject({ jobs: [], tokensAt: [] })
    })
    expect(statements).toHaveLength(1)
  })

  test('follow a higher limit at once', async () => {
    await limit(perSecond(1000))
    await at(0)
    expect(sent()).toBe(3)
  })

  test('follow a lower limit', async () => {
    await limit({ messages: 1, per: 'HOUR' })
    await at(0)
    expect(sent()).toBe(2)
    await at(3_599_999)
    expect(sent()).toBe(2)
    await at(3_600_000)
    expect(sent()).toBe(3)
  })

  test('do not get tokens from an update that leaves the limit as it is', async () => {
    await limit(perSecond(10))
    await at(0)
    expect(sent()).toBe(1)
  })

  test('are sent when the limit is removed', async () => {
    await limit(null)
    await at(0)
    expect(sent()).toBe(3)
  })

  test('fail when the integration is deleted', async () => {
    await done(acme, 'deleteIntegration', { identifier: 'email_webhook' })
    await at(0)
    expect(sent()).toBe(1)
    expect((await messagesOf(transactionId)).filter(({ status }) => status === 'FAILED')).toHaveLength(2)
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  })

  test('delay neither another integration of the environment nor another environment', async () => {
    await createIntegration(acme, 'GENERIC_SMS', receiver.url)
    await createWorkflow(acme, [{ sms: { body: 'Hello' } }], { identifier: 'text' })
    await trigger(acme, { name: 'text', to: { subscriberId: 'ada', phone: '+15550100' } })
    const globex = await world.environment()
    await createIntegration(globex, 'EMAIL_WEBHOOK', receiver.url, { rateLimit: perSecond(10) })
    await createWorkflow(globex, [mail])
    await trigger(globex, { to: readers(1, 'globex') })
    await at(0)
    expect(sent()).toBe(3)
  })
})

describe('a message that waits', () => {
  test('ends at its time limit', async () => {
    await limit({ messages: 1, per: 'HOUR' })
    const limited = { email: { ...mail.email, timeLimit: { amount: 1, unit: 'MINUTES' } } }
    await createWorkflow(acme, [limited], { identifier: 'limited' })
    const transactionId = await trigger(acme, { name: 'limited', to: readers(2) })
    await at(0)
    await at(60_000)
    expect(sent()).toBe(1)
    expect(await messagesOf(transactionId)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ status: 'FAILED', cause: 'TIME_LIMIT', attempts: [], attemptCount: 0 }),
      ]),
    )
  })

  test('for its next attempt does so until the later of both times', async () => {
    receiver.answer(503)
    const transactionId = await trigger(acme, { to: readers(1) })
    await at(0)
    expect(await messagesOf(transactionId)).toMatchObject([
      { status: 'PENDING', rateLimitedUntil: null, nextAttemptAt: expect.any(String) },
    ])
    receiver.answer(200)
    await trigger(acme, { to: readers(1, 'other') })
    await at(5_000)
    await at(5_100)
    expect(sent()).toBe(3)
    expect(await messagesOf(transactionId)).toMatchObject([{ status: 'SENT', attempts: [{}, {}] }])
  })
})

describe('several processes', () => {
  const taking = { kind: 'messages', rooms: { known: {}, room: 100 }, after: NIL_ID, except: [] } as const
  const take = (now = world.gateway.now()) =>
    takeJobs(world.gateway.db, { ...taking, count: { all: 100, each: 100 }, now, lease: 10_000 })

  /** Lets the runs advance, so that the messages are in the queue. */
  async function queueMessages(count: number): Promise<string> {
    await done(acme, 'pauseIntegration', { identifier: 'email_webhook' })
    const transactionId = await trigger(acme, { to: readers(count) })
    await world.work()
    await done(acme, 'resumeIntegration', { identifier: 'email_webhook' })
    return transactionId
  }

  test('share the tokens', async () => {
    await limit(perSecond(100))
    await queueMessages(20)
    const [one, other] = await Promise.all([take(), take()])
    expect(one.jobs.length + other.jobs.length).toBe(4)
    const [next, last] = await Promise.all([1, 2].map(() => take(new Date(start.getTime() + 1000))))
    expect((next?.jobs.length ?? 0) + (last?.jobs.length ?? 0)).toBe(4)
  })

  test('send no faster together, whichever of them sends', async () => {
    const workers = [1, 2].map(() => quietWorker(world))
    await limit(perSecond(100))
    const transactionId = await queueMessages(20)
    const counts: number[] = []
    for (let tick = 0; tick <= 20; tick += 1) {
      world.setClock(new Date(start.getTime() + tick * 10))
      await Promise.all(workers.map((worker) => worker.drain()))
      counts.push(sent())
    }
    counts.forEach((count, tick) => expect(count).toBeLessThanOrEqual(4 + tick))
    expect(counts.at(-1)).toBe(20)
    expect(new Set((await messagesOf(transactionId)).map(({ attemptCount }) => attemptCount))).toEqual(new Set([1]))
  })

  test('put back messages whose tokens another process has drawn, without an attempt', async () => {
    await limit(null)
    const transactionId = await queueMessages(4)
    const { jobs } = await take()
    const rated = jobs.map((job) => ({ ...job, limited: { capacity: 2, rate: 50, lot: 1 }, since: start }))
    const allowed = await drawTokens(world.gateway.db, rated, start)
    expect(allowed.jobs.map(({ id }) => id)).toEqual(jobs.slice(0, 2).map(({ id }) => id))
    expect(allowed.tokensAt).toEqual([new Date(start.getTime() + 20)])
    await at(0)
    expect(sent()).toBe(2)
    await at(10_000)
    expect(sent()).toBe(4)
    expect(new Set((await messagesOf(transactionId)).map(({ attemptCount }) => attemptCount))).toEqual(new Set([1]))
  })

  test('lose no message if one dies after it drew tokens', async () => {
    await limit(perSecond(100))
    const transactionId = await queueMessages(4)
    const { jobs } = await take()
    expect(jobs).toHaveLength(4)
    await at(9_000)
    expect(sent()).toBe(0)
    await at(10_000)
    expect(sent()).toBe(4)
    expect((await messagesOf(transactionId)).every(({ status }) => status === 'SENT')).toBe(true)
  })
})

describe('an integration without a limit', () => {
  test('costs no statement more', async () => {
    await limit(null)
    await trigger(acme, { to: readers(1) })
    const statements = await statementsOf(() => at(0))
    expect(statements.filter((text) => text.includes('rate_limit_buckets') && text.includes('INSERT'))).toEqual([])
    expect(sent()).toBe(1)
  })
})

describe('the limit of an integration', () => {
  const rateOf = async () =>
    (await acme.ask('{ integrations { nodes { version rateLimit { messages per } } } }')).integrations.nodes

  test('is stored, changed and removed', async () => {
    expect(await rateOf()).toEqual([{ version: 1, rateLimit: perSecond(10) }])
    await limit({ messages: 1000, per: 'DAY' })
    expect(await rateOf()).toEqual([{ version: 2, rateLimit: { messages: 1000, per: 'DAY' } }])
    await done(acme, 'updateIntegration', { currentIdentifier: 'email_webhook', name: 'Mail' })
    expect(await rateOf()).toEqual([{ version: 3, rateLimit: { messages: 1000, per: 'DAY' } }])
    await limit(null)
    expect(await rateOf()).toEqual([{ version: 4, rateLimit: null }])
  })

  test.each([0, -1, 1_000_001])('cannot be %i messages', async (messages) => {
    const { userErrors } = await acme.act('updateIntegration', {
      currentIdentifier: 'email_webhook',
      rateLimit: perSecond(messages),
    })
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['rateLimit', 'messages'] }])
    expect(userErrors[0].message).toMatch(/1/)
  })

  test('is not replaced by a caller who has not seen the present one', async () => {
    await limit(perSecond(20))
    const input = { currentIdentifier: 'email_webhook', rateLimit: perSecond(30), expectedVersion: 1 }
    const { userErrors } = await acme.act('updateIntegration', input)
    expect(userErrors).toMatchObject([{ code: 'CONFLICT', field: ['expectedVersion'] }])
    expect(await rateOf()).toMatchObject([{ rateLimit: perSecond(20) }])
  })

  test('is read and written by REST in the same form', async () => {
    const created = await acme.rest('POST /v1/integrations', {
      body: { providerId: 'twilio', channel: 'sms', identifier: 'texts', rateLimit: { messages: 5, per: 'minute' } },
    })
    expect(created).toMatchObject({ status: 201, body: { rateLimit: { messages: 5, per: 'minute' } } })
    const target = `PUT /v1/integrations/${created.body['_id']}` as const
    for (const [rateLimit, message] of [
      [{ messages: 0, per: 'minute' }, /rateLimit\.messages/],
      [{ messages: 5, per: 'week' }, /rateLimit\.per.*second.*day/],
      [{ messages: 5 }, /rateLimit\.per/],
    ] as const) {
      const { status, body } = await acme.rest(target, { body: { rateLimit } })
      expect(status).toBe(422)
      expect(JSON.stringify(body)).toMatch(message)
    }
    const cleared = await acme.rest(target, { body: { rateLimit: null } })
    expect(cleared.body).not.toHaveProperty('rateLimit')
  })
})
