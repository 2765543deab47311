// Message statistics: how many messages were sent, failed, cancelled or skipped, over time.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { foldStatistics } from '../../src/data/monitoring/message-statistics.ts'
import { MAX_INTERVALS } from '../../src/domain/execution/message-statistics.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { browserOf } from '../support/browser.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const text = { sms: { stepId: 'text', body: 'Hello' } }
const ada = { to: { subscriberId: 'ada', email: 'ada@example.com', phone: '+4512345678' } }
const none = { sent: 0, failed: 0, cancelled: 0, skipped: 0 }

/** The day of the tests, on which the clock stands still. */
const at = (time: string) => new Date(`2026-03-14T${time}:00Z`)

beforeEach(async () => {
  world.setClock(at('10:10'))
  acme = await world.environment()
})
afterEach(() => world.setClock(undefined))

interface Selection {
  readonly from?: Date
  readonly to?: Date
  readonly interval?: 'MINUTE' | 'HOUR' | 'DAY'
  readonly filter?: object
}

const query = `query ($from: DateTime!, $to: DateTime!, $interval: StatisticsInterval!, $filter: MessageStatisticsFilter) {
  messageStatistics(from: $from, to: $to, interval: $interval, filter: $filter) {
    start sent failed cancelled skipped channels { channel sent failed cancelled skipped }
  }
}`

const variablesOf = ({ from = at('10:00'), to = at('11:00'), interval = 'HOUR', filter }: Selection) => ({
  ...{ from, to, interval, filter },
})

/** The statistics that a client reads. Default: the hour from ten to eleven. */
async function statistics(client: Client, selection: Selection = {}) {
  return (await client.ask(query, variablesOf(selection))).messageStatistics
}

/** The counts of the only interval. */
async function counts(client: Client, selection: Selection = {}) {
  const [{ sent, failed, cancelled, skipped }, ...rest] = await statistics(client, selection)
  expect(rest).toEqual([])
  return { sent, failed, cancelled, skipped }
}

async function fold(): Promise<void> {
  while ((await foldStatistics(world.gateway.db, 100)) > 0);
}

describe('message statistics', () => {
  test('count messages by outcome and channel', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [bell, mail, text])
    await trigger(acme, ada)
    await world.work()
    receiver.answer(400)
    await trigger(acme, ada)
    await world.work()
    expect(await statistics(acme)).toEqual([
      {
        ...{ start: '2026-03-14T10:00:00.000Z', sent: 3, failed: 1, cancelled: 0, skipped: 2 },
        channels: [
          { channel: 'IN_APP', ...none, sent: 2 },
          { channel: 'EMAIL', ...none, sent: 1, failed: 1 },
          { channel: 'SMS', ...none, skipped: 2 },
        ],
      },
    ])
  })

  test('count a step as failed if its message could not be rendered', async () => {
    await createWorkflow(acme, [{ inApp: { ...bell.inApp, url: '{{payload.url}}' } }])
    await trigger(acme, { payload: { url: 'javascript:alert(1)' } })
    await world.work()
    expect(await counts(acme)).toEqual({ ...none, failed: 1 })
  })

  test('count a cancelled message, but no message in flight', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    receiver.answer(503)
    const transactionId = await trigger(acme, ada)
    await world.work()
    expect(await counts(acme)).toEqual(none)
    await done(acme, 'cancelEvent', { transactionId })
    expect(await counts(acme)).toEqual({ ...none, cancelled: 1 })
  })

  test('count a message that failed, was retried and sent in both hours', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [mail])
    receiver.answer(400)
    await trigger(acme, ada)
    await world.work()
    world.setClock(at('12:30'))
    receiver.answer(200)
    const { deliveries } = await acme.ask('{ deliveries { nodes { id } } }')
    await done(acme, 'retryDelivery', { id: deliveries.nodes[0].id })
    await world.work()
    expect(await statistics(acme, { to: at('13:00') })).toMatchObject([
      { start: '2026-03-14T10:00:00.000Z', ...none, failed: 1 },
      { start: '2026-03-14T11:00:00.000Z', ...none, channels: [] },
      { start: '2026-03-14T12:00:00.000Z', ...none, sent: 1 },
    ])
  })

  test.each([
    ['MINUTE', at('10:09'), at('10:12'), ['10:09', '10:10', '10:11'].map(at), 1],
    ['HOUR', at('09:59'), at('11:01'), ['09:00', '10:00', '11:00'].map(at), 1],
    ['DAY', new Date('2026-03-13T23:59:59Z'), at('10:11'), [new Date('2026-03-13'), new Date('2026-03-14')], 1],
  ] as const)('begin at full intervals in UTC: %s', async (interval, from, to, starts, place) => {
    await createWorkflow(acme, [bell])
    await trigger(acme)
    await world.work()
    for (const added of [false, true]) {
      if (added) await fold()
      const found = await statistics(acme, { from, to, interval })
      expect(found.map(({ start, sent }) => ({ start, sent }))).toEqual(
        starts.map((start, index) => ({ start: start.toISOString(), sent: index === place ? 1 : 0 })),
      )
    }
  })

  test('can be limited to workflows and channels', async () => {
    await createWorkflow(acme, [bell, text])
    await createWorkflow(acme, [bell], { identifier: 'news' })
    await trigger(acme)
    await trigger(acme, { name: 'news' })
    await world.work()
    for (const added of [false, true]) {
      if (added) await fold()
      expect(await counts(acme)).toEqual({ ...none, sent: 2, skipped: 1 })
      expect(await counts(acme, { filter: { workflowIdentifier: 'order' } })).toEqual({ ...none, sent: 1, skipped: 1 })
      expect(await counts(acme, { filter: { workflowIdentifier: 'order', channel: 'IN_APP' } })).toEqual({
        ...none,
        sent: 1,
      })
      expect(await counts(acme, { filter: { channel: 'PUSH' } })).toEqual(none)
      const several = { workflowIdentifiers: ['order', 'news'], channels: ['PUSH', 'IN_APP'] }
      expect(await counts(acme, { filter: several })).toEqual({ ...none, sent: 2 })
      expect(await counts(acme, { filter: { ...several, workflowIdentifier: 'news' } })).toEqual({ ...none, sent: 1 })
    }
  })

  test('contain one environment only', async () => {
    const other = await world.environment()
    await createWorkflow(acme, [bell])
    await trigger(acme)
    await world.work()
    for (const added of [false, true]) {
      if (added) await fold()
      expect(await counts(acme)).toEqual({ ...none, sent: 1 })
      expect(await counts(other)).toEqual(none)
    }
  })

  test('do not count previews', async () => {
    await createWorkflow(acme, [bell, text])
    await acme.ask('query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { eventStatus } }', {
      input: { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'ada' } }] },
    })
    expect(await counts(acme)).toEqual(none)
  })

  test('can be read with a READ_ONLY key, and not with a session', async () => {
    const { newApiKey } = await done(acme, 'createApiKey', { name: 'Reader', access: 'READ_ONLY' }, 'newApiKey { key }')
    expect(await counts(world.client(newApiKey.key))).toEqual(none)
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    const browser = await browserOf(world, acme, 'ada')
    const { errors } = await browser.send(query, variablesOf({}))
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })
})

describe('message statistics are exact', () => {
  /** Subscribes people to a topic, and creates a workflow that reaches each in the feed and by email. */
  async function subscribe(count: number): Promise<void> {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [bell, mail, text])
    const ids = Array.from({ length: count }, (_, index) => `user-${index}`)
    await done(acme, 'createSubscribers', {
      subscribers: ids.map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` })),
    })
    await done(acme, 'createTopic', { key: 'all' })
    await done(acme, 'createTopicSubscriptions', {
      topicKey: 'all',
      subscriptions: ids.map((subscriberId) => ({ subscriberId })),
    })
  }
  const toAll = { to: { type: 'Topic', topicKey: 'all' } }

  test('with several workers', async () => {
    await subscribe(60)
    await trigger(acme, toAll)
    await Promise.all([world.work(), world.work(), world.work(), fold(), fold()])
    expect(await counts(acme)).toEqual({ ...none, sent: 120, skipped: 60 })
    await Promise.all([fold(), fold(), fold()])
    expect(await counts(acme)).toEqual({ ...none, sent: 120, skipped: 60 })
  })

  test('if jobs are executed again, as after the death of a process', async () => {
    await subscribe(3)
    await trigger(acme, toAll)
    const { pool } = world.database
    const kept: { environment_id: string; id: string; queue: string; data: object }[] = []
    receiver.respond((response) => {
      // Each message is in progress, because its job and those before it are still in the queue.
      void pool.query('SELECT environment_id, id, queue, data FROM jobs').then(({ rows }) => {
        kept.push(...(rows as typeof kept))
        response.writeHead(200).end()
      })
    })
    const fanOut = await pool.query('SELECT environment_id, id, queue, data FROM jobs')
    kept.push(...(fanOut.rows as typeof kept))
    await world.work()
    expect(new Set(kept.map(({ queue }) => queue))).toContain('deliver')
    for (const { environment_id, id, queue, data } of kept) {
      await pool.query(
        `INSERT INTO jobs (environment_id, id, queue, data, due_at, available_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $5, $5) ON CONFLICT DO NOTHING`,
        [environment_id, id, queue, data, world.gateway.now()],
      )
    }
    await world.work()
    expect(await counts(acme)).toEqual({ ...none, sent: 6, skipped: 3 })
  })

  test('if an internal error rolls back a job, which is executed again', async () => {
    await subscribe(3)
    await trigger(acme, toAll)
    const { pool } = world.database
    await pool.query('ALTER TABLE deliveries RENAME TO misplaced')
    await world.work({ early: true })
    await pool.query('ALTER TABLE misplaced RENAME TO deliveries')
    expect(await counts(acme)).toEqual(none)
    const { workflowRuns } = await acme.ask('{ workflowRuns(filter: { status: FAILED }) { nodes { id } } }')
    for (const { id } of workflowRuns.nodes) await done(acme, 'retryWorkflowRun', { id })
    await world.work()
    expect(await counts(acme)).toEqual({ ...none, sent: 6, skipped: 3 })
  })

  test('while changes are added up, and cost one statement', async () => {
    await subscribe(20)
    await trigger(acme, toAll)
    await world.work()
    const before = await statistics(acme)
    const { db } = world.gateway
    await Promise.all([foldStatistics(db, 3), foldStatistics(db, 3)])
    expect(await statistics(acme)).toEqual(before)
    await fold()
    const sent = await statementsOf(async () => expect(await statistics(acme)).toEqual(before))
    expect(sent.filter((statement) => statement.includes('message_statistics'))).toHaveLength(1)
  })

  test('and gone with their environment', async () => {
    await createWorkflow(acme, [bell])
    await trigger(acme)
    await world.work()
    await fold()
    await trigger(acme)
    await world.work()
    const id = await environmentIdOf(acme)
    const { environment } = await acme.ask('{ environment { id } }')
    await done(world.development, 'deleteEnvironment', { id: environment.id })
    await housekeepingOf(world).perform('deletion')
    await fold()
    for (const table of ['message_statistics', 'message_statistics_changes']) {
      const { rows } = await world.database.pool.query(`SELECT FROM ${table} WHERE environment_id = $1`, [id])
      expect(rows).toEqual([])
    }
  })
})

describe('message statistics', () => {
  const hours = (count: number) => new Date(at('10:00').getTime() + count * 3_600_000)

  test('return at most 750 intervals', async () => {
    expect(await statistics(acme, { to: hours(MAX_INTERVALS) })).toHaveLength(MAX_INTERVALS)
  })

  test.each([
    ['more intervals', { to: hours(MAX_INTERVALS + 1) }, 'from must be at most 750 hours before to'],
    ['an end before the beginning', { to: at('09:00') }, 'to must be after from'],
    ['an empty span', { to: at('10:00') }, 'to must be after from'],
    [
      'minutes of yesterday',
      { from: hours(-24), to: hours(-23), interval: 'MINUTE' },
      'from must be at most 24 hours ago for the interval MINUTE',
    ],
  ] as const)('reject %s', async (_case, selection, message) => {
    const { errors } = await acme.send(query, variablesOf(selection))
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }])
  })
})
