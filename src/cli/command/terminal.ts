// The streams of a command in this process: its file, stdin, stdout and stderr.
import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import type { CommandStreams, Command } from './command.ts'
import { openToWrite } from './draft.ts'
import { openToRead } from './file-error.ts'
import { ProgressBar, type Screen } from './progress-bar.ts'

export interface Terminal {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Screen
}

/** The file name that means stdin or stdout. */
export const STANDARD = '-'

/** Writes to a stream. Resolves when there is room for more. @throws Error if nobody reads the stream any more. */
export function print(stream: Writable, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve()
      else reject('code' in error && error.code === 'EPIPE' ? new Error('the output was closed by its reader') : error)
    })
  })
}

interface TerminalStreams extends CommandStreams {
  /**
   * Moves the written file into place if the command succeeded, and removes it otherwise, unless `finish` has moved it
   * already.
   */
  close(succeeded: boolean): Promise<void>
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The bytes of a file. The total is known unless it is a pipe or a device. */
async function sourceOf(file: string) {
  const handle = await openToRead(file)
  const found = await handle.stat()
  return { stream: handle.createReadStream(), size: found.isFile() ? found.size : undefined }
}

/** Opens the streams of a command. @throws Error with a message for people if its file cannot be opened. */
export async function openTerminal(
  { stdin, stdout, stderr }: Terminal,
  use: Command['file'],
  file: string,
  signal: AbortSignal,
): Promise<TerminalStreams> {
  const isFile = file !== STANDARD
  const bar = new ProgressBar(stderr)
  const source = use === 'read' && isFile ? await sourceOf(file) : undefined
  const input = use === 'read' ? addAbortSignal(signal, source?.stream ?? stdin) : nothing()
  const written = use === 'write' && isFile ? await openToWrite(file) : undefined
  let isFinished = false
  const closeWritten = async (succeeded: boolean) => {
    if (isFinished) return
    isFinished = true
    await written?.close(succeeded)
  }
  return {
    fileName: file,
    input,
    inputSize: source?.size,
    signal,
    write: written?.write ?? ((chunk) => print(stdout, chunk)),
    finish: () => closeWritten(true),
    say(line) {
      bar.clear()
      return print(stderr, `${line}\n`)
    },
    progress: (progress) => bar.show(progress),
    async close(succeeded) {
      bar.clear()
      source?.stream.destroy()
      await closeWritten(succeeded)
    },
  }
}
