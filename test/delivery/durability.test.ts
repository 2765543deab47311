// Durability: acknowledged triggers are delivered despite killed processes and database outages.
import { once } from 'node:events'
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { tallies } from '../../src/data/event.ts'
import { newKeyRing } from '../../src/lib/cipher.ts'
import {
  bootstrapAs,
  build,
  freshSettings,
  type GatewayProcess,
  send,
  type Settings,
  started,
  until,
  withDatabase,
} from '../support/gateway-process.ts'
import { openProxy } from '../support/proxy.ts'
import { holdAnswers, useReceiver } from './receiver.ts'

const onServer = 'server' in inject('template')
const receiver = useReceiver()

// Each test starts several processes, and one has 10,000 subscribers.
vi.setConfig({ testTimeout: 300_000 })
beforeAll(build, 120_000)

const key = 'delivers-come-what-may'
const settingsOfAll = {
  BOOTSTRAP_API_KEY: key,
  ENCRYPTION_KEYS: newKeyRing(),
  RATE_LIMIT: 'off',
  ALLOW_PRIVATE_ADDRESSES: 'on',
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `subscriber-${index}`)

async function post(address: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status, await response.text()).toBeLessThan(300)
}

/** Creates subscribers, each with an email address and a subscription to the topic "news". */
async function fillTopic(address: string, subscriberIds: readonly string[]): Promise<void> {
  for (let from = 0; from < subscriberIds.length; from += 500) {
    const some = subscriberIds.slice(from, from + 500)
    const subscribers = some.map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` }))
    await post(address, '/v1/subscribers/bulk', { subscribers })
    for (let start = 0; start < some.length; start += 100) {
      const subscriptions = some.slice(start, start + 100)
      await post(address, '/v2/topics/news/subscriptions', { subscriptions })
    }
  }
}

/** Fills the topic with SQL before the gateway starts, because 10,000 subscribers take too long through the API. */
async function prepareTopic(settings: Settings, subscriberIds: readonly string[]): Promise<void> {
  await withDatabase(settings, async (database) => {
    await bootstrapAs(settings, database)
    const [environment] = await database.client.environment.findMany({ where: { name: 'Development' } })
    const fill = (statement: string, ...values: readonly unknown[]) =>
      database.pool.query(statement, [environment?.id, ...values])
    await fill(
      `INSERT INTO subscribers (environment_id, id, subscriber_id, data, created_at, updated_at)
       SELECT $1, gen_random_uuid(), name, '{}', now(), now() FROM unnest($2::text[]) AS name`,
      subscriberIds,
    )
    await fill(
      `INSERT INTO topics (environment_id, id, key, data, created_at, updated_at)
       VALUES ($1, gen_random_uuid(), 'news', '{}', now(), now())`,
    )
    await fill(
      `INSERT INTO topic_subscriptions
         (environment_id, id, identifier, topic_key, subscriber_id, context_keys, created_at, updated_at)
       SELECT $1, gen_random_uuid(), name, 'news', name, '{}', now(), now() FROM unnest($2::text[]) AS name`,
      subscriberIds,
    )
  })
}

const triggerTopic = (address: string, transactionId: string) =>
  post(address, '/v1/events/trigger', { name: 'news', to: { type: 'Topic', topicKey: 'news' }, transactionId })

/** Creates a workflow that sends every message to the receiver. */
async function sendByWebhook(address: string): Promise<void> {
  const webhook = { identifier: 'hook', providerId: 'email-webhook', credentials: { webhookUrl: receiver.url } }
  await post(address, '/v1/integrations', { ...webhook, channel: 'email', active: true, name: 'Hook' })
  await post(address, '/v2/workflows', {
    identifier: 'news',
    name: 'News',
    steps: [{ type: 'email', subject: 'News', body: 'There is news' }],
  })
}

async function ask(address: string, query: string) {
  const { body } = await send(address, key, query)
  if (body.errors) throw new Error(JSON.stringify(body.errors))
  return body.data
}

const completedRuns = async (address: string): Promise<number> =>
  (await ask(address, '{ workflowRuns(filter: { status: COMPLETED }) { totalCount } }')).workflowRuns.totalCount

const sentMessages = async (address: string): Promise<number> =>
  (await ask(address, '{ deliveries(filter: { status: SENT }) { totalCount } }')).deliveries.totalCount

/** Polls until the count is at least `least`, and returns it. */
const reaches = (count: () => Promise<number>, least: number): Promise<number> =>
  until(async () => {
    const now = await count()
    return now >= least ? now : undefined
  })

/** The number of received requests per idempotency key. */
function arrivals(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { headers } of receiver.received) {
    const name = String(headers['idempotency-key'])
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Ends the leases of jobs, so that those of a dead process are taken again. On the embedded database, the next start frees them. */
async function letExpire(settings: Settings): Promise<void> {
  if (!onServer) return
  await withDatabase(settings, ({ pool }) =>
    pool.query(`UPDATE jobs SET available_at = now() WHERE queue = 'deliver' AND attempt_count > 0`),
  )
}

/** The number of messages that one process sends at a time. */
const MESSAGES_AT_ONCE = 20

async function kill(gateway: GatewayProcess): Promise<void> {
  expect(await gateway.kill('SIGKILL')).toBe('SIGKILL')
}

describe('a killed process', () => {
  test('has notified each of 10,000 topic subscribers exactly once after several restarts', async () => {
    const settings = { ...(await freshSettings()), ...settingsOfAll }
    const subscriberIds = names(10_000)
    await prepareTopic(settings, subscriberIds)
    let { gateway, address } = await started(settings)
    const steps = [{ type: 'in_app', body: 'There is news' }]
    await post(address, '/v2/workflows', { identifier: 'news', name: 'News', steps })
    await triggerTopic(address, 'news-1')
    for (const least of [100, 2_000, 4_000, 6_000]) {
      const reached = await reaches(() => completedRuns(address), least)
      expect(reached).toBeLessThan(subscriberIds.length)
      await kill(gateway)
      ;({ gateway, address } = await started(settings))
    }
    await reaches(() => completedRuns(address), subscriberIds.length)
    expect(await gateway.kill('SIGTERM')).toBe(0)

    const notified = await withDatabase(settings, ({ client }) =>
      client.notification.findMany({ select: { subscriberId: true }, orderBy: { subscriberId: 'asc' } }),
    )
    expect(notified.map(({ subscriberId }) => subscriberId)).toEqual(subscriberIds.toSorted())
    const [tally] = await withDatabase(settings, async ({ client }) => {
      const { environmentId, id } = await client.event.findFirstOrThrow()
      return tallies.load({ db: client, environmentId }, [id])
    })
    const runs = { running: 0, waiting: 0, completed: 10_000, failed: 0, cancelled: 0 }
    expect(tally).toMatchObject({ runs, notifications: 10_000 })
  })

  test('resends only the messages that were in flight, with the same idempotency keys', async () => {
    const settings = { ...(await freshSettings()), ...settingsOfAll }
    const { gateway, address } = await started(settings)
    await fillTopic(address, names(2 * MESSAGES_AT_ONCE))
    await sendByWebhook(address)
    const answers = holdAnswers(receiver)
    await triggerTopic(address, 'news-1')
    await answers.waiting(MESSAGES_AT_ONCE)
    await kill(gateway)
    const cutOff = [...arrivals().keys()]
    expect(cutOff).toHaveLength(MESSAGES_AT_ONCE)
    answers.release()
    await letExpire(settings)

    const again = await started(settings)
    await reaches(() => sentMessages(again.address), 2 * MESSAGES_AT_ONCE)
    const counts = arrivals()
    expect(counts.size).toBe(2 * MESSAGES_AT_ONCE)
    expect([...counts].filter(([, count]) => count === 2).map(([name]) => name)).toEqual(cutOff)
    expect([...counts.values()].filter((count) => count === 1)).toHaveLength(MESSAGES_AT_ONCE)
  })
})

test('a process that receives SIGTERM waits for a slow provider, sends nothing new and leaves the rest to the next process', async () => {
  const settings = { ...(await freshSettings()), ...settingsOfAll }
  const { gateway, address } = await started(settings)
  await fillTopic(address, names(MESSAGES_AT_ONCE + 5))
  await sendByWebhook(address)
  const answers = holdAnswers(receiver)
  await triggerTopic(address, 'news-1')
  await answers.waiting(MESSAGES_AT_ONCE)
  gateway.child.kill('SIGTERM')
  await gateway.prints(/stopping/)
  answers.release()
  expect(await gateway.ended).toBe(0)
  expect(receiver.received).toHaveLength(MESSAGES_AT_ONCE)

  const again = await started(settings)
  await reaches(() => sentMessages(again.address), MESSAGES_AT_ONCE + 5)
  expect([...arrivals().values()]).toEqual(Array.from({ length: MESSAGES_AT_ONCE + 5 }, () => 1))
  const { deliveries } = await ask(again.address, '{ deliveries(first: 100) { nodes { attempts { number status } } } }')
  for (const { attempts } of deliveries.nodes) expect(attempts).toEqual([{ number: 1, status: 200 }])
})

describe.skipIf(!onServer)('on PostgreSQL (needs TEST_DATABASE_URL)', () => {
  test('three processes share 2,000 messages and send each one once', async () => {
    const settings = { ...(await freshSettings()), ...settingsOfAll }
    const first = await started(settings)
    await fillTopic(first.address, names(2_000))
    await sendByWebhook(first.address)
    const others = [await started(settings), await started(settings)]
    // So many messages can be in flight only if all three processes send.
    const answers = holdAnswers(receiver)
    await triggerTopic(first.address, 'news-1')
    await answers.waiting(3 * MESSAGES_AT_ONCE)
    answers.release()
    await reaches(() => sentMessages(first.address), 2_000)
    const counts = arrivals()
    expect(counts.size).toBe(2_000)
    expect([...counts.values()].filter((count) => count !== 1)).toEqual([])
    for (const { gateway } of [first, ...others]) expect(await gateway.kill('SIGTERM')).toBe(0)
  })

  test('a process continues after a database outage and resends only with the same idempotency keys', async () => {
    const fresh = await freshSettings()
    const settings = { ...fresh, ...settingsOfAll }
    const proxy = await openProxy(fresh['DATABASE_URL'] ?? '')
    onTestFinished(() => proxy.close())
    const { gateway, address } = await started({ ...settings, DATABASE_URL: proxy.url })
    await fillTopic(address, names(2 * MESSAGES_AT_ONCE))
    await sendByWebhook(address)
    const answers = holdAnswers(receiver)
    await triggerTopic(address, 'news-1')
    await answers.waiting(MESSAGES_AT_ONCE)
    proxy.cut()
    answers.release()
    // The process logs that it could not store the result of a message.
    await gateway.prints(/"msg":"job failed"/)
    proxy.mend()
    await reaches(() => sentMessages(address), MESSAGES_AT_ONCE)
    await letExpire(settings)
    await reaches(() => sentMessages(address), 2 * MESSAGES_AT_ONCE)
    const counts = arrivals()
    expect(counts.size).toBe(2 * MESSAGES_AT_ONCE)
    expect(Math.max(...counts.values())).toBe(2)
    expect(gateway.child.exitCode).toBeNull()
    gateway.child.kill('SIGTERM')
    await once(gateway.child, 'close')
  })
})
