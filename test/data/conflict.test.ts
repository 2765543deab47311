// Deadlocks: PostgreSQL ends one of two transactions that wait for each other, and the gateway repeats it. Nobody notices.
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../src/data/connection/clock.ts'
import { createOutbound } from '../../src/delivery/network/outbound.ts'
import { createWorker } from '../../src/delivery/worker/worker.ts'
import { createSweeps } from '../../src/engine/sweeps.ts'
import { createLogger } from '../../src/lib/log.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { bodiesOf, createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { until } from '../support/process/gateway-process.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const receiver = useReceiver()
let acme: Client
/** What the log received, of this test. */
let logged: Record<string, unknown>[]
const logger = createLogger('debug', { write: (line) => logged.push(JSON.parse(line)) })

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
 * Lets the next `count` statements of a kind fail, as those of a transaction that was ended. @param kind as in `INSERT ON
 * events`.
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

/** Triggers an email to Ada, and sends it. @returns the attempts that the execution log has. */
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
  ['the tallies of events', 'INSERT ON event_tallies'],
  ['statistics', 'INSERT ON message_statistics'],
])('the addition of counts to %s is repeated', async (_what, kind) => {
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await trigger(acme)
  await world.work()
  await failNext(kind)
  const { gateway, database } = world
  const outbound = createOutbound({ allowPrivateAddresses: true })
  const worker = createWorker({ gateway, clock: createClock(), database, outbound, logger, concurrency: 1 })
  await worker.start()
  onTestFinished(() => worker.stop())
  await until(async () => ((await attempts()) > 1 ? true : undefined))
})

test('a sweep is repeated', async () => {
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await trigger(acme)
  await world.work()
  const now = () => new Date(Date.now() + 100 * 86_400_000)
  const gateway = { ...world.gateway, now }
  const retention = { events: 1, feed: 1 }
  const sweeps = createSweeps({ gateway, logger, retention, embedded: true, stopwatch: () => 0 })
  await failNext('DELETE ON events')
  expect(await sweeps.sweep()).toBe(true)
  expect(await acme.ask('{ events { totalCount } }')).toEqual({ events: { totalCount: 0 } })
  expect(await bodiesOf(acme)).toEqual([])
})
