// Responds to programs that do not speak HTTP on the command socket, such as command lines of the first version.
import type { Socket } from 'node:net'
import { version } from '../lib/version.ts'

/** The first byte of a command line of the first version: the letter of its frame `start`. */
const START = 's'.charCodeAt(0)

/** The failure that such a command line reads: the letter `f`, the length of the payload in four bytes, and JSON. */
function formerFailure(message: string): Buffer {
  const payload = Buffer.from(JSON.stringify({ message }))
  const header = Buffer.alloc(5, 'f')
  header.writeUInt32BE(payload.length, 1)
  return Buffer.concat([header, payload])
}

/** Responds to a request that is not HTTP, and closes the connection. */
export function answerToUnreadable(error: Error, socket: Pick<Socket, 'writable' | 'end' | 'destroy'>): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const received: unknown = Reflect.get(error, 'rawPacket')
  socket.end(
    Buffer.isBuffer(received) && received[0] === START
      ? formerFailure(
          `the running process has version ${version}, the command line has an older one: use the same version, or stop the process`,
        )
      : 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
  )
}
