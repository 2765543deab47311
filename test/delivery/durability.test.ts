// What was acknowledged is delivered, whatever happens to the process and to the database meanwhile.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/data/database.ts'
import { build, freshSettings, type GatewayProcess, send, started, until } from '../support/gateway-process.ts'
import { openProxy } from '../support/proxy.ts'
import { useReceiver } from './receiver.ts'

const onServer = 'server' in inject('template')
const receiver = useReceiver()

// Each test starts processes, up to four, and some have ten thousand subscribers.
vi.setConfig({ testTimeout: 300_000 })
beforeAll(build, 120_000)

const key = 'delivers-come-what-may'
const settingsOfAll = { BOOTSTRAP_API_KEY: key, RATE_LIMIT: 'off', ALLOW_PRIVATE_ADDRESSES: 'on' }

const names = (count: number) => Array.from({ length: count }, (_, index) => `subscriber-${index}`)

async function post(address: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status, await response.text()).toBeLessThan(300)
}

/** Makes subscribers with an e-mail address each, all of whom follow the topic "news". */
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

const triggerTopic = (address: string, transactionId: string) =>
  post(address, '/v1/events/trigger', { name: 'news', to: { type: 'Topic', topicKey: 'news' }, transactionId })

/** A workflow that sends every message to the receiver. */
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

/** Asks until a number has been reached. */
const reaches = (count: () => Promise<number>, least: number): Promise<number> =>
  until(async () => {
    const now = await count()
    return now >= least ? now : undefined
  })

/** The receiver answers nobody until it is told to. */
function holdAnswers() {
  let held: ServerResponse[] = []
  let wanted = Infinity
  let arrived = () => {}
  receiver.respond((response) => {
    held.push(response)
    if (held.length >= wanted) arrived()
  })
  return {
    /** Ends when so many wait for an answer. */
    waiting: (count: number) =>
      new Promise<void>((resolve) => {
        ;[wanted, arrived] = [count, resolve]
        if (held.length >= count) resolve()
      }),
    /** Answers those who wait, and from now on everybody. */
    release() {
      receiver.answer(200)
      for (const response of held) response.writeHead(200).end()
      held = []
    },
  }
}

/** How often each key of idempotency came. */
function arrivals(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { headers } of receiver.received) {
    const name = String(headers['idempotency-key'])
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

type Settings = Awaited<ReturnType<typeof freshSettings>>

/** Reads the database of a gateway: an embedded one only while no process has it. */
async function readDatabase<Result>(
  settings: Settings,
  read: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<Result>,
): Promise<Result> {
  const url = settings['DATABASE_URL']
  const database = await openDatabase(url === undefined ? { directory: settings.DATA_DIR } : { url })
  try {
    return await read(database)
  } finally {
    await database.close()
  }
}

/** Lets two minutes pass for what a dead process had taken. On the embedded database the next start gives it back. */
async function letExpire(settings: Settings): Promise<void> {
  if (!onServer) return
  await readDatabase(settings, ({ pool }) =>
    pool.query(`UPDATE pgboss.job SET started_on = started_on - interval '2 minutes' WHERE state = 'active'`),
  )
}

/** Messages that one process has on their way at a time. */
const MESSAGES_AT_ONCE = 20

async function kill(gateway: GatewayProcess): Promise<void> {
  expect(await gateway.kill('SIGKILL')).toBe('SIGKILL')
}

describe('a process that is killed', () => {
  test('again and again has in the end notified each of 10,000 subscribers of a topic once', async () => {
    const settings = { ...(await freshSettings()), ...settingsOfAll }
    const subscriberIds = names(10_000)
    let { gateway, address } = await started(settings)
    await fillTopic(address, subscriberIds)
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

    const notified = await readDatabase(settings, ({ client }) =>
      client.notification.findMany({ select: { subscriberId: true }, orderBy: { subscriberId: 'asc' } }),
    )
    expect(notified.map(({ subscriberId }) => subscriberId)).toEqual(subscriberIds.toSorted())
  })

  test('sends the messages that were on their way again, under the same idempotency keys, and no others', async () => {
    const settings = { ...(await freshSettings()), ...settingsOfAll }
    const { gateway, address } = await started(settings)
    await fillTopic(address, names(2 * MESSAGES_AT_ONCE))
    await sendByWebhook(address)
    const answers = holdAnswers()
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

test('a process that is told to stop waits for the answer of a slow provider, begins nothing, and leaves the rest', async () => {
  const settings = { ...(await freshSettings()), ...settingsOfAll }
  const { gateway, address } = await started(settings)
  await fillTopic(address, names(MESSAGES_AT_ONCE + 5))
  await sendByWebhook(address)
  const answers = holdAnswers()
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

test('a slow provider keeps nobody else waiting', async () => {
  const settings = { ...(await freshSettings()), ...settingsOfAll }
  const { address } = await started(settings)
  await sendByWebhook(address)
  const answers = holdAnswers()
  const trigger = (subscriberId: string) => {
    const to = { subscriberId, email: `${subscriberId}@example.com` }
    return post(address, '/v1/events/trigger', { name: 'news', to })
  }
  await trigger('ada')
  await answers.waiting(1)
  await trigger('grace')
  await answers.waiting(2)
  answers.release()
  await reaches(() => sentMessages(address), 2)
})

describe.skipIf(!onServer)('on PostgreSQL (needs TEST_DATABASE_URL)', () => {
  test('three processes share the work of 2,000 messages, and do none of it twice', async () => {
    const settings = { ...(await freshSettings()), ...settingsOfAll }
    const first = await started(settings)
    await fillTopic(first.address, names(2_000))
    await sendByWebhook(first.address)
    const others = [await started(settings), await started(settings)]
    // More than one process has on its way at a time: all of them have to take some for as many to wait.
    const answers = holdAnswers()
    await triggerTopic(first.address, 'news-1')
    await answers.waiting(3 * MESSAGES_AT_ONCE)
    answers.release()
    await reaches(() => sentMessages(first.address), 2_000)
    const counts = arrivals()
    expect(counts.size).toBe(2_000)
    expect([...counts.values()].filter((count) => count !== 1)).toEqual([])
    for (const { gateway } of [first, ...others]) expect(await gateway.kill('SIGTERM')).toBe(0)
  })

  test('a process goes on when its database has been away, and sends again only under the same idempotency keys', async () => {
    const fresh = await freshSettings()
    const settings = { ...fresh, ...settingsOfAll }
    const proxy = await openProxy(fresh['DATABASE_URL'] ?? '')
    onTestFinished(() => proxy.close())
    const { gateway, address } = await started({ ...settings, DATABASE_URL: proxy.url })
    await fillTopic(address, names(2 * MESSAGES_AT_ONCE))
    await sendByWebhook(address)
    const answers = holdAnswers()
    await triggerTopic(address, 'news-1')
    await answers.waiting(MESSAGES_AT_ONCE)
    proxy.cut()
    answers.release()
    // It has to say that it could not write down what came of a message.
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
