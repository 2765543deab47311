// PostgreSQL servers of a test's own: a primary with a streaming replica, on loopback.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
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
const programOptions = { ...postgresUser, cwd: tmpdir(), env: { LC_ALL: 'C' } }

const pathOf = (program: string) => path.join(programs ?? '', program)

/** Runs a program of PostgreSQL. An error contains what the program wrote to standard error. */
const runProgram = (program: string, words: readonly string[]) =>
  execFileSync(pathOf(program), words, { ...programOptions, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })

const initialize = (folder: string) =>
  runProgram('initdb', ['-D', folder, '-U', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'])

/**
 * Settings of every server. Its shared memory is in files of its folder, so that nothing stays when it is killed. It
 * leaves the disk to the kernel, because no test cuts the power.
 */
const CONFIGURATION = `listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 32MB
dynamic_shared_memory_type = mmap
wal_level = replica
fsync = off
wal_retrieve_retry_interval = 100ms
log_statement = 'none'
`

interface ServerOptions {
  /** More lines of postgresql.conf. */
  readonly configuration?: string
  /** The lines of pg_hba.conf. By default, everyone is admitted. */
  readonly accessRules?: string
  /** Parameters of the URL. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** Creates the folder of a server. */
export async function createServer(folder: string, options: ServerOptions = {}): Promise<void> {
  const { configuration = '', accessRules } = options
  initialize(folder)
  await appendFile(path.join(folder, 'postgresql.conf'), `${CONFIGURATION}${configuration}`)
  if (accessRules !== undefined) await writeFile(path.join(folder, 'pg_hba.conf'), accessRules)
}

/** Copies the folder of a running server, for a standby of it. @param name of the standby, for its primary. */
export async function copyServer(primary: PostgresServer, folder: string, name: string): Promise<void> {
  const source = new URL(primary.url)
  source.searchParams.set('application_name', name)
  const words = ['-d', source.href, '-D', folder, '-R', '--checkpoint=fast', '--no-sync']
  await promisify(execFile)(pathOf('pg_basebackup'), words, programOptions)
}

/** A folder that the user of the programs owns. */
export function createFolder(): string {
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
  /** Kills all processes of the server with SIGKILL, so that none of them can finish anything. */
  crash(): Promise<void>
}

/** The processes that a process has started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Removes the segment of shared memory by which a killed server protects its folder. */
function removeInterlock(folder: string): void {
  const segment = /^ *\d+ +(\d+)$/m.exec(readFileSync(path.join(folder, 'postmaster.pid'), 'utf8'))?.[1]
  if (segment !== undefined) execFileSync('ipcrm', ['-m', segment])
}

/** A server in a folder that `createServer` or `copyServer` has filled. */
export function serverIn(
  folder: string,
  port: string,
  parameters: Readonly<Record<string, string>> = {},
): PostgresServer {
  const query = new URLSearchParams(parameters)
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres${query.size > 0 ? `?${query}` : ''}`
  let child: ReturnType<typeof spawn> | undefined
  return {
    url,
    async start() {
      child = spawn(pathOf('postgres'), ['-D', folder, '-p', port], { ...programOptions, stdio: 'ignore' })
      await until(() => rowsOf(url, 'SELECT 1'))
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'close')
      // An immediate shutdown, which is like a crash but ends the other processes too.
      child.kill('SIGQUIT')
      await ended
    },
    async crash() {
      if (child?.pid === undefined) return
      const ended = once(child, 'close')
      // Stopped first, so that it starts no further processes.
      child.kill('SIGSTOP')
      const pids = [child.pid, ...childrenOf(child.pid)]
      for (const pid of pids) killIfAlive(pid)
      await ended
      removeInterlock(folder)
    },
  }
}

async function startIn(folder: string, parameters?: Readonly<Record<string, string>>): Promise<PostgresServer> {
  const server = serverIn(folder, await freePort(), parameters)
  onTestFinished(() => server.kill())
  await server.start()
  return server
}

/** A folder for the data of a server, until the test ends. */
function temporaryData(): string {
  const folder = createFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'data')
}

/** Starts a primary. It ends with the test. */
export async function startPrimary(options: ServerOptions = {}): Promise<PostgresServer> {
  const folder = temporaryData()
  await createServer(folder, options)
  return startIn(folder, options.parameters)
}

/** Starts a streaming replica of a server. It ends with the test. */
export async function startReplica(primary: PostgresServer): Promise<PostgresServer> {
  const folder = temporaryData()
  await copyServer(primary, folder, 'replica')
  return startIn(folder, Object.fromEntries(new URL(primary.url).searchParams))
}

/** Starts a primary and its streaming replica. Both end with the test. */
export async function startServers(): Promise<{ primary: PostgresServer; replica: PostgresServer }> {
  const primary = await startPrimary()
  return { primary, replica: await startReplica(primary) }
}
