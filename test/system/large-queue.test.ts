// Delivery in a large environment: every step reads from an index.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { takeJobs } from '../../src/data/queue/job-taking.ts'
import { NO_INTEGRATION } from '../../src/data/queue/job.ts'
import type { Tenant } from '../../src/data/reading/loader.ts'
import { createRuns } from '../../src/data/run.ts'
import { subscriptionPage } from '../../src/data/topic-subscription.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { plansOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
let gateway: Client
let environmentId: string

const LARGE = 20_000

beforeAll(async () => {
  gateway = await world.environment()
  environmentId = await environmentIdOf(gateway)
  const { pool } = world.database
  // The next statement checks its foreign keys by these statistics.
  const fill = async (statement: string) => {
    await pool.query(statement, [environmentId])
    await pool.query('ANALYZE')
  }
  await fill(
    `INSERT INTO subscribers (environment_id, id, subscriber_id, data, created_at, updated_at)
     SELECT $1, gen_random_uuid(), 'user-' || n, '{}', now(), now() FROM generate_series(1, ${LARGE}) AS n`,
  )
  await fill(
    `INSERT INTO topics (environment_id, id, key, data, created_at, updated_at)
     VALUES ($1, gen_random_uuid(), 'news', '{}', now(), now())`,
  )
  await fill(
    `INSERT INTO topic_subscriptions (environment_id, id, identifier, topic_key, subscriber_id, context_keys, created_at, updated_at)
     SELECT $1, gen_random_uuid(), 'user-' || n, 'news', 'user-' || n, ARRAY['tenant:' || n % 100], now(), now()
     FROM generate_series(1, ${LARGE}) AS n`,
  )
  await fill(
    `INSERT INTO topic_subscription_preferences (environment_id, subscription_id, position, filter_workflow_ids, filter_tags,
                                                 enabled)
     SELECT environment_id, id, 0, '{}', '{digest}', false FROM topic_subscriptions
     WHERE environment_id = $1 AND subscriber_id LIKE '%7'`,
  )
  await fill(
    `INSERT INTO workflow_snapshots (environment_id, hash, workflow)
     VALUES ($1, 'news', '{"identifier": "news", "name": "News", "steps": []}')`,
  )
  // Only the first event has runs, one per subscriber. A few of them have failed. A few events have a reason, are cancelled,
  // not fanned out or running.
  await fill(
    `INSERT INTO events (environment_id, id, transaction_id, workflow_identifier, recipients, payload, overrides,
                         context_keys, snapshot_hash, reason, cancelled_at, fanned_out_at, created_at, updated_at)
     SELECT $1, gen_random_uuid(), n, 'news', '[]', '{}', '{}', '{}', 'news',
            CASE n % 1000 WHEN 0 THEN 'fan_out_failed' WHEN 1 THEN 'no_subscriptions' END,
            CASE n % 1000 WHEN 2 THEN now() END, CASE WHEN n % 1000 > 3 THEN now() END,
            timestamptz '2030-01-01' + n * interval '1 second', now()
     FROM generate_series(1, ${LARGE}) AS n`,
  )
  await fill(
    `INSERT INTO event_tallies (environment_id, event_id, created_at, runs_running, runs_completed, outcome_pending,
                                outcome_delivered, outcome_failed, outcome_nothing)
     SELECT environment_id, id, created_at, (n = 4)::int, 1, (n = 4)::int, (n NOT IN (5, 6))::int, (n = 5)::int, (n = 6)::int
     FROM events CROSS JOIN LATERAL (SELECT transaction_id::int % 1000) AS place(n)
     WHERE environment_id = $1 AND n > 3`,
  )
  await fill(
    `INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, subscriber_row_id, workflow_identifier,
                                event_created_at, status, position, created_at, updated_at)
     SELECT subscriber.environment_id, gen_random_uuid(), event.id, subscriber_id, subscriber.id, 'news', event.created_at,
            (CASE WHEN subscriber_id LIKE '%777' THEN 'failed' ELSE 'completed' END)::"RunStatus", 1, now(), now()
     FROM subscribers AS subscriber JOIN events AS event
       ON event.environment_id = subscriber.environment_id AND event.transaction_id = '1'
     WHERE subscriber.environment_id = $1`,
  )
  await fill(
    `INSERT INTO step_runs (environment_id, id, run_id, position, step_id, type, status, reason, created_at, updated_at)
     SELECT environment_id, id, id, 0, 'email', 'email', (CASE status WHEN 'failed' THEN 'failed' ELSE 'sent' END)::"StepStatus",
            CASE status WHEN 'failed' THEN 'content' END, now(), now()
     FROM workflow_runs WHERE environment_id = $1`,
  )
  await fill(
    `INSERT INTO deliveries (environment_id, id, step_run_id, event_id, workflow_identifier, subscriber_id, channel,
                             provider_id, integration_identifier, target, content, status, attempt_count, created_at,
                             updated_at)
     SELECT run.environment_id, run.id, run.id, run.event_id, 'news', subscriber_id, 'email', 'email-webhook', 'hook', '{"kind": "email", "address": "a@example.com"}',
            '{"subject": null, "body": ""}', (CASE WHEN status = 'failed' THEN 'failed' ELSE 'sent' END)::"DeliveryStatus", 1,
            now(), now()
     FROM workflow_runs AS run WHERE environment_id = $1`,
  )
  // Half of the jobs are due, the others are scheduled for tomorrow.
  await fill(
    `INSERT INTO jobs (environment_id, id, queue, data, due_at, available_at, created_at)
     SELECT $1, gen_random_uuid(), (ARRAY['deliver', 'advance'])[1 + n / 2 % 2]::"JobQueue", '{}', at, at, now()
     FROM generate_series(1, ${2 * LARGE}) AS n
     CROSS JOIN LATERAL (SELECT CASE WHEN n % 2 = 0 THEN now() + interval '1 day' ELSE now() - n * interval '1 ms' END) AS job(at)`,
  )
  await pool.query('VACUUM ANALYZE')
}, 300_000)

/** A plan without the parts for tables that have a few rows here, because such a table needs no index. */
const withoutSmall = (plan: string) =>
  plan.replaceAll(
    /Seq Scan on (pauses|environments|integrations|integration_circuits|rate_limit_buckets).*(\n +(Filter|Rows Removed by Filter|Buffers): .*)*/g,
    '',
  )

/** The plan of the only statement on `table` that `read` sends. */
async function planOf(table: string, read: () => Promise<unknown>): Promise<string> {
  const plans = await plansOf(world.database.pool, table, read)
  expect(plans).toHaveLength(1)
  return plans.join()
}

/** Expects a plan without sequential scans or sorts that discards at most one row per step. */
function expectIndexed(plan: string): void {
  expect(plan).not.toMatch(/Seq Scan|Sort Method/)
  const removed = Array.from(plan.matchAll(/Rows Removed by .*: (\d+)/g), ([, rows]) => Number(rows))
  expect(removed.filter((rows) => rows > 1)).toEqual([])
}

/**
 * Expects a plan that reads about as many rows of the large tables as a page has.
 *
 * @param dropped the plan drops fewer rows than this.
 */
function expectFewRows(plan: string, dropped = 10): void {
  expect(plan).not.toMatch(/Seq Scan on (events|event_tallies|workflow_runs)/)
  // The counts of rows are those of one loop.
  const read = Array.from(
    plan.matchAll(/actual time=\S+ rows=(\d+) loops=(\d+)/g),
    ([, rows, loops]) => Number(rows) * Number(loops),
  )
  expect(Math.max(...read)).toBeLessThan(100)
  const removed = Array.from(plan.matchAll(/Rows Removed by .*: (\d+)/g), ([, rows]) => Number(rows))
  expect(Math.max(0, ...removed)).toBeLessThan(dropped)
}

test('a page of topic subscriptions reads only those with the contexts of the event', async () => {
  const tenant = { environmentId, db: world.gateway.db }
  const contextKeys = ['tenant:7']
  const read = (after: string | null) => subscriptionPage(tenant, { topicKey: 'news', contextKeys, after, take: 50 })
  const middle = (await read(null)).at(-1)
  const plan = await planOf('topic_subscriptions', () => read(middle?.id ?? null))
  expectIndexed(plan)
  expect(plan).toMatch(/Index Cond: .*context_keys = .*id > /)
})

describe('when many jobs wait,', () => {
  const taking = { count: { all: 20, each: 20 }, except: [], lease: 1_000 }

  test('the next ones by priority are read from an index', async () => {
    const plan = await planOf('jobs', () =>
      takeJobs(world.gateway.db, { ...taking, kind: 'runs', after: environmentId, now: new Date() }),
    )
    expectIndexed(withoutSmall(plan))
  })

  test('the next messages by integration are read from an index, no more than each has room for', async () => {
    const rooms = { known: { [`${environmentId} ${NO_INTEGRATION}`]: { room: 3, open: 7 } }, room: 10 }
    const plan = await planOf('jobs', () =>
      takeJobs(world.gateway.db, { ...taking, kind: 'messages', rooms, after: environmentId, now: new Date() }),
    )
    expect(withoutSmall(plan)).not.toContain('Seq Scan')
    expect(withoutSmall(plan)).not.toMatch(/Rows Removed by Filter: (?![01]\b)/)
    expect(plan).toMatch(/LockRows .*rows=3(?:\.00)? /)
  })
})

describe('a list', () => {
  const time = 'createdAfter: "2030-01-01T01:00:00Z", createdBefore: "2030-01-01T02:00:00Z"'
  const lists = [
    ['events', '{ events(filter: { workflowIdentifier: "news" }) { nodes { id } } }'],
    ['events', '{ events(filter: { reason: FAN_OUT_FAILED }) { nodes { id } } }'],
    ['events', '{ events(filter: { subscriberId: "user-777" }) { nodes { id } } }'],
    ['events', `{ events(filter: { ${time} }) { nodes { id } } }`],
    ['events', '{ events(filter: { status: CANCELLED }) { nodes { id } } }'],
    ['workflow_runs', '{ workflowRuns { nodes { id } } }'],
    ['workflow_runs', '{ workflowRuns(filter: { workflowIdentifier: "news" }) { nodes { id } } }'],
    ['workflow_runs', `{ workflowRuns(filter: { workflowIdentifier: "news", ${time} }) { nodes { id } } }`],
    ['workflow_runs', '{ workflowRuns(filter: { status: FAILED }) { nodes { id } } }'],
    ['workflow_runs', '{ workflowRuns(filter: { subscriberId: "user-777" }) { nodes { id } } }'],
    ['workflow_runs', '{ workflowRuns(filter: { outcome: FAILED }) { nodes { id } } }'],
    ['workflow_runs', '{ workflowRuns(filter: { reason: "content" }) { nodes { id } } }'],
    ['workflow_runs', '{ workflowRuns(filter: { stepId: "email" }) { nodes { id } } }'],
    ['workflow_runs', '{ workflowRuns(filter: { contextKeys: ["tenant:7"] }) { nodes { id } } }'],
    ['deliveries', '{ deliveries { nodes { id } } }'],
    ['deliveries', '{ deliveries(filter: { contextKeys: ["tenant:7"] }) { nodes { id } } }'],
    ['deliveries', '{ deliveries(filter: { causes: [REJECTED] }) { nodes { id } } }'],
    ['events', '{ events(filter: { contextKeys: ["tenant:7"] }) { nodes { id } } }'],
    ['deliveries', '{ deliveries(filter: { status: FAILED }) { nodes { id } } }'],
    ['deliveries', '{ deliveries(filter: { subscriberId: "user-777" }) { nodes { id } } }'],
    ['deliveries', '{ deliveries(filter: { workflowIdentifier: "news" }) { nodes { id } } }'],
    ['workflow_runs', '{ workflowRuns(filter: { transactionId: "1" }) { nodes { id } } }'],
    ['deliveries', '{ deliveries(filter: { transactionId: "1" }) { nodes { id } } }'],
    ['deliveries', `{ deliveries(filter: { transactionId: "1", ${time} }) { nodes { id } } }`],
    ['deliveries', '{ deliveries(filter: { workflowIdentifier: "news", stepIds: ["email"] }) { nodes { id } } }'],
  ] as const

  test.each([
    ['events', 'events'],
    ['workflow_runs', 'workflowRuns'],
  ])('of %s with a context reads no others', async (table, list) => {
    await gateway.act('createContext', { type: 'tenant', identifier: '7' })
    const query = `{ context(key: "tenant:7") { ${list} { nodes { id } } } }`
    expectFewRows(await planOf(`"${table}"`, () => gateway.ask(query)))
  })

  test.each(lists)('of %s uses an index: %s', async (table, query) => {
    expectIndexed(await planOf(`"${table}"`, () => gateway.ask(query)))
  })

  test.each(['ACCEPTED', 'RUNNING', 'COMPLETED', 'SKIPPED', 'FAILED'])(
    'of events reads few rows to find those with the status %s',
    async (status) => {
      for (const filter of [`status: ${status}`, `status: ${status}, ${time}`]) {
        const plan = await planOf('"events"', () => gateway.ask(`{ events(filter: { ${filter} }) { nodes { id } } }`))
        expectFewRows(plan)
      }
    },
  )

  test.each([
    ['events', 'events(filter: { workflowIdentifiers: ["news", "none"] })'],
    ['events', 'events(filter: { subscriberIds: ["user-777", "user-778"] })'],
    ['events', 'events(filter: { statuses: [SKIPPED, CANCELLED, ACCEPTED] })'],
    ['workflow_runs', 'workflowRuns(filter: { statuses: [FAILED, WAITING] })'],
    ['workflow_runs', 'workflowRuns(filter: { outcomes: [FAILED, PENDING], reasons: [CONTENT, RUN_FAILED] })'],
    ['workflow_runs', 'workflowRuns(filter: { causes: [REJECTED, UNAVAILABLE] })'],
    ['deliveries', 'deliveries(filter: { statuses: [FAILED, PENDING] })'],
    ['deliveries', 'deliveries(filter: { workflowIdentifiers: ["news", "none"], statuses: [SENT, FAILED] })'],
    ['deliveries', 'deliveries(filter: { causes: [REJECTED, UNAVAILABLE] })'],
  ])('of %s reads few rows for several values: %s', async (table, list) => {
    expectFewRows(await planOf(`"${table}"`, () => gateway.ask(`{ ${list} { nodes { id } } }`)))
  })

  test.each(['subscriberId: "user-777"', 'contextKeys: ["tenant:7"]'])(
    'of messages reads few rows for { %s }',
    async (filter) => {
      const query = `{ messages(filter: { ${filter} }) { nodes { __typename } } }`
      expectFewRows(await planOf('message-list.listedMessages', () => gateway.ask(query)))
    },
  )

  test.each(['PENDING', 'DELIVERED', 'PARTLY', 'FAILED', 'NOTHING'])(
    'of events reads few rows to find those with the outcome %s',
    async (outcome) => {
      for (const filter of [`outcome: ${outcome}`, `outcome: ${outcome}, ${time}`]) {
        const plan = await planOf('"events"', () => gateway.ask(`{ events(filter: { ${filter} }) { nodes { id } } }`))
        // The few events whose fan-out failed are looked at one by one: some of their recipients may have a message.
        expectFewRows(plan, outcome === 'PARTLY' ? 10 + LARGE / 1000 : 10)
      }
    },
  )

  test.each(['', '(filter: { outcome: FAILED })', '(filter: { outcome: FAILED, reason: "content" })'])(
    'of the runs of one event uses an index: runs%s',
    async (filter) => {
      const query = `{ event(transactionId: "1") { runs${filter} { nodes { status } } } }`
      expectIndexed(await planOf('"workflow_runs"', () => gateway.ask(query)))
    },
  )
})

describe('in an environment that the table statistics do not contain yet,', () => {
  const SUBSCRIBERS = 2_000
  let newcomer: Client
  let tenant: Tenant

  beforeAll(async () => {
    newcomer = await world.environment()
    tenant = { environmentId: await environmentIdOf(newcomer), db: world.gateway.db }
    await world.database.pool.query(
      `INSERT INTO subscribers (environment_id, id, subscriber_id, data, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'user-' || n, '{}', now(), now() FROM generate_series(1, ${SUBSCRIBERS}) AS n`,
      [tenant.environmentId],
    )
  })

  test('one subscriber is read without the others', async () => {
    const plan = await planOf('subscribers', () => newcomer.ask('{ subscriber(subscriberId: "user-7") { locale } }'))
    expect(plan).toMatch(/Index Cond: .*subscriber_id = /)
    expect(plan).not.toContain('Rows Removed')
  })

  test('creating runs reads their subscribers only', async () => {
    const { rows } = await world.database.pool.query<{ id: string }>(
      `INSERT INTO events (environment_id, id, transaction_id, workflow_identifier, recipients, payload, overrides,
                           context_keys, snapshot_hash, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 1, workflow_identifier, recipients, payload, overrides, context_keys, snapshot_hash,
              created_at, updated_at
       FROM events LIMIT 1 RETURNING id`,
      [tenant.environmentId],
    )
    const runs = Array.from({ length: 50 }, (_, index) => ({
      id: randomUUID(),
      eventId: rows[0]?.id ?? '',
      subscriberId: `user-${SUBSCRIBERS - index}`,
      workflowIdentifier: 'welcome',
      eventCreatedAt: new Date(),
      contextKeys: [],
      status: 'running' as const,
      position: 0,
    }))
    const [created, read] = await world.gateway.db.$transaction(async (db) => [
      await createRuns({ ...tenant, db }, runs, new Date()),
      await db.$queryRaw<{ rows: number }[]>`
        SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_xact_user_tables
        WHERE relname = 'subscribers'`,
    ])
    expect(created).toHaveLength(50)
    expect(read[0]?.rows).toBeLessThanOrEqual(150)
  })
})
