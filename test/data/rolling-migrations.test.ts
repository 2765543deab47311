// Migrations of a rolling upgrade: processes of the previous version keep working during and after them.
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepSchema, migrate } from '../../src/data/connection/migrate.ts'
import { createLogger } from '../../src/lib/log.ts'
import { until } from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { useWorld } from '../support/world.ts'

const ours = path.join(import.meta.dirname, '../../prisma/migrations')

/** The newest migration of version 0.1.0. Before it, an upgrade required all processes to stop. */
const LAST_OF_0_1_0 = '20261122050000_jobs_by_kind'

const migrations = readdirSync(ours, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name > LAST_OF_0_1_0)
  .map(({ name }) => ({ name, sql: readFileSync(path.join(ours, name, 'migration.sql'), 'utf8') }))

const namesOf = (matching: typeof migrations) => matching.map(({ name }) => name)

/** Statements that remove what processes of the previous version use, or that require what they do not write. */
const contracting = [
  /\bDROP\s+(TABLE|COLUMN|TYPE|VIEW|FUNCTION|TRIGGER|CONSTRAINT)\b/i,
  /\bRENAME\b/i,
  /\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b/i,
  /\bSET\s+NOT\s+NULL\b/i,
  /\bADD\s+COLUMN\s+(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/i,
]

test('a migration that contracts the schema says so in its name', () => {
  const contract = migrations.filter(({ sql }) => contracting.some((pattern) => pattern.test(sql)))
  expect(namesOf(contract.filter(({ name }) => !name.includes('_contract_')))).toEqual([])
})

test('a migration that builds indexes concurrently does nothing else, and can be repeated', () => {
  const repeatable =
    /^(--.*\n|DROP INDEX CONCURRENTLY IF EXISTS "?(\w+)"?;\s+CREATE (UNIQUE )?INDEX CONCURRENTLY "?\2"? [^;]+;\s*)+$/
  const concurrent = migrations.filter(({ sql }) => sql.includes('CONCURRENTLY'))
  expect(namesOf(concurrent.filter(({ sql }) => !repeatable.test(sql)))).toEqual([])
})

test('an index on a table that exists is built concurrently', () => {
  const blocking = migrations.filter(({ sql }) => {
    const created = Array.from(sql.matchAll(/CREATE TABLE "?(\w+)"?/g), ([, table]) => table)
    return Array.from(sql.matchAll(/CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)[^;]*?\bON "?(\w+)"?/g)).some(
      ([, table]) => !created.includes(table),
    )
  })
  expect(namesOf(blocking)).toEqual([])
})

describe('a migration', () => {
  const world = useWorld({ ownDatabase: true })
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'migrations-'))
    await world.database.pool.query('ALTER TABLE "_prisma_migrations" RENAME TO "_kept"')
  })
  afterEach(async () => {
    await world.database.pool.query(
      'DROP TABLE IF EXISTS "_prisma_migrations"; ALTER TABLE "_kept" RENAME TO "_prisma_migrations"',
    )
    await rm(folder, { recursive: true })
  })

  async function write(name: string, sql: string): Promise<void> {
    await mkdir(path.join(folder, name))
    await writeFile(path.join(folder, name, 'migration.sql'), sql)
  }

  async function connected<Result>(work: (connection: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const connection = await world.database.pool.connect()
    try {
      return await work(connection)
    } finally {
      connection.release()
    }
  }

  /** The messages that a log received. */
  let messages: string[] = []
  const logger = createLogger('info', { write: (line) => messages.push(JSON.parse(line).msg) })
  beforeEach(() => (messages = []))

  const recorded = async () => {
    const { rows } = await world.database.pool.query('SELECT migration_name FROM "_prisma_migrations" ORDER BY 1')
    return rows.map((row: { migration_name: string }) => row.migration_name)
  }

  test('builds an index concurrently, also after an interrupted attempt', async () => {
    await write(
      '1_index',
      'DROP INDEX CONCURRENTLY IF EXISTS "topics_probe_idx";\nCREATE INDEX CONCURRENTLY "topics_probe_idx" ON "topics"("name");\n',
    )
    await world.database.pool.query('CREATE INDEX topics_probe_idx ON topics(key)')
    await connected((connection) => migrate(connection, { folder }))
    expect(await recorded()).toEqual(['1_index'])
    const { rows } = await world.database.pool.query(
      "SELECT indexdef FROM pg_indexes WHERE indexname = 'topics_probe_idx'",
    )
    expect(rows).toEqual([{ indexdef: expect.stringContaining('(name)') }])
    await world.database.pool.query('DROP INDEX topics_probe_idx')
  })

  describe.runIf(onServer)('on PostgreSQL (needs TEST_DATABASE_URL)', () => {
    test('that waits for a table lets others use it meanwhile', async () => {
      const { pool } = world.database
      await write('1_column', 'ALTER TABLE "topics" ADD COLUMN "probe" text;\n')
      const migrated = await connected(async (reader) => {
        await reader.query('BEGIN; SELECT count(*) FROM topics')
        const migrating = connected((connection) => migrate(connection, { folder, logger }))
        const waiting = `SELECT FROM pg_locks WHERE relation = 'topics'::regclass AND NOT granted`
        await until(async () => ((await pool.query(waiting)).rowCount === 1 ? true : undefined))
        // The statement queues behind the migration, and runs while the migration pauses.
        await pool.query('SELECT count(*) FROM topics')
        expect(await recorded()).toEqual([])
        await reader.query('COMMIT')
        return migrating
      })
      expect(migrated).toEqual([])
      expect(await recorded()).toEqual(['1_column'])
      expect(messages).toEqual([
        'applying migrations',
        'migration waits for a table that is in use',
        'migrations applied',
      ])
      await pool.query('ALTER TABLE topics DROP COLUMN probe')
    })

    test.each([
      ['as PostgreSQL is configured by default', '1s'],
      ['if PostgreSQL ends the migration first', '20ms'],
    ])(
      'that locks two tables does not end transactions that use them in the opposite order, %s',
      async (_when, deadlockTimeout) => {
        const { pool } = world.database
        await write(
          '1_columns',
          'ALTER TABLE "topics" ADD COLUMN "probe" text;\nALTER TABLE "contexts" ADD COLUMN "probe" text;\n',
        )
        await connected(async (other) => {
          await other.query('BEGIN; SELECT count(*) FROM contexts')
          const migrating = connected(async (connection) => {
            await connection.query(`SET deadlock_timeout = '${deadlockTimeout}'`)
            await migrate(connection, { folder, logger })
            await connection.query('RESET deadlock_timeout')
          })
          const waiting = `SELECT FROM pg_locks WHERE relation = 'contexts'::regclass AND NOT granted`
          await until(async () => ((await pool.query(waiting)).rowCount === 1 ? true : undefined))
          // The statement waits for the migration, which waits for its transaction.
          await other.query('SELECT count(*) FROM topics')
          await other.query('COMMIT')
          await migrating
        })
        expect(await recorded()).toEqual(['1_columns'])
        await pool.query('ALTER TABLE topics DROP COLUMN probe; ALTER TABLE contexts DROP COLUMN probe')
      },
    )

    test('that waits for another process logs that once', async () => {
      await write('1_table', 'CREATE TABLE "probe" ("id" int);\n')
      await connected(async (other) => {
        await keepSchema(other)
        const migrating = connected((connection) => migrate(connection, { folder, logger }))
        await until(() => Promise.resolve(messages.length > 0 ? true : undefined))
        expect(messages).toEqual(['waiting for the migrations or the backup of another process'])
        await other.query('SELECT pg_advisory_unlock_all()')
        await migrating
      })
      expect(messages.slice(1)).toEqual(['applying migrations', 'migrations applied'])
      await world.database.pool.query('DROP TABLE probe')
    })

    test('is applied once by processes that start at the same time', async () => {
      await write('1_index', 'CREATE TABLE "probe" ("id" int);\n')
      await write(
        '2_index',
        'DROP INDEX CONCURRENTLY IF EXISTS "probe_idx";\nCREATE INDEX CONCURRENTLY "probe_idx" ON "probe"("id");\n',
      )
      const processes = [1, 2, 3].map(() => connected((connection) => migrate(connection, { folder })))
      expect(await Promise.all(processes)).toEqual([[], [], []])
      expect(await recorded()).toEqual(['1_index', '2_index'])
      await world.database.pool.query('DROP TABLE probe')
    })
  })
})
