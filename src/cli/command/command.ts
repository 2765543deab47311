// Commands: how they are declared, and what they run with.
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Database } from '../../data/connection/database.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import { parse } from '../../lib/validation.ts'

/** The number of processed objects so far. */
export interface Progress {
  readonly done: number
  /** The counted objects, such as `subscribers`. */
  readonly unit: string
  /** The fraction of the work that is done, from 0 to 1. Undefined if the total is unknown, for example for a pipe. */
  readonly part?: number | undefined
  /** The last processed line of the file. Undefined if no file is read. */
  readonly line?: number | undefined
}

/** The streams of a command, from this terminal or from a terminal in another process. */
export interface CommandStreams {
  /** The file that the command line names; `-` for stdin or stdout. */
  readonly fileName: string
  /** The bytes of the file to read. Fails if they end early. */
  readonly input: AsyncIterable<Uint8Array>
  /** Bytes of `input`. Undefined if unknown. */
  readonly inputSize: number | undefined
  /** Aborted when the operator leaves or the process stops. Long commands then stop between transactions. */
  readonly signal: AbortSignal
  /** Writes to the file to write, or to stdout. Resolves when there is room for more. */
  readonly write: (chunk: string | Uint8Array) => Promise<void>
  /** Moves the written file into place and resolves afterwards. Call it at most once, after the last write. */
  readonly finish: () => Promise<void>
  /** Prints a line on stderr. Resolves when there is room for more. */
  readonly say: (line: string) => Promise<void>
  /** Shows progress on stderr. May be called often. */
  readonly progress: (progress: Progress) => void
}

/** The settings of the process that commands use. */
export interface Settings {
  readonly databaseUrl: string | undefined
  readonly databaseDirectUrl?: string | undefined
  readonly databaseReadUrl?: string | undefined
  readonly databaseStatements?: 'named' | 'unnamed'
  readonly databases?: readonly (readonly [name: string, url: string])[]
  readonly allowPrivateAddresses?: boolean
  readonly deniedAddresses?: readonly string[]
  readonly misspelled?: readonly { readonly variable: string; readonly similarTo: string }[]
  readonly host?: string
  readonly port?: number
  readonly baseUrl?: string | undefined
  readonly dashboard?: boolean
  readonly dataDirectory: string
  readonly encryptionKeys: string | undefined
  readonly logLevel: string
}

interface Contexts {
  /** Runs on an open database. If a running process holds the embedded database, that process runs the command. */
  readonly gateway: CommandStreams & {
    readonly gateway: Gateway
    readonly database: Database
    /** The databases beside the main one that answer, with their names. */
    readonly others: () => readonly { readonly name: string; readonly gateway: Gateway; readonly database: Database }[]
    readonly logger: Logger
    /** The address of the dashboard. Undefined if it is off. @throws Error if the settings do not determine it. */
    readonly dashboardAddress: () => string | undefined
  }
  /** Runs in the process of the command line, without an open database. */
  readonly process: CommandStreams & {
    readonly settings: Settings
    readonly logger: Logger
  }
}

export type CommandPlace = keyof Contexts
export type GatewayContext = Contexts['gateway']

/** The end of a command. */
export interface CommandOutcome {
  /** For people. Without `--json`, printed on stdout. */
  readonly text: string
  /** For programs, with `--json`. JSON without secrets, except those that the command exists to show. */
  readonly result: unknown
  /** True if a part of the work failed. The exit code is then 1. */
  readonly failed?: boolean
}

interface Parameter<Schema extends z.ZodType = z.ZodType> {
  readonly kind: 'argument' | 'option' | 'list' | 'flag'
  /** The name of the value in the help. */
  readonly value: string
  readonly description: string
  /** Reads the text of the command line. The parameter is required unless the schema is optional or has a default. */
  readonly schema: Schema
}

type Parameters = Readonly<Record<string, Parameter>>

type Given<Shape extends Parameters> = { readonly [Name in keyof Shape]: z.output<Shape[Name]['schema']> }

/** An argument, in the order of the declaration: `keys revoke ID`. */
export const argument = <Schema extends z.ZodType>(value: string, description: string, schema: Schema) =>
  ({ kind: 'argument', value, description, schema }) as const

/** An option with a value: `--environment NAME`. */
export const option = <Schema extends z.ZodType>(value: string, description: string, schema: Schema) =>
  ({ kind: 'option', value, description, schema }) as const

/** An option with a value that can be repeated: `--also TEXT`. Its schema is a list. */
export const listOption = <Schema extends z.ZodType>(value: string, description: string, schema: Schema) =>
  ({ kind: 'list', value, description, schema }) as const

/** An option without a value: `--dry-run`. */
export const flagOption = (description: string) =>
  ({ kind: 'flag', value: '', description, schema: z.boolean().default(false) }) as const

/** The error of a command that the operator interrupted. The message says what was done and how to continue. */
export class Interrupted extends Error {
  constructor(state: string) {
    super(`interrupted: ${state}`)
  }
}

interface Description {
  /** The effect of the command, in one sentence. */
  readonly description: string
  /** Further paragraphs of the help. */
  readonly details?: string
  /** Command lines without the program name, each with its effect. */
  readonly examples: readonly (readonly [line: string, explanation: string])[]
  /** How the file named by the last argument is used. Default: the command has no file. */
  readonly file?: 'read' | 'write'
  /**
   * What was done and how to continue, for an operator who interrupts the command. Follows "interrupted: ". Default: no
   * message.
   */
  readonly interrupted?: (progress: Progress | undefined) => string
}

interface Declaration<Where extends CommandPlace, Shape extends Parameters> extends Description {
  readonly place: Where
  readonly parameters: Shape
  readonly run: (context: Contexts[Where], given: Given<Shape>) => Promise<CommandOutcome>
}

interface CommandAt<Where extends CommandPlace> extends Description {
  readonly place: Where
  readonly parameters: Parameters
  /** @throws Refusal `INVALID` that names the parameter. */
  check(given: unknown): void
  /** @throws Refusal if the parameters are invalid, or whatever the command throws. */
  run(context: Contexts[Where], given: unknown): Promise<CommandOutcome>
}

export type Command = { [Where in CommandPlace]: CommandAt<Where> }[CommandPlace]

export function command<Where extends CommandPlace, Shape extends Parameters>(
  declaration: Declaration<Where, Shape>,
): CommandAt<Where> {
  const fields = Object.entries(declaration.parameters).map(([name, { schema }]) => [name, schema])
  const schema = z.strictObject(Object.fromEntries(fields) as { [Name in keyof Shape]: Shape[Name]['schema'] })
  const parseGiven = (given: unknown) => parse(schema, given) as Given<Shape>
  return {
    ...declaration,
    check: (given) => void parseGiven(given),
    run: (context, given) => declaration.run(context, parseGiven(given)),
  }
}
