// The public door: what anyone may reach who has a link or a signature instead of an API key.
import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Gateway } from '../domain/resolver/scope.ts'
import type { RequestRecord } from '../http/request-record.ts'

export interface PublicOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  /** The address at which strangers reach the gateway. Undefined if it is not configured. */
  readonly baseUrl?: string | undefined
}

/** The values that a handler receives with a request. */
export interface PublicBindings {
  readonly record: RequestRecord
}

/** True for the paths of unsubscribe links, preference pages and reports of providers. */
export const isPublicPath = (pathname: string): boolean => /^\/(?:[up]|v2\/inbound-webhooks)\//.test(pathname)

/** Returns a fetch handler for the public paths. Errors that it does not know are thrown, and the application masks them. */
export function createPublicFetch(_options: PublicOptions) {
  const door = new Hono<{ Bindings: PublicBindings }>()
  door.onError((error) => {
    throw error
  })
  return async (request: Request, record: RequestRecord): Promise<Response> => {
    record.door = 'public'
    return door.fetch(request, { record })
  }
}
