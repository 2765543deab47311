// Named statements: planned once per connection, without taking ever more of the server's memory.
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { StatementNames } from '../../src/data/statement/statement-names.ts'
import { useWorld } from '../support/world.ts'

// All names of a shared database may be taken.
const world = useWorld({ ownDatabase: true })

/** The names of the statements with arguments that `work` sends. Undefined for a statement without a name. */
async function namesOf(work: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    const sent = spy.mock.calls.map(([config]: readonly unknown[]) => config as pg.QueryConfig)
    return sent.filter(({ values }) => (values?.length ?? 0) > 0).map(({ name }) => name)
  } finally {
    spy.mockRestore()
  }
}

const read = (id: string) => world.database.client.organization.findUnique({ where: { id } })
const readAll = (count: number) =>
  world.database.client.organization.findMany({
    where: { id: { in: Array.from({ length: count }, () => crypto.randomUUID()) } },
  })

test('a statement has the same name each time', async () => {
  const [first] = await namesOf(() => read(crypto.randomUUID()))
  expect(first).toMatch(/^[\w-]{43}$/)
  expect(await namesOf(() => read(crypto.randomUUID()))).toEqual([first])
})

test('a statement whose text depends on the length of a list has no name', async () => {
  expect(await namesOf(() => readAll(2))).toEqual([''])
  expect(await namesOf(() => readAll(50))).toEqual([''])
  const insert = (count: number) =>
    world.database.client.organization.createMany({
      data: Array.from({ length: count }, () => ({ id: crypto.randomUUID(), name: 'Many', createdAt: new Date() })),
    })
  expect(await namesOf(() => insert(2))).toEqual([''])
})

test('the number of names is limited', () => {
  const names = new StatementNames(2)
  const [a, b, c, again] = ['a', 'b', 'c', 'a'].map((table) => names.of(`SELECT $1 FROM ${table}`))
  expect(a).not.toBe(b)
  expect([c, again]).toEqual([undefined, a])
})

test('a connection that replaces one with an error prepares its statements again', async () => {
  await read(crypto.randomUUID())
  // The pool closes a connection after an error.
  await expect(world.database.pool.query('SELECT nothing')).rejects.toThrow('does not exist')
  expect(await read(crypto.randomUUID())).toBeNull()
})

test('a statement that failed in a transaction works in the next', async () => {
  const { client } = world.database
  const id = crypto.randomUUID()
  const create = () =>
    client.$transaction((db) => db.organization.create({ data: { id, name: 'Once', createdAt: new Date() } }))
  await create()
  await expect(create()).rejects.toThrow()
  await client.organization.delete({ where: { id } })
  await expect(create()).resolves.toMatchObject({ id })
})
