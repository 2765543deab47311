// A lock that lets one process at a time use the embedded database's directory.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, rename, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

const PREFIX = 'lock-'

/** Maximum bytes of a socket's address. The system truncates a longer one, which would then name another file. */
const MAX_ADDRESS = 103

/** Milliseconds to wait for another process to answer. A suspended one never does. */
const ANSWER_TIMEOUT = 5_000

/** Milliseconds between queries to a process that has not decided yet. */
const RETRY_DELAY = 10

/**
 * Locks a directory. Every process that wants the lock listens on its own socket in the directory, and then queries the
 * others. A socket that refuses connections belongs to a dead process, even after `kill -9`. Because names are random
 * and never reused, any process may remove it. A single fixed name would be simpler but wrong: between finding it dead
 * and removing it, another process may have taken it over.
 *
 * Each process listens before it queries, so at least one of two sees the other. If neither holds the lock yet, the one
 * whose name sorts first waits for the other to give up.
 *
 * @returns a function that unlocks the directory.
 * @throws Error that names the other process.
 */
export async function holdDirectory(directory: string): Promise<() => Promise<void>> {
  const own = `${PREFIX}${randomBytes(6).toString('hex')}`
  let state = 'waiting'
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy()).end(`${state} process ${process.pid} on ${hostname()}`)
  })
  // Hidden until it listens, because a visible socket that refuses connections counts as dead.
  server.listen(socketAddress(directory, `.${own}`)).unref()
  await once(server, 'listening')
  await rename(path.join(directory, `.${own}`), path.join(directory, own))
  const unlock = async () => {
    server.close()
    await rm(path.join(directory, own), { force: true })
  }
  try {
    const others = (await readdir(directory)).filter((name) => name.startsWith(PREFIX) && name !== own)
    for (const other of others) {
      const holder = await survivor(socketAddress(directory, other), own < other)
      if (holder !== undefined)
        throw new Error(`${directory} is in use by ${holder}: stop it first, or set DATA_DIR to another directory`)
      await rm(path.join(directory, other), { force: true })
    }
  } catch (error) {
    await unlock()
    throw error
  }
  state = 'holding'
  return unlock
}

/** Returns the address of a socket in a directory. @throws Error if the path is too long. */
export function socketAddress(directory: string, name: string): string {
  const absolute = path.resolve(directory, name)
  const relative = path.relative(process.cwd(), absolute)
  const address = relative.length < absolute.length ? relative : absolute
  if (Buffer.byteLength(address) > MAX_ADDRESS) {
    throw new Error(`${directory} is too long a path to hold a lock: set DATA_DIR to a shorter one`)
  }
  return address
}

/**
 * @returns the process that prevents us from taking the lock, if any. @param patient waits for a process that has not
 *   decided yet.
 */
async function survivor(address: string, patient: boolean): Promise<string | undefined> {
  for (;;) {
    const [state = '', ...holder] = (await ask(address)).split(' ')
    if (state === '') return undefined
    if (state === 'holding' || !patient) return holder.join(' ')
    await pause(RETRY_DELAY)
  }
}

/** @returns the state and the name of the process behind a socket; empty if it is dead. */
async function ask(address: string): Promise<string> {
  const socket = connect(address)
  const timer = setTimeout(() => socket.destroy(new Error('timeout')), ANSWER_TIMEOUT)
  try {
    return await text(socket)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ECONNRESET') return ''
    if (error instanceof Error && error.message === 'timeout') return 'holding another process, which does not answer'
    throw error
  } finally {
    clearTimeout(timer)
  }
}
