// Commands that the process that holds the embedded database runs, asked through a socket in its folder.
import { once } from 'node:events'
import { mkdir, readdir, rmdir, stat } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readFrames, sendFrame } from '../../src/cli/frames.ts'
import { serveCommands } from '../../src/cli/serve.ts'
import { version } from '../../src/lib/version.ts'
import { commandLineOf } from '../support/command-line.ts'
import { temporaryFolder } from '../support/process/gateway-process.ts'
import { useWorld, type World } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const run = commandLineOf(world)
const dashboardAddress = () => 'http://127.0.0.1:3000'

/** Serves commands in a folder. @returns the settings of a command line that asks there, and what stops it. */
async function served(database: World['database'] = world.database) {
  const folder = await temporaryFolder()
  const logger = pino({ level: 'silent' })
  const server = await serveCommands(folder, {
    gateway: world.gateway,
    database,
    logger,
    dashboardAddress,
  })
  onTestFinished(() => server.close())
  return { folder, server, settings: { databaseUrl: undefined, dataDirectory: folder } }
}

/** Sends a first message as another version of the command line would. @returns the last message of the answer. */
async function sendStart(folder: string, start: unknown) {
  const socket = connect(path.join(folder, 'commands'))
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  await sendFrame(socket, 'start', start)
  for await (const { kind, payload } of readFrames(socket)) return { kind, ...JSON.parse(payload.toString()) }
  throw new Error('the socket was closed without an answer')
}

describe('a running process', () => {
  test('runs the commands of the command line, with the same outcome', async () => {
    const { settings } = await served()
    const here = await run('keys list --json')
    expect(await run('keys list --json', { settings })).toEqual(here)
    const { code, json } = await run('keys create --environment Development --json', { settings })
    expect(code).toBe(0)
    expect((await world.client(json.key).ask('{ environment { name } }')).environment.name).toBe('Development')
  })

  test('records a backup once the command line has put it in its place', async () => {
    const { database } = world
    const file = path.join(await temporaryFolder(), 'gateway.backup')
    const recorded = () => world.gateway.db.finishedTask.count({ where: { name: 'backup' } })
    const inTheWay = await served({
      ...database,
      // While the backup is written, a folder takes its place.
      async snapshot(work) {
        await mkdir(file)
        return database.snapshot(work)
      },
    })
    const { code } = await run(['backup', file], { settings: inTheWay.settings })
    expect({ code, recorded: await recorded() }).toEqual({ code: 1, recorded: 0 })
    await rmdir(file)
    const { settings } = await served()
    expect((await run(['backup', file], { settings })).code).toBe(0)
    expect({ files: await readdir(path.dirname(file)), recorded: await recorded() }).toEqual({
      files: ['gateway.backup'],
      recorded: 1,
    })
  })

  test('fails with the message of the command', async () => {
    const { settings } = await served()
    const { code, stderr } = await run('keys create --environment Nowhere', { settings })
    expect(code).toBe(1)
    expect(stderr).toMatch(/"Nowhere" was not found\n$/)
  })

  test('lets only its own user ask', async () => {
    const { folder } = await served()
    expect((await stat(path.join(folder, 'commands'))).mode & 0o777).toBe(0o600)
  })

  test('leaves no socket behind, and takes the place of one that a killed process left', async () => {
    const { folder, server, settings } = await served()
    await server.close()
    expect(await readdir(folder)).toEqual([])
    const dead = createServer().listen(path.join(folder, 'commands'))
    await once(dead, 'listening')
    // The process that listened is gone, and the socket stays: nobody removes it after kill -9.
    dead.close()
    const again = await serveCommands(folder, {
      gateway: world.gateway,
      database: world.database,
      logger: pino({ level: 'silent' }),
      dashboardAddress,
    })
    expect((await run('keys list', { settings })).code).toBe(0)
    await again.close()
  })

  test('rejects a command line of another version', async () => {
    const { folder } = await served()
    expect(await sendStart(folder, { version: '0.0.1', name: 'keys list', given: {}, fileName: '-' })).toEqual({
      kind: 'failure',
      message: `the running process has version ${version}, the command line has 0.0.1: use the same version, or stop the process`,
    })
  })

  test('checks the parameters again', async () => {
    const { folder } = await served()
    const answer = await sendStart(folder, { version, name: 'keys revoke', given: { id: 'no id' }, fileName: '-' })
    expect(answer).toEqual({ kind: 'failure', message: 'id must be a UUID' })
  })

  test('says which commands it does not run', async () => {
    const { folder } = await served()
    const answer = await sendStart(folder, { version, name: 'restart', given: {}, fileName: '-' })
    expect(answer).toEqual({ kind: 'failure', message: 'a running process cannot run "restart": stop it first' })
  })

  test('closes the connection of a program that is no command line', async () => {
    const { folder, settings } = await served()
    const socket = connect(path.join(folder, 'commands'))
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {}).resume()
    const closed = once(socket, 'close')
    socket.write('GET / HTTP/1.1\r\n\r\n')
    await closed
    expect((await run('keys list', { settings })).code).toBe(0)
  })
})

describe('a process that ends while it runs a command', () => {
  test('fails the command with one line', async () => {
    const folder = await temporaryFolder()
    const server = createServer((socket) => {
      socket.once('data', () => socket.destroy())
    }).listen(path.join(folder, 'commands'))
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const settings = { databaseUrl: undefined, dataDirectory: folder }
    const { code, stdout, stderr } = await run('keys list', { settings })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('the running process ended before the command\n')
  })
})
