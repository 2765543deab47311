// Retention: expired rows are swept, and nothing that is still in progress.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { foldStatistics } from '../../src/data/monitoring/message-statistics.ts'
import { daysKept, type RetentionSettings } from '../../src/domain/access/retention.ts'
import type { Housekeeping } from '../../src/engine/housekeeping/housekeeping.ts'
import { tasks } from '../../src/engine/housekeeping/tasks.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  adasRun,
  bodiesOf,
  createIntegration,
  createWorkflow,
  done,
  feedOf,
  trigger,
} from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { notify } from '../support/feed.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const receiver = useReceiver()
const DAY = 86_400_000
const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const mail = { email: { stepId: 'mail', subject: 'Hello', body: 'Hello' } }
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  return () => world.setClock(undefined)
})

const logged: Record<string, unknown>[] = []

/** The housekeeping of a process. */
const process = (retention: Partial<RetentionSettings> = {}): Housekeeping =>
  housekeepingOf(world, { logged, retention: { events: undefined, feed: undefined, ...retention } })

/** Sets the clock to a number of days from now, when a sweep is due. */
const pass = (days: number) => world.setClock(new Date(Date.now() + days * DAY + tasks.retention.lease.pause))

/** Sweeps after this number of days. @returns the deleted rows. */
async function sweepAfter(days: number, settings?: Partial<RetentionSettings>) {
  pass(days)
  await world.database.pool.query('DELETE FROM sweeps')
  const housekeeping = process(settings)
  expect(await housekeeping.perform('retention')).toBe(true)
  return housekeeping.progress.deleted
}

const exists = async (transactionId: string) =>
  (
    await acme.ask<{ event: object | null }>('query ($id: String!) { event(transactionId: $id) { id } }', {
      id: transactionId,
    })
  ).event !== null

describe('the retention in days', () => {
  test.each([
    [null, undefined, null, undefined],
    [null, undefined, 90, 90],
    [null, 30, 90, 30],
    [null, 'off', 90, undefined],
    [7, 'off', 90, 7],
    [0, 30, 90, undefined],
  ] as const)(
    'is derived from the environment (%s), the setting (%s) and the organization (%s): %s',
    (own, setting, stored, days) => {
      expect(daysKept(own, setting, stored)).toBe(days)
    },
  )

  test('is 90 in a database that this version created', async () => {
    const { rows } = await world.database.pool.query(
      'SELECT retention_days AS events, feed_retention_days AS feed FROM organizations',
    )
    expect(rows).toEqual([{ events: 90, feed: 90 }])
  })

  test('can be set for an environment through both APIs, by callers that administer it', async () => {
    const { environment } = await acme.ask('{ environment { id retentionDays feedRetentionDays } }')
    expect(environment).toMatchObject({ retentionDays: null, feedRetentionDays: null })
    const fields = 'environment { retentionDays feedRetentionDays }'
    const set = (input: object) => acme.act('updateEnvironment', { id: environment.id, ...input }, fields)
    expect((await set({ retentionDays: 7, feedRetentionDays: 0 })).environment).toEqual({
      retentionDays: 7,
      feedRetentionDays: 0,
    })
    expect((await set({ color: '#000' })).environment).toEqual({ retentionDays: 7, feedRetentionDays: 0 })
    const path = `/v1/environments/${await environmentIdOf(acme)}` as const
    const { body } = await acme.rest(`PUT ${path}`, { body: { retentionDays: null } })
    expect(body).toMatchObject({ feedRetentionDays: 0 })
    expect(body).not.toHaveProperty('retentionDays')
    for (const retentionDays of [-1, 3651]) {
      expect((await set({ retentionDays })).userErrors).toEqual([
        {
          code: 'BAD_USER_INPUT',
          field: ['retentionDays'],
          message: 'retentionDays must be a whole number from 0 to 3650',
        },
      ])
    }
    expect((await acme.rest(`PUT ${path}`, { body: { feedRetentionDays: 1.5 } })).status).toBe(422)
    const other = await world.environment()
    const { errors } = await other.send(
      'mutation ($input: UpdateEnvironmentInput!) { updateEnvironment(input: $input) { userErrors { code } } }',
      { input: { id: environment.id, retentionDays: 1 } },
    )
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })
})

/** Adds environments without any rows. */
const addEnvironments = (count: number) =>
  world.database.pool.query(
    `INSERT INTO environments (id, organization_id, identifier, name, slug, type, color, created_at, updated_at)
     SELECT given.id, owner.id, given.id::text, given.id::text, given.id::text, 'dev', '#000000', now(), now()
     FROM (SELECT id FROM organizations ORDER BY created_at LIMIT 1) AS owner,
          (SELECT gen_random_uuid() AS id FROM generate_series(1, $1)) AS given`,
    [count],
  )

describe('among environments without expired rows, a sweep', () => {
  const removeEnvironments = () => world.database.pool.query("DELETE FROM environments WHERE color = '#000000'")

  test('sends as many statements as without them', async () => {
    await createWorkflow(acme, [bell])
    const statements = async () => {
      world.setClock(undefined)
      await trigger(acme)
      await world.work()
      return (await statementsOf(() => sweepAfter(91))).map((text) => text.slice(0, 60))
    }
    // The first sweep also deletes what other tests left.
    await statements()
    const before = await statements()
    await addEnvironments(30)
    expect(await statements()).toEqual(before)
    expect(before).not.toEqual([])
    await removeEnvironments()
  })

  test('deletes the rows of the environment that has some, whichever page it is on', async () => {
    await addEnvironments(100)
    const last = await world.environment()
    await addEnvironments(100)
    await done(last, 'createSubscriber', { subscriberId: 'ada' })
    for (const client of [acme, last]) {
      await createWorkflow(client, [bell])
      await trigger(client)
    }
    await world.work()
    expect(await sweepAfter(89)).toMatchObject({ events: 0, notifications: 0 })
    expect(await sweepAfter(91)).toMatchObject({ events: 2, workflow_runs: 2, notifications: 2 })
    expect(await sweepAfter(92)).toMatchObject({ events: 0, notifications: 0 })
    await removeEnvironments()
  })
})

describe('a sweep', () => {
  test('deletes a finished event with its execution log, and forgets its transaction id', async () => {
    receiver.answer(503)
    await createWorkflow(acme, [bell, mail])
    const id = await trigger(acme, { transactionId: 'order-7' })
    await world.work({ early: true })
    expect(await adasRun(acme, id)).toMatchObject({ status: 'COMPLETED' })
    expect(await sweepAfter(89)).toMatchObject({ events: 0, notifications: 0 })
    expect(await exists(id)).toBe(true)
    const swept = await sweepAfter(91)
    expect(swept).toMatchObject({ events: 1, workflow_runs: 1, step_runs: 2, deliveries: 1, notifications: 1 })
    expect(swept.delivery_attempts).toBeGreaterThan(1)
    expect(await exists(id)).toBe(false)
    expect(await feedOf(acme)).toEqual([])
    const environmentId = await environmentIdOf(acme)
    await world.database.pool.query('DELETE FROM event_tally_changes')
    for (const table of ['workflow_runs', 'step_runs', 'deliveries', 'delivery_attempts', 'event_tallies']) {
      const { rows } = await world.database.pool.query(`SELECT 1 FROM ${table} WHERE environment_id = $1`, [
        environmentId,
      ])
      expect(rows, table).toEqual([])
    }
    receiver.answer(200)
    await trigger(acme, { transactionId: 'order-7' })
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Hello'])
  })

  test('keeps events and notifications for different numbers of days', async () => {
    await createWorkflow(acme, [bell])
    const id = await trigger(acme)
    await world.work()
    expect(await sweepAfter(8, { events: 7, feed: 'off' })).toMatchObject({ events: 1, notifications: 0 })
    expect(await exists(id)).toBe(false)
    expect(await bodiesOf(acme)).toEqual(['Hello'])
    expect(await sweepAfter(8, { events: 'off', feed: 7 })).toMatchObject({ events: 0, notifications: 1 })
  })

  test('follows the days of an environment, whatever the setting', async () => {
    const { environment } = await acme.ask('{ environment { id } }')
    await done(acme, 'updateEnvironment', { id: environment.id, retentionDays: 0, feedRetentionDays: 30 })
    await createWorkflow(acme, [bell])
    const id = await trigger(acme)
    await world.work()
    expect(await sweepAfter(29, { events: 7, feed: 7 })).toMatchObject({ notifications: 0 })
    expect(await sweepAfter(31, { events: 7, feed: 7 })).toMatchObject({ notifications: 1 })
    expect(await exists(id)).toBe(true)
  })

  test('keeps unfinished work: a fan-out, a wait and a message with a further attempt', async () => {
    receiver.answer(503)
    await createWorkflow(acme, [{ delay: { stepId: 'wait', amount: 30, unit: 'DAYS' } }])
    await createWorkflow(acme, [mail], { identifier: 'mail' })
    const waiting = await trigger(acme)
    const sending = await trigger(acme, { name: 'mail' })
    await world.work()
    const accepted = await trigger(acme, { name: 'mail' })
    expect(await sweepAfter(2, { events: 1 })).toMatchObject({ events: 0, workflow_runs: 0, deliveries: 0 })
    await world.work({ early: true })
    expect(await sweepAfter(2, { events: 1 })).toMatchObject({ events: 3, workflow_runs: 3, deliveries: 2 })
    for (const id of [waiting, sending, accepted]) expect(await exists(id)).toBe(false)
  })

  test('keeps the triggers of a digest until its run has ended', async () => {
    const body = '{{digest.count}}: {% for event in digest.events %}{{event.payload.id}} {% endfor %}'
    await createWorkflow(acme, [
      { digest: { stepId: 'gather', amount: 7, unit: 'DAYS' } },
      { delay: { stepId: 'wait', amount: 7, unit: 'DAYS' } },
      { inApp: { stepId: 'bell', body } },
    ])
    for (const id of [1, 2, 3]) {
      await trigger(acme, { payload: { id } })
      await world.work()
    }
    expect(await sweepAfter(2, { events: 1 })).toMatchObject({ events: 0, workflow_runs: 0 })
    await world.work({ early: true })
    expect(await bodiesOf(acme)).toEqual(['3: 1 2 3 '])
    expect(await sweepAfter(3, { events: 1 })).toMatchObject({ events: 3, workflow_runs: 3, step_runs: 5 })
  })

  test('deletes an event with many runs in portions, and the event cannot be retried meanwhile', async () => {
    const subscribers = Array.from({ length: 300 }, (_, index) => ({ subscriberId: `s${index}` }))
    await done(acme, 'createSubscribers', { subscribers })
    await done(acme, 'createTopic', { key: 'all' })
    for (let start = 0; start < 300; start += 100) {
      const subscriptions = subscribers.slice(start, start + 100)
      await done(acme, 'createTopicSubscriptions', { topicKey: 'all', subscriptions })
    }
    await createWorkflow(acme, [bell])
    const id = await trigger(acme, { to: { type: 'Topic', topicKey: 'all' } })
    await world.work()
    await world.database.pool.query(`UPDATE events SET reason = 'fan_out_failed' WHERE transaction_id = $1`, [id])
    pass(91)
    await world.database.pool.query('DELETE FROM sweeps')
    const housekeeping = process({ feed: 'off' })
    // Another process takes the sweep over after the first portion.
    const first = housekeeping.perform('retention')
    while (housekeeping.progress.deleted.workflow_runs === 0) await world.database.ping()
    await world.database.pool.query('UPDATE sweeps SET holder = gen_random_uuid()')
    await first
    const { event } = await acme.ask<{ event: { id: string; runCounts: { completed: number } } | null }>(
      'query ($id: String!) { event(transactionId: $id) { id runCounts { completed } } }',
      { id },
    )
    if (event !== null) {
      const { userErrors } = await acme.act('retryEvent', { id: event.id })
      expect(userErrors).toMatchObject([{ code: 'CONFLICT' }])
      expect(event.runCounts.completed).toBe(300)
    }
    await sweepAfter(91, { feed: 'off' })
    expect(await exists(id)).toBe(false)
  })

  test('deletes versions of workflows that no event has used for a while, and a trigger stores them again', async () => {
    const snapshots = async () => {
      const { rowCount } = await world.database.pool.query(
        'SELECT 1 FROM workflow_snapshots WHERE environment_id = $1',
        [await environmentIdOf(acme)],
      )
      return rowCount
    }
    await createWorkflow(acme, [bell])
    await createWorkflow(acme, [{ delay: { stepId: 'wait', amount: 80, unit: 'DAYS' } }, mail], {
      identifier: 'later',
    })
    await trigger(acme)
    const waiting = await trigger(acme, { name: 'later' })
    await world.work()
    expect(await snapshots()).toBe(2)
    // A day after its last event, another process may still create one.
    expect(await sweepAfter(10.5, { events: 10 })).toMatchObject({ events: 1, workflow_snapshots: 0 })
    expect(await sweepAfter(12, { events: 10 })).toMatchObject({ events: 0, workflow_snapshots: 1 })
    expect(await snapshots()).toBe(1)
    const again = await trigger(acme)
    expect(await snapshots()).toBe(2)
    await world.work({ early: true })
    expect(await adasRun(acme, again)).toMatchObject({ status: 'COMPLETED' })
    expect(await adasRun(acme, waiting)).toMatchObject({ status: 'COMPLETED', steps: [{}, { status: 'SENT' }] })
    await sweepAfter(200)
    expect(await snapshots()).toBe(0)
  })

  test('deletes statistics together with events, and statistics by minute after a day', async () => {
    const kept = async () => {
      const { rows } = await world.database.pool.query<{ granularity: string }>(
        'SELECT DISTINCT granularity FROM message_statistics WHERE environment_id = $1 ORDER BY granularity',
        [await environmentIdOf(acme)],
      )
      return rows.map(({ granularity }) => granularity)
    }
    await createWorkflow(acme, [bell])
    await trigger(acme)
    await world.work()
    while ((await foldStatistics(world.gateway.db, 100)) > 0);
    expect(await kept()).toEqual(['minute', 'hour', 'day'])
    await sweepAfter(1.1)
    expect(await kept()).toEqual(['hour', 'day'])
    expect((await sweepAfter(92)).message_statistics).toBeGreaterThanOrEqual(2)
    expect(await kept()).toEqual([])
  })

  test('deletes the traces of triggers without an event after a day, whatever the days of the environment are', async () => {
    await acme.rest('POST /v1/events/trigger', { body: { name: 'none', to: 'ada' } })
    await world.work()
    expect(await sweepAfter(0.9, { events: 'off' })).toMatchObject({ unprocessed_triggers: 0 })
    expect(await sweepAfter(1, { events: 'off' })).toMatchObject({ unprocessed_triggers: 1 })
  })

  test('keeps the version of a workflow that is triggered occasionally', async () => {
    await createWorkflow(acme, [bell])
    for (const days of [0, 60, 120]) {
      pass(days)
      await trigger(acme)
      await world.work()
    }
    expect(await sweepAfter(180)).toMatchObject({ events: 2, workflow_snapshots: 0 })
    expect(await sweepAfter(250)).toMatchObject({ events: 1, workflow_snapshots: 1 })
  })

  test('is performed by one process at a time with pauses, and by another process if that one dies', async () => {
    await createWorkflow(acme, [bell])
    const ids = [await trigger(acme), await trigger(acme)]
    await world.work()
    pass(91)
    await world.database.pool.query('DELETE FROM sweeps')
    const [one, other] = [process(), process()]
    expect((await Promise.all([one.perform('retention'), other.perform('retention')])).toSorted()).toEqual([
      false,
      true,
    ])
    expect(one.progress.deleted.events + other.progress.deleted.events).toBe(ids.length)
    expect(await one.perform('retention')).toBe(false)
    pass(91.01)
    expect(await other.perform('retention')).toBe(true)
    // The state that a killed process leaves.
    await world.database.pool.query('UPDATE sweeps SET holder = gen_random_uuid(), available_at = $1', [
      new Date(world.gateway.now().getTime() + 60_000),
    ])
    expect(await one.perform('retention')).toBe(false)
    pass(91.02)
    expect(await one.perform('retention')).toBe(true)
  })

  test('logs the number of deleted rows, and measures for how long the oldest event had expired', async () => {
    await createWorkflow(acme, [bell])
    await trigger(acme)
    await world.work()
    logged.length = 0
    await sweepAfter(100)
    expect(logged).toMatchObject([
      { level: 30, msg: 'housekeeping task finished', task: 'retention', deleted: { events: 1, workflow_runs: 1 } },
    ])
    logged.length = 0
    await sweepAfter(100)
    expect(logged).toMatchObject([{ level: 20, msg: 'housekeeping task finished', task: 'retention', deleted: {} }])
  })

  test('keeps the record of consent, also of events that it deletes', async () => {
    await createWorkflow(acme, [bell])
    await trigger(acme)
    await world.work()
    await done(acme, 'updateSubscriberPreferences', { subscriberId: 'ada', enabled: false })
    expect(await sweepAfter(1_000)).toMatchObject({ events: 1 })
    const { subscriber } = await acme.ask(
      '{ subscriber(subscriberId: "ada") { preferenceChanges { nodes { enabled } } } }',
    )
    expect(subscriber.preferenceChanges.nodes).toEqual([{ enabled: false }])
  })

  test('deletes nothing from an environment with longer retention', async () => {
    const other = await world.environment()
    const { environment } = await other.ask('{ environment { id } }')
    await done(other, 'updateEnvironment', { id: environment.id, retentionDays: 0, feedRetentionDays: 0 })
    for (const client of [acme, other]) {
      await done(client, 'upsertSubscriber', { subscriberId: 'ada' })
      await notify(world, client, { subscriberId: 'ada' })
      await createWorkflow(client, [bell])
      await trigger(client)
    }
    await world.work()
    expect(await sweepAfter(91)).toMatchObject({ events: 1, notifications: 2 })
    expect(await bodiesOf(other)).toHaveLength(2)
  })
})

describe('among many rows', () => {
  beforeAll(async () => {
    const environmentId = await environmentIdOf(await world.environment())
    await world.database.pool.query(
      `INSERT INTO events (environment_id, id, transaction_id, workflow_identifier, recipients, payload, overrides,
         context_keys, snapshot_hash, reason, created_at, updated_at)
       SELECT $1, gen_random_uuid(), n::text, 'order', '[]', '{}', '{}', '{}', 'none', 'no_steps', at, at
       FROM generate_series(1, 20000) AS n,
            LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 minute' AS at) AS sent`,
      [environmentId],
    )
    await world.database.pool.query('ANALYZE')
  }, 120_000)

  test('every statement of a sweep reads by an index', async () => {
    await done(acme, 'upsertSubscriber', { subscriberId: 'ada' })
    await createWorkflow(acme, [bell, mail])
    await trigger(acme)
    await world.work()
    const texts = new Set(await statementsOf(() => sweepAfter(91)))
    const swept = [...texts].filter((text) =>
      /\b(events|notifications|_runs|deliveries|delivery_attempts|workflow_snapshots|unprocessed_triggers)\b/.test(
        text,
      ),
    )
    expect(swept.length).toBeGreaterThanOrEqual(8)
    const connection = await world.database.pool.connect()
    try {
      await connection.query('BEGIN')
      for (const setting of ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) {
        await connection.query(`SET LOCAL ${setting} = off`)
      }
      await connection.query('SET LOCAL plan_cache_mode = force_generic_plan')
      for (const text of swept) {
        const count = new Set(text.match(/\$\d+/g)).size
        await connection.query(`PREPARE explained AS ${text}`)
        const values = Array.from({ length: count }, () => 'NULL').join(', ')
        const { rows } = await connection.query(`EXPLAIN EXECUTE explained (${values})`)
        await connection.query('DEALLOCATE explained')
        expect(JSON.stringify(rows), text).not.toMatch(/Seq Scan/)
      }
    } finally {
      await connection.query('ROLLBACK')
      connection.release()
    }
  })

  test('every foreign key of an environment has an index that finds the rows that refer to a row', async () => {
    const { rows } = await world.database.pool.query(
      `SELECT conrelid::regclass::text AS table, conname FROM pg_constraint AS key
       WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> 'users'::regclass AND NOT EXISTS (
         SELECT FROM pg_index WHERE indrelid = conrelid AND indpred IS NULL
           AND conkey @> (indkey::int2[])[0:cardinality(conkey) - 1]
           AND conkey <@ (indkey::int2[])[0:cardinality(conkey) - 1])
       ORDER BY 1, 2`,
    )
    expect(rows).toEqual([])
  })
})
