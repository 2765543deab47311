// What /ready reports about a process.
import { expect, test } from 'vitest'
import { createReadiness } from '../../src/domain/resolver/readiness.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const allOk = { database: 'ok', disk: 'ok', migrations: 'ok', listener: 'ok', keyRing: 'ok' }

async function ready() {
  const response = await world.app.fetch(new Request('http://gateway.test/ready'))
  return { status: response.status, body: await response.json() }
}

/** The readiness of a process whose database has these checks. */
const readyWith = (checks: object) =>
  createReadiness({ check: async () => ({ ...(await world.database.check()), ...checks }) }, world.gateway)()

test('a process that can serve requests answers 200 with its checks', async () => {
  expect(await ready()).toEqual({ status: 200, body: { status: 'ready', checks: allOk } })
})

test('a lost LISTEN connection alone degrades a process, which still serves requests', async () => {
  const listener = 'the connection is lost'
  expect(await readyWith({ listener })).toEqual({ status: 'degraded', checks: { ...allOk, listener } })
})

test.each(['database', 'disk', 'migrations'])('a problem with the %s makes a process unavailable', async (name) => {
  expect(await readyWith({ [name]: 'broken' })).toMatchObject({ status: 'unavailable', checks: { [name]: 'broken' } })
})

test('a database that never answers makes a process unavailable within seconds', async () => {
  const readiness = createReadiness({ check: () => new Promise(() => {}) }, world.gateway)
  expect(await readiness()).toMatchObject({
    status: 'unavailable',
    checks: { database: 'the database does not answer', keyRing: 'not checked' },
  })
})

test('a key that another process encrypts with later makes a process without it unavailable', async () => {
  const { db, log, now } = world.gateway
  const own = new Cipher(newKeyRing().replace(/^[^:]*/, 'own'))
  const readiness = createReadiness(world.database, { db, log, cipher: own })
  const record = (id: string, checkValue: string) =>
    db.encryptionKey.create({ data: { id, checkValue, createdAt: now() } })
  await record('dropped', 'of a key that nothing is encrypted with')
  expect(await readiness()).toMatchObject({ status: 'ready', checks: { keyRing: 'ok' } })
  await record('newer', 'of a key of another process')
  const keyRing = 'another process encrypts with a key that ENCRYPTION_KEYS of this process lacks'
  expect(await readiness()).toMatchObject({ status: 'unavailable', checks: { keyRing } })
  await db.encryptionKey.deleteMany({ where: { id: { in: ['dropped', 'newer'] } } })
})

test('migrations of a newer version are fine while this version works with them', async () => {
  const { pool } = world.database
  const name = '99990101000000_add_colors'
  const insert = (migration: string) =>
    pool.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, '', $1, now(), now(), 1)`,
      [migration],
    )
  const remove = () => pool.query(`DELETE FROM "_prisma_migrations" WHERE migration_name LIKE '9999%'`)
  try {
    await insert(name)
    expect(await ready()).toMatchObject({ status: 200, body: { checks: { migrations: 'ok' } } })
    await insert('99990102000000_contract_colors')
    expect(await ready()).toMatchObject({
      status: 503,
      body: { status: 'unavailable', checks: { migrations: expect.stringContaining('too new for this version') } },
    })
    await remove()
    await pool.query(`UPDATE "_prisma_migrations" SET rolled_back_at = now() WHERE migration_name LIKE '%jobs_by_kind'`)
    const lacks = expect.stringMatching(/^the database lacks the migration \d+_jobs_by_kind$/)
    expect(await ready()).toMatchObject({ status: 503, body: { checks: { migrations: lacks } } })
  } finally {
    await remove()
    await pool.query('UPDATE "_prisma_migrations" SET rolled_back_at = NULL')
  }
})
