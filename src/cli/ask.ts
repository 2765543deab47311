// Asks the process that holds the embedded database to run a command.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { version } from '../lib/version.ts'
import type { CommandStreams, CommandOutcome } from './command.ts'
import {
  failureFrame,
  type Frame,
  readFrame,
  outcomeFrame,
  progressFrame,
  readFrames,
  sayFrame,
  sendFrame,
} from './frames.ts'
import type { Invocation } from './parser.ts'
import { commandSocket } from './socket.ts'

const nobody: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED'])

/** Connects to the process that holds a data directory. @returns undefined if there is none. */
export async function connectToHolder(directory: string): Promise<Socket | undefined> {
  const socket = connect(commandSocket(directory))
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    if (error instanceof Error && 'code' in error && nobody.has(error.code)) return undefined
    throw new Error('the process that holds the data directory cannot be asked', { cause: error })
  }
}

async function sendInput(socket: Socket, input: CommandStreams['input']): Promise<void> {
  for await (const chunk of input) await sendFrame(socket, 'input', chunk)
  await sendFrame(socket, 'inputEnd')
}

/** Passes on a frame. @returns the outcome if it is the last one. @throws Error of a command that failed. */
async function handle(socket: Socket, frame: Frame, streams: CommandStreams): Promise<CommandOutcome | undefined> {
  if (frame.kind === 'output') await streams.write(frame.payload)
  if (frame.kind === 'say') await streams.say(readFrame(sayFrame, frame))
  if (frame.kind === 'progress') streams.progress(readFrame(progressFrame, frame))
  if (frame.kind === 'finish') {
    await streams.finish()
    await sendFrame(socket, 'finished')
  }
  if (frame.kind === 'failure') throw new Error(readFrame(failureFrame, frame).message)
  return frame.kind === 'outcome' ? readFrame(outcomeFrame, frame) : undefined
}

/** @returns undefined if the process ended before the command. */
async function follow(socket: Socket, streams: CommandStreams): Promise<CommandOutcome | undefined> {
  const frames = readFrames(socket)
  for (;;) {
    // A broken connection is the end, too.
    const { value: frame } = (await frames.next().catch(() => ({ value: undefined }))) as { value: Frame | undefined }
    if (frame === undefined) return undefined
    const outcome = await handle(socket, frame, streams)
    if (outcome !== undefined) return outcome
  }
}

/**
 * Has the other process run a command.
 *
 * @throws Error of the command, or if the process ends before it. What the command committed until then stays.
 */
export async function askHolder(
  socket: Socket,
  { name, given }: Pick<Invocation, 'name' | 'given'>,
  streams: CommandStreams,
): Promise<CommandOutcome> {
  const failed = new AbortController()
  const fail = (error: unknown) => {
    failed.abort(error)
    socket.destroy()
  }
  const leave = () => fail(streams.signal.reason)
  streams.signal.addEventListener('abort', leave)
  socket.on('error', () => {})
  try {
    const { fileName, inputSize } = streams
    await sendFrame(socket, 'start', { version, name, given, fileName, inputSize })
    sendInput(socket, streams.input).catch((error: unknown) => {
      // If the process ended, it is known already.
      if (!socket.destroyed) fail(error)
    })
    const outcome = await follow(socket, streams)
    if (outcome !== undefined) return outcome
    failed.signal.throwIfAborted()
    throw new Error('the running process ended before the command')
  } finally {
    streams.signal.removeEventListener('abort', leave)
    socket.destroy()
  }
}
