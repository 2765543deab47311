// Requests to the pages of links: their limits, the token in their path, and the form in their body.
import type { Logger } from 'pino'
import type { Brand } from '../domain/access/brand.ts'
import { isExampleToken } from '../domain/channel/unsubscribe-link.ts'
import { type OpenedLink, openLinkOf } from '../domain/link/link-caller.ts'
import { createDoorScope, type DoorScope } from '../domain/resolver/door-scope.ts'
import type { Gateway } from '../domain/resolver/scope.ts'
import { BodyReader } from '../http/request-body.ts'
import { ClientLeft, responseToNobody } from '../http/client-left.ts'
import { refusalOfOutage } from '../http/fault.ts'
import { LinkLimit } from '../http/link-limit.ts'
import type { RequestRecord } from '../http/request-record.ts'
import type { Turns } from '../http/turns.ts'
import { type ErrorKind, errorKinds, Refusal } from '../lib/errors.ts'
import { languageFor } from './language/language.ts'
import type { Notice, Texts } from './language/texts.ts'
import { type PageReader, noticePage, type ShownPage, renderPage, successPage } from './page/page.ts'

export interface LinkOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly turns: Turns
}

/** What a page shows, and with which status. */
export interface Answered {
  readonly reader: { readonly brand: Brand; readonly locale: string | null }
  readonly page: (texts: Texts) => ShownPage
  /** Default: 200. */
  readonly status?: number
}

/** A request with a link that exists. */
export interface LinkRequest {
  readonly link: OpenedLink
  readonly scope: DoorScope
  /** The fields of the form. Undefined for GET. */
  readonly form: URLSearchParams | undefined
  /** The token, for a link to the other page. */
  readonly token: string
}

interface LinkRoute {
  /** The path with a placeholder, for the log and the metrics. */
  readonly operation: string
  /** The maximum size of a form, in bytes. */
  readonly maxForm: number
  readonly answer: (request: LinkRequest) => Promise<Answered>
}

const nobody = { brand: {}, locale: null } as const

/** The page and the status for each kind of refusal. */
function noticeOf(kind: ErrorKind, texts: Texts): Notice {
  if (kind === 'RATE_LIMITED') return texts.tooMany
  if (kind === 'NOT_FOUND') return texts.invalid
  return kind === 'UNAVAILABLE' || kind === 'REQUEST_TIMEOUT' ? texts.unavailable : texts.unknown
}

const forms = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?:\s*;|$)/i

/** Parses a form, in both of its formats (RFC 8058, section 3.2). Files are ignored. @throws Refusal */
async function readForm(bytes: Buffer<ArrayBuffer>, contentType: string): Promise<URLSearchParams> {
  try {
    const parsed = await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
    const fields = [...parsed].filter((field): field is [string, string] => typeof field[1] === 'string')
    return new URLSearchParams(fields)
  } catch {
    throw new Refusal('INVALID', 'The form could not be read')
  }
}

/** Returns handlers of the pages of links. */
export function createLinkPages({ gateway, logger, turns }: LinkOptions) {
  const limit = new LinkLimit(gateway.now)
  const bodies = new BodyReader()

  async function answerLink(
    { maxForm, answer }: LinkRoute,
    request: Request,
    record: RequestRecord,
    token: string,
  ): Promise<Answered> {
    limit.drawForAddress(record.address)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead && request.method !== 'POST') throw new Refusal('METHOD_NOT_ALLOWED', 'The methods are GET and POST')
    const contentType = request.headers.get('content-type') ?? ''
    if (!isRead && !forms.test(contentType)) throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be a form')
    if (isExampleToken(token)) return { reader: nobody, page: ({ example }) => noticePage(example) }
    const link = await openLinkOf(gateway, token)
    if (link === undefined) throw new Refusal('NOT_FOUND', 'No link has this token')
    limit.drawForToken(token)
    if (link === 'gone') {
      return { reader: nobody, page: ({ done, doneForGood: text }) => successPage({ title: done.title, text }) }
    }
    const { caller } = link
    record.caller = caller
    const held = isRead ? undefined : await bodies.read(request, { caller, address: record.address }, maxForm)
    try {
      const form = held && (await readForm(held.bytes, contentType))
      return await turns.take(caller, held?.bytes.byteLength ?? 0, ({ withoutPlace }) =>
        answer({ link, form, token, scope: createDoorScope(gateway, caller, withoutPlace, record) }),
      )
    } finally {
      held?.release()
    }
  }

  /** Handles a request to one of the pages. */
  return async (route: LinkRoute, request: Request, record: RequestRecord, token: string): Promise<Response> => {
    record.operation = route.operation
    const lookOf = ({ brand, locale }: Answered['reader']): PageReader => ({
      brand,
      language: languageFor(locale, request.headers.get('accept-language') ?? undefined),
    })
    const withoutBody = async (rendered: Promise<Response>) => {
      const response = await rendered
      return request.method === 'HEAD' ? new Response(null, response) : response
    }
    try {
      const { reader, page, status = 200 } = await answerLink(route, request, record, token)
      const look = lookOf(reader)
      return await withoutBody(renderPage(look, page(look.language.texts), status))
    } catch (error) {
      if (error instanceof ClientLeft) return responseToNobody(logger)
      const refusal = error instanceof Refusal ? error : refusalOfOutage(logger, error, record)
      if (refusal === undefined) throw error
      const { kind, retryAfter } = refusal
      const { code, status } = errorKinds[kind]
      gateway.metrics.rejected('public', code)
      const look = lookOf(nobody)
      const headers = {
        ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
        ...(kind === 'METHOD_NOT_ALLOWED' && { Allow: 'GET, HEAD, POST' }),
      }
      const notice = noticeOf(kind, look.language.texts)
      return await withoutBody(renderPage(look, noticePage(notice), status, headers))
    }
  }
}
