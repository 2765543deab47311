// A provider on loopback that accepts every message, and records when each arrived.
import { once } from 'node:events'
import { createServer } from 'node:http'

export interface Receiver {
  /** Credentials of an `email-webhook` integration that sends here. */
  readonly credentials: { readonly webhookUrl: string }
  /** The times at which messages arrived, in milliseconds of the process. A message sent twice is in it twice. */
  readonly arrivals: readonly number[]
  /** The idempotency keys of the messages: one for each, however often it arrived. */
  readonly keys: ReadonlySet<string>
  close(): void
}

/** @param port default: a free port. Requests to a port without a receiver are refused. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const arrivals: number[] = []
  const keys = new Set<string>()
  const server = createServer((request, response) => {
    arrivals.push(performance.now())
    keys.add(String(request.headers['idempotency-key']))
    request.resume().on('end', () => response.end('{}'))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port')
  return {
    credentials: { webhookUrl: `http://127.0.0.1:${address.port}` },
    arrivals,
    keys,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
