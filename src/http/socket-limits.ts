// What all WebSockets of a process share: the limits of those that are open and of those without valid credentials.
import { defaultStreamLimits, OpenCount, type StreamLimits } from '../lib/stream-limits.ts'
import { PendingSockets } from './pending-sockets.ts'

export interface SocketLimits {
  readonly open: OpenCount
  readonly pending: PendingSockets
}

export const createSocketLimits = (limits: StreamLimits = defaultStreamLimits): SocketLimits => ({
  open: new OpenCount(limits, 'WebSockets'),
  pending: new PendingSockets(),
})
