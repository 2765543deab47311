// Runs one command line: parses it, runs its command here or in the process that holds the database, and prints the
// outcome.
import { inOneLine } from '../lib/error-line.ts'
import { Refusal } from '../lib/errors.ts'
import { createLogger } from '../lib/log.ts'
import { askHolder, connectToHolder } from './socket/ask.ts'
import {
  type CommandStreams,
  type Command,
  type CommandOutcome,
  Interrupted,
  type Progress,
  type Settings,
} from './command/command.ts'
import { commandNamed, commands } from './commands.ts'
import { openForCommand } from './command/open.ts'
import { type Invocation, parseCommandLine, UsageError } from './command/parser.ts'
import { dashboardAddressOf } from './output/sign-in-link.ts'
import { openTerminal, print, STANDARD, type Terminal } from './command/terminal.ts'

export interface CommandLine extends Terminal {
  /** Aborted when the operator interrupts the command. */
  readonly signal: AbortSignal
  /** Reads the settings. @throws Error that names the invalid ones. */
  readonly readSettings: () => Settings
  /** Opens the database. Defaults to `openForCommand`. */
  readonly open?: typeof openForCommand
}

const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const

/** @throws UsageError if a parameter is invalid. */
function checkParameters(command: Command, { given }: Invocation): void {
  try {
    command.check(given)
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(error.message)
    throw error
  }
}

/** Runs a command in the right process. */
async function execute(
  command: Command,
  invocation: Invocation,
  streams: CommandStreams,
  line: CommandLine,
): Promise<CommandOutcome> {
  const settings = line.readSettings()
  const logger = createLogger(settings.logLevel, line.stderr)
  if (command.place === 'process') return command.run({ ...streams, settings, logger }, invocation.given)
  if (settings.databaseUrl === undefined) {
    const holder = await connectToHolder(settings.dataDirectory)
    if (holder !== undefined) return askHolder(holder, invocation, streams)
  }
  const opened = await (line.open ?? openForCommand)(settings, logger)
  try {
    streams.signal.throwIfAborted()
    const dashboardAddress = () => dashboardAddressOf(settings)
    return await command.run({ ...streams, ...opened, dashboardAddress }, invocation.given)
  } finally {
    await opened.close()
  }
}

async function runCommand(command: Command, invocation: Invocation, line: CommandLine): Promise<number> {
  const { file, json } = invocation
  const streams = await openTerminal(line, command.file, file, line.signal)
  let isDone = false
  let last: Progress | undefined
  const progress = (reached: Progress) => {
    last = reached
    streams.progress(reached)
  }
  try {
    const { text, result, failed = false } = await execute(command, invocation, { ...streams, progress }, line)
    isDone = true
    await streams.close(true)
    const isDataOnStdout = command.file === 'write' && file === STANDARD
    const stream = isDataOnStdout ? line.stderr : line.stdout
    await print(stream, `${json ? JSON.stringify(result) : text}\n`)
    return failed ? EXIT.failed : EXIT.done
  } catch (error) {
    if (!line.signal.aborted || error instanceof Interrupted || command.interrupted === undefined) throw error
    throw new Interrupted(command.interrupted(last))
  } finally {
    if (!isDone) await streams.close(false)
  }
}

/**
 * Runs a command line.
 *
 * @param words the arguments after the program name.
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. An error is one line on stderr.
 */
export async function runCommandLine(words: readonly string[], line: CommandLine): Promise<number> {
  // The promise of each write rejects with the same error.
  for (const stream of [line.stdout, line.stderr]) stream.on('error', () => {})
  try {
    const help: string[] = []
    const invocation = parseCommandLine(words, commands, (text) => help.push(text))
    await print(line.stdout, help.join(''))
    if (invocation === undefined) return EXIT.done
    const command = commandNamed(invocation.name)
    if (command === undefined) throw new Error(`the command "${invocation.name}" is in no table`)
    checkParameters(command, invocation)
    return await runCommand(command, invocation, line)
  } catch (error) {
    const isInterrupted = line.signal.aborted
    const shown: unknown = isInterrupted && !(error instanceof Interrupted) ? line.signal.reason : error
    // If this fails, nobody reads stderr.
    await print(line.stderr, `${inOneLine(shown)}\n`).catch(() => {})
    if (isInterrupted) return EXIT.interrupted
    return error instanceof UsageError ? EXIT.usage : EXIT.failed
  }
}
