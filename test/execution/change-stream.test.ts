// Subscriptions to changes of events and deliveries: what a stream sends, to which callers, and when it ends.
import { beforeEach, describe, expect, test } from 'vitest'
import { MAX_CHANGED } from '../../src/domain/execution/change-stream.ts'
import { browserOf } from '../support/browser.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { until } from '../support/process/gateway-process.ts'
import { statementsOf } from '../support/statements.ts'
import type { Stream } from '../support/stream.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const bell = { inApp: { stepId: 'bell', body: 'Hello' } }

const eventsQuery = `subscription ($filter: ChangedEventsFilter, $since: String) {
  eventsChanged(filter: $filter, since: $since) { hasMore events { transactionId status outcome messageCounts { sent pending } } }
}`
const deliveriesQuery = `subscription ($filter: ChangedDeliveriesFilter, $since: String) {
  deliveriesChanged(filter: $filter, since: $since) { hasMore deliveries { status attemptCount attempts { error } event { transactionId } } }
}`

const events = (list: readonly object[], hasMore = false) => ({
  data: { eventsChanged: { hasMore, events: list.map((one) => expect.objectContaining(one)) } },
})
const deliveries = (list: readonly object[], hasMore = false) => ({
  data: { deliveriesChanged: { hasMore, deliveries: list.map((one) => expect.objectContaining(one)) } },
})

beforeEach(async () => {
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [mail])
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

/** Opens a stream, and reads the result that says so. */
async function following(query: string, filter: object = {}, client = acme): Promise<Stream> {
  const stream = await client.follow(query, { filter })
  const first = query === eventsQuery ? events([], true) : deliveries([], true)
  expect(await stream.next()).toEqual(first)
  return stream
}

describe('a stream of changed events', () => {
  test('says at once that earlier changes are not part of it, and sends none of them', async () => {
    await trigger(acme)
    const stream = await following(eventsQuery)
    await world.look()
    const transactionId = await trigger(acme)
    await world.look()
    expect(await stream.next()).toEqual(events([{ transactionId }]))
  })

  test('sends an event when it is accepted, and with each change what has become of it', async () => {
    const stream = await following(eventsQuery)
    const transactionId = await trigger(acme)
    await world.look()
    const messageCounts = { sent: 0, pending: 0 }
    expect(await stream.next()).toEqual(
      events([{ transactionId, status: 'ACCEPTED', outcome: 'PENDING', messageCounts }]),
    )
    await world.work()
    await world.look()
    const delivered = { status: 'COMPLETED', outcome: 'DELIVERED', messageCounts: { sent: 1, pending: 0 } }
    expect(await stream.next()).toEqual(events([{ transactionId, ...delivered }]))
  })

  test('sends each change once', async () => {
    const stream = await following(eventsQuery)
    await trigger(acme)
    await world.look()
    await stream.next()
    for (let look = 0; look < 3; look += 1) await world.look()
    const transactionId = await trigger(acme)
    await world.look()
    expect(await stream.next()).toEqual(events([{ transactionId }]))
  })

  test('sends the events in the order of their last changes', async () => {
    const stream = await following(eventsQuery)
    const [first, second] = [await trigger(acme), await trigger(acme)]
    await done(acme, 'cancelEvent', { transactionId: first })
    await world.look()
    expect(await stream.next()).toEqual(
      events([{ transactionId: second }, { transactionId: first, status: 'CANCELLED' }]),
    )
  })

  test('sends an event that ends without a recipient', async () => {
    await done(acme, 'createTopic', { key: 'news', name: 'News' })
    const transactionId = 'to-nobody'
    const to = [{ topic: { topicKey: 'news' } }]
    await acme.act('triggerEvent', { workflowIdentifier: 'order', to, transactionId })
    const stream = await following(eventsQuery)
    world.setClock(new Date(Date.now() + 3_600_000))
    await world.work()
    await world.look()
    world.setClock(undefined)
    expect(await stream.next()).toEqual(events([{ transactionId, status: 'SKIPPED', outcome: 'NOTHING' }]))
  })

  test('sends an event of which only a feed entry is new', async () => {
    await createWorkflow(acme, [bell], { identifier: 'bell' })
    const transactionId = await trigger(acme, { name: 'bell' })
    const stream = await following(eventsQuery)
    await world.work()
    await world.look()
    expect(await stream.next()).toEqual(events([{ transactionId, outcome: 'DELIVERED' }]))
  })

  test('sends what a transaction that began earlier commits late', async () => {
    const [transactionId, stream] = [await trigger(acme), await following(eventsQuery)]
    const environmentId = await environmentIdOf(acme)
    const committed = world.gateway.db.$transaction(async (db) => {
      // The id of a savepoint is later than that of its transaction.
      await db.$executeRaw`SAVEPOINT late`
      const where = { environmentId_transactionId: { environmentId, transactionId } }
      await db.event.update({ where, data: { cancelledAt: new Date(), updatedAt: new Date(Date.now() - 20_000) } })
      await db.$executeRaw`RELEASE late`
    })
    const looked = world.look()
    await Promise.all([looked, committed])
    await world.look()
    expect(await stream.next()).toEqual(events([{ transactionId, status: 'CANCELLED' }]))
  })

  test('sends nothing of another environment', async () => {
    const other = await world.environment()
    await createWorkflow(other, [bell])
    await done(other, 'createSubscriber', { subscriberId: 'ada' })
    const [stream, others] = [await following(eventsQuery), await following(eventsQuery, {}, other)]
    const [elsewhere, here] = [await trigger(other), await trigger(acme)]
    await world.look()
    expect(await stream.next()).toEqual(events([{ transactionId: here }]))
    expect(await others.next()).toEqual(events([{ transactionId: elsewhere }]))
  })

  test('says that more changed than it lists', async () => {
    const stream = await following(eventsQuery)
    const to = [{ subscriber: { subscriberId: 'ada' } }]
    const one = { workflowIdentifier: 'order', to }
    await acme.act('triggerEvents', { events: Array.from({ length: MAX_CHANGED }, () => one) })
    await trigger(acme)
    await world.look()
    expect(await stream.next()).toEqual(
      events(
        Array.from({ length: MAX_CHANGED }, () => ({ status: 'ACCEPTED' })),
        true,
      ),
    )
  })

  test('sends a client that reads slowly several changes at once, each event once', async () => {
    const stream = await following(eventsQuery)
    const transactionIds: string[] = []
    for (let look = 0; look < 3; look += 1) {
      transactionIds.push(await trigger(acme))
      await world.look()
    }
    const received: unknown[] = []
    while (received.length < 3) {
      const result = await stream.next()
      received.push(...Object(result?.data).eventsChanged.events)
    }
    expect(received).toEqual(transactionIds.map((transactionId) => expect.objectContaining({ transactionId })))
  })

  test.each([
    ['transaction id', { transactionId: 'this' }],
    ['workflow', { workflowIdentifier: 'this' }],
    ['workflows', { workflowIdentifiers: ['none', 'this'] }],
    ['subscriber', { subscriberId: 'grace' }],
    ['subscribers', { subscriberIds: ['nobody', 'grace'] }],
    ['contexts', { contextKeys: ['tenant:a', 'app:b'] }],
  ])('is filtered by %s', async (_what, filter) => {
    await createWorkflow(acme, [mail], { identifier: 'this' })
    const stream = await following(eventsQuery, filter)
    await trigger(acme)
    await trigger(acme, { name: 'this', to: 'grace', context: { app: 'b', tenant: 'a' }, transactionId: 'this' })
    await world.work()
    await world.look()
    expect(await stream.next()).toEqual(events([{ transactionId: 'this' }]))
  })
})

describe('a stream of changed deliveries', () => {
  test('sends a message that was created, attempted and sent', async () => {
    const stream = await following(deliveriesQuery)
    receiver.answer(500, 'out of order')
    const transactionId = await trigger(acme)
    await world.work()
    await world.look()
    const failed = { status: 'PENDING', attemptCount: 1, attempts: [{ error: expect.any(String) }] }
    expect(await stream.next()).toEqual(deliveries([{ ...failed, event: { transactionId } }]))
    receiver.answer(200)
    await world.work({ early: true })
    await world.look()
    expect(await stream.next()).toEqual(deliveries([{ status: 'SENT', attemptCount: 2 }]))
  })

  test('sends a message after an attempt that failed long after it began', async () => {
    const stream = await following(deliveriesQuery)
    receiver.respond((response) => {
      void world.look().then(() => {
        world.setClock(new Date(Date.now() + 3_600_000))
        response.writeHead(500).end()
      })
    })
    await trigger(acme)
    await world.work()
    await world.look()
    world.setClock(undefined)
    expect(await stream.next()).toEqual(deliveries([{ attemptCount: 1, attempts: [] }]))
    expect(await stream.next()).toEqual(deliveries([{ attempts: [{ error: expect.any(String) }] }]))
  })

  test.each([
    ['transaction id', { transactionId: 'this' }],
    ['workflow', { workflowIdentifier: 'this' }],
    ['subscriber', { subscriberId: 'grace' }],
    ['contexts', { contextKeys: ['tenant:a'] }],
    ['channel', { channels: ['CHAT'] }],
    ['integration', { integrationIdentifier: 'chat' }],
  ])('is filtered by %s', async (_what, filter) => {
    await createIntegration(acme, 'CHAT_WEBHOOK', receiver.url, { identifier: 'chat' })
    await createWorkflow(acme, [{ chat: { stepId: 'chat', body: 'Hello' } }], { identifier: 'this' })
    const webhookUrl = `${receiver.url}/grace`
    const channels = [{ providerId: 'CHAT_WEBHOOK', integrationIdentifier: 'chat', credentials: { webhookUrl } }]
    await done(acme, 'upsertSubscriber', { subscriberId: 'grace', channels })
    const stream = await following(deliveriesQuery, filter)
    await trigger(acme)
    await trigger(acme, { name: 'this', to: 'grace', context: { tenant: 'a' }, transactionId: 'this' })
    await world.work()
    await world.look()
    expect(await stream.next()).toEqual(deliveries([{ event: { transactionId: 'this' } }]))
  })
})

describe('a stream since a position', () => {
  const positionNow = async () =>
    (await acme.ask<{ changePosition: string }>('{ changePosition events { totalCount } }')).changePosition

  // Other transactions of the server that are in progress make the position an earlier one.
  test('begins with the changes since then', async () => {
    await trigger(acme)
    const since = await positionNow()
    const transactionId = await trigger(acme)
    const stream = await acme.follow(eventsQuery, { since })
    const { hasMore, events: first } = Object((await stream.next())?.data).eventsChanged
    expect({ hasMore, last: first.at(-1) }).toMatchObject({ hasMore: false, last: { transactionId } })
    const messages = await acme.follow(deliveriesQuery, { since })
    expect(await messages.next()).toEqual(deliveries([]))
    const next = await trigger(acme)
    await world.look()
    expect(await stream.next()).toEqual(events([{ transactionId: next }]))
  })

  test('begins with what a transaction commits that was open then', async () => {
    const [cancelled, environmentId] = [await trigger(acme), await environmentIdOf(acme)]
    let since = ''
    await world.gateway.db.$transaction(async (db) => {
      const where = { environmentId_transactionId: { environmentId, transactionId: cancelled } }
      await db.event.update({ where, data: { cancelledAt: new Date(), updatedAt: new Date(Date.now() - 20_000) } })
      const [row] = await db.$queryRaw<{ oldest: string }[]>`
        SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest`
      since = Buffer.from(`${row?.oldest}.${Date.now()}`).toString('base64url')
    })
    const stream = await acme.follow(eventsQuery, { since })
    expect(await stream.next()).toEqual(events([{ transactionId: cancelled, status: 'CANCELLED' }]))
  })

  test('is filtered', async () => {
    const since = await positionNow()
    await trigger(acme)
    const stream = await acme.follow(eventsQuery, { since, filter: { transactionId: 'another' } })
    expect(await stream.next()).toEqual(events([]))
  })

  test('says that the list must be read again if the position is too old', async () => {
    const since = await positionNow()
    world.setClock(new Date(Date.now() + 61_000))
    const stream = await acme.follow(eventsQuery, { since })
    expect(await stream.next()).toEqual(events([], true))
    world.setClock(undefined)
  })

  test('reads the position before everything else of its query', async () => {
    const statements = await statementsOf(() => acme.ask('{ events { totalCount } changePosition }'))
    const reads = statements.filter((text) => text.includes('pg_current_snapshot') || text.includes('events'))
    expect(reads[0]).toContain('pg_current_snapshot')
    expect(reads.filter((text) => text.includes('pg_current_snapshot'))).toHaveLength(1)
  })

  test.each(['', 'x', Buffer.from('1.x').toString('base64url'), '9'.repeat(65)])(
    'rejects what is no position: %s',
    async (since) => {
      const stream = await acme.follow(eventsQuery, { since })
      expect(await stream.rest()).toMatchObject([{ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }])
    },
  )
})

describe('a stream of changes', () => {
  test('costs one statement for all streams of an environment, and none without a stream', async () => {
    expect(await statementsOf(() => world.look())).toEqual([])
    const streams = [await following(eventsQuery), await following(deliveriesQuery), await following(eventsQuery)]
    expect(await statementsOf(() => world.look())).toHaveLength(1)
    for (const stream of streams) await stream.leave()
    await until(async () => ((await statementsOf(() => world.look())).length === 0 ? true : undefined))
  })

  test('reads no event for a result that selects none', async () => {
    const stream = await acme.follow('subscription { eventsChanged { hasMore count } }')
    await stream.next()
    const statements = await statementsOf(async () => {
      await trigger(acme)
      await world.look()
      expect(await stream.next()).toEqual({ data: { eventsChanged: { hasMore: false, count: 1 } } })
    })
    expect(statements.filter((text) => text.includes('events.by.id'))).toEqual([])
  })

  test('is not open to browser sessions', async () => {
    const browser = await browserOf(world, acme, 'ada')
    for (const query of [eventsQuery, deliveriesQuery]) {
      expect(await (await browser.follow(query)).rest()).toMatchObject([
        { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
      ])
    }
  })

  test('ends with an error when the changes cannot be read', async () => {
    const [stream, other] = [await following(eventsQuery), await following(deliveriesQuery)]
    await world.database.pool.query('ALTER TABLE workflow_runs RENAME TO hidden_runs')
    await world.look().finally(() => world.database.pool.query('ALTER TABLE hidden_runs RENAME TO workflow_runs'))
    const interrupted = {
      message: 'The stream was interrupted and may have missed changes. Subscribe again.',
      extensions: { code: 'SERVICE_UNAVAILABLE' },
    }
    for (const one of [stream, other]) expect(await one.rest()).toMatchObject([{ errors: [interrupted] }])
    const transactionId = 'afterwards'
    const again = await following(eventsQuery)
    await trigger(acme, { transactionId })
    await world.look()
    expect(await again.next()).toEqual(events([{ transactionId }]))
  })

  test.each([
    ['eventsChanged', `{ transactionId: "${'x'.repeat(256)}" }`],
    ['eventsChanged', '{ workflowIdentifiers: [] }'],
    ['deliveriesChanged', '{ contextKeys: ["acme"] }'],
    ['deliveriesChanged', '{ channels: [] }'],
  ])('of %s(filter: %s) is rejected', async (field, filter) => {
    const stream = await acme.follow(`subscription { ${field}(filter: ${filter}) { hasMore } }`)
    expect(await stream.rest()).toMatchObject([{ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }])
  })
})
