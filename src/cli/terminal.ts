// The streams of a command in this process: its file, stdin, stdout and stderr.
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import type { CommandStreams, Command } from './command.ts'
import { ProgressBar, type Screen } from './progress-bar.ts'

export interface Terminal {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Screen
}

/** The name of stdin or stdout as a file. */
export const STANDARD = '-'

/** Writes to a stream. Resolves when there is room for more. @throws Error if nobody reads it any more. */
export function print(stream: Writable, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve()
      else reject('code' in error && error.code === 'EPIPE' ? new Error('the output was closed by its reader') : error)
    })
  })
}

interface TerminalStreams extends CommandStreams {
  /** Puts the written file in place if the command succeeded, and removes it otherwise. */
  close(succeeded: boolean): Promise<void>
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A file of a size that does not change while it is read, such as no pipe. */
async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file)
  return found.isFile() ? found.size : undefined
}

/** A file that is written beside its place, so that it is never there half written. */
async function draftOf(file: string) {
  const draft = `${file}.partial`
  // What is exported may be personal.
  const handle: FileHandle = await open(draft, 'w', 0o600)
  return {
    write: (chunk: string | Uint8Array) => handle.writeFile(chunk),
    async close(succeeded: boolean) {
      if (succeeded) await handle.sync()
      await handle.close()
      await (succeeded ? rename(draft, file) : rm(draft, { force: true }))
    },
  }
}

/** Opens the streams of a command. @throws Error if its file cannot be opened. */
export async function openTerminal(
  { stdin, stdout, stderr }: Terminal,
  use: Command['file'],
  file: string,
  signal: AbortSignal,
): Promise<TerminalStreams> {
  const isFile = file !== STANDARD
  const bar = new ProgressBar(stderr)
  const inputSize = use === 'read' && isFile ? await sizeOf(file) : undefined
  const source = use === 'read' ? addAbortSignal(signal, isFile ? createReadStream(file) : stdin) : nothing()
  const draft = use === 'write' && isFile ? await draftOf(file) : undefined
  return {
    fileName: file,
    input: source,
    inputSize,
    signal,
    write: draft?.write ?? ((chunk) => print(stdout, chunk)),
    say(line) {
      bar.clear()
      return print(stderr, `${line}\n`)
    },
    progress: (progress) => bar.show(progress),
    async close(succeeded) {
      bar.clear()
      await draft?.close(succeeded)
    },
  }
}
