// The job queue: environments take turns, attempts count before the work, and no job is repeated forever.
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createClock, readDatabaseTime } from '../../../src/data/connection/clock.ts'
import { claimJobs, lookForJobs, takeJobs } from '../../../src/data/queue/job-taking.ts'
import { readQueueState } from '../../../src/data/queue/queue-state.ts'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { createWorker, type WorkerOptions } from '../../../src/delivery/worker/worker.ts'
import { environmentIdOf } from '../../support/environment-id.ts'
import { onServer } from '../../support/on-server.ts'
import { plansOf, statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'
import { adasRun, bodiesOf, createWorkflow, done, trigger } from '../../support/delivery/story.ts'
import { NIL_ID } from '../../../src/lib/new-id.ts'

const world = useWorld()
const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await createWorkflow(acme, [bell])
})

/** A second worker on the same database. */
function workerWith(options: Partial<WorkerOptions>) {
  const { gateway, database } = world
  return createWorker({
    gateway,
    database,
    clock: createClock(),
    outbound: createOutbound({ allowPrivateAddresses: true }),
    logger: pino({ level: 'debug' }, { write: (line) => world.logged.push(JSON.parse(line)) }),
    embedded: true,
    ...options,
  })
}

/** Makes all waiting jobs available. @returns the number of them. */
async function skipPauses(): Promise<number> {
  const { rowCount } = await world.database.pool.query('UPDATE jobs SET available_at = $1 WHERE available_at > $1', [
    world.gateway.now(),
  ])
  return rowCount ?? 0
}

const jobs = async () =>
  (await world.database.pool.query('SELECT queue, attempt_count AS attempts FROM jobs ORDER BY id')).rows

const eventOf = async (transactionId: string) =>
  (await acme.ask('query ($id: String!) { event(transactionId: $id) { status reason } }', { id: transactionId })).event

const take = (after: string) =>
  takeJobs(world.gateway.db, {
    kind: 'events',
    count: { all: 1, each: 1 },
    after,
    except: [],
    now: world.gateway.now(),
    lease: 60_000,
  })

describe('a job that cannot be executed', () => {
  test('within the time limit of a transaction is given up after its last attempt, and its event shows that it failed', async () => {
    const { pool } = world.database
    const transactionId = await trigger(acme)
    await pool.query(`CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(0.05); RETURN NULL; END $$`)
    await pool.query('CREATE TRIGGER take_long AFTER INSERT ON workflow_runs EXECUTE FUNCTION take_long()')
    const worker = workerWith({ timeout: 10 })
    try {
      do await worker.drain()
      while ((await skipPauses()) > 0)
    } finally {
      await pool.query('DROP FUNCTION take_long CASCADE')
    }
    expect(await eventOf(transactionId)).toEqual({ status: 'FAILED', reason: 'FAN_OUT_FAILED' })
    expect(await jobs()).toEqual([])
    const failures = world.logged.filter(({ msg, cause }) => msg === 'job failed' && cause === 'expired')
    expect(failures).toHaveLength(13)
    expect(world.logged).toContainEqual(expect.objectContaining({ msg: 'job given up', cause: 'expired' }))
  })

  test('because its process is killed each time is given up without another attempt', async () => {
    const transactionId = await trigger(acme)
    await world.database.pool.query('UPDATE jobs SET attempt_count = 13')
    await world.work()
    expect(await eventOf(transactionId)).toEqual({ status: 'FAILED', reason: 'FAN_OUT_FAILED' })
    expect(await bodiesOf(acme)).toEqual([])
    expect(world.logged).toContainEqual(expect.objectContaining({ msg: 'job given up', cause: 'interrupted' }))
  })

  test('for one of its runs fails that run only', async () => {
    const { pool } = world.database
    const transactionId = await trigger(acme, { to: ['ada', 'grace', 'eve', 'joan', 'katherine'] })
    await pool.query(`CREATE FUNCTION reject_eve() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.subscriber_id = 'eve' THEN RAISE 'not for Eve'; END IF; RETURN NEW; END $$`)
    await pool.query(
      `CREATE TRIGGER reject_eve BEFORE INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION reject_eve()`,
    )
    try {
      await world.work({ early: true })
    } finally {
      await pool.query('DROP FUNCTION reject_eve CASCADE')
    }
    const { event } = await acme.ask(
      'query ($id: String!) { event(transactionId: $id) { runs { nodes { subscriberId status error } } } }',
      { id: transactionId },
    )
    const failed = event.runs.nodes.filter(({ status }) => status !== 'COMPLETED')
    expect(failed).toEqual([
      {
        subscriberId: 'eve',
        status: 'FAILED',
        error: 'The run could not be continued because of an internal error; see the log.',
      },
    ])
    expect(event.runs.nodes).toHaveLength(5)
  })
})

test('a job whose transaction ends with its process is in the queue again, with the attempt counted', async () => {
  await trigger(acme)
  const { jobs: taken } = await take(NIL_ID)
  const [job] = taken
  if (job === undefined) throw new Error('there is no job')
  const killed = world.gateway.db.$transaction(async (db) => {
    expect(await claimJobs(db, [job])).toEqual([job])
    throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await jobs()).toEqual([{ queue: 'fan_out', attempts: 1 }])
  // What another process does once the lease has expired.
  await skipPauses()
  await world.work()
  expect(await bodiesOf(acme)).toEqual(['Hello'])
  expect(await world.gateway.db.$transaction((db) => claimJobs(db, [job]))).toEqual([])
})

test.runIf(onServer)(
  'a job that another process queries meanwhile is still executed (needs TEST_DATABASE_URL)',
  async () => {
    await trigger(acme)
    const [job] = (await take(NIL_ID)).jobs
    if (job === undefined) throw new Error('there is no job')
    const other = await world.database.pool.connect()
    await other.query('BEGIN')
    await other.query('SELECT id FROM jobs FOR UPDATE')
    const claimed = world.gateway.db.$transaction((db) => claimJobs(db, [job]))
    await other.query('COMMIT')
    other.release()
    expect(await claimed).toEqual([job])
  },
)

test('environments take turns, however many jobs one of them has', async () => {
  const environmentId = await environmentIdOf(acme)
  await world.database.pool.query(
    `INSERT INTO jobs (environment_id, id, queue, data, due_at, available_at, created_at)
     SELECT $1, gen_random_uuid(), 'fan_out', '{"eventId": "00000000-0000-0000-0000-000000000000"}', at, at, at
     FROM generate_series(1, 1000), (VALUES (now() - interval '1 hour')) AS past(at)`,
    [environmentId],
  )
  const globex = await world.environment()
  await createWorkflow(globex, [bell])
  await trigger(globex)
  const served: string[] = []
  for (let turn = 0; turn < 4; turn += 1) served.push((await take(served.at(-1) ?? NIL_ID)).last)
  const other = await environmentIdOf(globex)
  expect(served.slice(0, 2)).toContain(other)
  expect(served.filter((id) => id === environmentId)).toHaveLength(3)
  await world.database.pool.query('DELETE FROM jobs')
})

test('a look for jobs reads one row of each kind, however many environments wait, and finds what is due', async () => {
  const { pool } = world.database
  onTestFinished(async () => {
    await pool.query("DELETE FROM environments WHERE color = '#123456'")
  })
  await pool.query(
    `WITH made AS (
       INSERT INTO environments (id, organization_id, identifier, name, slug, type, color, created_at, updated_at)
       SELECT given.id, owner.id, given.id::text, given.id::text, given.id::text, 'dev', '#123456', now(), now()
       FROM (SELECT id FROM organizations ORDER BY created_at LIMIT 1) AS owner,
            (SELECT gen_random_uuid() AS id FROM generate_series(1, 200)) AS given
       RETURNING id
     )
     INSERT INTO jobs (environment_id, id, queue, data, due_at, available_at, created_at)
     SELECT made.id, gen_random_uuid(), queue, '{}', at, at, now()
     FROM made, unnest('{fan_out,advance,erase,deliver}'::"JobQueue"[]) AS queue,
          (SELECT now() + interval '1 day' AS at) AS tomorrow`,
  )
  const look = (hours: number) => lookForJobs(world.gateway.db, new Date(Date.now() + hours * 3_600_000))
  const plan = (await plansOf(pool, 'jobs', () => look(0), ['enable_seqscan', 'enable_bitmapscan'])).join()
  for (const kind of ['events', 'runs', 'messages']) expect(plan).toContain(`jobs_${kind}_due_idx`)
  const rows = Array.from(plan.matchAll(/actual time=\S+ rows=(\d+)/g), ([, read]) => Number(read))
  expect(Math.max(...rows)).toBeLessThanOrEqual(1)
  expect((await look(0)).kinds).toEqual([])
  expect((await look(25)).kinds).toEqual(['events', 'runs', 'messages'])
  await pool.query("UPDATE jobs SET available_at = now() - interval '1 minute' WHERE queue = 'erase'")
  expect((await look(0)).kinds).toEqual(['runs'])
})

test('a long transaction makes the next transactions of its environment smaller', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `reader-${index}`)
  /** Fans out to one recipient, to another one, and to 40 recipients. @returns the number of transactions. */
  async function transactionsOf(stopwatch: () => number): Promise<number> {
    const worker = workerWith({ stopwatch })
    const sent = await statementsOf(async () => {
      for (const to of ['ada', 'grace', names]) {
        await trigger(acme, { to })
        await worker.drain()
      }
    })
    return sent.filter((text) => text.includes('INSERT INTO workflow_runs')).length
  }
  expect(await transactionsOf(() => 0)).toBe(3)
  // Each reading is one second later than the one before.
  let time = 0
  expect(await transactionsOf(() => (time += 1_000))).toBe(6)
  expect(await bodiesOf(acme, 'reader-39')).toEqual(['Hello', 'Hello'])
})

test('events share a transaction, fewer after long transactions', async () => {
  /** Triggers one event after the other, and then 20 at once. @returns the number of transactions for the 20. */
  async function transactionsOf(stopwatch: () => number): Promise<number> {
    const worker = workerWith({ stopwatch })
    for (let count = 0; count < 6; count += 1) {
      await trigger(acme)
      await worker.drain()
    }
    for (let count = 0; count < 20; count += 1) await trigger(acme)
    const sent = await statementsOf(() => worker.drain())
    return sent.filter((text) => text.includes('INSERT INTO workflow_runs')).length
  }
  expect(await transactionsOf(() => 0)).toBe(1)
  // Each reading is one second later than the one before.
  let time = 0
  expect(await transactionsOf(() => (time += 1_000))).toBe(4)
})

describe('the clock', () => {
  test('of a process that is an hour ahead is set by the clock of the database', async () => {
    const clock = createClock(() => Date.now() + 3_600_000)
    const { databaseTime } = await clock.measure(() => readDatabaseTime(world.gateway.db))
    expect(Math.abs(clock.now().getTime() - databaseTime.getTime())).toBeLessThan(60_000)
  })

  test('follows the database when the clock of the process is changed', async () => {
    let ahead = 0
    const clock = createClock(() => Date.now() + ahead)
    await clock.measure(() => readDatabaseTime(world.gateway.db))
    ahead = -86_400_000
    const { databaseTime } = await clock.measure(() => readDatabaseTime(world.gateway.db))
    expect(Math.abs(clock.now().getTime() - databaseTime.getTime())).toBeLessThan(60_000)
  })
})

describe('after a backlog', () => {
  const start = new Date('2030-01-01T12:00:00Z')
  const seconds = (count: number) => new Date(start.getTime() + count * 1_000)

  test('a delay ends at the same time as without a backlog', async () => {
    await done(acme, 'updateWorkflow', {
      identifier: 'order',
      steps: [
        { delay: { stepId: 'wait', amount: 1, unit: 'MINUTES' } },
        { delay: { amount: 1, unit: 'MINUTES' } },
        bell,
      ],
    })
    try {
      world.setClock(start)
      const transactionId = await trigger(acme)
      world.setClock(seconds(119))
      await world.work()
      const { steps } = await adasRun(acme, transactionId)
      expect(steps.map(({ dueAt }) => new Date(dueAt ?? ''))).toEqual([seconds(60), seconds(120)])
      expect(await bodiesOf(acme)).toEqual([])
      world.setClock(seconds(120))
      await world.work()
      expect(await bodiesOf(acme)).toEqual(['Hello'])
    } finally {
      world.setClock(undefined)
    }
  })

  test('the events of one burst reach one digest', async () => {
    await done(acme, 'updateWorkflow', {
      identifier: 'order',
      steps: [{ digest: { stepId: 'gather', amount: 6, unit: 'SECONDS' } }, { inApp: { body: '{{digest.count}}' } }],
    })
    try {
      for (let count = 0; count < 5; count += 1) {
        world.setClock(seconds(count))
        await trigger(acme)
      }
      world.setClock(seconds(60))
      await world.work({ early: true })
      expect(await bodiesOf(acme)).toEqual(['5'])
    } finally {
      world.setClock(undefined)
    }
  })
})

test('the age of the oldest job does not depend on how many jobs other environments have', async () => {
  const [before, between, behind] = [acme, await world.environment(), await world.environment()]
  const now = world.gateway.now()
  const [recently, hourAgo] = [1_000, 3_600_000].map((age) => new Date(now.getTime() - age))
  const add = async (client: Client, count: number, availableAt: Date | undefined) =>
    world.database.pool.query(
      `INSERT INTO jobs (environment_id, id, queue, data, due_at, available_at, created_at)
       SELECT $1, gen_random_uuid(), 'erase', '{}', $3, $3, $3 FROM generate_series(1, $2::int)`,
      [await environmentIdOf(client), count, availableAt],
    )
  await add(before, 10_000, recently)
  await add(between, 1, hourAgo)
  await add(behind, 10_000, recently)
  const states = await readQueueState(world.gateway.db, now)
  expect(states.find(({ kind }) => kind === 'runs')).toMatchObject({ due: 10_000, oldestSince: hourAgo })
  await world.database.pool.query(`DELETE FROM jobs WHERE queue = 'erase'`)
})
