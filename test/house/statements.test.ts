// Rules for statements, which let the rows of an environment be on a server of their own. The guard in
// test/support/statement/guard.ts checks each statement that a test sends.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { exceptionalLabels } from '../support/statement/exceptions.ts'
import { brokenRules, type StatementRule, tenantTables } from '../support/statement/rules.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

interface Sample {
  readonly name: string
  readonly text: string
  readonly broken: readonly StatementRule[]
}

const EVENT = 'SELECT id FROM events WHERE environment_id = $1::uuid AND id = $2::uuid'

const samples: readonly Sample[] = [
  { name: 'a row of an environment', text: EVENT, broken: [] },
  { name: 'rows of all environments', text: 'SELECT id FROM events WHERE id = $1', broken: ['environment'] },
  {
    name: 'a join on the environment of another row',
    text: `SELECT FROM events AS event JOIN workflow_runs AS run ON run.environment_id = event.environment_id
      WHERE event.environment_id = $1::uuid`,
    broken: ['environment'],
  },
  {
    name: 'a join with the environment on both sides',
    text: `SELECT FROM events AS event JOIN workflow_runs AS run ON run.environment_id = $1::uuid
      WHERE event.environment_id = $2::uuid`,
    broken: [],
  },
  {
    name: 'a subquery that takes the environment from outside',
    text: `SELECT (SELECT id FROM jobs WHERE environment_id = event.environment_id LIMIT 1) FROM events AS event
      WHERE environment_id = $1::uuid`,
    broken: ['environment'],
  },
  {
    name: 'one of two parts of a UNION without the environment',
    text: `${EVENT} UNION ALL SELECT id FROM jobs`,
    broken: ['environment'],
  },
  {
    name: 'a part with the name of a table',
    text: `WITH events AS MATERIALIZED (${EVENT}) SELECT FROM events`,
    broken: [],
  },
  {
    name: 'rows to insert with environments of their own',
    text: 'INSERT INTO jobs (environment_id, id) SELECT given.environment_id, $1::uuid FROM given',
    broken: ['environment'],
  },
  {
    name: 'a write beside an INSERT',
    text: `WITH added AS (INSERT INTO jobs (environment_id, id) VALUES ($1::uuid, $2::uuid))
      UPDATE events SET reason = NULL WHERE environment_id = $3::uuid`,
    broken: ['parts'],
  },
  {
    name: 'writes that change rows in several parts',
    text: `WITH changed AS (UPDATE jobs SET id = id WHERE environment_id = $1::uuid)
      UPDATE events SET reason = NULL WHERE environment_id = $2::uuid`,
    broken: [],
  },
  {
    name: 'a conflict that takes values from the row to insert',
    text: `INSERT INTO topics AS stored (environment_id, key) VALUES ($1::uuid, $2)
      ON CONFLICT (environment_id, key) DO UPDATE SET name = coalesce(excluded.name, stored.name) RETURNING id`,
    broken: [],
  },
  {
    name: 'a conflict that takes a parameter',
    text: `INSERT INTO topics (environment_id, key) VALUES ($1::uuid, $2)
      ON CONFLICT (environment_id, key) DO UPDATE SET name = $3`,
    broken: ['conflict'],
  },
  {
    name: 'a subquery in RETURNING',
    text: `UPDATE topics SET name = $1 WHERE environment_id = $2::uuid RETURNING EXISTS (${EVENT})`,
    broken: ['conflict'],
  },
  { name: 'NOTIFY', text: `SELECT pg_notify('jobs', message) FROM unnest($1::text[]) AS message`, broken: [] },
  {
    name: 'NOTIFY beside a write',
    text: `WITH gone AS (DELETE FROM jobs WHERE environment_id = $1::uuid) SELECT pg_notify('jobs', '')`,
    broken: ['notify'],
  },
  {
    name: 'physical positions in all environments',
    text: `DELETE FROM jobs WHERE ctid = ANY (ARRAY(SELECT ctid FROM jobs WHERE environment_id = $1::uuid))`,
    broken: ['environment', 'storage'],
  },
  { name: 'the size of a table', text: `SELECT pg_relation_size('jobs')`, broken: ['storage'] },
]

describe('a statement', () => {
  test.each(samples)('with $name', ({ text, broken }) => {
    expect(brokenRules(`/* some.label */ ${text}`)).toEqual(broken)
  })
})

test('every exception is the label of a statement', () => {
  const data = path.join(import.meta.dirname, '../../src/data')
  const sources = readdirSync(data, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(data, name), 'utf8'))
  expect(exceptionalLabels.filter((label) => !sources.some((source) => source.includes(`'${label}'`)))).toEqual([])
})

/** Keys that never change. */
const lastingKeys = ['id', 'environment_id, id', 'environment_id, subscriber_id', 'environment_id, key']

/** Tables that refer to the identifier of an integration, which is updated in them, too. */
const renamed = ['channel_connections', 'channel_endpoints']

test('foreign keys refer to keys that never change, except those of endpoints to their integration', async () => {
  const { rows } = await world.database.pool.query<{ table: string; key: string }>(`
    SELECT conrelid::regclass::text AS table, (
      SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(confkey) WITH ORDINALITY AS part(number, place)
      JOIN pg_attribute ON attrelid = confrelid AND attnum = part.number) AS key
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`)
  const changing = rows.filter(({ key }) => !lastingKeys.includes(key))
  expect(changing.sort((one, other) => (one.table < other.table ? -1 : 1))).toEqual(
    renamed.map((table) => ({ table, key: 'environment_id, identifier' })),
  )
})

test('the rules know the tables of environments', async () => {
  const { rows } = await world.database.pool.query<{ name: string }>(`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'environment_id'
      AND table_name NOT IN ('api_keys', 'sign_in_codes', 'dashboard_sessions')`)
  expect(rows.map(({ name }) => name).sort()).toEqual(tenantTables.toSorted())
})
