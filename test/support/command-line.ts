// The command line in the test's own process, using the database of a world.
import { Readable, Writable } from 'node:stream'
import { pino } from 'pino'
import type { Settings } from '../../src/cli/command/command.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import type { World } from './world.ts'

/** The fields that tests read in the `--json` output. Each command prints some of them. */
interface CommandOutput {
  readonly created: number
  readonly environment: { readonly id: string }
  readonly environments: readonly [{ readonly jobs: unknown; readonly pauses: unknown; readonly circuits: unknown }]
  readonly erasureId: string
  readonly events: number
  readonly failed: number
  readonly failures: readonly unknown[]
  readonly id: string
  readonly key: string
  readonly keys: readonly { readonly id: string }[]
  readonly url: string
}

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** What `--json` printed. */
  readonly json: CommandOutput
}

interface CommandOptions {
  readonly stdin?: string | Uint8Array | Readable
  readonly signal?: AbortSignal
  /** Settings that differ from those of a gateway on a server. */
  readonly settings?: Partial<Settings>
  /** True if stderr is a terminal. */
  readonly isTTY?: boolean
}

/** A stream that keeps everything written to it. */
function kept() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

const asStream = (given: CommandOptions['stdin'] = '') =>
  given instanceof Readable ? given : Readable.from([Buffer.from(given)])

/** Returns a function that runs command lines on the database of a world. */
export const commandLineOf =
  (world: World) =>
  async (line: string | readonly string[], options: CommandOptions = {}): Promise<CommandResult> => {
    const [stdout, stderr] = [kept(), kept()]
    const code = await runCommandLine(typeof line === 'string' ? line.split(' ') : line, {
      stdin: asStream(options.stdin),
      stdout: stdout.stream,
      stderr: Object.assign(stderr.stream, { isTTY: options.isTTY ?? false }),
      signal: options.signal ?? new AbortController().signal,
      readSettings: () => ({
        databaseUrl: 'postgresql://not.used',
        dataDirectory: 'not used',
        encryptionKeys: undefined,
        logLevel: 'silent',
        ...options.settings,
      }),
      open: async () => ({
        gateway: world.gateway,
        database: world.database,
        others: () => world.shards(),
        logger: pino({ level: 'silent' }),
        close: async () => {},
      }),
    })
    const printed = stdout.text()
    return {
      code,
      stdout: printed,
      stderr: stderr.text(),
      get json() {
        return JSON.parse(printed) as CommandOutput
      },
    }
  }
