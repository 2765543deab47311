// Commands that run in the process that holds the embedded database, through a socket in its folder.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, rmdir, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveCommands } from '../../src/cli/serve.ts'
import { version } from '../../src/lib/version.ts'
import { commandLineOf } from '../support/command-line.ts'
import { temporaryFolder } from '../support/process/gateway-process.ts'
import { useWorld, type World } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const run = commandLineOf(world)
const dashboardAddress = () => 'http://127.0.0.1:3000'

/** Serves commands in a folder. @returns the settings of a command line that uses it, and a function that stops it. */
async function served(database: World['database'] = world.database) {
  const folder = await temporaryFolder()
  const logger = pino({ level: 'silent' })
  const server = await serveCommands(folder, {
    gateway: world.gateway,
    database,
    others: () => [],
    logger,
    dashboardAddress,
  })
  onTestFinished(() => server.close())
  return { folder, server, settings: { databaseUrl: undefined, dataDirectory: folder } }
}

/** Requests a command as another program would. @returns the status and the messages of the response. */
async function ask(folder: string, name: string, { given = {}, as = version }: { given?: unknown; as?: string } = {}) {
  const query = new URLSearchParams({ given: JSON.stringify(given), fileName: '-' })
  const sent = request({
    method: 'POST',
    socketPath: path.join(folder, 'commands'),
    path: `/commands/${encodeURIComponent(name)}?${query.toString()}`,
    headers: { 'gateway-version': as },
  }).end()
  const [answer] = await once(sent, 'response')
  const lines = (await text(answer)).trimEnd().split('\n')
  return { status: answer.statusCode, messages: lines.map((line) => JSON.parse(line)) }
}

/** Connects to the socket of commands without a command line. */
async function connectTo(folder: string): Promise<Socket> {
  const socket = connect(path.join(folder, 'commands')).on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
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

  test('accepts commands only from its own user', async () => {
    const { folder } = await served()
    expect((await stat(path.join(folder, 'commands'))).mode & 0o777).toBe(0o600)
  })

  test('removes its socket when it stops, and replaces the socket of a killed process', async () => {
    const { folder, server, settings } = await served()
    await server.close()
    expect(await readdir(folder)).toEqual([])
    const dead = createServer().listen(path.join(folder, 'commands'))
    await once(dead, 'listening')
    // The process that listened is gone but the socket stays, because nobody removes it after kill -9.
    dead.close()
    const again = await serveCommands(folder, {
      gateway: world.gateway,
      database: world.database,
      others: () => [],
      logger: pino({ level: 'silent' }),
      dashboardAddress,
    })
    expect((await run('keys list', { settings })).code).toBe(0)
    await again.close()
  })

  test('rejects a command line of another version', async () => {
    const { folder } = await served()
    const message = `the running process has version ${version}, the command line has 0.0.1: use the same version, or stop the process`
    expect(await ask(folder, 'keys list', { as: '0.0.1' })).toEqual({
      status: 409,
      messages: [{ kind: 'failure', message }],
    })
  })

  test('tells a command line of a version without HTTP to use the same version', async () => {
    const { folder } = await served()
    const socket = await connectTo(folder)
    const start = Buffer.from(JSON.stringify({ version: '0.1.0', name: 'keys list', given: {}, fileName: '-' }))
    const header = Buffer.alloc(5, 's')
    header.writeUInt32BE(start.length, 1)
    socket.write(Buffer.concat([header, start]))
    const answer = await buffer(socket)
    expect([answer.toString('utf8', 0, 1), answer.readUInt32BE(1)]).toEqual(['f', answer.length - 5])
    expect(JSON.parse(answer.toString('utf8', 5))).toEqual({
      message: `the running process has version ${version}, the command line has an older one: use the same version, or stop the process`,
    })
  })

  test('checks the parameters again', async () => {
    const { folder } = await served()
    const { messages } = await ask(folder, 'keys revoke', { given: { id: 'no id' } })
    expect(messages).toEqual([{ kind: 'failure', message: 'id must be a UUID' }])
  })

  test('names the commands that it does not run', async () => {
    const { folder } = await served()
    const message = 'a running process cannot run "restart": stop it first'
    expect(await ask(folder, 'restart')).toEqual({ status: 404, messages: [{ kind: 'failure', message }] })
  })

  test.each([
    ['a request of HTTP without a host', 'GET / HTTP/1.1\r\n\r\n'],
    ['random bytes', randomBytes(100_000)],
  ])('closes the connection of a program that is no command line: %s', async (_what, bytes) => {
    const { folder, settings } = await served()
    const socket = (await connectTo(folder)).resume()
    const closed = once(socket, 'close')
    socket.write(bytes)
    await closed
    expect((await run('keys list', { settings })).code).toBe(0)
  })

  test('ends an import whose command line disconnects, and keeps the committed rows', async () => {
    const { folder, server, settings } = await served()
    const query = new URLSearchParams({ given: JSON.stringify({ environment: 'Development' }), fileName: '-' })
    const socket = await connectTo(folder)
    socket.write(
      `POST /commands/import%20subscribers?${query.toString()} HTTP/1.1\r\nHost: commands\r\ngateway-version: ${version}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const line = `${JSON.stringify({ subscriberId: 'left-in-the-middle' })}\n`
    socket.write(`${line.length.toString(16)}\r\n${line}\r\n`)
    await once(socket, 'data')
    socket.destroy()
    // The server closes only after the command has ended.
    await server.close()
    expect((await run('keys list', { settings })).code).toBe(0)
    const { totalCount } = (await world.development.ask('{ subscribers(first: 1) { totalCount } }')).subscribers
    expect(totalCount).toBe(0)
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

describe('a process of a version without HTTP', () => {
  test('is named as the reason why the command fails', async () => {
    const folder = await temporaryFolder()
    const server = createServer((socket) => {
      // The response of a process of the first version to a message that it does not understand. It keeps the
      // connection.
      socket.on('error', () => {}).once('data', () => socket.write('f\0\0\0\u0010{"message":"no"}'))
    }).listen(path.join(folder, 'commands'))
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { code, stderr } = await run('keys list', { settings: { databaseUrl: undefined, dataDirectory: folder } })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'the running process has another version: use the same version, or stop the process\n',
    })
  })
})
