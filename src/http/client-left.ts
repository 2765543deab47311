// Clients that close the connection before they receive their response.
import type { Logger } from 'pino'

/** The client closed the connection while its request was read. */
export class ClientLeft extends Error {
  constructor(cause: unknown) {
    super('the client closed the connection', { cause })
    this.name = 'ClientLeft'
  }
}

/** A placeholder for a response that nobody receives, with the status that proxies log in this case. */
export function responseToNobody(logger: Logger): Response {
  logger.debug('client closed the connection')
  return new Response(null, { status: 499 })
}
