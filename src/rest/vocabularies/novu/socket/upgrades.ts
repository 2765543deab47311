// The addresses of live connections.
import type { Upgrade } from '../../../../http/web-socket.ts'
import type { UpgradeOptions } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'
import { createLiveConnections } from './live-connection.ts'
import { acceptPlain } from './plain.ts'
import { acceptSocketIo } from './socket-io.ts'

/** The client of socket.io always connects to `/socket.io/`, whatever the path of its address is. */
export function novuUpgrades(options: UpgradeOptions): ReadonlyMap<string, Upgrade> {
  const live = createLiveConnections(options)
  return new Map([
    [`${prefix}/socket`, acceptPlain(options, live)],
    ['/socket.io/', acceptSocketIo(options, live)],
  ])
}
