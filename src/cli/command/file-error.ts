// Error messages about files: the file, the problem and the solution.
import { type FileHandle, lstat, open } from 'node:fs/promises'
import path from 'node:path'

export type FileUse = 'read' | 'written'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

const reasons: Readonly<Record<string, (file: string, use: FileUse) => string>> = {
  ENOENT: (file, use) =>
    use === 'read'
      ? 'the file does not exist'
      : `the folder ${path.dirname(file)} does not exist: create it, or name another file`,
  EISDIR: () => 'it is a folder: name a file',
  ENOTDIR: (file) => `${path.dirname(file)} is not a folder: name a file in a folder`,
  EACCES: (_file, use) =>
    `permission denied: run the command as a user with the right to ${use === 'read' ? 'read' : 'write'} it`,
  EPERM: () => 'the system does not permit it: name another file',
  ENOSPC: () => 'the disk is full: free space, or name a file on another disk',
  EDQUOT: () => 'the disk quota is used up: free space, or name a file on another disk',
  EFBIG: () => 'the file system does not allow a file of this size: name a file on another disk',
  EROFS: () => 'the file system is read-only: name a file on another disk',
  ENAMETOOLONG: () => 'its name is too long: choose a shorter one',
  ELOOP: () => 'its links form a circle: name another file',
  EMFILE: () => 'too many files are open: raise the limit of open files (ulimit -n)',
  EIO: () => 'the disk reports an error: check the disk',
}

/** Returns the error about a file, for people. An unlisted error has the system's error as its cause. */
export function fileError(file: string, use: FileUse, error: unknown): Error {
  const reason = reasons[codeOf(error)]?.(file, use)
  const failed = `${file} cannot be ${use}`
  return reason === undefined ? new Error(failed, { cause: error }) : new Error(`${failed}: ${reason}`)
}

/** Runs work that uses a file. @throws Error with a message for people. */
export async function usingFile<Result>(file: string, use: FileUse, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    throw fileError(file, use, error)
  }
}

/** Opens a file to read. @throws Error with a message for people. */
export function openToRead(file: string): Promise<FileHandle> {
  return usingFile(file, 'read', async () => {
    const handle = await open(file)
    if (!(await handle.stat()).isDirectory()) return handle
    await handle.close()
    throw Object.assign(new Error('a folder'), { code: 'EISDIR' })
  })
}

/** @throws Error with a message for people if a file cannot be read. */
export async function assertReadable(file: string): Promise<void> {
  await (await openToRead(file)).close()
}

/** @throws Error that says what to do if there is no such file or folder. */
export async function assertExists(file: string, remedy: string): Promise<void> {
  try {
    await lstat(file)
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw new Error(`${file} cannot be read`, { cause })
    // eslint-disable-next-line preserve-caught-error -- The message says it all.
    throw new Error(`${file} does not exist: ${remedy}`)
  }
}
