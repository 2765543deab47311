// Migrations at start: they are applied once, and a mismatch between the record and the files is an error.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { describe, expect, test } from 'vitest'
import { migrate } from '../../src/data/connection/migrate.ts'
import { activateAll } from '../support/delivery/story.ts'
import { bodiesOf } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const folder = path.join(import.meta.dirname, '../../prisma/migrations')

/** The statements of the migration with this name, without those that begin with `except`. */
async function statementsOf(name: string, except?: string): Promise<string> {
  const found = (await readdir(folder)).find((directory) => directory.endsWith(`_${name}`)) ?? name
  const text = await readFile(path.join(folder, found, 'migration.sql'), 'utf8')
  const statements = text.replaceAll(/^--.*$/gm, '').split(/;\s*$/m)
  return statements.filter((statement) => except === undefined || !statement.trim().startsWith(except)).join(';')
}

/** Runs the work in a transaction that is rolled back. */
async function inTransaction(work: (connection: pg.PoolClient) => Promise<void>): Promise<void> {
  const connection = await world.database.pool.connect()
  try {
    await connection.query('BEGIN')
    await work(connection)
  } finally {
    await connection.query('ROLLBACK')
    connection.release()
  }
}

async function recordOf(connection: pg.ClientBase | pg.Pool) {
  const { rows } = await connection.query('SELECT * FROM "_prisma_migrations" ORDER BY migration_name')
  return rows
}

/** The error of `migrate` after a change to the record. */
async function refusalAfter(change: string): Promise<string> {
  let message = ''
  await inTransaction(async (connection) => {
    await connection.query(change)
    const before = await recordOf(connection)
    await migrate(connection).catch((error: unknown) => (message = String(error)))
    expect(await recordOf(connection)).toEqual(before)
  })
  return message
}

const newest = `(SELECT max(migration_name) FROM "_prisma_migrations")`

describe('migrations', () => {
  test("are recorded in Prisma's own table, in Prisma's format", async () => {
    const names = (await readdir(folder)).filter((name) => !name.endsWith('.toml')).sort()
    const expected = await Promise.all(
      names.map(async (name) => ({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        migration_name: name,
        checksum: createHash('sha256')
          .update(await readFile(path.join(folder, name, 'migration.sql')))
          .digest('hex'),
        started_at: expect.any(Date),
        finished_at: expect.any(Date),
        rolled_back_at: null,
        logs: null,
        applied_steps_count: 1,
      })),
    )
    expect(await recordOf(world.database.pool)).toEqual(expected)
  })

  test('are not applied twice', async () => {
    const before = await recordOf(world.database.pool)
    await inTransaction(async (connection) => {
      expect(await migrate(connection)).toEqual([])
    })
    expect(await recordOf(world.database.pool)).toEqual(before)
  })

  test('that were edited after they were applied cause an error with their names', async () => {
    expect(
      await refusalAfter(`UPDATE "_prisma_migrations" SET checksum = 'other' WHERE migration_name = ${newest}`),
    ).toMatch(/^Error: migration \d+_\w+ was edited after it was applied$/)
  })

  test('that failed earlier cause an error with their names', async () => {
    expect(
      await refusalAfter(`UPDATE "_prisma_migrations" SET finished_at = NULL WHERE migration_name = ${newest}`),
    ).toMatch(/^Error: migration \d+_\w+ failed earlier: repair the database and its record first$/)
  })

  test('of workflow preferences remove an old true and keep every other choice', async () => {
    const { development: acme } = world
    await acme.act('createSubscriber', { subscriberId: 'ada' })
    for (const name of ['on', 'off']) await acme.act('createWorkflow', { identifier: name, name })
    const prefer = (input: object) => acme.act('updateSubscriberPreferences', { subscriberId: 'ada', ...input })
    await prefer({ enabled: true })
    await prefer({ workflowIdentifier: 'on', enabled: true, channels: [{ channel: 'SMS', enabled: false }] })
    await prefer({ workflowIdentifier: 'off', enabled: false })
    await inTransaction(async (connection) => {
      await connection.query('ALTER TABLE subscriber_preferences ALTER COLUMN enabled SET NOT NULL')
      await connection.query(await statementsOf('preference_enabled'))
      const { rows } = await connection.query(
        `SELECT identifier, enabled, preference.channels FROM subscriber_preferences AS preference
         LEFT JOIN workflows AS workflow ON workflow.id = workflow_id ORDER BY identifier NULLS FIRST`,
      )
      expect(rows).toEqual([
        { identifier: null, enabled: true, channels: {} },
        { identifier: 'off', enabled: false, channels: {} },
        { identifier: 'on', enabled: null, channels: { sms: false } },
      ])
    })
  })

  test('of messages link those that can still be sent to the rows that they name, unless the rows are younger', async () => {
    const acme = await world.environment()
    const contexts = [{ type: 'tenant', identifier: 'acme' }]
    await acme.act('createSubscriber', {
      subscriberId: 'ada',
      email: 'ada@example.com',
      channels: [{ providerId: 'EXPO', credentials: { deviceTokens: ['phone'] } }],
    })
    // The gateway does not implement these providers, so the messages fail immediately.
    for (const providerId of ['EXPO', 'UNIFONIC', 'BRAZE']) {
      await acme.act('createIntegration', { providerId, identifier: providerId })
    }
    await activateAll(world)
    await acme.act('createChannelEndpoint', {
      identifier: 'phone',
      subscriberId: 'ada',
      integrationIdentifier: 'UNIFONIC',
      contexts,
      endpoint: { phone: { phoneNumber: '+4930111111' } },
    })
    const steps = [
      { push: { subject: 'x', body: 'x' } },
      { sms: { body: 'x' } },
      { email: { subject: 'x', body: 'x' } },
    ]
    await acme.act('createWorkflow', { identifier: 'order', name: 'Order', steps })
    await acme.act('triggerEvent', {
      workflowIdentifier: 'order',
      to: [{ subscriber: { subscriberId: 'ada' } }],
      contexts,
    })
    await world.work({ early: true })

    const read = async (connection: pg.PoolClient) => {
      const { rows } = await connection.query(
        `SELECT channel, delivery.status, integration_id, target, subscriber_row_id FROM deliveries AS delivery
         JOIN step_runs AS step ON step.id = step_run_id JOIN workflow_runs AS run ON run.id = run_id ORDER BY channel`,
      )
      return rows
    }
    const asBefore = `
      UPDATE deliveries SET target = target - 'id' #- '{credential,id}';
      ALTER TABLE deliveries DROP COLUMN integration_id, DROP COLUMN subscription_ids;
      ALTER TABLE workflow_runs DROP COLUMN subscriber_row_id;`
    await inTransaction(async (connection) => {
      const before = await read(connection)
      expect(before).toMatchObject([
        { channel: 'email', status: 'failed', target: { kind: 'email' } },
        { channel: 'sms', status: 'failed', target: { kind: 'endpoint', id: expect.any(String) } },
        { channel: 'push', status: 'failed', target: { kind: 'device', credential: { id: expect.any(String) } } },
      ])
      await connection.query(asBefore)
      await connection.query(await statementsOf('message_identity', 'ALTER TABLE "subscriber_credentials"'))
      expect(await read(connection)).toEqual(before)
    })
    await inTransaction(async (connection) => {
      await connection.query(asBefore)
      for (const table of ['integrations', 'channel_endpoints', 'subscriber_credentials']) {
        await connection.query(`UPDATE ${table} SET created_at = now() + interval '1 hour'`)
      }
      await connection.query(await statementsOf('message_identity', 'ALTER TABLE "subscriber_credentials"'))
      expect(await read(connection)).toMatchObject([
        { integration_id: null },
        { integration_id: null, target: { kind: 'endpoint', id: null } },
        { integration_id: null, target: { kind: 'device', credential: { id: null } } },
      ])
    })
  })

  const applied = (name: string) =>
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at) VALUES ('1', 'x', '${name}', now())`

  test('of a newer version that only expand the schema are reported', async () => {
    await inTransaction(async (connection) => {
      await connection.query(applied('99990101000000_tomorrow'))
      expect(await migrate(connection)).toEqual(['99990101000000_tomorrow'])
    })
  })

  test('of a newer version that contract the schema cause an error with their names', async () => {
    expect(await refusalAfter(applied('99990101000000_contract_tomorrow'))).toBe(
      'Error: the database is too new for this version: it has migration 99990101000000_contract_tomorrow',
    )
  })
})

describe('the copies of workflows, which each event used to have,', () => {
  test('become one snapshot for each version, which the events run', async () => {
    const { pool } = world.database
    const acme = await world.environment()
    const globex = await world.environment()
    const trigger = (client: Client, transactionId: string) =>
      client.act('triggerEvent', {
        workflowIdentifier: 'news',
        transactionId,
        to: [{ subscriber: { subscriberId: 'ada' } }],
      })
    for (const client of [acme, globex]) {
      await client.act('createWorkflow', { identifier: 'news', name: 'News', steps: [{ inApp: { body: 'Old' } }] })
    }
    await trigger(acme, 'one')
    await trigger(acme, 'two')
    await acme.act('updateWorkflow', { identifier: 'news', steps: [{ inApp: { body: 'New' } }] })
    await trigger(acme, 'three')
    await trigger(globex, 'one')
    const read = async () => {
      const { rows } = await pool.query(
        `SELECT event.environment_id, transaction_id, workflow FROM events AS event
         JOIN workflow_snapshots USING (environment_id) WHERE hash = snapshot_hash ORDER BY event.id`,
      )
      return rows
    }
    const before = await read()
    await pool.query(`
      ALTER TABLE events ADD COLUMN workflow jsonb NOT NULL DEFAULT '{}';
      UPDATE events AS event SET workflow = snapshot.workflow FROM workflow_snapshots AS snapshot
      WHERE snapshot.environment_id = event.environment_id AND hash = snapshot_hash;
      ALTER TABLE events DROP COLUMN snapshot_hash;
      DROP TABLE workflow_snapshots;
      DELETE FROM "_prisma_migrations" WHERE migration_name LIKE '%_workflow_snapshots'`)
    const connection = await pool.connect()
    await migrate(connection).finally(() => connection.release())
    expect(await read()).toEqual(before)
    const { rows } = await pool.query(
      `SELECT count(*)::int AS snapshots FROM workflow_snapshots WHERE workflow ->> 'identifier' = 'news'`,
    )
    expect(rows).toEqual([{ snapshots: 3 }])
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['Old', 'Old', 'New'])
    expect(await bodiesOf(globex)).toEqual(['Old'])
  })
})

// Must be the last test, because connections keep plans with the type that it replaces.
describe('the jobs in the former queue of pg-boss', () => {
  test('are moved to our own table, and its schema is removed', async () => {
    const { pool } = world.database
    const connection = await pool.connect()
    try {
      const { rows } = await connection.query<{ id: string }>('SELECT id FROM environments ORDER BY id LIMIT 1')
      const [environment] = rows
      await connection.query(`
        DROP TABLE jobs, pauses; DROP TYPE "JobQueue";
        DELETE FROM "_prisma_migrations" WHERE migration_name ~ '_(jobs|job_priorities|job_turns|pauses|held_jobs)$';
        CREATE SCHEMA pgboss;
        CREATE TYPE pgboss.job_state AS ENUM ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
        CREATE TABLE pgboss.job (
          id uuid NOT NULL DEFAULT gen_random_uuid(), name text NOT NULL, data jsonb, state pgboss.job_state NOT NULL,
          start_after timestamptz NOT NULL DEFAULT now(), created_on timestamptz NOT NULL DEFAULT now()
        )`)
      const later = new Date('2040-01-01T00:00:00Z')
      const past = new Date('2026-01-01T00:00:00Z')
      const insert = (name: string, state: string, startAfter: Date, data: object) =>
        connection.query('INSERT INTO pgboss.job (name, state, start_after, data) VALUES ($1, $2, $3, $4)', [
          name,
          state,
          startAfter,
          { ...data, environmentId: environment?.id },
        ])
      await insert('fan-out', 'created', past, { eventId: 'waiting' })
      await insert('advance', 'retry', later, { runIds: ['waiting'], due: 1 })
      await insert('deliver', 'active', later, { deliveryId: 'in progress' })
      await insert('deliver', 'completed', past, { deliveryId: 'done' })
      await insert('other', 'created', past, {})
      await migrate(connection)
      const moved = await connection.query(
        'SELECT environment_id, queue, data, due_at, available_at, attempt_count FROM jobs ORDER BY queue',
      )
      const common = { environment_id: environment?.id, attempt_count: 0 }
      expect(moved.rows).toEqual([
        { ...common, queue: 'fan_out', data: { eventId: 'waiting' }, due_at: past, available_at: past },
        { ...common, queue: 'advance', data: { runIds: ['waiting'], due: 1 }, due_at: later, available_at: later },
        {
          ...common,
          queue: 'deliver',
          data: { deliveryId: 'in progress' },
          due_at: later,
          available_at: expect.any(Date),
        },
      ])
      expect(moved.rows.at(-1)?.available_at.getTime()).toBeLessThan(later.getTime())
      const schemas = await connection.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'pgboss'`)
      expect(schemas.rows).toEqual([])
    } finally {
      connection.release()
    }
  })
})
