// Rows as parameters of statements: their table gives them columns and types.
import { expect, test } from 'vitest'
import { type Context, type Notification, Prisma } from '../../src/data/prisma/client.ts'
import { sql } from '../../src/data/statement/statement.ts'
import { createdIn, insertRows, rowsOf, selectList, type Table } from '../../src/data/statement/table.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const notifications: Table<Notification> = {
  name: 'notifications',
  fields: Object.values(Prisma.NotificationScalarFieldEnum),
}
const contexts: Table<Context> = { name: 'contexts', fields: Object.values(Prisma.ContextScalarFieldEnum) }

const id = '0189d1c2-7b6a-7000-8000-000000000001'
const now = new Date('2030-01-02T03:04:05.678Z')
const acme = { id, type: 'tenant', identifier: 'acme', key: 'tenant:acme', data: { plan: 'pro' } }

test('values keep their types, and what a row does not have is null', async () => {
  const given = {
    id,
    contextKeys: ['a,b', '"', ''],
    subject: 'a "quoted", {braced} \\ text',
    data: { a: [1, null] },
    actions: [],
    severity: 'high',
    seenAt: now,
    readAt: null,
  } as const
  const rows = await sql(world.database.client, 'test.rowsOf')`
    SELECT ${selectList(notifications, 'given')} FROM ${rowsOf(notifications, [given])} AS given`
  const nothing = Object.fromEntries(notifications.fields.map((field) => [field, null]))
  expect(rows).toEqual([{ ...nothing, ...given }])
})

test('an insert takes conditions, an order, a conflict and returned columns', async () => {
  const environmentId = await environmentIdOf(await world.environment())
  const write = (data: object, condition: boolean) =>
    sql(world.database.client, 'test.insertRows')`
      ${insertRows(contexts, [{ ...acme, data }], createdIn({ environmentId }, now))}
      WHERE ${condition}::boolean AND given.type = 'tenant'
      ORDER BY given.key
      ON CONFLICT (environment_id, key) DO UPDATE SET data = stored.data || excluded.data
      RETURNING ${selectList(contexts, 'stored')}`
  const stored = { ...acme, environmentId, lastUsedAt: null, createdAt: now, updatedAt: now, version: 1 }
  expect(await write({ plan: 'pro' }, false)).toEqual([])
  expect(await write({ plan: 'pro' }, true)).toEqual([stored])
  expect(await write({ seats: 5 }, true)).toEqual([{ ...stored, data: { plan: 'pro', seats: 5 }, version: 2 }])
})

test('columns that no row has are left to their defaults', () => {
  const created = createdIn({ environmentId: id }, now)
  expect(insertRows(contexts, [acme], created).sql).not.toContain('last_used_at')
  expect(insertRows(contexts, [acme, { ...acme, lastUsedAt: now }], created).sql).toContain('last_used_at')
})

test('the rows of a function beside the given ones are joined to them in their order', async () => {
  const beside = Prisma.sql`jsonb_to_recordset('[{ "place": "a" }, { "place": "b" }]') AS (place text)`
  const rows = [acme, { ...acme, identifier: 'globex' }]
  const { text, values } = insertRows(contexts, rows, createdIn({ environmentId: id }, now), beside)
  const query = text.slice(text.indexOf('SELECT')).replace('SELECT', 'SELECT given.place,')
  const joined = await world.database.pool.query<{ place: string; identifier: string }>(query, values)
  expect(joined.rows.map(({ place, identifier }) => [place, identifier])).toEqual([
    ['a', 'acme'],
    ['b', 'globex'],
  ])
})

test('rows without a required field and rows with an unknown one do not compile', () => {
  const created = createdIn({ environmentId: id }, now)
  const { key: _key, ...incomplete } = acme
  const unknown = { ...acme, lastUsed: now }
  // @ts-expect-error The key is missing.
  expect(insertRows(contexts, [incomplete], created).sql).not.toContain('key')
  // @ts-expect-error There is no such column.
  expect(insertRows(contexts, [unknown], created).sql).not.toContain('last_used')
  // @ts-expect-error There is none to update either.
  expect(rowsOf(contexts, [unknown]).values).toEqual([expect.not.stringContaining('last_used')])
})
