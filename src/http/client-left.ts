// Clients that close the connection before they have their response.
import type { Logger } from 'pino'

/** The client closed the connection while its request was read. */
export class ClientLeft extends Error {
  constructor(cause: unknown) {
    super('the client closed the connection', { cause })
    this.name = 'ClientLeft'
  }
}

/** The response that nobody reads. It has the status that proxies log for it. */
export function responseToNobody(logger: Logger): Response {
  logger.debug('client closed the connection')
  return new Response(null, { status: 499 })
}
