// Opens and closes the database, embedded or PostgreSQL, with its pool and its Prisma clients.
import { PrismaPg } from '@prisma/adapter-pg'
import { mkdir, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import path from 'node:path'
import pg from 'pg'
import type { Logger } from 'pino'
import {
  DATABASE_FOLDER,
  type DatabaseLocation,
  directUrlOf,
  type ServerLocation,
} from '../driver/database-location.ts'
import { type DatabaseChecks, NO_ANSWER, NO_WRITES, OK, UNCHECKED } from './database-checks.ts'
import { BackgroundPool } from '../embedded/background-pool.ts'
import { holdDirectory } from '../embedded/directory-lock.ts'
import { EmbeddedDatabase } from '../embedded/embedded.ts'
import { type Listening, listenOnEmbedded, listenOnServer } from './listen.ts'
import { startMaintenance } from './maintenance.ts'
import { createSchemaCheck, keepSchema, migrate } from './migrate.ts'
import { acceptsWrites, assertWrites, logLostConnections, watchConnections } from '../driver/outage.ts'
import { openConnection } from '../driver/own-connection.ts'
import { assertPooled, IDLE_TIMEOUT, TRANSACTION_TIMEOUT } from '../driver/pooler.ts'
import { type Prisma, PrismaClient } from '../prisma/client.ts'
import { BackupRunning, onCopy, SNAPSHOT } from '../embedded/snapshot.ts'
import { beginSession, StatementNames } from '../statement/statement-names.ts'
import { connectPool, type NamedPool } from '../statement/statement.ts'
import { assertNoUnfinishedFolder } from './unfinished-restore.ts'
import { labelled } from '../statement/label.ts'

/** The Prisma client or one of its transactions. */
export type Connection = Prisma.TransactionClient

/** Receives failures that no caller sees: lost connections and failed maintenance. */
export type DatabaseLogger = Pick<Logger, 'debug' | 'info' | 'warn'>

export interface Database extends Pick<Listening, 'listen' | 'catchUp'> {
  readonly client: PrismaClient
  /**
   * The client for work that nobody waits for. On the embedded database, requests go before it; on a server it is
   * `client`.
   */
  readonly background: PrismaClient
  readonly pool: pg.Pool
  /** @throws if the database does not respond, or has no space to write. */
  ping(): Promise<void>
  /** Like `ping`, but also throws if the database accepts no writes. */
  assertWrites(): Promise<void>
  /** Checks each part. Waits for as long as a statement may take. */
  check(): Promise<DatabaseChecks>
  /**
   * Runs `work` on a connection of its own, in a transaction that sees the database as of one moment. Copies the
   * embedded database first; while a part is copied, requests wait. One call at a time.
   *
   * @throws Error if another call is in progress, or if the disk has no space for a copy.
   */
  snapshot<Result>(work: (connection: pg.ClientBase) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Maximum connections of one pool. */
export const MAX_CONNECTIONS = 12
/** Milliseconds to wait for a connection. After that, the database counts as unavailable. */
const CONNECTION_TIMEOUT = 10_000
/** Longer than any statement may take: a server silent for this long is gone, even if the connection is open. */
const SILENCE = 35_000

/** Prisma's adapter reads timestamps as UTC, whatever the server's time zone. */
const IN_UTC = '-c TimeZone=UTC'
/** The user may have limits for requests as defaults, which would end a long migration. */
const MIGRATING = `${IN_UTC} -c statement_timeout=0 -c idle_in_transaction_session_timeout=0`
/** Transactions of a process that disappeared must not hold their locks for hours. */
const SERVING = `${IN_UTC} -c statement_timeout=${TRANSACTION_TIMEOUT} -c idle_in_transaction_session_timeout=${IDLE_TIMEOUT}`

/**
 * Opens the database and applies missing migrations.
 *
 * @throws Error that names the database, without its password, if it cannot be opened.
 */
export async function openDatabase(location: DatabaseLocation, logger: DatabaseLogger = console): Promise<Database> {
  const { pool, backgroundPool, listening, close, assertSpace, snapshot } =
    'url' in location ? await openServer(location, logger) : await openDirectory(location.directory, logger)
  const names = 'url' in location && location.statements === 'unnamed' ? new StatementNames(0) : new StatementNames()
  const hasSessions = !('url' in location) || location.directUrl === undefined
  const client = createClient({ pool, names, hasSessions })
  const background = backgroundPool ? createClient({ pool: backgroundPool, names, hasSessions }) : client
  let reading = false
  const schemaError = createSchemaCheck()
  return {
    client,
    background,
    pool,
    async ping() {
      await assertSpace()
      await pool.query(labelled('database.ping', 'SELECT 1'))
    },
    async assertWrites() {
      await assertSpace()
      await assertWrites(pool, listening.moveTo)
    },
    async check() {
      const listener = listening.isConnected()
        ? OK
        : 'the connection is lost: feed streams are closed and jobs are polled'
      const hasSpace = await assertSpace().then(
        () => true,
        () => false,
      )
      // A database without disk space may take long to answer.
      if (!hasSpace) return { disk: 'too little free space', database: UNCHECKED, migrations: UNCHECKED, listener }
      try {
        const database = (await acceptsWrites(pool, listening.moveTo)) ? OK : NO_WRITES
        return { disk: OK, database, migrations: (await schemaError(pool)) ?? OK, listener }
      } catch {
        // The cause is already in the log, because requests fail too.
        return { disk: OK, database: NO_ANSWER, migrations: UNCHECKED, listener }
      }
    },
    listen: listening.listen,
    catchUp: listening.catchUp,
    async snapshot(work) {
      if (reading) throw new BackupRunning()
      reading = true
      try {
        return await snapshot((connection) => inSnapshot(connection, work))
      } finally {
        reading = false
      }
    },
    async close() {
      await Promise.all([client.$disconnect(), background.$disconnect()])
      await listening.close()
      await close()
    },
  }
}

type WithConnection = <Result>(work: (connection: pg.ClientBase) => Promise<Result>) => Promise<Result>

/** Runs `work` in a read-only transaction, which sees the state at its start. */
async function inSnapshot<Result>(
  connection: pg.ClientBase,
  work: (connection: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  try {
    return await work(connection)
  } finally {
    // Fails only if the connection is lost, in which case `work` has failed too.
    await connection.query('ROLLBACK').catch(() => {})
  }
}

/** Creates the Prisma client of a pool. */
export function createClient(named: NamedPool): PrismaClient {
  const { pool, names } = named
  const client = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: (statement) => names.ofPrisma(statement) }),
    transactionOptions: { maxWait: CONNECTION_TIMEOUT, timeout: TRANSACTION_TIMEOUT },
    errorFormat: 'minimal',
  })
  connectPool(client, named)
  return client
}

/** The URL of a server with the options of connections that serve requests. */
export const servingUrl = (url: string): string => withOptions(url, SERVING)

/** Adds our options to those in the URL. */
function withOptions(url: string, options: string): string {
  const changed = new URL(url)
  changed.searchParams.set('options', `${changed.searchParams.get('options') ?? ''} ${options}`.trimStart())
  return changed.href
}

async function openServer(location: ServerLocation, logger: DatabaseLogger) {
  const { url, directUrl, silence = SILENCE } = location
  await onServer(location, logger, (client) => migrateAndLog(client, logger))
  const connecting = { connectionTimeoutMillis: CONNECTION_TIMEOUT, keepAlive: true }
  const direct = { ...connecting, connectionString: servingUrl(directUrlOf(location)) }
  if (directUrl !== undefined) await assertPooled({ ...connecting, connectionString: url })
  const listening = await listenOnServer(direct, { silence, logger })
  const pool = new pg.Pool({
    // A pooler does not pass on options, and its sessions must not be changed.
    ...(directUrl === undefined ? { ...direct, verify: beginSession } : { ...connecting, connectionString: url }),
    max: MAX_CONNECTIONS,
    // The parts of a transaction send statements without waiting for each other.
    pipeline: true,
    stream() {
      const socket = new Socket()
      return socket.setTimeout(silence, () => socket.destroy())
    },
  })
  watchConnections(pool, logger)
  const stopMaintenance = startMaintenance(pool, 'server', logger)
  const close = () => {
    stopMaintenance()
    return pool.end()
  }
  const snapshot: WithConnection = (work) =>
    onServer(location, logger, async (client) => {
      await keepSchema(client)
      return work(client)
    })
  return {
    ...{ pool, backgroundPool: undefined, listening, close, snapshot },
    assertSpace: () => Promise.resolve(),
  }
}

/** Runs `work` on a connection of its own without time limits, because a migration can take long. */
export async function onServer<Result>(
  location: ServerLocation,
  logger: DatabaseLogger,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await openConnection(
    {
      connectionString: withOptions(directUrlOf(location), MIGRATING),
      connectionTimeoutMillis: CONNECTION_TIMEOUT,
      keepAlive: true,
    },
    logLostConnections(logger),
  )
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Runs `work` on a connection of its own without time limits, and applies no migrations. The embedded database must not
 * be in use by another process.
 */
export async function onOneConnection<Result>(
  location: DatabaseLocation,
  logger: DatabaseLogger,
  work: (connection: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  if ('url' in location) return onServer(location, logger, work)
  const release = await holdDirectory(location.directory)
  try {
    return await EmbeddedDatabase.use(path.join(location.directory, DATABASE_FOLDER), logger, work)
  } finally {
    await release()
  }
}

async function migrateAndLog(client: pg.ClientBase, logger: DatabaseLogger): Promise<void> {
  const unknown = await migrate(client, { logger })
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
    assertNoUnfinishedFolder(directory)
    await rm(path.join(directory, SNAPSHOT), { recursive: true, force: true })
    const embedded = await EmbeddedDatabase.open(path.join(directory, DATABASE_FOLDER), logger)
    opened.push(() => embedded.close())
    const pool = embedded.createPool(CONNECTION_TIMEOUT, true)
    const backgroundPool = new BackgroundPool(pool)
    watchConnections(pool, logger)
    opened.push(() => pool.end())
    await migrateEmbedded(pool, logger)
    opened.push(startMaintenance(backgroundPool, 'embedded', logger))
    const listening = listenOnEmbedded(embedded, pool, logger)
    const snapshot: WithConnection = (work) =>
      onCopy(pool, { directory, database: path.join(directory, DATABASE_FOLDER) }, logger, work)
    return { pool, backgroundPool, listening, close, snapshot, assertSpace: () => embedded.assertSpace() }
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
