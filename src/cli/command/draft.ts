// A file that a command writes. It is written under another name until it is complete, so that no program reads an
// incomplete file.
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { usingFile } from './file-error.ts'

export interface WrittenFile {
  readonly write: (chunk: string | Uint8Array) => Promise<void>
  /** Moves the file into place if it is complete, and removes it otherwise. */
  close(isComplete: boolean): Promise<void>
}

/** Milliseconds without a write after which a draft is taken to be left over from a killed process. */
const ABANDONED = 60 * 60 * 1_000

const ENDING = /^\.[0-9a-f]{12}\.partial$/

const isDraftOf = (file: string, name: string) => name.startsWith(file) && ENDING.test(name.slice(file.length))

/**
 * Removes the drafts of killed processes. @param own the draft of this process, which shows the time of the file
 * system.
 */
async function removeAbandoned(file: string, own: FileHandle): Promise<void> {
  const { mtimeMs: now } = await own.stat()
  const folder = path.dirname(file)
  const drafts = (await readdir(folder)).filter((name) => isDraftOf(path.basename(file), name))
  for (const name of drafts) {
    const draft = path.join(folder, name)
    // Another process may have moved the draft into place meanwhile.
    const found = await stat(draft).catch(() => undefined)
    if (found !== undefined && now - found.mtimeMs > ABANDONED) await rm(draft, { force: true })
  }
}

/** Makes the name of a file survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A pipe or a device, which is written directly. */
async function openDevice(file: string): Promise<WrittenFile> {
  const handle = await open(file, 'w')
  return {
    write: (chunk) => usingFile(file, 'written', () => handle.writeFile(chunk)),
    close: () => handle.close(),
  }
}

/** Each process has its own draft. If two write the same file, the last one to finish replaces it. */
async function openDraft(file: string): Promise<WrittenFile> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.partial`
  // An export may contain personal data.
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

/** Returns the file at a path, with links resolved. Undefined if there is no such file yet. */
async function targetOf(file: string) {
  const found = await stat(file).catch(() => undefined)
  return found === undefined ? undefined : { found, place: await realpath(file) }
}

/**
 * Opens a file to write. An existing file stays unchanged until the new one is complete. @throws Error with a message
 * for people.
 */
export function openToWrite(file: string): Promise<WrittenFile> {
  return usingFile(file, 'written', async () => {
    const target = await targetOf(file)
    if (target === undefined || target.found.isFile()) return openDraft(target?.place ?? file)
    return openDevice(file)
  })
}
