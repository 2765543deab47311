// The key ring of a gateway that was given none: a file that is made on first use.
import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Cipher, newKeyRing } from './cipher.ts'

const isError = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code

async function read(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (isError(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Makes the file, readable by its owner alone. It has its name only once it is whole, and the first to name it wins. */
async function make(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, `${newKeyRing()}\n`, { mode: 0o600 })
  try {
    await link(draft, file)
  } catch (error) {
    if (!isError(error, 'EEXIST')) throw error
  } finally {
    await rm(draft)
  }
}

/**
 * A cipher with the ring of a file. Several processes may ask for it at once, and get the same.
 *
 * @throws Error that names the file when it holds something else.
 */
export async function openKeyFile(file: string): Promise<Cipher> {
  const ring = await read(file)
  if (ring === undefined) {
    await make(file)
    return openKeyFile(file)
  }
  try {
    return new Cipher(ring)
  } catch (cause) {
    throw new Error(`${file} holds no key ring`, { cause })
  }
}
