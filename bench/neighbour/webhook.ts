// The receiver of the neighbor's messages, at a name that must be resolved.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Webhook {
  readonly url: string
  close(): void
}

/** @param onMessage called with the body of each message. */
export async function startWebhook(onMessage: (body: string) => void): Promise<Webhook> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      response.end('{}')
      onMessage(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://neighbour.test:${port}/`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
