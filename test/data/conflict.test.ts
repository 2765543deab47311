// Deadlocks: PostgreSQL ends one of two transactions that wait for each other, and the gateway repeats it without
// callers noticing.
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { bodiesOf, createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const receiver = useReceiver()
let acme: Client
/** The log lines of this test. */
let logged: Record<string, unknown>[]

beforeAll(() =>
  world.database.pool.query(`
    CREATE SEQUENCE conflicts;
    CREATE FUNCTION end_by_deadlock() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('conflicts') <= TG_ARGV[0]::int THEN
        RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
      END IF;
      RETURN NULL;
    END $$`),
)

beforeEach(async () => {
  acme = await world.environment()
  logged = []
  world.logged.length = 0
})

/** The number of statements that a deadlock has ended or could have. */
const attempts = async () => {
  const { rows } = await world.database.pool.query<{ count: string }>('SELECT last_value AS count FROM conflicts')
  return Number(rows[0]?.count)
}

/**
 * Makes the next `count` statements of a kind fail, as if their transaction had been ended. @param kind as in `INSERT
 * ON events`.
 */
async function failNext(kind: string, count = 1): Promise<void> {
  const { pool } = world.database
  const [, table] = kind.split(' ON ')
  await pool.query(`ALTER SEQUENCE conflicts RESTART`)
  await pool.query(`CREATE TRIGGER conflict BEFORE ${kind} EXECUTE FUNCTION end_by_deadlock(${count})`)
  onTestFinished(async () => {
    await pool.query(`DROP TRIGGER conflict ON ${table}`)
  })
}

afterEach(async () => {
  expect(await attempts()).toBeGreaterThan(1)
  expect([...logged, ...world.logged].filter(({ level }) => Number(level) >= 40)).toEqual([])
})

test('a mutation is repeated', async () => {
  await failNext('INSERT ON contexts')
  await done(acme, 'createContext', { type: 'tenant', identifier: 'acme' })
})

test('a trigger is repeated', async () => {
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await failNext('INSERT ON events')
  await trigger(acme)
  await world.work()
  expect(await bodiesOf(acme)).toEqual(['Hello'])
})

test('a job on an event is repeated', async () => {
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await trigger(acme)
  await failNext('INSERT ON workflow_runs', 3)
  await world.work()
  expect(await bodiesOf(acme)).toEqual(['Hello'])
})

test('a job on a run is repeated', async () => {
  await createWorkflow(acme, [{ delay: { amount: 1, unit: 'MINUTES' } }, { inApp: { body: 'Hello' } }])
  await trigger(acme)
  await world.work()
  await failNext('INSERT ON notifications', 3)
  await world.work({ early: true })
  expect(await bodiesOf(acme)).toEqual(['Hello'])
})

test('jobs that wait for a pause are held in another attempt', async () => {
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await done(acme, 'pauseWorkflow', { identifier: 'order' })
  await trigger(acme)
  await failNext('UPDATE OF held_by ON jobs')
  await world.work()
  await done(acme, 'resumeWorkflow', { identifier: 'order' })
  await world.work()
  expect(await bodiesOf(acme)).toEqual(['Hello'])
})

/** Triggers an email to Ada, and sends it. @returns the attempts in the execution log. */
async function sendEmail(): Promise<unknown> {
  await trigger(acme, { to: { subscriberId: 'ada', email: 'ada@example.com' } })
  await world.work()
  expect(receiver.received).toHaveLength(1)
  const { deliveries } = await acme.ask('{ deliveries { nodes { status attempts { number error } } } }')
  return deliveries.nodes
}

const sentOnce = [{ status: 'SENT', attempts: [{ number: 1, error: null }] }]

test.each([
  ['the start of an attempt', 'UPDATE ON deliveries', 1],
  ['the result of an attempt', 'INSERT ON delivery_attempts', 1],
  ['the result of an attempt, again and again,', 'INSERT ON delivery_attempts', 6],
])('%s is repeated, and the message is sent once', async (_what, kind, count) => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [{ email: { subject: 'Hi', body: 'Hello' } }])
  await failNext(kind, count)
  expect(await sendEmail()).toEqual(sentOnce)
})

test.each([
  ['event_tallies', 'INSERT ON event_tallies'],
  ['message_statistics', 'INSERT ON message_statistics'],
] as const)('the addition of counts to %s is repeated', async (task, kind) => {
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await trigger(acme)
  await world.work()
  await failNext(kind)
  expect(await housekeepingOf(world, { logged }).perform(task)).toBe(true)
  expect(await attempts()).toBeGreaterThan(1)
})

test('a sweep is repeated', async () => {
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await trigger(acme)
  await world.work()
  const now = () => new Date(Date.now() + 100 * 86_400_000)
  const gateway = { ...world.gateway, now }
  const retention = { events: 1, feed: 1 }
  const housekeeping = housekeepingOf(world, { gateway, retention, embedded: true, logged })
  await failNext('DELETE ON events')
  expect(await housekeeping.perform('retention')).toBe(true)
  expect(await acme.ask('{ events { totalCount } }')).toEqual({ events: { totalCount: 0 } })
  expect(await bodiesOf(acme)).toEqual([])
})

test('a trigger with a large file and an idempotency key is repeated, although the thread has taken its bytes', async () => {
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await failNext('INSERT ON idempotency_keys')
  const content = { name: 'a.bin', data: Buffer.alloc(600_000, 7).toString('base64') }
  const body = { name: 'order', to: 'ada', attachments: [{ content }] }
  const send = () => acme.rest('POST /v1/events/trigger', { body, headers: { 'idempotency-key': 'large' } })
  const first = await send()
  expect(first).toMatchObject({ status: 201, body: { status: 'processed' } })
  expect((await send()).body).toEqual(first.body)
  expect(await acme.ask('{ events { totalCount } }')).toEqual({ events: { totalCount: 1 } })
})
