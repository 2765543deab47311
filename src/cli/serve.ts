// Serves command lines on the same machine: runs their commands in the process that holds the embedded database.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, rename, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { loggable } from '../data/driver/database-errors.ts'
import { Refusal } from '../lib/errors.ts'
import { inOneLine } from '../lib/error-line.ts'
import { version } from '../lib/version.ts'
import type { GatewayContext } from './command/command.ts'
import { commandNamed } from './commands.ts'
import { diagnosis } from './diagnosis/diagnosis.ts'
import { DIAGNOSIS } from './diagnosis/finding.ts'
import { answerToUnreadable } from './former-version.ts'
import { commandQuery, type CommandMessage, RUN_HEADER, VERSION_HEADER } from './socket/messages.ts'
import { commandSocket, SOCKET } from './socket/socket.ts'

type Served = Pick<GatewayContext, 'gateway' | 'database' | 'others' | 'logger' | 'dashboardAddress'>

/** Maximum commands at the same time. */
const MAX_COMMANDS = 4

/** Milliseconds between progress messages. */
const PROGRESS_INTERVAL = 100

/** Maximum bytes of a command's parameters. The operating system limits a command line to about as much. */
const MAX_PARAMETERS = 2 * 1024 * 1024

export interface CommandServer {
  /** Stops the commands in progress and resolves when they have ended. */
  close(): Promise<void>
}

/** The reason why a command is not run, with an HTTP status. */
class Rejection extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Send = (said: CommandMessage) => Promise<void>

/** Sends messages as lines. Each promise resolves when there is room for more, and rejects when the client has left. */
const linesTo =
  (response: ServerResponse): Send =>
  (said) =>
    new Promise((resolve, reject) => {
      response.write(`${JSON.stringify(said)}\n`, (error) => (error ? reject(error) : resolve()))
    })

/** Sends progress, but only as often as people can read it. */
function progressOver(send: Send): GatewayContext['progress'] {
  let last = -Infinity
  return (progress) => {
    const now = performance.now()
    if (now - last < PROGRESS_INTERVAL && progress.part !== 1) return
    last = now
    // The write fails if the client has left, which ends the command anyway.
    send({ kind: 'progress', progress }).catch(() => {})
  }
}

/** Reads the command of a request. @throws Rejection if this process does not run it. */
function readRequest({ method, headers, url = '/' }: IncomingMessage, isBusy: boolean) {
  const { pathname, searchParams } = new URL(url, 'http://commands')
  const [, name] = /^\/commands\/([^/]+)$/.exec(pathname) ?? []
  if (method !== 'POST' || name === undefined) throw new Rejection(404, 'the request names no command')
  const theirs = headers[VERSION_HEADER]
  if (theirs !== version) {
    throw new Rejection(
      409,
      `the running process has version ${version}, the command line has ${String(theirs)}: use the same version, or stop the process`,
    )
  }
  if (isBusy) {
    throw new Rejection(503, `the running process already runs ${MAX_COMMANDS} commands: wait until one has ended`)
  }
  const decoded = decodeURIComponent(name)
  const command = decoded === DIAGNOSIS ? diagnosis : commandNamed(decoded)
  if (command?.place !== 'gateway') {
    throw new Rejection(404, `a running process cannot run "${decoded}": stop it first`)
  }
  const query = commandQuery.safeParse(Object.fromEntries(searchParams))
  if (!query.success) throw new Rejection(400, 'the request has no parameters of a command')
  return { name: decoded, command, ...query.data }
}

/**
 * Listens on a socket in a data directory that this process holds. Only the user that runs the process can connect.
 *
 * @throws Error if the path of the directory is too long for a socket.
 */
export async function serveCommands(directory: string, served: Served): Promise<CommandServer> {
  const running = new Set<Promise<void>>()
  /** For each run id, the callback that reports that the command line has moved the output into place. */
  const finishing = new Map<string, () => void>()

  async function run(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = readRequest(request, running.size >= MAX_COMMANDS)
    const left = new Error('the command line has left')
    const leaving = new AbortController()
    const input = new PassThrough().on('error', () => {})
    request.socket.once('close', () => {
      leaving.abort(left)
      input.destroy(left)
    })
    request.on('error', () => {}).pipe(input)
    const id = randomUUID()
    const send = linesTo(response.writeHead(200, { 'Content-Type': 'application/x-ndjson', [RUN_HEADER]: id }))
    response.flushHeaders()
    const finish = () =>
      new Promise<void>((resolve, reject) => {
        finishing.set(id, resolve)
        leaving.signal.addEventListener('abort', () => reject(left))
        send({ kind: 'finish' }).catch(reject)
      })
    try {
      const outcome = await asked.command.run(
        {
          ...served,
          fileName: asked.fileName,
          input,
          inputSize: asked.inputSize,
          signal: leaving.signal,
          write: (chunk) => send({ kind: 'output', base64: Buffer.from(chunk).toString('base64') }),
          finish,
          say: (line) => send({ kind: 'say', line }),
          progress: progressOver(send),
        },
        JSON.parse(asked.given),
      )
      await send({ kind: 'outcome', outcome })
    } catch (error) {
      if (!(error instanceof Refusal) && !leaving.signal.aborted) {
        served.logger.error({ err: loggable(error), command: asked.name }, 'command failed')
      }
      await send({ kind: 'failure', message: inOneLine(error) })
    } finally {
      finishing.delete(id)
      input.destroy(new Error('the command has ended'))
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const [, id] = /^\/runs\/([^/]+)\/finished$/.exec(request.url ?? '') ?? []
      if (id === undefined) await run(request, response)
      else {
        finishing.get(id)?.()
        response.statusCode = finishing.has(id) ? 204 : 404
      }
    } catch (error) {
      const failure: CommandMessage = { kind: 'failure', message: inOneLine(error) }
      if (error instanceof Rejection) response.writeHead(error.status).write(`${JSON.stringify(failure)}\n`)
    } finally {
      // Has no effect if the client has left.
      response.end()
    }
  }

  const options = { requestTimeout: 0, maxHeaderSize: MAX_PARAMETERS }
  const server = createServer(options, (request, response) => {
    const answering = answer(request, response).finally(() => running.delete(answering))
    running.add(answering)
  })
  server.on('clientError', answerToUnreadable)
  // The socket is hidden until its mode is set. It replaces the socket of a killed process.
  const draft = `.${SOCKET}`
  server.listen(commandSocket(directory, draft)).unref()
  await once(server, 'listening')
  server.on('error', (error) => served.logger.error({ err: error }, 'connection of the command line not accepted'))
  await chmod(path.join(directory, draft), 0o600)
  await rename(path.join(directory, draft), path.join(directory, SOCKET))
  return {
    async close() {
      server.close()
      await rm(path.join(directory, SOCKET), { force: true })
      server.closeAllConnections()
      await Promise.all(running)
    },
  }
}
