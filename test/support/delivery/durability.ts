// Stories of durability, for any number of recipients, and their shared parts: a topic, a webhook and counts.
import { expect } from 'vitest'
import { tallies } from '../../../src/data/event.ts'
import { newKeyRing } from '../../../src/lib/cipher.ts'
import {
  bootstrapAs,
  freshSettings,
  type GatewayProcess,
  send,
  type Settings,
  started,
  until,
  withDatabase,
} from '../process/gateway-process.ts'
import { holdAnswers, type Receiver } from './receiver.ts'

const key = 'delivers-come-what-may'
export const settingsOfAll = {
  BOOTSTRAP_API_KEY: key,
  ENCRYPTION_KEYS: newKeyRing(),
  RATE_LIMIT: 'off',
  ALLOW_PRIVATE_ADDRESSES: 'on',
}

/**
 * The number of messages that one process sends at a time through an integration whose provider has not responded yet.
 */
export const MESSAGES_AT_ONCE = 10

export async function kill(gateway: GatewayProcess): Promise<void> {
  expect(await gateway.kill('SIGKILL')).toBe('SIGKILL')
}

export const names = (count: number) => Array.from({ length: count }, (_, index) => `subscriber-${index}`)

async function post(address: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status, await response.text()).toBeLessThan(300)
}

/** Creates subscribers, each with an email address. */
export async function createSubscribers(address: string, subscriberIds: readonly string[]): Promise<void> {
  for (let from = 0; from < subscriberIds.length; from += 500) {
    const some = subscriberIds.slice(from, from + 500)
    const subscribers = some.map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` }))
    await post(address, '/v1/subscribers/bulk', { subscribers })
  }
}

/** Creates subscribers with a subscription to the topic "news". */
export async function fillTopic(address: string, subscriberIds: readonly string[]): Promise<void> {
  await createSubscribers(address, subscriberIds)
  for (let from = 0; from < subscriberIds.length; from += 500) {
    const some = subscriberIds.slice(from, from + 500)
    for (let start = 0; start < some.length; start += 100) {
      const subscriptions = some.slice(start, start + 100)
      await post(address, '/v2/topics/news/subscriptions', { subscriptions })
    }
  }
}

/** Fills the topic with SQL before the gateway starts, because thousands of subscribers take too long through the API. */
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

export const triggerTopic = (address: string, transactionId: string) =>
  post(address, '/v1/events/trigger', { name: 'news', to: { type: 'Topic', topicKey: 'news' }, transactionId })

/** Creates a workflow that sends every message to the receiver. */
export async function sendByWebhook(address: string, receiver: Receiver): Promise<void> {
  // The first environment of a new database captures messages.
  const { environment } = await ask(address, '{ environment { id } }')
  await ask(
    address,
    `mutation { updateEnvironment(input: { id: "${environment.id}", sending: LIVE }) { userErrors { message } } }`,
  )
  const webhook = { identifier: 'hook', providerId: 'email-webhook', credentials: { webhookUrl: receiver.url } }
  await post(address, '/v1/integrations', { ...webhook, channel: 'email', active: true, name: 'Hook' })
  await post(address, '/v2/workflows', {
    identifier: 'news',
    name: 'News',
    steps: [{ type: 'email', subject: 'News', body: 'There is news' }],
  })
}

export async function ask(address: string, query: string) {
  const { body } = await send(address, key, query)
  if (body.errors) throw new Error(JSON.stringify(body.errors))
  return body.data
}

const completedRuns = async (address: string): Promise<number> =>
  (await ask(address, '{ workflowRuns(filter: { status: COMPLETED }) { totalCount } }')).workflowRuns.totalCount

export const sentMessages = async (address: string): Promise<number> =>
  (await ask(address, '{ deliveries(filter: { status: SENT }) { totalCount } }')).deliveries.totalCount

/** Milliseconds. Counting without a pause would take much of the gateway's CPU time. */
const COUNTING_PAUSE = 100

/** Polls until the count is at least `least`, and returns it. */
export const reaches = (count: () => Promise<number>, least: number): Promise<number> =>
  until(async () => {
    const now = await count()
    return now >= least ? now : undefined
  }, COUNTING_PAUSE)

/** The number of received requests per idempotency key. */
export function arrivals(receiver: Receiver): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { headers } of receiver.received) {
    const name = String(headers['idempotency-key'])
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Triggers a topic and kills the process four times while it creates the notifications. */
export async function notifyDespiteKills(recipients: number): Promise<void> {
  const settings = { ...(await freshSettings()), ...settingsOfAll }
  const subscriberIds = names(recipients)
  await prepareTopic(settings, subscriberIds)
  let { gateway, address } = await started(settings)
  const steps = [{ type: 'in_app', body: 'There is news' }]
  await post(address, '/v2/workflows', { identifier: 'news', name: 'News', steps })
  await triggerTopic(address, 'news-1')
  for (const part of [0.01, 0.2, 0.4, 0.6]) {
    const reached = await reaches(() => completedRuns(address), part * recipients)
    expect(reached).toBeLessThan(recipients)
    await kill(gateway)
    ;({ gateway, address } = await started(settings))
  }
  await reaches(() => completedRuns(address), recipients)
  expect(await gateway.kill('SIGTERM')).toBe(0)

  await withDatabase(settings, async ({ client }) => {
    const notified = await client.notification.findMany({
      select: { subscriberId: true },
      orderBy: { subscriberId: 'asc' },
    })
    expect(notified.map(({ subscriberId }) => subscriberId)).toEqual(subscriberIds.toSorted())
    const { environmentId, id } = await client.event.findFirstOrThrow()
    const [tally] = await tallies.load({ db: client, environmentId }, [id])
    const runs = { running: 0, waiting: 0, completed: recipients, failed: 0, cancelled: 0 }
    expect(tally).toMatchObject({ runs, notifications: recipients })
  })
}

/**
 * Triggers a workflow from many clients at the same time, so that their triggers are accepted in groups, and kills the
 * process three times meanwhile. Clients repeat requests that were not acknowledged.
 */
export async function acceptDespiteKills(clients: number, triggersOfEach: number): Promise<void> {
  const settings = { ...(await freshSettings()), ...settingsOfAll }
  let { gateway, address } = await started(settings)
  const steps = [{ type: 'in_app', body: 'There is news' }]
  await post(address, '/v2/workflows', { identifier: 'news', name: 'News', steps })

  const all = clients * triggersOfEach
  const acknowledged: string[] = []
  async function triggerAll(client: string): Promise<void> {
    for (let count = 0; count < triggersOfEach; count += 1) {
      const transactionId = `${client}-${count}`
      const trigger = { name: 'news', to: client, transactionId }
      await until(() => post(address, '/v1/events/trigger', trigger).then(() => true))
      acknowledged.push(transactionId)
    }
  }
  const triggered = Promise.all(names(clients).map(triggerAll))
  for (const part of [0.1, 0.3, 0.6]) {
    await until(() => Promise.resolve(acknowledged.length >= part * all || undefined), 1)
    expect(acknowledged.length).toBeLessThan(all)
    await kill(gateway)
    ;({ gateway, address } = await started(settings))
  }
  await triggered
  await reaches(() => completedRuns(address), all)
  expect(await gateway.kill('SIGTERM')).toBe(0)

  await withDatabase(settings, async ({ client }) => {
    const events = await client.event.findMany({ select: { id: true, transactionId: true } })
    expect(events.map(({ transactionId }) => transactionId).toSorted()).toEqual(acknowledged.toSorted())
    const notified = await client.notification.findMany({ select: { eventId: true } })
    expect(notified.map(({ eventId }) => eventId).toSorted()).toEqual(events.map(({ id }) => id).toSorted())
  })
}

/** Lets three processes send messages at the same time. Only PostgreSQL serves several processes. */
export async function shareMessages(receiver: Receiver, recipients: number): Promise<void> {
  const settings = { ...(await freshSettings()), ...settingsOfAll }
  const first = await started(settings)
  await fillTopic(first.address, names(recipients))
  await sendByWebhook(first.address, receiver)
  const others = [await started(settings), await started(settings)]
  // Only with all three processes can so many messages be in flight.
  const answers = holdAnswers(receiver)
  await triggerTopic(first.address, 'news-1')
  await answers.waiting(3 * MESSAGES_AT_ONCE)
  answers.release()
  await reaches(() => sentMessages(first.address), recipients)
  const counts = arrivals(receiver)
  expect(counts.size).toBe(recipients)
  expect([...counts.values()].filter((count) => count !== 1)).toEqual([])
  for (const { gateway } of [first, ...others]) expect(await gateway.kill('SIGTERM')).toBe(0)
}
