// The deletion of an environment: it is unreachable immediately, and its rows are deleted in portions.
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { emptiedTables } from '../../src/data/access/environment-deletion.ts'
import { readQueueState } from '../../src/data/queue/queue-state.ts'
import { countSuspended } from '../../src/data/workflow-suspension.ts'
import { operatorIn, operators } from '../../src/domain/access/operator.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { browserOf } from '../support/browser.ts'
import { commandLineOf } from '../support/command-line.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { ada, furnish, grace, rowsOf } from '../support/furnish.ts'
import { until } from '../support/process/gateway-process.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const run = commandLineOf(world)
const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
/** The tables that the tests fill with more rows than a portion has. */
const FILLED = ['subscribers', 'workflow_runs', 'notifications'] as const
const MANY = 300

beforeEach(() => world.database.pool.query('DELETE FROM sweeps'))

const nodeOf = async (client: Client): Promise<string> => (await client.ask('{ environment { id } }')).environment.id

async function remove(client: Client): Promise<void> {
  await done(world.production, 'deleteEnvironment', { id: await nodeOf(client) })
}

async function countOf(table: string, environmentId: string): Promise<number> {
  const { rows } = await world.database.pool.query(
    `SELECT count(*)::int AS count FROM ${table} WHERE environment_id = $1`,
    [environmentId],
  )
  return rows[0].count
}

/** The tables that contain rows of an environment. */
async function filledTables(environmentId: string): Promise<string[]> {
  const counts = await Promise.all(emptiedTables.map((table) => countOf(table, environmentId)))
  return emptiedTables.filter((_table, index) => counts[index] !== 0)
}

const exists = async (environmentId: string): Promise<boolean> =>
  (await world.gateway.db.environment.count({ where: { id: environmentId } })) > 0

/** An environment with many subscribers, and a run and a notification for each. */
async function largeEnvironment() {
  const client = await world.environment()
  const subscribers = Array.from({ length: MANY }, (_, index) => ({ subscriberId: `s${index}` }))
  await done(client, 'createSubscribers', { subscribers })
  await done(client, 'createTopic', { key: 'all' })
  for (let start = 0; start < MANY; start += 100) {
    await done(client, 'createTopicSubscriptions', {
      topicKey: 'all',
      subscriptions: subscribers.slice(start, start + 100),
    })
  }
  await createWorkflow(client, [bell])
  await trigger(client, { to: { type: 'Topic', topicKey: 'all' } })
  await world.work()
  const environmentId = await environmentIdOf(client)
  for (const table of FILLED) expect(await countOf(table, environmentId), table).toBe(MANY)
  return { client, environmentId }
}

describe('the order in which the tables are emptied', () => {
  test('has every table with rows of an environment', async () => {
    const { rows } = await world.database.pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name = 'environment_id' ORDER BY 1`,
    )
    expect(emptiedTables.toSorted()).toEqual(rows.map(({ name }) => name))
  })

  test('has no table before one whose rows its deletion would delete', async () => {
    const { rows } = await world.database.pool.query<{ child: string; parent: string }>(
      `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent FROM pg_constraint
       WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid`,
    )
    const places = new Map<string, number>(emptiedTables.map((table, place) => [table, place]))
    const wrong = rows.filter(({ child, parent }) => (places.get(child) ?? -1) > (places.get(parent) ?? Infinity))
    expect(rows.length).toBeGreaterThan(20)
    expect(wrong).toEqual([])
  })
})

describe('a deleted environment', () => {
  test('is immediately unknown to every caller and command, and its name is free', async () => {
    const name = 'Berlin'
    const acme = await world.environment(name)
    const { environment } = await acme.ask('{ environment { id identifier } }')
    const id = await environmentIdOf(acme)
    const inDashboard = async (client: Client, input: object) => {
      const { token } = await client.act('openDashboardSession', { ...input }, 'token')
      return world.client(token, 'Dashboard')
    }
    const callers = [
      acme,
      await browserOf(world, acme, 'ada'),
      world.client(environment.identifier, 'Environment'),
      await inDashboard(acme, { apiKey: acme.key }),
      await inDashboard(await inDashboard(world.production, { apiKey: world.production.key }), {
        environmentId: environment.id,
      }),
    ]
    const statuses = () => Promise.all(callers.map(async (caller) => (await caller.send('{ __typename }')).status))
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    await remove(acme)
    expect(await statuses()).toEqual([401, 401, 401, 401, 401])

    const seen = await world.production.ask(
      'query ($id: ID!) { node(id: $id) { id } environments(first: 100) { nodes { id } } }',
      { id: environment.id },
    )
    expect(seen.node).toBeNull()
    expect(seen.environments.nodes).not.toContainEqual({ id: environment.id })
    const notFound = [{ code: 'NOT_FOUND' }]
    for (const [mutation, input] of [
      ['deleteEnvironment', { id: environment.id }],
      ['updateEnvironment', { id: environment.id, name: 'Bonn' }],
      ['pauseEnvironment', { id: environment.id }],
      ['createApiKey', { name: 'Again', environmentId: environment.id }],
      ['openDashboardSession', { environmentId: environment.id }],
      ['createEnvironment', { name: 'Child', color: '#000', parentId: environment.id }],
    ] as const) {
      const caller =
        mutation === 'openDashboardSession'
          ? await inDashboard(world.production, { apiKey: world.production.key })
          : world.production
      expect((await caller.act(mutation, input)).userErrors, mutation).toMatchObject(notFound)
    }
    const { db } = world.gateway
    for (const named of [id, name, environment.identifier]) {
      await expect(operatorIn(db, named)).rejects.toThrow(`"${named}" was not found`)
    }
    expect((await operators(db)).map(({ environmentId }) => environmentId)).not.toContain(id)
    const { json } = await run('keys list --json')
    expect(JSON.stringify(json)).not.toContain(id)
    expect(await run(`export subscribers --environment ${id}`)).toMatchObject({ code: 1 })
    expect(await exists(id)).toBe(true)

    const again = await world.environment(name)
    expect(await again.ask('{ environment { name } }')).toEqual({ environment: { name } })
    await housekeepingOf(world).perform('deletion')
    expect(await exists(id)).toBe(false)
    expect(await again.ask('{ environment { name } }')).toEqual({ environment: { name } })
  })

  test('no longer prevents the deletion of its parent and of environments that it created', async () => {
    const parent = await world.environment()
    const child = await world.environment()
    await done(world.production, 'updateEnvironment', { id: await nodeOf(child), parentId: await nodeOf(parent) })
    await remove(child)
    await remove(parent)
    expect(await housekeepingOf(world).perform('deletion')).toBe(true)
    expect(await exists(await environmentIdOf(world.production))).toBe(true)
  })

  test('has no work: its jobs are neither taken nor counted, and its workflows are not suspended', async () => {
    const acme = await world.environment()
    const id = await environmentIdOf(acme)
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    await createWorkflow(acme, [bell])
    await world.database.pool.query(
      `INSERT INTO workflow_suspensions (environment_id, workflow_id, version, stopped_at, reason, suspended_at)
       SELECT environment_id, id, updated_at, '{}', 'too slow', now() FROM workflows WHERE environment_id = $1`,
      [id],
    )
    await trigger(acme)
    const { db, now } = world.gateway
    const due = async () => (await readQueueState(db, now())).reduce((sum, state) => sum + state.due, 0)
    expect([await due(), await countSuspended(db)]).toEqual([1, 1])
    await remove(acme)
    expect([await due(), await countSuspended(db)]).toEqual([0, 0])
    await world.work()
    expect([await countOf('jobs', id), await countOf('workflow_runs', id)]).toEqual([1, 0])
    await housekeepingOf(world).perform('deletion')
    expect(await filledTables(id)).toEqual([])
  })

  test('is ignored by the retention sweep of other environments', async () => {
    const { client, environmentId } = await largeEnvironment()
    await remove(client)
    world.setClock(new Date(Date.now() + 200 * 86_400_000))
    const housekeeping = housekeepingOf(world, { retention: { events: 1, feed: 1 } })
    expect(await housekeeping.perform('retention')).toBe(true)
    world.setClock(undefined)
    expect(await countOf('workflow_runs', environmentId)).toBe(MANY)
    await housekeepingOf(world).perform('deletion')
  })
})

describe('the deletion of the rows', () => {
  test('empties every table in portions and changes no other environment', async () => {
    const kept = await furnish(world, await world.environment(), ada)
    const { client, environmentId } = await largeEnvironment()
    await furnish(world, client, grace)
    const before = await rowsOf(world, kept)
    await remove(client)
    const logged: Record<string, unknown>[] = []
    const statements = await statementsOf(() => housekeepingOf(world, { logged }).perform('deletion'))
    expect(await filledTables(environmentId)).toEqual([])
    expect(await exists(environmentId)).toBe(false)
    expect(await rowsOf(world, kept)).toEqual(before)

    const deletions = statements.filter((text) => /DELETE FROM (?!.*"environments")/.test(text))
    expect(deletions.filter((text) => !/LIMIT \d+ FOR UPDATE SKIP LOCKED/.test(text))).toEqual([])
    for (const table of FILLED) {
      const limits = deletions.flatMap(
        (text) => text.match(new RegExp(`DELETE FROM ${table} .*LIMIT (\\d+)`, 's'))?.[1] ?? [],
      )
      // The third portion is not full, and a second pass finds nothing.
      expect(limits.slice(0, 3), table).toEqual(['64', '128', '256'])
    }
    expect(logged).toMatchObject([
      {
        level: 30,
        msg: 'rows of a deleted environment deleted',
        environmentId,
        deleted: { subscribers: MANY + 1, notifications: MANY + 1, topics: 2 },
        seconds: expect.any(Number),
      },
      { level: 20, msg: 'housekeeping task finished', task: 'deletion' },
    ])
  })

  test('is performed by one process at a time, and continues in another when that process dies', async () => {
    const { client, environmentId } = await largeEnvironment()
    await remove(client)
    const first = housekeepingOf(world).perform('deletion')
    while ((await countOf('notifications', environmentId)) === MANY) await world.database.ping()
    // The state that a killed process leaves: the time of its last portion has not passed yet.
    await world.database.pool.query(`UPDATE sweeps SET holder = gen_random_uuid() WHERE name = 'deletion'`)
    expect(await first).toBe(false)
    expect(await filledTables(environmentId)).not.toEqual([])
    expect(await housekeepingOf(world).perform('deletion')).toBe(false)
    world.setClock(new Date(Date.now() + 120_000))
    const outcomes = [housekeepingOf(world), housekeepingOf(world)].map((process) => process.perform('deletion'))
    expect((await Promise.all(outcomes)).toSorted()).toEqual([false, true])
    world.setClock(undefined)
    expect(await filledTables(environmentId)).toEqual([])
    expect(await exists(environmentId)).toBe(false)
  })

  test('begins by itself within five seconds', async () => {
    const acme = await world.environment()
    const environmentId = await environmentIdOf(acme)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const housekeeping = housekeepingOf(world)
    housekeeping.start()
    await remove(acme)
    vi.advanceTimersByTime(5_000)
    await until(async () => ((await exists(environmentId)) ? undefined : true))
    await housekeeping.stop()
  })

  test('includes what a request in progress writes after the deletion', async () => {
    const acme = await world.environment()
    const environmentId = await environmentIdOf(acme)
    await remove(acme)
    const { db, newId, now } = world.gateway
    const times = { createdAt: now(), updatedAt: now() }
    await db.topic.create({ data: { environmentId, id: newId(), key: 'late', data: {}, ...times } })
    await housekeepingOf(world).perform('deletion')
    expect([await exists(environmentId), await countOf('topics', environmentId)]).toEqual([false, 0])
  })

  test('reads every table by an index', async () => {
    const { client } = await largeEnvironment()
    await remove(client)
    const texts = await statementsOf(() => housekeepingOf(world).perform('deletion'))
    const portions = [...new Set(texts.filter((text) => /DELETE FROM \w+ WHERE ctid/.test(text)))]
    expect(portions.length).toBeGreaterThanOrEqual(emptiedTables.length)
    const connection = await world.database.pool.connect()
    try {
      await connection.query('BEGIN')
      for (const setting of ['enable_seqscan', 'enable_bitmapscan'])
        await connection.query(`SET LOCAL ${setting} = off`)
      await connection.query('SET LOCAL plan_cache_mode = force_generic_plan')
      for (const text of portions) {
        await connection.query(`PREPARE explained AS ${text}`)
        const { rows } = await connection.query('EXPLAIN EXECUTE explained (NULL)')
        await connection.query('DEALLOCATE explained')
        expect(JSON.stringify(rows), text).not.toMatch(/Seq Scan|Bitmap/)
      }
    } finally {
      await connection.query('ROLLBACK')
      connection.release()
    }
  })
})

test('an import stops when its environment is deleted during the import', async () => {
  const acme = await world.environment('Import')
  async function* lines() {
    for (let index = 0; index < 2_000; index += 1) {
      if (index === 1_500) await remove(acme)
      yield Buffer.from(`${JSON.stringify({ subscriberId: `s${index}` })}\n`)
    }
  }
  const stdin = Readable.from(lines())
  const { code, stderr } = await run('import subscribers --environment Import --format jsonl', { stdin })
  expect(code).toBe(1)
  expect(stderr).toContain('not found')
})
