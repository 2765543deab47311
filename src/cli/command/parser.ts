// Parses a command line according to the table of commands, and prints the help.
import { Command as Parser, CommanderError } from 'commander'
import { version } from '../../lib/version.ts'
import type { Command } from './command.ts'
import { suggestCommand } from './suggestion.ts'
import { STANDARD } from './terminal.ts'

const PROGRAM = 'notification-gateway'

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}

export interface Invocation {
  /** Name of the command, such as `keys list`. */
  readonly name: string
  /** The parameters as text, not validated yet. */
  readonly given: Readonly<Record<string, unknown>>
  /** The file to read or write; `-` for stdin or stdout. */
  readonly file: string
  readonly json: boolean
}

const groups: Readonly<Record<string, string>> = {
  keys: 'Manages API keys.',
  import: 'Imports files.',
  export: 'Exports files.',
  erase: 'Erases people.',
  sweep: 'Deletes what is no longer used.',
}

const inKebabCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const files = {
  read: 'File to read. Without it, or with -, stdin is read',
  write: 'File to write. It appears when it is complete. Without it, or with -, stdout is written',
} as const

function helpOf({ details, examples }: Command): string {
  const lines = examples.flatMap(([line, explanation]) => [`  # ${explanation}`, `  ${PROGRAM} ${line}`])
  return [...(details === undefined ? [] : ['', details]), '', 'Examples:', ...lines].join('\n')
}

/** The commands of a group, including those of nested groups. */
const commandsBelow = ({ commands }: Parser): Parser[] =>
  commands.flatMap((below) => (below.commands.length > 0 ? commandsBelow(below) : [below]))

/** The name of a command, including its groups. */
const fullName = (parser: Parser): string =>
  parser.parent?.parent == null ? parser.name() : `${fullName(parser.parent)} ${parser.name()}`

/** Adds a command below its groups. @param act receives the given parameters. */
function add(root: Parser, name: string, command: Command, act: (invocation: Invocation) => void): void {
  const words = name.split(' ')
  const own = words.pop() ?? ''
  const parent = words.reduce(
    (above, word) =>
      above.commands.find((known) => known.name() === word) ?? above.command(word).description(groups[word] ?? ''),
    root,
  )
  const parser = parent.command(own).description(command.description).addHelpText('after', helpOf(command))
  const positional: string[] = []
  for (const [key, { kind, value, description, schema }] of Object.entries(command.parameters)) {
    const isOptional = schema.safeParse(undefined).success
    if (kind === 'argument') {
      positional.push(key)
      parser.argument(isOptional ? `[${value}]` : `<${value}>`, description)
      continue
    }
    const flags = kind === 'flag' ? `--${inKebabCase(key)}` : `--${inKebabCase(key)} <${value}>`
    if (kind === 'list') parser.option(flags, description, (text, before?: string[]) => [...(before ?? []), text])
    else if (isOptional) parser.option(flags, description)
    else parser.requiredOption(flags, `${description}. Required`)
  }
  if (command.file !== undefined) parser.argument('[FILE]', files[command.file])
  parser.option('--json', 'prints the result as JSON on stdout')
  parser.action((...received: unknown[]) => {
    const { json, ...options } = parser.opts<Record<string, unknown>>()
    const given = Object.fromEntries(positional.map((key, index) => [key, received[index]]))
    const last = received[positional.length]
    const file = command.file !== undefined && typeof last === 'string' ? last : STANDARD
    act({ name, given: { ...options, ...given }, file, json: json === true })
  })
}

/** The error of a command line, on one line. */
function problemOf({ code, message }: CommanderError, words: readonly string[], names: readonly string[]): string {
  // For a group without a command, Commander shows the help and fails without a useful message.
  if (code === 'commander.help') return 'a command is required'
  const problem = message.replace(/^error: /, '').replaceAll('\n', ' ')
  if (code !== 'commander.unknownCommand') return problem
  // Commander's own suggestions only consider the last word of a command.
  const suggested = suggestCommand(words, names)
  const unknown = problem.replace(/ \(Did you mean .*/, '')
  return suggested === undefined ? unknown : `${unknown} (Did you mean ${suggested}?)`
}

/**
 * Reads a command line.
 *
 * @param print prints the help.
 * @returns undefined if the help or the version was requested and printed.
 * @throws UsageError
 */
export function parseCommandLine(
  words: readonly string[],
  commands: Readonly<Record<string, Command>>,
  print: (text: string) => void,
): Invocation | undefined {
  let invocation: Invocation | undefined
  const root = new Parser(PROGRAM)
    .description(
      'Operates the notification gateway of this folder or of DATABASE_URL. Settings are environment variables or lines of .env, as for the gateway.',
    )
    .version(version, '--version', 'prints the version')
    .helpOption('--help', 'prints the help')
    .helpCommand(false)
    .configureHelp({ visibleCommands: commandsBelow, subcommandTerm: fullName })
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: () => {} })
  root.addHelpText(
    'after',
    `\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.\nHelp on a command: ${PROGRAM} keys create --help`,
  )
  for (const [name, command] of Object.entries(commands)) {
    add(root, name, command, (found) => {
      invocation = found
    })
  }
  try {
    root.parse(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    const names = Object.keys(commands)
    const named = names.find((name) => `${words.join(' ')} `.startsWith(`${name} `))
    const help = [PROGRAM, ...(named === undefined ? [] : [named]), '--help'].join(' ')
    throw new UsageError(`${problemOf(error, words, names)}: see ${help}`)
  }
  return invocation
}
