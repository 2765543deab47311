// Opens the database, embedded or PostgreSQL, behind one pool and one Prisma client, and closes it.
import { PrismaPg } from '@prisma/adapter-pg'
import { mkdir } from 'node:fs/promises'
import { Socket } from 'node:net'
import path from 'node:path'
import pg from 'pg'
import { holdDirectory } from './directory-lock.ts'
import { embeddedPool, openEmbedded } from './embedded.ts'
import { type Listener, listenOnEmbedded, listenOnServer, type StopListening } from './listen.ts'
import { startMaintenance } from './maintenance.ts'
import { migrate } from './migrate.ts'
import { type Prisma, PrismaClient } from './prisma/client.ts'
import { migrateQueue } from './queue-tables.ts'

/** The client, or the transaction that stands in for it: all that a statement may be sent through. */
export type Connection = Prisma.TransactionClient

export interface Database {
  readonly client: PrismaClient
  readonly pool: pg.Pool
  /** @throws when the database does not answer. */
  ping(): Promise<void>
  /** Hears what is announced on a channel (NOTIFY), until it is told to stop: that comes before `close`. */
  listen(channel: string, listener: Listener): Promise<StopListening>
  close(): Promise<void>
}

export type DatabaseLocation =
  /** A PostgreSQL to connect to. */
  | {
      readonly url: string
      /** How long it may say nothing while a statement runs before the connection is given up, in milliseconds. */
      readonly silence?: number
    }
  /** The embedded database, kept in a folder that one process may hold at a time. */
  | { readonly directory: string }

/** How long a request waits for a connection, in milliseconds, before it is told that the database does not answer. */
const CONNECTION_TIMEOUT = 10_000
const TRANSACTION_TIMEOUT = 30_000
/** Longer than any statement may take: a server that is silent for so long is gone, though nobody closed the connection. */
const SILENCE = 35_000

/** The adapter reads timestamps as UTC whatever the server thinks its zone is. */
const MIGRATING = '-c TimeZone=UTC'
/** What a gateway that vanished had begun must not hold its locks for hours. */
const SERVING = `${MIGRATING} -c statement_timeout=${TRANSACTION_TIMEOUT} -c idle_in_transaction_session_timeout=60000`

/**
 * Opens the database and brings it up to the newest migration.
 *
 * @throws Error that names the database, without its password, when it cannot be opened.
 */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  const { pool, listen, close } =
    'url' in location ? await openServer(location) : await openDirectory(location.directory)
  try {
    await migrateQueue(pool)
  } catch (error) {
    await close()
    throw error
  }
  const client = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: CONNECTION_TIMEOUT, timeout: TRANSACTION_TIMEOUT },
    errorFormat: 'minimal',
  })
  return {
    client,
    pool,
    async ping() {
      await pool.query('SELECT 1')
    },
    listen,
    async close() {
      await client.$disconnect()
      await close()
    },
  }
}

/** What the pool and its connections tell beside their answers. A broken one is replaced; unhandled, it ends the process. */
const ignore = () => {}

/** Settings that the url has already stay, and ours come after them. */
function withOptions(url: string, options: string): string {
  const changed = new URL(url)
  changed.searchParams.set('options', `${changed.searchParams.get('options') ?? ''} ${options}`.trimStart())
  return changed.href
}

async function openServer({ url, silence = SILENCE }: { readonly url: string; readonly silence?: number }) {
  await migrateServer(url)
  const config = {
    connectionString: withOptions(url, SERVING),
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    keepAlive: true,
  }
  const pool = new pg.Pool({
    ...config,
    max: 10,
    stream() {
      const socket = new Socket()
      return socket.setTimeout(silence, () => socket.destroy())
    },
  })
  pool.on('error', ignore)
  const listen = (channel: string, listener: Listener) => listenOnServer(config, silence, channel, listener)
  return { pool, listen, close: () => pool.end() }
}

/** Over a connection of its own: a migration, and waiting for another process that migrates, may take its time. */
async function migrateServer(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: withOptions(url, MIGRATING),
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    keepAlive: true,
  })
  client.on('error', ignore)
  try {
    await client.connect()
  } catch (error) {
    const { host, pathname } = new URL(url)
    throw new Error(`the database ${host}${pathname} cannot be opened`, { cause: error })
  }
  try {
    await migrate(client)
  } finally {
    await client.end()
  }
}

async function openDirectory(directory: string) {
  const opened: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const end of opened.toReversed()) await end()
  }
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    opened.push(await holdDirectory(directory))
    const embedded = await openEmbedded(path.join(directory, 'database'))
    opened.push(() => embedded.close())
    const pool = embeddedPool(embedded, CONNECTION_TIMEOUT)
    pool.on('error', ignore)
    opened.push(() => pool.end())
    await migrateEmbedded(pool)
    opened.push(await startMaintenance(pool))
    const listen = (channel: string, listener: Listener) => listenOnEmbedded(embedded, pool, channel, listener)
    return { pool, listen, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function migrateEmbedded(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await migrate(client)
  } finally {
    client.release()
  }
}
