// Statements without Prisma's query engine, on the pool and in a transaction.
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { isForeignKeyViolation, isUniqueViolation } from '../../src/data/driver/database-errors.ts'
import type { Connection } from '../../src/data/connection/database.ts'
import { Prisma } from '../../src/data/prisma/client.ts'
import { PLAN_FOR_ANY_VALUES, PLAN_FOR_THESE_VALUES } from '../../src/data/statement/statement-names.ts'
import { runStatement } from '../../src/data/statement/statement.ts'
import { isMaintenance } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'

// The names of a shared database may all be taken.
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
  const values = await bothWays((db) =>
    runStatement(
      db,
      Prisma.sql`
        SELECT ${id}::uuid AS id, ${'a "quoted", {braced} \\ text'}::text AS text, ${true}::boolean AS yes,
               ${42}::int AS number, ${at}::timestamptz(3) AS at, ${JSON.stringify({ a: [1, null] })}::jsonb AS json,
               ${'in_app'}::"Channel" AS enum, ${['a,b', '"', 'NULL', '']}::text[] AS texts, ${[id]}::uuid[] AS ids,
               NULL::text AS nothing`,
    ),
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
  const read = await bothWays((db) =>
    runStatement<{ at: Date }>(db, Prisma.sql`SELECT at FROM unnest(${times}::timestamptz[]) AS at`),
  )
  const expected = times.map((time) => ({ at: new Date(time) }))
  expect(read).toEqual([expected, expected])
})

test('a statement of a transaction is rolled back with it', async () => {
  const { client } = world.database
  const insert = Prisma.sql`
    INSERT INTO organizations (id, name, created_at) VALUES (${world.gateway.newId()}::uuid, 'Rolled back', now())`
  const failing = client.$transaction(async (db) => {
    await runStatement(db, insert)
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
    const run = (sql: Prisma.Sql) =>
      thrownBy(db ? runStatement(db, sql) : client.$transaction((inner) => runStatement(inner, sql)))
    const [unique, foreign] = [await run(again), await run(orphan)]
    expect([isUniqueViolation(unique), isForeignKeyViolation(unique)]).toEqual([true, false])
    expect([isUniqueViolation(foreign), isForeignKeyViolation(foreign)]).toEqual([false, true])
  }
})

test('equal texts have one name and one plan, whatever the values, unless the plan depends on them', async () => {
  const { client } = world.database
  const sql = (value: number) => Prisma.sql`SELECT ${value}::int AS value`
  const sent = await sentBy(async () => {
    await runStatement(client, sql(1))
    await runStatement(client, sql(2))
    await runStatement(client, sql(3), { planForValues: true })
  })
  const [one, other, planning, unnamed, reset] = sent.map((statement) =>
    typeof statement === 'string' ? statement : statement.name,
  )
  expect(one).toMatch(/^[\w-]{43}$/)
  expect([other, planning, unnamed, reset]).toEqual([one, PLAN_FOR_THESE_VALUES, undefined, PLAN_FOR_ANY_VALUES])
})
