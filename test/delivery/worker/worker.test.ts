// The worker while it runs continuously, as in production.
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../../src/data/connection/clock.ts'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { createWorker } from '../../../src/delivery/worker/worker.ts'
import { until } from '../../support/process/gateway-process.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'
import { quietWorker } from '../../support/delivery/quiet-worker.ts'
import { holdAnswers, useReceiver } from '../../support/delivery/receiver.ts'
import { bodiesOf, createIntegration, createWorkflow, trigger } from '../../support/delivery/story.ts'
import { subscribe } from '../../support/delivery/webhooks.ts'

const world = useWorld()
const receiver = useReceiver()

/** Starts a worker that sends several messages at a time. */
async function startWorker(): Promise<void> {
  const { gateway, database } = world
  const outbound = createOutbound({ allowPrivateAddresses: true })
  const logger = pino({ level: 'silent' })
  const stopwatch = () => 0
  const worker = createWorker({ gateway, clock: createClock(), database, outbound, logger, stopwatch, embedded: true })
  await worker.start()
  onTestFinished(() => worker.stop())
}

/**
 * The number of messages that an integration sends at a time, at first and at most: a quarter of the places, and all of
 * them.
 */
const FIRST = 10
const MOST = 40

const email = { email: { subject: 'Hi', body: 'Hello' } }
const names = (count: number, kind = 'reader') => Array.from({ length: count }, (_, index) => `${kind}-${index}`)
const withEmail = (subscriberIds: readonly string[]) =>
  subscriberIds.map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` }))
const recipients = () => receiver.received.map(({ body }) => /[\w-]+@example.com/.exec(body)?.[0].split('@')[0])

/** Resolves when an environment has sent this many messages. */
async function allSent(client: Client, count: number): Promise<void> {
  await until(async () => {
    const { deliveries } = await client.ask('{ deliveries(filter: { status: SENT }) { totalCount } }')
    return deliveries.totalCount === count ? true : undefined
  })
}

describe('a provider that hangs', () => {
  test('delays no message that another integration of the environment sends', async () => {
    const acme = await world.environment()
    await createIntegration(acme, 'EMAIL_WEBHOOK', `${receiver.url}/hangs`)
    await createIntegration(acme, 'GENERIC_SMS', `${receiver.url}/answers`)
    await createWorkflow(acme, [email])
    await createWorkflow(acme, [{ sms: { body: 'Hello' } }], { identifier: 'text' })
    const answers = holdAnswers(receiver, '/hangs')
    await startWorker()
    await trigger(acme, { to: withEmail(names(30)) })
    await answers.waiting(FIRST)
    await trigger(acme, { name: 'text', to: { subscriberId: 'ada', phone: '+15550100' } })
    const answered = () => receiver.received.filter(({ path }) => path === '/answers').length
    await until(() => Promise.resolve(answered() === 1 || undefined))
    expect(receiver.received).toHaveLength(FIRST + 1)
    answers.release()
    await allSent(acme, 31)
  })

  test('leaves room for the messages of another environment', async () => {
    const environments = [await world.environment(), await world.environment()] as const
    for (const client of environments) {
      await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
      await createWorkflow(client, [email])
    }
    const [acme, globex] = environments
    const answers = holdAnswers(receiver)
    await trigger(acme, { to: withEmail(names(50)) })
    await startWorker()
    await answers.waiting(FIRST)
    await trigger(globex, { to: { subscriberId: 'grace', email: 'grace@globex.com' } })
    await answers.waiting(FIRST + 1)
    expect(receiver.received.filter(({ body }) => body.includes('grace@globex.com'))).toHaveLength(1)
    expect(receiver.received).toHaveLength(FIRST + 1)
    answers.release()
    await allSent(acme, 50)
  })
})

test('an integration with a fast provider sends as many messages at a time as there are places', async () => {
  const acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [email])
  await startWorker()
  await trigger(acme, { to: withEmail(names(MOST)) })
  await allSent(acme, MOST)
  const answers = holdAnswers(receiver)
  await trigger(acme, { to: withEmail(names(MOST)) })
  await answers.waiting(MOST)
  answers.release()
  await allSent(acme, 2 * MOST)
})

describe('during a broadcast,', () => {
  test('messages of critical workflows and of single triggers go first', async () => {
    const acme = await world.environment()
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [email])
    await createWorkflow(acme, [email], { identifier: 'alarm', critical: true })
    const answers = holdAnswers(receiver)
    await startWorker()
    await trigger(acme, { to: withEmail(names(70)) })
    await answers.waiting(FIRST)
    await trigger(acme, { to: withEmail(names(10, 'single')) })
    await trigger(acme, { name: 'alarm', to: withEmail(names(10, 'alarmed')) })
    await until(async () => {
      const { deliveries } = await acme.ask('{ deliveries { totalCount } }')
      return deliveries.totalCount === 90 ? true : undefined
    })
    answers.release()
    await allSent(acme, 90)
    const order = recipients()
    const last = (kind: string) => order.findLastIndex((name) => name?.startsWith(kind))
    expect(last('alarmed')).toBeLessThan(FIRST + 20)
    expect(last('single')).toBeLessThan(FIRST + 40)
    expect(last('alarmed')).toBeLessThan(last('reader'))
  })
})

describe('one message at a time', () => {
  /** Sends the queued messages. @returns the kinds of the recipients, in the order of their messages. */
  async function orderOf(): Promise<(string | undefined)[]> {
    const worker = quietWorker(world, { messageConcurrency: 1 })
    await worker.drain()
    return recipients().map((name) => name?.split('-')[0])
  }

  const count = (order: readonly (string | undefined)[], kind: string) => order.filter((one) => one === kind).length

  beforeEach(async () => {
    const acme = await world.environment()
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [email])
    await createWorkflow(acme, [email], { identifier: 'alarm', critical: true })
    await trigger(acme, { to: withEmail(names(11)) })
    await trigger(acme, { to: withEmail(names(6, 'single')) })
    await trigger(acme, { name: 'alarm', to: withEmail(names(12, 'alarmed')) })
  })

  test('critical messages go first; of eight, one is of a single trigger and one of a broadcast', async () => {
    const order = await orderOf()
    expect(order).toHaveLength(29)
    for (const eight of [order.slice(0, 8), order.slice(8, 16)]) {
      expect([count(eight, 'alarmed'), count(eight, 'single'), count(eight, 'reader')]).toEqual([6, 1, 1])
    }
    expect(order.slice(16, 20)).toEqual(['single', 'single', 'single', 'single'])
  })
})

test('a running worker queries the queue about once for each job that arrives alone', async () => {
  const acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await startWorker()
  const sent = await statementsOf(async () => {
    for (let count = 1; count <= 10; count += 1) {
      await trigger(acme)
      await until(async () => ((await bodiesOf(acme)).length === count ? true : undefined))
    }
  })
  const looks = sent.filter((text) => text.includes('visited(id, lap, turn)') && text.includes("queue = 'fan_out'"))
  // A few more statements come from the start and from the check once a second.
  expect(looks.length).toBeLessThan(15)
})

test('a running worker only takes webhook messages if there are any', async () => {
  const acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await startWorker()
  const delivered = async (count: number) => {
    await trigger(acme)
    await until(async () => ((await bodiesOf(acme)).length === count ? true : undefined))
  }
  const takes = async (work: () => Promise<unknown>) =>
    (await statementsOf(work)).filter((text) => text.includes('webhook-queue.takeWebhooks')).length
  // The worker looks once when it starts.
  await delivered(1)
  expect(await takes(() => delivered(2))).toBe(0)
  const crm = await subscribe(acme, receiver, { eventTypes: ['MESSAGE_SENT'] })
  const told = () => until(() => Promise.resolve(crm.messages().length > 0 || undefined))
  expect(await takes(() => Promise.all([delivered(3), told()]))).toBeGreaterThan(0)
})
