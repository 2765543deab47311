// The public door: what anyone may reach who has a link or a signature instead of an API key.
import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Gateway } from '../domain/resolver/scope.ts'
import type { BodyReader } from '../http/request-body.ts'
import type { RequestRecord } from '../http/request-record.ts'
import type { Turns } from '../http/turns.ts'
import { createLinkPages } from './link-request.ts'
import { answerPreferences } from './preference-page.ts'
import { answerUnsubscribe } from './unsubscribe.ts'
import { reportRoutes } from './inbound-webhook.ts'

export interface PublicOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly turns: Turns
  /** Reads the bodies of the process. */
  readonly bodies: BodyReader
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
export function createPublicFetch(options: PublicOptions) {
  const door = new Hono<{ Bindings: PublicBindings }>()
  const pages = createLinkPages(options)
  const unsubscribe = { operation: '/u/{token}', maxForm: 4 * 1024, answer: answerUnsubscribe }
  const preferences = { operation: '/p/{token}', maxForm: 64 * 1024, answer: answerPreferences }
  door.all('/u/:token', (c) => pages(unsubscribe, c.req.raw, c.env.record, c.req.param('token')))
  door.all('/p/:token', (c) => pages(preferences, c.req.raw, c.env.record, c.req.param('token')))
  door.onError((error) => {
    throw error
  })
  door.route('/', reportRoutes(options))
  return async (request: Request, record: RequestRecord): Promise<Response> => {
    record.door = 'public'
    // The path may contain a token, also one at a path that does not exist.
    record.shownPath = new URL(request.url).pathname.replace(/^\/([up])\/.*$/, '/$1/{token}')
    return door.fetch(request, { record })
  }
}
