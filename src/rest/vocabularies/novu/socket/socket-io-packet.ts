// Packets that a client of socket.io sends, as far as live connections know them.
import { z } from 'zod'

type Packet =
  | { readonly type: 'connect'; readonly namespace: string; readonly token: string | undefined }
  | { readonly type: 'disconnect'; readonly namespace: string }
  /** The client closes the connection. */
  | { readonly type: 'close' }
  /** A pong, or an event: the client has none that mean anything here. */
  | { readonly type: 'ignored' }

/** A packet of socket.io in a message of Engine.IO: its type, its namespace unless that is `/`, and its data. */
const message = /^4([0-2])(?:(\/[^,]*)(?:,|$))?(.*)$/s

const credentials = z.object({ token: z.string().optional().catch(undefined) }).catch({ token: undefined })

/** @returns undefined if it is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @returns undefined if the packet cannot be read. */
export function readPacket(text: string): Packet | undefined {
  if (text === '3') return { type: 'ignored' }
  if (text === '1') return { type: 'close' }
  const [found, kind, namespace = '/', data = ''] = message.exec(text) ?? []
  if (found === undefined) return undefined
  if (kind === '1') return { type: 'disconnect', namespace }
  if (kind === '2') return { type: 'ignored' }
  const given = data === '' ? {} : readJson(data)
  return given === undefined ? undefined : { type: 'connect', namespace, token: credentials.parse(given).token }
}
