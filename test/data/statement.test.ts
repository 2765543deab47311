// Statements without Prisma's query engine, on the pool and in a transaction.
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { isForeignKeyViolation, isUniqueViolation } from '../../src/data/driver/database-errors.ts'
import type { Connection } from '../../src/data/connection/database.ts'
import { Prisma } from '../../src/data/prisma/client.ts'
import { labelled } from '../../src/data/statement/label.ts'
import { PLAN_FOR_ANY_VALUES, PLAN_FOR_THESE_VALUES } from '../../src/data/statement/statement-names.ts'
import { sql, sqlCount } from '../../src/data/statement/statement.ts'
import { isMaintenance } from '../support/statements.ts'
import { onServer } from '../support/on-server.ts'
import { useWorld } from '../support/world.ts'

// All names of a shared database may be taken.
const world = useWorld({ ownDatabase: true })

/** Runs `work` on the pool, and then in a transaction. */
async function bothWays<Result>(work: (db: Connection) => Promise<Result>): Promise<Result[]> {
  const { client } = world.database
  return [await work(client), await client.$transaction(work)]
}

const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** The name and text of each statement that `work` sends. */
async function sentBy(work: () => Promise<unknown>) {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return spy.mock.calls
      .map(([config]: readonly unknown[]) => config as string | { name?: string; text: string })
      .filter((sent) => !isMaintenance(typeof sent === 'string' ? sent : sent.text))
  } finally {
    spy.mockRestore()
  }
}

test('a statement returns the same values on the pool and in a transaction', async () => {
  const id = '0189d1c2-7b6a-7000-8000-000000000001'
  const at = new Date('2030-01-02T03:04:05.678Z')
  const values = await bothWays(
    (db) =>
      sql(db, 'test.values')`
      SELECT ${id}::uuid AS id, ${'a "quoted", {braced} \\ text'}::text AS text, ${true}::boolean AS yes,
             ${42}::int AS number, ${at}::timestamptz(3) AS at, ${JSON.stringify({ a: [1, null] })}::jsonb AS json,
             ${'in_app'}::"Channel" AS enum, ${['a,b', '"', 'NULL', '']}::text[] AS texts, ${[id]}::uuid[] AS ids,
             NULL::text AS nothing`,
  )
  const row = {
    id,
    text: 'a "quoted", {braced} \\ text',
    yes: true,
    number: 42,
    at,
    json: { a: [1, null] },
    enum: 'in_app',
    texts: ['a,b', '"', 'NULL', ''],
    ids: [id],
    nothing: null,
  }
  expect(values).toEqual([[row], [row]])
})

test('times are read to the millisecond', async () => {
  const times = ['1969-12-31T23:59:59.999Z', '2030-01-02T03:04:05.000Z', '2030-01-02T03:04:05.600Z']
  const read = await bothWays(
    (db) => sql<{ at: Date }>(db, 'test.times')`SELECT at FROM unnest(${times}::timestamptz[]) AS at`,
  )
  const expected = times.map((time) => ({ at: new Date(time) }))
  expect(read).toEqual([expected, expected])
})

test('a statement is rolled back together with its transaction', async () => {
  const { client } = world.database
  const failing = client.$transaction(async (db) => {
    await sql(db, 'test.insert')`
      INSERT INTO organizations (id, name, created_at) VALUES (${world.gateway.newId()}::uuid, 'Rolled back', now())`
    throw new Error('changed its mind')
  })
  await expect(failing).rejects.toThrow('changed its mind')
  expect(await client.organization.count({ where: { name: 'Rolled back' } })).toBe(0)
})

test('the violation of a constraint is recognized both ways', async () => {
  const again = Prisma.sql`INSERT INTO organizations SELECT * FROM organizations`
  const orphan = Prisma.sql`
    INSERT INTO users (id, organization_id, name, created_at)
    VALUES (gen_random_uuid(), gen_random_uuid(), 'Nobody', now())`
  const { client } = world.database
  for (const db of [client, undefined]) {
    const run = (text: Prisma.Sql) =>
      thrownBy(
        db ? sql(db, 'test.violation')`${text}` : client.$transaction((inner) => sql(inner, 'test.violation')`${text}`),
      )
    const [unique, foreign] = [await run(again), await run(orphan)]
    expect([isUniqueViolation(unique), isForeignKeyViolation(unique)]).toEqual([true, false])
    expect([isUniqueViolation(foreign), isForeignKeyViolation(foreign)]).toEqual([false, true])
  }
})

test('equal texts have one name and one plan, whatever the values, unless the plan depends on them', async () => {
  const { client } = world.database
  const read = (value: number, planForValues = false) =>
    sql(client, 'test.value', { planForValues })`SELECT ${value}::int AS value`
  const sent = await sentBy(async () => {
    await read(1)
    await read(2)
    await read(3, true)
  })
  const [one, other, planning, unnamed, reset] = sent.map((statement) =>
    typeof statement === 'string' ? statement : statement.name,
  )
  expect(one).toMatch(/^[\w-]{43}$/)
  expect([other, planning, unnamed, reset]).toEqual([one, PLAN_FOR_THESE_VALUES, undefined, PLAN_FOR_ANY_VALUES])
})

test.runIf(onServer)('the server shows the label of a statement, on the pool and in a transaction', async () => {
  const shown = await bothWays(
    (db) =>
      sql<{ query: string }>(db, 'test.activity')`
      SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid() AND ${true}::boolean`,
  )
  for (const [row] of shown) expect(row?.query).toMatch(/^\/\* test\.activity \*\/ /)
})

test.runIf(onServer)('the server shows the label of a statement over a connection', async () => {
  const { rows } = await world.database.pool.query<{ query: string }>(
    labelled('test.activity', 'SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid()'),
  )
  expect(rows).toEqual([{ query: expect.stringMatching(/^\/\* test\.activity \*\/ SELECT/) }])
})

test('the text of a statement without rows begins with its label', async () => {
  const sent = await sentBy(
    () => sqlCount(world.database.client, 'test.nothing')`DELETE FROM users WHERE ${false}::boolean`,
  )
  expect(sent.map((statement) => (typeof statement === 'string' ? statement : statement.text))).toEqual([
    '/* test.nothing */ DELETE FROM users WHERE $1::boolean',
  ])
})
