// Live events over a plain WebSocket at `/novu/socket?token=...`. The client's `socketType` is `cloud`.
import type { Upgrade } from '../../../../http/web-socket.ts'
import type { UpgradeOptions } from '../../../vocabulary.ts'
import { acceptor } from './handshake.ts'
import { FORBIDDEN, isFinal, type LiveConnections, TRY_AGAIN_LATER } from './live-connection.ts'

export function acceptPlain(options: UpgradeOptions, live: LiveConnections): Upgrade {
  return acceptor(options, 'GET /novu/socket', async ({ query, meter, record }) => {
    const token = query.get('token') ?? ''
    const caller = await live.identify(token, meter)
    record.caller = caller
    return (socket) => {
      socket.authenticated()
      const stop = live.start(caller, token, record, {
        begun: () => undefined,
        send: ({ name, json }) => socket.send(`{"event":"${name}","data":${json}}`),
        ended: (refusal) => socket.close(isFinal(refusal) ? FORBIDDEN : TRY_AGAIN_LATER, refusal.message),
      })
      socket.onClose(stop)
      // The client keeps its connection alive. It sends nothing else.
      socket.onMessage((text) => (text === 'ping' ? socket.send('pong') : Promise.resolve()))
    }
  })
}
