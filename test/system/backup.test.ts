// Backup and restore: everything as of one moment into an empty database of either kind, or nothing. The check of a
// backup before that is in test/data/backup-check.test.ts.
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { type Database, onServer as onConnection, openDatabase } from '../../src/data/connection/database.ts'
import { type DatabaseLocation } from '../../src/data/driver/database-location.ts'
import { EmbeddedDatabase } from '../../src/data/embedded/embedded.ts'
import { migrateTo } from '../../src/data/connection/migrate.ts'
import { backUpDatabase, restoreDatabase } from '../../src/domain/secrets/backup.ts'
import { assertKeyRing } from '../../src/domain/secrets/encryption.ts'
import type { Cipher } from '../../src/lib/cipher.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { ada, furnish, type Furnished } from '../support/furnish.ts'
import { temporaryFolder } from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { administer, databaseUrl } from '../support/prepare.ts'
import { openSecretEnvironment } from '../support/secrets.ts'
import { type Client, useWorld } from '../support/world.ts'

// Each test creates databases from scratch.
vi.setConfig({ testTimeout: 120_000 })

const world = useWorld({ ownDatabase: true })
const template = inject('template')
const silent = pino({ level: 'silent' })

let client: Client
beforeAll(async () => {
  await assertKeyRing(world.gateway)
  ;({ client } = await openSecretEnvironment(world))
  const furnished = await furnish(world, await world.environment(), ada)
  await report(furnished)
  // What the format of COPY escapes.
  await client.act('createSubscriber', {
    subscriberId: 'strange',
    firstName: 'tab\tline\nreturn\rback\\slash',
    data: { '\\.': '\\N' },
  })
  await world.work()
})

/** Stores a report about the message of a furnished environment, and when its integration was last reported about. */
async function report({ ids: { Environment = '', Delivery = '' } }: Furnished): Promise<void> {
  const { db, now } = world.gateway
  const [environmentId, deliveryId, at] = [decodeNodeId(Environment).id, decodeNodeId(Delivery).id, now()]
  const integration = await db.integration.findFirstOrThrow({ where: { environmentId } })
  const common = { environmentId, deliveryId, key: '1' }
  await db.deliveryReport.create({ data: { ...common, kind: 'bounced_soft', at, receivedAt: at } })
  await db.inboundWebhook.create({ data: { environmentId, integrationId: integration.id, lastReportAt: at } })
  await db.softBounce.create({ data: { environmentId, channel: 'email', addressHash: 'hash', day: at } })
}

async function backUp(database: Pick<Database, 'client' | 'snapshot' | 'ping'>, file: string) {
  await writeFile(file, '')
  const write = (portion: Buffer) => appendFile(file, portion)
  return backUpDatabase({ database, now: () => new Date(), logger: silent }, { write, finish: async () => {} })
}

/** A folder without a database. */
const emptyFolder = async (): Promise<DatabaseLocation> => ({ directory: path.join(await temporaryFolder(), 'data') })

let databases = 0
/** A database without tables, of the kind that the tests run on. */
async function createEmptyDatabase(folder: string) {
  if (!('server' in template)) return { location: { directory: path.join(folder, 'data') }, remove: async () => {} }
  const { server } = template
  const name = `${template.name}empty_${(databases += 1)}`
  await administer(server, `CREATE DATABASE ${name}`)
  return {
    location: { url: databaseUrl(server, name) },
    remove: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function emptyDatabase(): Promise<DatabaseLocation> {
  const { location, remove } = await createEmptyDatabase(await temporaryFolder())
  onTestFinished(remove)
  return location
}

async function backUpWorld(database: Pick<Database, 'client' | 'snapshot' | 'ping'> = world.database) {
  const file = path.join(await temporaryFolder(), 'backup.gz')
  const { tables } = await backUp(database, file)
  return { file, tables }
}

const restore = (location: DatabaseLocation, file: string, cipher: Cipher | undefined = world.gateway.cipher) =>
  restoreDatabase(
    { location, cipher, logger: silent, signal: new AbortController().signal, onProgress: () => {} },
    file,
  )

async function opened<Result>(location: DatabaseLocation, work: (database: Database) => Promise<Result>) {
  const database = await openDatabase(location, silent)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Runs `work` on a connection to a database without tables. */
async function onTables<Result>(work: (connection: pg.ClientBase) => Promise<Result>): Promise<Result> {
  const location = await emptyDatabase()
  if ('url' in location) return onConnection(location, silent, work)
  await mkdir(location.directory)
  const embedded = await EmbeddedDatabase.open(location.directory, silent)
  onTestFinished(() => embedded.close())
  const pool = embedded.createPool(10_000, false)
  const connection = await pool.connect()
  return work(connection).finally(() => connection.release(true))
}

/** Every row of every table, as JSON in a fixed order. */
async function rowsOf({ pool }: Pick<Database, 'pool'>): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', 'rate_limit_buckets', 'write_positions')`,
  )
  const found: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await pool.query(`SELECT * FROM ${name}`)
    found[name] = rows.map((row) => JSON.stringify(row)).sort()
  }
  return found
}

/** The definitions of everything that the migrations create, except rows. */
async function schemaOf({ pool }: Pick<Database, 'pool'>): Promise<unknown[]> {
  const { rows } = await pool.query(`
    SELECT conrelid::regclass::text AS of, pg_get_constraintdef(oid) AS is FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    UNION ALL SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT tgrelid::regclass::text, tgname || ' ' || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
    ORDER BY 1, 2`)
  return rows
}

/** True if the next row of a numbered table gets a new number. */
async function continuesNumbers({ pool }: Pick<Database, 'pool'>): Promise<boolean | undefined> {
  const { rows } = await pool.query<{ continues: boolean }>(
    `SELECT nextval(pg_get_serial_sequence('event_tally_changes', 'id')) > max(id) AS continues FROM event_tally_changes`,
  )
  return rows[0]?.continues
}

describe('a backup', () => {
  test('is restored with every row, constraint and trigger, in both kinds of database', async () => {
    const [rows, schema] = [await rowsOf(world.database), await schemaOf(world.database)]
    const full = [
      ...['api_keys', 'channel_endpoints', 'deliveries', 'event_tally_changes', 'idempotency_keys', 'topics'],
      ...['webhook_subscriptions', 'webhook_messages', 'webhook_deliveries', 'suppressions', 'address_keys'],
      ...['soft_bounces', 'delivery_reports', 'inbound_webhooks', 'inbound_texts', 'preference_changes'],
    ]
    for (const name of full) expect(rows[name]?.length, name).toBeGreaterThan(0)
    const { file, tables } = await backUpWorld()
    expect(Object.fromEntries(tables.map((table) => [table.name, table.rows]))).toEqual(
      Object.fromEntries(Object.entries(rows).map(([name, all]) => [name, all.length])),
    )
    const folder = await emptyFolder()
    expect(await restore(folder, file)).toEqual(tables)
    const again = await opened(folder, async (database) => {
      expect(await rowsOf(database)).toEqual(rows)
      return backUpWorld(database)
    })
    const last = await emptyDatabase()
    await restore(last, again.file)
    await opened(last, async (database) => {
      expect(await rowsOf(database)).toEqual(rows)
      expect(await schemaOf(database)).toEqual(schema)
      expect(await continuesNumbers(database)).toBe(true)
      await assertKeyRing({ ...world.gateway, db: database.client })
    })
  })

  test('contains one state of the database, although others write meanwhile', async () => {
    let writing = true
    const write = async () => {
      for (let number = 0; writing; number += 1) {
        // One transaction: a topic, and a subscriber of the same name.
        await world.gateway.db.$transaction(async (db) => {
          const [row] = await db.$queryRaw<{ id: string }[]>`SELECT environment_id AS id FROM topics LIMIT 1`
          await db.$executeRaw`INSERT INTO topics (environment_id, id, key, data, created_at, updated_at)
            VALUES (${row?.id}::uuid, gen_random_uuid(), ${`pair-${number}`}, '{}', now(), now())`
          await db.$executeRaw`INSERT INTO subscribers (environment_id, id, subscriber_id, data, created_at, updated_at)
            VALUES (${row?.id}::uuid, gen_random_uuid(), ${`pair-${number}`}, '{}', now(), now())`
        })
      }
    }
    const done = write()
    const { file } = await backUpWorld().finally(() => (writing = false))
    await done
    const location = await emptyDatabase()
    await restore(location, file)
    await opened(location, async (database) => {
      const { topics = [], subscribers = [] } = await rowsOf(database)
      const names = (list: string[]) => list.flatMap((row) => /pair-\d+/.exec(row) ?? []).sort()
      expect(names(subscribers)).toEqual(names(topics))
    })
  })

  test('ends if it cannot be written, or if the disk of the database is nearly full', async () => {
    const failing = () => Promise.reject(new Error('no space left'))
    const options = { database: world.database, now: () => new Date(), logger: silent }
    const nowhere = { write: failing, finish: async () => {} }
    await expect(backUpDatabase(options, nowhere)).rejects.toThrow('no space left')
    const file = path.join(await temporaryFolder(), 'backup.gz')
    await expect(backUp({ ...world.database, ping: failing }, file)).rejects.toThrow('no space left')
  })

  test('runs once at a time in a process', async () => {
    const results = await Promise.allSettled([backUpWorld(), backUpWorld()])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('a restore', () => {
  /** Restores into one database, which stays empty until the last of these tests. */
  describe('into an empty database', () => {
    let location: DatabaseLocation
    let file: string
    let text: string
    let remove: () => Promise<void>
    beforeAll(async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'gateway-restore-'))
      const made = await createEmptyDatabase(folder)
      location = made.location
      remove = async () => {
        await made.remove()
        await rm(folder, { recursive: true })
      }
      file = path.join(folder, 'backup.gz')
      await backUp(world.database, file)
      text = gunzipSync(await readFile(file)).toString()
    })
    afterAll(() => remove())

    /** The error of a restore of another file. */
    async function refusal(content: string): Promise<string> {
      await writeFile(`${file}.changed`, gzipSync(content))
      return restore(location, `${file}.changed`).then(() => '', String)
    }

    test('is rejected if a newer version made the backup', async () => {
      const later = text.replace(/("migrations":\[.*?)\]/, '$1,{"name":"29990101000000_later","checksum":""}]')
      expect(await refusal(later)).toContain(
        'unknown migration 29990101000000_later in the backup: the backup was made by a newer version',
      )
    })
    test('is rejected if a table is unknown, or has other columns', async () => {
      expect(await refusal(text.replace('{"name":"jobs"', '{"name":"pg_class"'))).toContain('unknown table')
      const other = text.replace('"columns":["environment_id","id"', '"columns":["environment_id","key"')
      expect(await refusal(other)).toContain('other columns')
    })
    test.each(['bytes loaded', 'rows compared', 'indexes and rules created'])(
      'stops at an interruption while it reports %s, without a row',
      async (stage) => {
        const interrupted = new AbortController()
        const onProgress = (_done: number, _all: number, unit: string) => {
          if (unit === stage) interrupted.abort(new Error('interrupted'))
        }
        const options = { location, cipher: world.gateway.cipher, logger: silent, onProgress }
        const restoring = restoreDatabase({ ...options, signal: interrupted.signal }, file)
        // On a server, the statement in progress is canceled.
        await expect(restoring).rejects.toThrow(/interrupted|canceling statement/)
      },
    )
    test('works after all of these, but only once', async () => {
      await restore(location, file)
      await expect(restore(location, file)).rejects.toThrow(onServer ? 'has rows already' : 'already has a database')
    })
  })

  test('of an older backup applies the migrations that are newer', async () => {
    const applied = (database: Pick<Database, 'pool'>) =>
      database.pool.query('SELECT migration_name AS name, checksum FROM "_prisma_migrations" ORDER BY 1')
    const { rows: migrations } = await applied(world.database)
    const file = await onTables(async (connection) => {
      await migrateTo(connection, migrations.slice(0, -1))
      return (await backUpWorld({ ...world.database, snapshot: (work) => work(connection), ping: async () => {} })).file
    })
    const location = await emptyDatabase()
    await restore(location, file)
    await opened(location, async (database) => expect((await applied(database)).rows).toEqual(migrations))
  })
})
