// Ports of this machine, free or in use.
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { onTestFinished } from 'vitest'

export function portOf(server: Server): string {
  const address = server.address()
  return typeof address === 'object' ? String(address?.port) : ''
}

/** A server on a free port, until the test ends. */
export async function occupiedPort(): Promise<Server> {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  return other
}

/** A port that was free just now. */
export async function freePort(): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const port = portOf(other)
  other.close()
  await once(other, 'close')
  return port
}
