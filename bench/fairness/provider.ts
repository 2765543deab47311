// A provider on loopback, which answers each message after some time or never.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Provider {
  readonly url: string
  /** Resolves when this many messages of a transaction have arrived, including those before the call. */
  arrived(transactionId: string, count?: number): Promise<void>
  close(): void
}

interface Awaited {
  readonly count: number
  readonly resolve: () => void
}

/** @param delay milliseconds until an answer. Infinity for none. */
export async function startProvider(delay: number): Promise<Provider> {
  const counts = new Map<string, number>()
  const awaited = new Map<string, Awaited>()
  const server = createServer((request, response) => {
    if (delay !== Infinity) setTimeout(() => response.end('{}'), delay)
    void text(request).then((body) => {
      const { transactionId } = JSON.parse(body) as { transactionId: string }
      const count = (counts.get(transactionId) ?? 0) + 1
      counts.set(transactionId, count)
      const one = awaited.get(transactionId)
      if (one === undefined || count < one.count) return
      awaited.delete(transactionId)
      one.resolve()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    arrived: (transactionId, count = 1) =>
      new Promise((resolve) => {
        if ((counts.get(transactionId) ?? 0) >= count) resolve()
        else awaited.set(transactionId, { count, resolve })
      }),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
