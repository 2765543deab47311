// The key file: the key ring of a gateway without ENCRYPTION_KEYS, created on first use.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
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

/** Creates the file, readable by its owner only. It is written under another name and linked: the first link wins. */
async function create(file: string): Promise<void> {
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
 * Returns a cipher with the key ring of a file. Safe if several processes start at the same time.
 *
 * @throws Error that names the file if it is not a key ring.
 */
async function openKeyFile(file: string): Promise<Cipher> {
  const ring = await read(file)
  if (ring === undefined) {
    await create(file)
    return openKeyFile(file)
  }
  try {
    return new Cipher(ring)
  } catch (cause) {
    throw new Error(`${file} is not a valid key ring`, { cause })
  }
}

interface KeyRingSettings {
  /** The key ring. If undefined, the key file in `dataDirectory` is used. */
  readonly encryptionKeys: string | undefined
  readonly dataDirectory: string
}

/** Returns the path of the key file in a data directory. */
export const keyFileIn = (dataDirectory: string) => path.join(dataDirectory, 'encryption-keys')

/**
 * Returns a cipher with the configured key ring, or undefined if there is none. Creates no key file. @throws as
 * `openCipher`
 */
export async function openExistingCipher(settings: KeyRingSettings): Promise<Cipher | undefined> {
  const { encryptionKeys, dataDirectory } = settings
  return encryptionKeys === undefined && !existsSync(keyFileIn(dataDirectory)) ? undefined : openCipher(settings)
}

/** Returns a cipher with the configured key ring. @throws Error if it is invalid. */
export async function openCipher({ encryptionKeys, dataDirectory }: KeyRingSettings): Promise<Cipher> {
  return encryptionKeys === undefined ? openKeyFile(keyFileIn(dataDirectory)) : new Cipher(encryptionKeys)
}
