// PostgreSQL servers of a test's own: a primary with a streaming replica, on loopback.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { until } from './gateway-process.ts'
import { freePort } from './port.ts'
import { postgresUser } from './postgres-user.ts'

const versions = '/usr/lib/postgresql'
const programs = existsSync(versions)
  ? readdirSync(versions)
      .map((version) => path.join(versions, version, 'bin'))
      .find((folder) => existsSync(path.join(folder, 'pg_basebackup')) && existsSync(path.join(folder, 'initdb')))
  : undefined

// The programs refuse a locale that the machine lacks, and options of a caller's own server.
const options = { ...postgresUser, cwd: tmpdir(), env: { LC_ALL: 'C' } }

const pathOf = (program: string) => path.join(programs ?? '', program)

/** Runs a program of PostgreSQL. An error contains what the program wrote to standard error. */
const runProgram = (program: string, words: readonly string[]) =>
  execFileSync(pathOf(program), words, { ...options, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })

const initialize = (folder: string) =>
  runProgram('initdb', ['-D', folder, '-U', 'postgres', '--auth', 'trust', '--no-sync'])

/** A folder that the user of the programs owns. */
function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-postgres-'))
  if (postgresUser?.uid !== undefined) chownSync(folder, postgresUser.uid, postgresUser.gid)
  return folder
}

function findRefusal(): string | undefined {
  if (programs === undefined) return 'it has no programs of a PostgreSQL server'
  if (postgresUser === undefined) return 'root needs the user postgres'
  const folder = createFolder()
  try {
    initialize(path.join(folder, 'probe'))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The reason why this machine cannot run a PostgreSQL server for tests, if it cannot. */
export const serverRefusal = findRefusal()

/** The rows of one statement on a connection of its own. */
export async function rowsOf(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

export interface PostgresServer {
  readonly url: string
  /** Starts the server, and waits until it responds. */
  start(): Promise<void>
  /** Kills all processes of the server. */
  kill(): Promise<void>
}

function serverIn(folder: string, port: string): PostgresServer {
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  let child: ReturnType<typeof spawn> | undefined
  return {
    url,
    async start() {
      child = spawn(pathOf('postgres'), ['-D', folder, '-p', port], { ...options, stdio: 'ignore' })
      await until(() => rowsOf(url, 'SELECT 1'))
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'close')
      // An immediate shutdown, which is like a crash but ends the other processes too.
      child.kill('SIGQUIT')
      await ended
    },
  }
}

/** Starts a primary and its streaming replica. Both end with the test. */
export async function startServers(): Promise<{ primary: PostgresServer; replica: PostgresServer }> {
  const folder = createFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [first, second] = [path.join(folder, 'primary'), path.join(folder, 'replica')]
  initialize(first)
  await appendFile(
    path.join(first, 'postgresql.conf'),
    `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nshared_buffers = 32MB\nwal_level = replica\nlog_statement = 'none'\n`,
  )
  const primary = serverIn(first, await freePort())
  onTestFinished(() => primary.kill())
  await primary.start()
  runProgram('pg_basebackup', ['-d', primary.url, '-D', second, '-R', '--checkpoint=fast', '--no-sync'])
  const replica = serverIn(second, await freePort())
  onTestFinished(() => replica.kill())
  await replica.start()
  return { primary, replica }
}
