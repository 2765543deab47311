// One process at a time on an embedded database's folder.
import { randomBytes } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'

const PREFIX = 'lock-'

/** Of a socket's address, in bytes. The system cuts a longer one, and the socket would be somewhere else. */
const MAX_ADDRESS = 103

/** How long another process may take to say who it is, in milliseconds. One that is suspended never does. */
const ANSWER_TIMEOUT = 5_000

/** What a process that has the folder adds to its name. One that only asks for it does not. */
const HOLDS = 'holds'

/**
 * Every process that wants the folder listens on a socket of its own in it, and then asks all others. The system takes
 * a socket back even after kill -9, so one that refuses is dead and may be removed by anyone: its name never comes
 * again. A file with a process id could not say so.
 *
 * Of two that come later announces itself before it looks, so at least one sees the other. Where both do, the one
 * whose name sorts first waits for the other to step back, and gets the folder.
 *
 * @returns lets go of the folder.
 * @throws Error that names the other process.
 */
export async function holdDirectory(directory: string): Promise<() => Promise<void>> {
  const own = `${PREFIX}${randomBytes(6).toString('hex')}`
  const candidacy = await announce(directory, own)
  try {
    for (const name of await readdir(directory)) {
      if (!name.startsWith(PREFIX) || name === own) continue
      const holder = await ask(addressIn(directory, name), own < name)
      if (holder !== undefined)
        throw new Error(`${directory} is in use by ${holder}: stop it first, or set DATA_DIR to another folder`)
      await rm(path.join(directory, name), { force: true })
    }
  } catch (error) {
    await candidacy.leave()
    throw error
  }
  candidacy.win()
  return () => candidacy.leave()
}

function addressIn(directory: string, name: string): string {
  const absolute = path.resolve(directory, name)
  const relative = path.relative(process.cwd(), absolute)
  const address = relative.length < absolute.length ? relative : absolute
  if (Buffer.byteLength(address) > MAX_ADDRESS) {
    throw new Error(`${directory} is too long a path to hold a lock: set DATA_DIR to a shorter one`)
  }
  return address
}

/** Shows everyone who looks that this process wants the folder, and from `win` on that it has it. */
async function announce(directory: string, name: string) {
  let held = false
  const waiting = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => {}).write(`process ${process.pid} on ${hostname()}\n`)
    if (held) {
      socket.end(HOLDS)
    } else {
      waiting.add(socket)
      socket.on('close', () => waiting.delete(socket))
    }
  })
  // Under its name only once it listens: what is seen and refuses is dead for certain.
  const hidden = `.${name}`
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(addressIn(directory, hidden), resolve)
  })
  server.unref()
  await rename(path.join(directory, hidden), path.join(directory, name))
  return {
    win() {
      held = true
      for (const socket of waiting) socket.end(HOLDS)
    },
    async leave() {
      // Closed before all else: whoever came after the others were sent away would wait for an answer in vain.
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of waiting) socket.destroy()
      await rm(path.join(directory, name), { force: true })
      await closed
    },
  }
}

/**
 * The process behind a socket, or undefined when it is dead or does not want the folder any more.
 *
 * @param patient waits until the other has the folder or steps back; otherwise that it lives is enough.
 */
function ask(address: string, patient: boolean): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(address)
    const settle = (holder: string | undefined) => {
      socket.destroy()
      resolve(holder)
    }
    socket
      .setTimeout(ANSWER_TIMEOUT, () => settle('another process, which does not answer'))
      .on('data', (chunk) => {
        answer += chunk.toString()
        const [holder, rest] = answer.split('\n')
        if (rest === HOLDS || (rest !== undefined && !patient)) settle(holder)
      })
      .on('end', () => settle(undefined))
      .on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT' || error.code === 'ECONNRESET') settle(undefined)
        else reject(error)
      })
  })
}
