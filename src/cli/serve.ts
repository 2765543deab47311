// Runs commands for command lines of the same machine, in the process that holds the embedded database.
import { once } from 'node:events'
import { chmod, rename, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { loggable } from '../data/driver/database-errors.ts'
import { Refusal } from '../lib/errors.ts'
import { inOneLine } from '../lib/error-line.ts'
import { version } from '../lib/version.ts'
import type { GatewayContext } from './command.ts'
import { commandNamed } from './commands.ts'
import { diagnosis } from './diagnosis.ts'
import { DIAGNOSIS } from './finding.ts'
import { type Frame, readFrame, readFrames, sendFrame, startFrame } from './frames.ts'
import { commandSocket, SOCKET } from './socket.ts'

type Served = Pick<GatewayContext, 'gateway' | 'database' | 'logger' | 'dashboardAddress'>

/** Commands at the same time. */
const MAX_COMMANDS = 4

/** Milliseconds between messages about progress. */
const PROGRESS_INTERVAL = 100

export interface CommandServer {
  /** Stops the commands in progress and resolves when they have ended. */
  close(): Promise<void>
}

/**
 * Passes the bytes of the input on, and discards the rest when the command has ended.
 *
 * @param onFinished called when the client has put the output in its place.
 * @returns when the client leaves.
 */
async function receive(frames: AsyncGenerator<Frame>, input: PassThrough, onFinished: () => void): Promise<void> {
  for await (const { kind, payload } of frames) {
    if (kind === 'finished') onFinished()
    else if (input.destroyed) continue
    else if (kind === 'inputEnd') input.end()
    // Rejects when the command ends, and the rest is discarded.
    else if (!input.write(payload)) await once(input, 'drain').catch(() => {})
  }
}

/** Sends progress, but not more often than anyone can read. */
function progressOver(socket: Socket): GatewayContext['progress'] {
  let last = -Infinity
  return (progress) => {
    const now = performance.now()
    if (now - last < PROGRESS_INTERVAL && progress.part !== 1) return
    last = now
    // It fails when the client has left, which the reader notices.
    sendFrame(socket, 'progress', progress).catch(() => {})
  }
}

/** Runs one command. @throws Error that the client is to see. */
async function run(socket: Socket, frames: AsyncGenerator<Frame>, served: Served, isBusy: boolean) {
  const { value: first } = (await frames.next()) as IteratorResult<Frame, undefined>
  if (first?.kind !== 'start') throw new Error('the first message must name a command')
  const start = readFrame(startFrame, first)
  if (start.version !== version) {
    throw new Error(
      `the running process has version ${version}, the command line has ${start.version}: use the same version, or stop the process`,
    )
  }
  if (isBusy) throw new Error(`the running process already runs ${MAX_COMMANDS} commands: wait until one has ended`)
  const command = start.name === DIAGNOSIS ? diagnosis : commandNamed(start.name)
  if (command?.place !== 'gateway') throw new Error(`a running process cannot run "${start.name}": stop it first`)

  const leaving = new AbortController()
  const input = new PassThrough().on('error', () => {})
  const left = new Error('the command line has left')
  let onFinished = () => {}
  void receive(frames, input, () => onFinished())
    .catch(() => {})
    .then(() => {
      input.destroy(left)
      leaving.abort(left)
    })
  const finish = () =>
    new Promise<void>((resolve, reject) => {
      onFinished = resolve
      leaving.signal.addEventListener('abort', () => reject(left))
      sendFrame(socket, 'finish').catch(reject)
    })
  try {
    return await command.run(
      {
        ...served,
        fileName: start.fileName,
        input,
        inputSize: start.inputSize,
        signal: leaving.signal,
        write: (chunk) => sendFrame(socket, 'output', Buffer.from(chunk)),
        finish,
        say: (line) => sendFrame(socket, 'say', line),
        progress: progressOver(socket),
      },
      start.given,
    )
  } catch (error) {
    if (!(error instanceof Refusal) && !leaving.signal.aborted) {
      served.logger.error({ err: loggable(error), command: start.name }, 'command failed')
    }
    throw error
  } finally {
    input.destroy(new Error('the command has ended'))
  }
}

/**
 * Listens on a socket in a data directory that this process holds. Only the user of the process can connect.
 *
 * @throws Error if the path of the directory is too long for a socket.
 */
export async function serveCommands(directory: string, served: Served): Promise<CommandServer> {
  const sockets = new Set<Socket>()
  const running = new Set<Promise<void>>()

  async function answer(socket: Socket): Promise<void> {
    const frames = readFrames(socket)
    try {
      await sendFrame(socket, 'outcome', await run(socket, frames, served, running.size >= MAX_COMMANDS))
    } catch (error) {
      // It fails when the client has left.
      await sendFrame(socket, 'failure', { message: inOneLine(error) }).catch(() => {})
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    const answering = answer(socket).finally(() => running.delete(answering))
    running.add(answering)
  })
  // Hidden until it has its mode, and in place of what a killed process left.
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
      for (const socket of sockets) socket.destroy()
      await Promise.all(running)
    },
  }
}
