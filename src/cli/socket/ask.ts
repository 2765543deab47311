// Asks the process that holds the embedded database to run a command.
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { version } from '../../lib/version.ts'
import type { CommandOutcome, CommandStreams } from '../command/command.ts'
import { type CommandMessage, readMessages, RUN_HEADER, VERSION_HEADER } from './messages.ts'
import type { Invocation } from '../command/parser.ts'
import { commandSocket } from './socket.ts'

const nobody: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED'])

const ENDED = 'the running process ended before the command'

/** A connection to the process that holds a data directory. */
export interface Holder {
  readonly socketPath: string
  readonly socket: Socket
}

/** Connects to the process that holds a data directory. @returns undefined if there is none. */
export async function connectToHolder(directory: string): Promise<Holder | undefined> {
  const socketPath = commandSocket(directory)
  const socket = connect(socketPath)
  try {
    await once(socket, 'connect')
    return { socketPath, socket }
  } catch (error) {
    if (error instanceof Error && 'code' in error && nobody.has(error.code)) return undefined
    throw new Error('the process that holds the data directory cannot be asked', { cause: error })
  }
}

/** @returns a message for the operator about a broken connection. */
function explain(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  // The other process does not speak HTTP, like versions before 0.2.
  if (code.startsWith('HPE_')) {
    return new Error('the running process has another version: use the same version, or stop the process')
  }
  return new Error(ENDED)
}

/** Sends a request and waits for the head of the response. @throws Error if there is none. */
async function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return answer
  } catch (error) {
    throw explain(error)
  }
}

/** Passes on a message. @returns the outcome if it is the last message. @throws Error of a command that failed. */
async function handle(said: CommandMessage, streams: CommandStreams, finished: () => Promise<void>) {
  switch (said.kind) {
    case 'output':
      await streams.write(Buffer.from(said.base64, 'base64'))
      return undefined
    case 'say':
      await streams.say(said.line)
      return undefined
    case 'progress':
      streams.progress(said.progress)
      return undefined
    case 'finish':
      await streams.finish()
      await finished()
      return undefined
    case 'failure':
      throw new Error(said.message)
    case 'outcome':
      return said.outcome
  }
}

/** Passes on the messages of a response. @returns undefined if the process ended before the command. */
async function follow(
  answer: IncomingMessage,
  streams: CommandStreams,
  finished: () => Promise<void>,
): Promise<CommandOutcome | undefined> {
  const messages = readMessages(answer)
  for (;;) {
    // A broken connection also ends the response.
    const next = await messages.next().catch(() => undefined)
    if (next === undefined || next.done === true) return undefined
    const outcome = await handle(next.value, streams, finished)
    if (outcome !== undefined) return outcome
  }
}

/**
 * Runs a command in the other process.
 *
 * @throws Error of the command, or if the process ends before it. What the command has committed by then stays.
 */
export async function askHolder(
  { socketPath, socket }: Holder,
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
  const { fileName, inputSize } = streams
  const query = new URLSearchParams({ given: JSON.stringify(given), fileName })
  if (inputSize !== undefined) query.set('inputSize', String(inputSize))
  const asking = { method: 'POST', socketPath, headers: { [VERSION_HEADER]: version } }
  const sent = request({
    ...asking,
    path: `/commands/${encodeURIComponent(name)}?${query.toString()}`,
    createConnection: () => socket,
  }).on('error', () => {})
  try {
    const answering = answerTo(sent)
    pipeline(streams.input, sent).catch((error: unknown) => {
      // If the process has ended, the error was already reported.
      if (!socket.destroyed) fail(error)
    })
    const answer = await answering
    const run = String(answer.headers[RUN_HEADER])
    const outcome = await follow(answer, streams, async () => {
      ;(await answerTo(request({ ...asking, path: `/runs/${run}/finished` }).end())).resume()
    })
    if (outcome !== undefined) return outcome
    throw new Error(ENDED)
  } catch (error) {
    failed.signal.throwIfAborted()
    throw error
  } finally {
    streams.signal.removeEventListener('abort', leave)
    socket.destroy()
  }
}
