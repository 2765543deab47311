// Live events over socket.io at `/socket.io/`: its protocol 5 over Engine.IO 4, by WebSocket only. The client turns the path
// of its `socketUrl` into a namespace. docs/decisions/live-connections.md says why this is not the server of socket.io.
import { randomUUID } from 'node:crypto'
import { ordinaryRate } from '../../../../http/rate-limit.ts'
import { RateMeter } from '../../../../http/rate-meter.ts'
import type { RequestRecord } from '../../../../http/request-record.ts'
import type { Socket, Upgrade } from '../../../../http/web-socket.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { UpgradeOptions } from '../../../vocabulary.ts'
import { acceptor } from './handshake.ts'
import { FORBIDDEN, isFinal, type LiveConnections, TRY_AGAIN_LATER } from './live-connection.ts'
import { readPacket } from './socket-io-packet.ts'

/** Milliseconds between two pings of the protocol, without which the client closes the connection. */
export const HEARTBEAT = 25_000
/** Milliseconds that the client waits longer for a ping. */
const HEARTBEAT_TIMEOUT = 20_000
/** Milliseconds that a client has to send its credentials. */
export const CONNECT_TIMEOUT = 5_000
/** The number that the protocol announces for polling, which does not exist here. */
const MAX_PAYLOAD = 256 * 1024
const INVALID_PAYLOAD = 1007
const NORMAL = 1000

const namespaces: readonly string[] = ['/', '/novu']

/** What follows the type of a packet: nothing for the namespace `/`. */
const prefixOf = (namespace: string) => (namespace === '/' ? '' : `${namespace},`)

interface Opened {
  readonly socket: Socket
  readonly record: RequestRecord
  readonly address: string | undefined
  /** The token in the URL. A token in the first packet takes precedence. */
  readonly token: string | null
}

export function acceptSocketIo(options: UpgradeOptions, live: LiveConnections): Upgrade {
  const { rateLimiter, socketLimits } = options

  function open({ socket, record, address, token: tokenOfUrl }: Opened): void {
    const waiting = { address, end: () => socket.end() }
    /** The namespace of the client. Undefined before it has connected to one, and after it has left it. */
    let joined: string | undefined
    let isClosed = false
    let stop = () => {}
    socketLimits.pending.add(waiting)
    const deadline = setTimeout(() => socket.close(NORMAL, 'No namespace was joined in time'), CONNECT_TIMEOUT).unref()
    const heartbeat = setInterval(() => void socket.send('2'), HEARTBEAT).unref()

    function authenticated(): void {
      clearTimeout(deadline)
      socketLimits.pending.delete(waiting)
      socket.authenticated()
    }

    async function refuse(namespace: string, refusal: Refusal): Promise<void> {
      // The client gives up after the packet, and tries again after a lost connection.
      if (isFinal(refusal)) await socket.send(`44${prefixOf(namespace)}${JSON.stringify({ message: refusal.message })}`)
      else socket.close(TRY_AGAIN_LATER, refusal.message)
    }

    async function join(namespace: string, token: string | null): Promise<void> {
      if (!namespaces.includes(namespace)) return refuse(namespace, new Refusal('NOT_FOUND', 'Invalid namespace'))
      joined = namespace
      const prefix = prefixOf(namespace)
      try {
        const caller = await live.identify(token, new RateMeter(rateLimiter, address))
        if (isClosed) return
        record.caller = caller
        let hasBegun = false
        stop = live.start(caller, token ?? '', record, {
          begun() {
            hasBegun = true
            authenticated()
            void socket.send(`40${prefix}${JSON.stringify({ sid: randomUUID() })}`)
          },
          send: ({ name, json }) => socket.send(`42${prefix}["${name}",${json}]`),
          ended(refusal) {
            if (!hasBegun) {
              joined = undefined
              void refuse(namespace, refusal)
            } else if (!isFinal(refusal)) socket.close(TRY_AGAIN_LATER, refusal.message)
            // The client does not connect again by itself after this packet.
            else void socket.send(`41${prefix}`).then(() => socket.close(FORBIDDEN, refusal.message))
          },
        })
      } catch (error) {
        joined = undefined
        await refuse(namespace, live.reject(error, record))
      }
    }

    socket.onMessage(async (text) => {
      const packet = readPacket(text)
      switch (packet?.type) {
        case 'connect':
          // One namespace at a time: a page has one inbox.
          if (joined === undefined) return join(packet.namespace, packet.token ?? tokenOfUrl)
          return refuse(packet.namespace, new Refusal('FORBIDDEN', 'The connection has a namespace already'))
        case 'disconnect':
          if (packet.namespace === joined) socket.close(NORMAL, '')
          return
        case 'close':
          socket.close(NORMAL, '')
          return
        case 'ignored':
          return
        default:
          socket.close(INVALID_PAYLOAD, 'Invalid packet')
      }
    })
    socket.onClose(() => {
      isClosed = true
      clearTimeout(deadline)
      clearInterval(heartbeat)
      socketLimits.pending.delete(waiting)
      stop()
    })
    const timing = { pingInterval: HEARTBEAT, pingTimeout: HEARTBEAT_TIMEOUT, maxPayload: MAX_PAYLOAD }
    void socket.send(`0${JSON.stringify({ sid: randomUUID(), upgrades: [], ...timing })}`)
  }

  return acceptor(options, 'GET /socket.io/', ({ query, address, meter, record }) => {
    meter.draw([ordinaryRate])
    if (query.get('EIO') !== '4') throw new Refusal('MALFORMED', 'EIO must be 4')
    if (query.get('transport') !== 'websocket') throw new Refusal('MALFORMED', 'transport must be websocket')
    const token = query.get('token')
    return Promise.resolve((socket) => open({ socket, record, address, token }))
  })
}
