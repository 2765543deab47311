// The sweep of contexts: deletes contexts that were created on first use once nothing refers to them, and no others.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { CHECKED_AT_ONCE } from '../../src/domain/unused-context.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { commandLineOf } from '../support/command-line.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { onServer } from '../support/on-server.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const run = commandLineOf(world)
const DAY = 86_400_000
let acme: Client
let environmentId: string

beforeEach(async () => {
  world.setClock(undefined)
  acme = await world.environment()
  environmentId = await environmentIdOf(acme)
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
  return () => world.setClock(undefined)
})

const query = async (sql: string, values: unknown[] = [environmentId]) =>
  (await world.database.pool.query(sql, values)).rows

/** Sets the clock to a number of days from now. */
const pass = (days: number) => world.setClock(new Date(Date.now() + days * DAY))

/** Uses a context, and removes everything that refers to it. */
async function leave(tenant: string, client = acme): Promise<void> {
  const transactionId = await trigger(client, { context: { tenant } })
  await query('DELETE FROM events WHERE transaction_id = $1', [transactionId])
}

const sweep = async (input: object = {}, client = acme) => {
  const { userErrors: _none, ...result } = await done(client, 'deleteUnusedContexts', input, 'deleted next')
  return result
}

const keys = async (client = acme): Promise<string[]> =>
  (await client.ask('{ contexts(first: 100) { nodes { key } } }')).contexts.nodes.map(({ key }) => key).sort()

describe('the sweep of contexts', () => {
  test('deletes contexts that were created on first use, are unused, and have no references', async () => {
    await leave('gone')
    await leave('updated')
    await done(acme, 'updateContext', { key: 'tenant:updated', data: {} })
    await done(acme, 'createContext', { type: 'tenant', identifier: 'created' })
    await leave('created')
    pass(20)
    await leave('fresh')
    pass(31)
    expect(await sweep()).toEqual({ deleted: 1, next: null })
    expect(await keys()).toEqual(['tenant:created', 'tenant:fresh', 'tenant:updated'])
    expect(world.logged).toContainEqual(
      expect.objectContaining({ msg: 'unused contexts deleted', environmentId, deleted: 1 }),
    )
    expect(await sweep({ unusedDays: 5 })).toEqual({ deleted: 1, next: null })
  })

  test.each<[string, () => Promise<unknown>]>([
    ['an event', () => trigger(acme, { context: { tenant: 'used' } })],
    [
      'a notification whose event is gone',
      async () => {
        const transactionId = await trigger(acme, { context: { tenant: 'used', app: 'web' } })
        await world.work()
        await query('DELETE FROM events WHERE transaction_id = $1', [transactionId])
        expect(await query('SELECT 1 FROM notifications WHERE environment_id = $1')).toHaveLength(1)
      },
    ],
    [
      'a topic subscription',
      () =>
        done(acme, 'createTopicSubscriptions', {
          topicKey: 'news',
          subscriptions: [{ subscriberId: 'ada' }],
          contexts: [{ type: 'tenant', identifier: 'used' }],
        }),
    ],
    [
      'a channel endpoint',
      async () => {
        await done(acme, 'createIntegration', { identifier: 'slack', providerId: 'SLACK' })
        await done(acme, 'createChannelEndpoint', {
          subscriberId: 'ada',
          integrationIdentifier: 'slack',
          contexts: [{ type: 'tenant', identifier: 'used' }],
          endpoint: { workspaceChatUser: { userId: 'U-1' } },
        })
      },
    ],
    [
      'a preference',
      () =>
        done(acme, 'updateSubscriberPreferences', {
          subscriberId: 'ada',
          contexts: [{ type: 'tenant', identifier: 'used' }],
          enabled: false,
        }),
    ],
  ])('keeps contexts that %s refers to', async (_what, refer) => {
    await refer()
    await leave('gone')
    pass(31)
    expect(await sweep()).toEqual({ deleted: 1, next: null })
    expect(await keys()).toContain('tenant:used')
    expect(await keys()).not.toContain('tenant:gone')
  })

  test('keeps contexts of versions that did not record the first use', async () => {
    await leave('old')
    await query('UPDATE contexts SET last_used_at = NULL WHERE environment_id = $1')
    pass(31)
    await leave('old')
    pass(100)
    expect(await sweep()).toEqual({ deleted: 0, next: null })
    expect(await keys()).toEqual(['tenant:old'])
  })

  test('keeps the contexts of other environments, and ignores references in other environments', async () => {
    const other = await world.environment()
    await createWorkflow(other, [{ inApp: { body: 'Hello' } }])
    await trigger(other, { context: { tenant: 'shared' } })
    await leave('alone', other)
    await leave('shared')
    pass(31)
    expect(await sweep()).toEqual({ deleted: 1, next: null })
    expect(await keys()).toEqual([])
    expect(await keys(other)).toEqual(['tenant:alone', 'tenant:shared'])
  })

  test('only counts contexts in a dry run', async () => {
    await leave('gone')
    pass(31)
    expect(await sweep({ dryRun: true })).toEqual({ deleted: 1, next: null })
    expect(await keys()).toEqual(['tenant:gone'])
  })

  test('checks a page of contexts at a time', async () => {
    await query(
      `INSERT INTO contexts (environment_id, id, type, identifier, key, data, last_used_at, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'tenant', n, 'tenant:' || n, '{}', now(), now(), now()
       FROM generate_series(100001, 100003 + $2::int) AS n`,
      [environmentId, CHECKED_AT_ONCE],
    )
    pass(31)
    const first = await sweep()
    expect(first).toEqual({ deleted: CHECKED_AT_ONCE, next: `tenant:${100_000 + CHECKED_AT_ONCE}` })
    expect(await sweep({ after: first.next })).toEqual({ deleted: 3, next: null })
    expect(await keys()).toEqual([])
  })

  test('searches every portion of a large table', async () => {
    await leave('gone')
    const transactionId = await trigger(acme, { context: { tenant: 'used' } })
    // These ids sort before the event with the context.
    await query(
      `INSERT INTO events (environment_id, id, transaction_id, workflow_identifier, recipients, payload, overrides,
                           context_keys, snapshot_hash, created_at, updated_at)
       SELECT environment_id, lpad(to_hex(n), 32, '0')::uuid, 'copy-' || n, workflow_identifier, recipients, payload,
              overrides, '{}', snapshot_hash, created_at, updated_at
       FROM events, generate_series(1, 10000) AS n WHERE environment_id = $1 AND transaction_id = $2`,
      [environmentId, transactionId],
    )
    pass(31)
    expect(await sweep()).toEqual({ deleted: 1, next: null })
    expect(await keys()).toEqual(['tenant:used'])
  })

  test.each([
    [{ unusedDays: 1 }, 'unusedDays must be a whole number from 2 to 3650'],
    [{ unusedDays: 3651 }, 'unusedDays must be a whole number from 2 to 3650'],
    [{ after: 'acme' }, 'after must have the form <type>:<id>, such as tenant:acme'],
  ])('rejects %j', async (input, message) => {
    expect((await acme.act('deleteUnusedContexts', input)).userErrors).toMatchObject([{ message }])
  })
})

describe('the use of a context', () => {
  const revision = async () =>
    (await query('SELECT xmin::text, last_used_at FROM contexts WHERE environment_id = $1')).map(
      ({ xmin, last_used_at: at }) => [xmin, at],
    )

  test('is recorded once a day, and otherwise writes nothing', async () => {
    await leave('acme')
    const [first] = await revision()
    await leave('acme')
    pass(0.9)
    await leave('acme')
    expect(await revision()).toEqual([first])
    pass(1.1)
    await leave('acme')
    const [later] = await revision()
    expect(later?.[1].getTime() - first?.[1].getTime()).toBeGreaterThan(DAY)
  })

  test('is not recorded for a context that was created by a mutation', async () => {
    await done(acme, 'createContext', { type: 'tenant', identifier: 'acme' })
    const before = await revision()
    pass(10)
    await leave('acme')
    expect(await revision()).toEqual(before)
  })
})

describe('a trigger at the same time', () => {
  /** Runs `work` once, right before the statement that deletes contexts. */
  function beforeDeletion(work: () => Promise<unknown>): void {
    const { pool } = world.database
    const send = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>
    const spy = vi.spyOn(pool, 'query')
    const spied: (...given: unknown[]) => unknown = async (...given) => {
      const [statement] = given as [{ text?: string }]
      if (statement.text?.includes('DELETE FROM contexts') === true) {
        spy.mockRestore()
        await work()
      }
      return send(...given)
    }
    spy.mockImplementation(spied)
  }

  test('keeps a context that it uses after the search for references', async () => {
    await leave('acme')
    await leave('gone')
    pass(31)
    beforeDeletion(() => trigger(acme, { context: { tenant: 'acme' } }))
    expect(await sweep()).toEqual({ deleted: 1, next: null })
    expect(await keys()).toEqual(['tenant:acme'])
  })

  // The embedded database has one connection: its transactions run one after the other.
  test.runIf(onServer)('does not make the sweep wait: the context that it has locked is kept', async () => {
    await leave('acme')
    await leave('gone')
    pass(31)
    const connection = await world.database.pool.connect()
    try {
      await connection.query('BEGIN')
      await connection.query(`UPDATE contexts SET last_used_at = now() WHERE key = 'tenant:acme'`)
      expect(await sweep()).toEqual({ deleted: 1, next: null })
      await connection.query('COMMIT')
    } finally {
      connection.release()
    }
    expect(await keys()).toEqual(['tenant:acme'])
  })

  test.runIf(onServer)('waits for the deletion and creates the context again', async () => {
    await leave('acme')
    pass(31)
    const connection = await world.database.pool.connect()
    try {
      await connection.query('BEGIN')
      await connection.query('DELETE FROM contexts WHERE environment_id = $1', [environmentId])
      const triggered = trigger(acme, { context: { tenant: 'acme' } })
      const isWaiting = async () =>
        (
          await query(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
            [],
          )
        ).length > 0
      await vi.waitUntil(isWaiting, { timeout: 20_000 })
      await connection.query('COMMIT')
      await triggered
    } finally {
      connection.release()
    }
    expect(await keys()).toEqual(['tenant:acme'])
  })

  test('never leaves an event without its context', async () => {
    const tenants = Array.from({ length: 20 }, (_, index) => `t${index}`)
    await Promise.all(tenants.map((tenant) => leave(tenant)))
    for (const days of [40, 80, 120]) {
      pass(days)
      await query('DELETE FROM events WHERE environment_id = $1')
      await Promise.all([
        ...tenants.map((tenant) => trigger(acme, { context: { tenant } })),
        ...[1, 2, 3].map(() => sweep()),
      ])
      expect(await keys()).toEqual(tenants.map((tenant) => `tenant:${tenant}`).sort())
    }
  })
})

describe('the sweep of contexts', () => {
  test('runs through REST', async () => {
    await leave('gone')
    pass(31)
    const counted = await acme.rest('POST /v2/contexts/delete-unused', { body: { dryRun: true } })
    expect(counted).toMatchObject({ status: 200, body: { deleted: 1, next: null } })
    const deleted = await acme.rest('POST /v2/contexts/delete-unused', { body: {} })
    expect(deleted).toMatchObject({ status: 200, body: { deleted: 1, next: null } })
    const refused = await acme.rest('POST /v2/contexts/delete-unused', { body: { unusedDays: 0 } })
    expect(refused.status).toBe(422)
    expect(await keys()).toEqual([])
  })

  test('runs at the command line, for all pages', async () => {
    const days = '--unused-days 10'
    const command = `sweep contexts --environment ${environmentId}`
    await leave('gone')
    await leave('also')
    pass(11)
    expect(await run(command)).toMatchObject({ code: 0, stdout: 'Deleted 0 unused contexts.\n' })
    expect(await run(`${command} ${days} --dry-run`)).toMatchObject({ stdout: 'Would delete 2 unused contexts.\n' })
    expect(await run(`${command} ${days} --json`)).toMatchObject({ json: { deleted: 2, dryRun: false } })
    expect(await keys()).toEqual([])
    expect((await run(`${command} --unused-days soon`)).code).not.toBe(0)
  })
})
