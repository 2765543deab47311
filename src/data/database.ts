// Opens and closes the database, embedded or PostgreSQL, with one pool and one Prisma client.
import { PrismaPg } from '@prisma/adapter-pg'
import { mkdir } from 'node:fs/promises'
import { Socket } from 'node:net'
import path from 'node:path'
import pg from 'pg'
import type { Logger } from 'pino'
import { holdDirectory } from './directory-lock.ts'
import { EmbeddedDatabase } from './embedded.ts'
import { type Listening, listenOnEmbedded, listenOnServer } from './listen.ts'
import { startMaintenance } from './maintenance.ts'
import { migrate } from './migrate.ts'
import { type Prisma, PrismaClient } from './prisma/client.ts'
import { beginSession, StatementNames } from './statement-names.ts'
import { connectPool } from './statement.ts'

/** The Prisma client or one of its transactions. */
export type Connection = Prisma.TransactionClient

/** Receives failures that no caller sees: lost connections and failed maintenance. */
export type DatabaseLogger = Pick<Logger, 'debug' | 'info' | 'warn'>

export interface Database extends Pick<Listening, 'listen' | 'catchUp'> {
  readonly client: PrismaClient
  readonly pool: pg.Pool
  /** @throws if the database does not respond, or has no space to write. */
  ping(): Promise<void>
  close(): Promise<void>
}

export type DatabaseLocation =
  /** A PostgreSQL server. */
  | {
      readonly url: string
      /** Time without data after which a connection is considered lost, in milliseconds. */
      readonly silence?: number
    }
  /** The embedded database in a directory, which one process can use at a time. */
  | { readonly directory: string }

/** The folder of the embedded database in its directory, which has the lock and the key file too. */
export const DATABASE_FOLDER = 'database'

/** Time to wait for a connection, in milliseconds. After that the database counts as unavailable. */
const CONNECTION_TIMEOUT = 10_000
const TRANSACTION_TIMEOUT = 30_000
/** Longer than any statement may take, so a server silent for this long is gone even if the connection looks open. */
const SILENCE = 35_000

/** Prisma's adapter reads timestamps as UTC, whatever the server's time zone. */
const MIGRATING = '-c TimeZone=UTC'
/** Transactions of a process that disappeared must not hold their locks for hours. */
const SERVING = `${MIGRATING} -c statement_timeout=${TRANSACTION_TIMEOUT} -c idle_in_transaction_session_timeout=60000`

/**
 * Opens the database and applies missing migrations.
 *
 * @throws Error that names the database, without its password, if it cannot be opened.
 */
export async function openDatabase(location: DatabaseLocation, logger: DatabaseLogger = console): Promise<Database> {
  const { pool, listening, close, assertSpace } =
    'url' in location ? await openServer(location, logger) : await openDirectory(location.directory, logger)
  const names = new StatementNames()
  const client = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: (statement) => names.ofPrisma(statement) }),
    transactionOptions: { maxWait: CONNECTION_TIMEOUT, timeout: TRANSACTION_TIMEOUT },
    errorFormat: 'minimal',
  })
  connectPool(client, { pool, names })
  return {
    client,
    pool,
    async ping() {
      await assertSpace()
      await pool.query('SELECT 1')
    },
    listen: listening.listen,
    catchUp: listening.catchUp,
    async close() {
      await client.$disconnect()
      await listening.close()
      await close()
    },
  }
}

/**
 * Logs the loss of an idle connection. The pool replaces it; without a handler, the error would end the process.
 */
const logLostConnection = (logger: DatabaseLogger) => (error: Error) =>
  logger.warn({ err: error }, 'database connection lost')

/** Appends our options to those already in the URL. */
function withOptions(url: string, options: string): string {
  const changed = new URL(url)
  changed.searchParams.set('options', `${changed.searchParams.get('options') ?? ''} ${options}`.trimStart())
  return changed.href
}

async function openServer(
  { url, silence = SILENCE }: { readonly url: string; readonly silence?: number },
  logger: DatabaseLogger,
) {
  await migrateServer(url, logger)
  const config = {
    connectionString: withOptions(url, SERVING),
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    keepAlive: true,
  }
  const listening = await listenOnServer(config, { silence, logger })
  const pool = new pg.Pool({
    ...config,
    max: 12,
    verify: beginSession,
    stream() {
      const socket = new Socket()
      return socket.setTimeout(silence, () => socket.destroy())
    },
  })
  pool.on('error', logLostConnection(logger))
  const stopMaintenance = startMaintenance(pool, 'server', logger)
  const close = () => {
    stopMaintenance()
    return pool.end()
  }
  return { pool, listening, close, assertSpace: () => Promise.resolve() }
}

/** Uses its own connection without time limits: a migration, or waiting for another process's, can take long. */
async function migrateServer(url: string, logger: DatabaseLogger): Promise<void> {
  const client = new pg.Client({
    connectionString: withOptions(url, MIGRATING),
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    keepAlive: true,
  })
  client.on('error', logLostConnection(logger))
  try {
    await client.connect()
  } catch (error) {
    const { host, pathname } = new URL(url)
    throw new Error(`the database ${host}${pathname} cannot be opened`, { cause: error })
  }
  try {
    await migrateAndLog(client, logger)
  } finally {
    await client.end()
  }
}

async function migrateAndLog(client: pg.ClientBase, logger: DatabaseLogger): Promise<void> {
  const unknown = await migrate(client)
  if (unknown.length > 0) logger.warn({ migrations: unknown }, 'database is newer than this version')
}

async function openDirectory(directory: string, logger: DatabaseLogger) {
  const opened: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const end of opened.toReversed()) await end()
  }
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    opened.push(await holdDirectory(directory))
    const embedded = await EmbeddedDatabase.open(path.join(directory, DATABASE_FOLDER), logger)
    opened.push(() => embedded.close())
    const pool = embedded.createPool(CONNECTION_TIMEOUT)
    pool.on('error', logLostConnection(logger))
    opened.push(() => pool.end())
    await migrateEmbedded(pool, logger)
    opened.push(startMaintenance(pool, 'embedded', logger))
    const listening = listenOnEmbedded(embedded, pool, logger)
    return { pool, listening, close, assertSpace: () => embedded.assertSpace() }
  } catch (error) {
    await close()
    throw error
  }
}

async function migrateEmbedded(pool: pg.Pool, logger: DatabaseLogger): Promise<void> {
  const client = await pool.connect()
  try {
    await migrateAndLog(client, logger)
  } finally {
    client.release()
  }
}
