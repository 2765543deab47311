// Subscriptions in real gateway processes: across two of them, and at shutdown.
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/data/connection/database.ts'
import { newId } from '../../src/lib/new-id.ts'
import { notify } from '../support/feed.ts'
import { build, freshSettings, send, type Settings, started } from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { readStream, subscribing } from '../support/stream.ts'

// Each test starts up to two processes.
vi.setConfig({ testTimeout: 120_000 })
beforeAll(build, 120_000)

const received = 'subscription { notificationReceived(subscriberId: "ada") { id body } }'
const counted = 'subscription { notificationCountsChanged(subscriberId: "ada") { unseen unread total } }'
const counts = (unseen: number, unread: number, total: number) => ({
  data: { notificationCountsChanged: { unseen, unread, total } },
})

const changed = 'subscription { eventsChanged { hasMore events { transactionId } } }'
const changes = (transactionIds: readonly string[], hasMore = false) => ({
  data: { eventsChanged: { hasMore, events: transactionIds.map((transactionId) => ({ transactionId })) } },
})

const key = 'ada-follows-her-feed'

/** A gateway with the subscriber Ada. */
async function startedWithAda() {
  const settings: Settings = { ...(await freshSettings()), BOOTSTRAP_API_KEY: key }
  const { gateway, address } = await started(settings)
  const ask = async (query: string, variables = {}, at = address) => (await send(at, key, query, variables)).body.data
  await ask('mutation { createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } } }')
  const follow = async (query: string) => readStream(await fetch(subscribing(address, `ApiKey ${key}`, query)))
  return { settings, gateway, address, ask, follow }
}

test.runIf(onServer)(
  'a subscription in one process receives what another process writes (needs TEST_DATABASE_URL)',
  async () => {
    const { settings, ask, follow } = await startedWithAda()
    const other = await started(settings)
    const [notifications, badge, log] = [await follow(received), await follow(counted), await follow(changed)]
    expect(await badge.next()).toEqual(counts(0, 0, 0))
    expect(await log.next()).toEqual(changes([], true))

    const database = await openDatabase({ url: settings['DATABASE_URL'] ?? '' })
    onTestFinished(() => database.close())
    const gateway = { db: database.client, newId, now: () => new Date() }
    const [id] = await notify({ gateway }, { ask }, { subscriberId: 'ada', body: 'from elsewhere' })
    expect(await notifications.next()).toEqual({ data: { notificationReceived: { id, body: 'from elsewhere' } } })
    expect(await badge.next()).toEqual(counts(1, 1, 1))

    const mark = 'mutation ($id: ID!) { markNotification(input: { id: $id, as: READ }) { userErrors { message } } }'
    await ask(mark, { id }, other.address)
    expect(await badge.next()).toEqual(counts(0, 0, 1))

    const create =
      'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }'
    await ask(create, { input: { identifier: 'order', name: 'Order', steps: [{ inApp: { body: 'Hello' } }] } })
    const trigger = 'mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { message } } }'
    const to = [{ subscriber: { subscriberId: 'ada' } }]
    await ask(trigger, { input: { workflowIdentifier: 'order', to, transactionId: 'order-1' } }, other.address)
    expect(await log.next()).toEqual(changes(['order-1']))
  },
)

test('a process keeps running when a client unsubscribes, and asks the others at shutdown to subscribe again', async () => {
  const { gateway, ask, follow } = await startedWithAda()
  const gone = await follow(counted)
  expect(await gone.next()).toEqual(counts(0, 0, 0))
  await gone.leave()
  expect(await ask('{ environment { name } }')).toEqual({ environment: { name: 'Development' } })

  const [notifications, badge, log] = [await follow(received), await follow(counted), await follow(changed)]
  expect(await badge.next()).toEqual(counts(0, 0, 0))
  expect(await log.next()).toEqual(changes([], true))
  gateway.child.kill('SIGTERM')
  const interrupted = {
    errors: [{ message: expect.stringContaining('Subscribe again'), extensions: { code: 'SERVICE_UNAVAILABLE' } }],
  }
  expect(await notifications.rest()).toMatchObject([interrupted])
  expect(await badge.rest()).toMatchObject([interrupted])
  expect(await log.rest()).toMatchObject([interrupted])
  expect(await gateway.ended).toBe(0)
})
