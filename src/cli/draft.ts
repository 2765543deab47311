// A file that a command writes: beside its place until it is complete, so that nobody finds half of it.
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { usingFile } from './file-error.ts'

export interface WrittenFile {
  readonly write: (chunk: string | Uint8Array) => Promise<void>
  /** Puts the file in its place if it is complete, and removes it otherwise. */
  close(isComplete: boolean): Promise<void>
}

/** Milliseconds without a write after which a draft is one of a process that was killed. */
const ABANDONED = 60 * 60 * 1_000

const ENDING = /^\.[0-9a-f]{12}\.partial$/

const isDraftOf = (file: string, name: string) => name.startsWith(file) && ENDING.test(name.slice(file.length))

/** Removes what killed processes left. @param own the draft of this process, whose time is that of the file system. */
async function removeAbandoned(file: string, own: FileHandle): Promise<void> {
  const { mtimeMs: now } = await own.stat()
  const folder = path.dirname(file)
  const drafts = (await readdir(folder)).filter((name) => isDraftOf(path.basename(file), name))
  for (const name of drafts) {
    const draft = path.join(folder, name)
    // Another process may have put it in its place meanwhile.
    const found = await stat(draft).catch(() => undefined)
    if (found !== undefined && now - found.mtimeMs > ABANDONED) await rm(draft, { force: true })
  }
}

/** Makes the name of a file survive a loss of power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A pipe or a device, which is written as it is. */
async function openDevice(file: string): Promise<WrittenFile> {
  const handle = await open(file, 'w')
  return {
    write: (chunk) => usingFile(file, 'written', () => handle.writeFile(chunk)),
    close: () => handle.close(),
  }
}

/** Each process has a draft of its own: of two that write the same file, the last one to finish replaces it. */
async function openDraft(file: string): Promise<WrittenFile> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.partial`
  // What is exported may be personal.
  const handle = await open(draft, 'wx', 0o600)
  await removeAbandoned(file, handle)
  return {
    write: (chunk) => usingFile(file, 'written', () => handle.writeFile(chunk)),
    close: (isComplete) =>
      usingFile(file, 'written', async () => {
        try {
          if (isComplete) await handle.sync()
          await handle.close()
          if (isComplete) await rename(draft, file)
        } catch (error) {
          await rm(draft, { force: true })
          throw error
        }
        await (isComplete ? syncFolder(path.dirname(file)) : rm(draft, { force: true }))
      }),
  }
}

/** Returns what a name leads to. Undefined if nothing has it yet. */
async function targetOf(file: string) {
  const found = await stat(file).catch(() => undefined)
  return found === undefined ? undefined : { found, place: await realpath(file) }
}

/** Opens a file to write. An existing one stays as it is until the new one is complete. @throws Error in words. */
export function openToWrite(file: string): Promise<WrittenFile> {
  return usingFile(file, 'written', async () => {
    const target = await targetOf(file)
    if (target === undefined || target.found.isFile()) return openDraft(target?.place ?? file)
    return openDevice(file)
  })
}
