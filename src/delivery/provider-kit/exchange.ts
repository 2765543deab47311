// One HTTP request to a provider: adds the common headers and interprets the response.
import { createHmac } from 'node:crypto'
import type { ResolvedTarget } from '../../domain/channel/provider-directory.ts'
import { isReserved } from '../../domain/channel/webhook-headers.ts'
import type { Message } from '../../engine/message.ts'
import { present } from '../../lib/present.ts'
import { type Outbound, type OutboundRequest, Unreachable } from '../network/outbound.ts'
import { encodeJson, Multipart } from './files.ts'
import { type Classify, failureClasses, type Verdict } from './failure-class.ts'
import { type Overridable, withOverrides } from './override.ts'
import { DeliveryFailure, type FailureDetails, type Receipt, RejectedToken } from './provider.ts'
import { redact } from './redact.ts'

/** Client error statuses after which another attempt is worthwhile. */
const temporary: ReadonlySet<number> = new Set([408, 425, 429])

/** True if a request that was answered with this error status would fail again. */
export const isPermanent = (status: number): boolean => status < 500 && !temporary.has(status)

/** A request with everything that is sent, but its signature. */
export type UnsignedRequest = Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>

export interface Call extends Overridable {
  readonly method?: OutboundRequest['method'] | undefined
  /** Adds `X-Signature-256`: `sha256=` and the hexadecimal HMAC-SHA256 of the body with this key. */
  readonly hmacKey?: string | undefined
  /** Returns the headers of the final request with its signature. It must not change the others. */
  readonly sign?: ((request: UnsignedRequest) => Promise<OutboundRequest['headers']>) | undefined
  /** True if the provider requires HTTP/2. */
  readonly http2?: boolean
  /** Statuses that mean success in addition to 200 to 299. */
  readonly alsoAccepted?: readonly number[]
  /** Classifies the responses for which the status is wrong or not enough. Called with every response. */
  readonly classify?: Classify
  /** Finds the provider's id of the accepted message. Absent if its reports do not name it. */
  readonly findMessageId?: (answer: AcceptedAnswer) => string | undefined
}

/** A response that accepted the message. */
export interface AcceptedAnswer {
  /** The parsed body. Undefined if it is not JSON. */
  readonly json: unknown
  readonly text: string
  /** By their names in lower case. */
  readonly headers: Readonly<Partial<Record<string, string>>>
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** Undefined if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the failure for an Unreachable. Rethrows any other error.
 *
 * @param hasMessage false if the request did not contain the message, which was certainly not sent then. Default: true.
 */
export function unreachableFailure(error: unknown, hasMessage = true): DeliveryFailure {
  if (!(error instanceof Unreachable)) throw error
  const { permanent, isBlocked, isSent } = error
  if (isBlocked) return new DeliveryFailure(error.message, { permanent, failureCause: 'address_blocked' })
  return new DeliveryFailure(
    error.message,
    isSent && !permanent && hasMessage ? { permanent, failureCause: failureClasses.unknown.cause } : { permanent },
  )
}

/** Email addresses and phone numbers are not secrets, and responses often quote them. */
function secretsOf(target: ResolvedTarget): unknown {
  if (target.kind === 'webhook') return target.url
  if (target.kind === 'device') return target.token
  if (target.kind !== 'endpoint') return undefined
  const { endpoint, connection } = target
  const { type, ...fields } = endpoint
  return type === 'phone' ? undefined : [fields, connection]
}

/** The beginning of a response, without secrets. Null if it is empty. */
export function redactedAnswer(
  text: string,
  { credentials, target, secrets }: Message,
  headers: object = {},
): string | null {
  return redact(text, [credentials, secretsOf(target), headers], secrets) || null
}

/** A body as it is sent. */
interface Encoded {
  readonly type: string
  readonly sent: OutboundRequest['body']
}

function encode(message: Message, body: Call['body']): Encoded {
  if (body instanceof Multipart) return { type: body.contentType, sent: body.encode() }
  return body instanceof URLSearchParams
    ? { type: 'application/x-www-form-urlencoded', sent: body.toString() }
    : { type: 'application/json', sent: encodeJson(body, message) }
}

/** The HMAC-SHA256 of a body, in hexadecimal. */
function hmacOf(sent: Encoded['sent'], key: string): string {
  const hmac = createHmac('sha256', key)
  for (const piece of typeof sent === 'string' ? [sent] : sent.pieces()) hmac.update(piece)
  return hmac.digest('hex')
}

/**
 * The call's headers override the common ones. Case-insensitive.
 *
 * @throws DeliveryFailure for a reserved header: an endpoint may have been stored before the header was reserved.
 */
function headersOf({ deliveryId, traceparent }: Message, { headers = {}, hmacKey }: Call, { type, sent }: Encoded) {
  const all = new Headers({
    'content-type': type,
    'user-agent': 'notification-gateway',
  })
  for (const [name, value] of Object.entries(headers)) {
    if (isReserved(name)) {
      const message = `The header ${JSON.stringify(name)} cannot be sent: the gateway sets it itself`
      throw new DeliveryFailure(message, { permanent: true })
    }
    try {
      all.set(name, value)
    } catch {
      // The original error contains the value, which is a secret.
      throw new DeliveryFailure(`The header ${JSON.stringify(name)} cannot be sent`, { permanent: true })
    }
  }
  all.set('idempotency-key', deliveryId)
  // A configured header takes precedence.
  if (traceparent !== null && !all.has('traceparent')) all.set('traceparent', traceparent)
  if (hmacKey !== undefined) {
    all.set('x-signature-256', `sha256=${hmacOf(sent, hmacKey)}`)
  }
  return Object.fromEntries(all)
}

/** The receipt, and the parsed response, which is undefined if it was not JSON. */
export interface Exchanged {
  readonly receipt: Receipt
  readonly json: unknown
}

/** A response that did not accept the message, with what all its failures have in common. */
interface Refused {
  /** The beginning of the error, such as `api.example.com responded with 404`. */
  readonly summary: string
  readonly status: number
  readonly details: Omit<FailureDetails, 'permanent' | 'failureCause'>
}

/** The classes that say something about the message itself. */
const aboutMessage: ReadonlySet<Verdict['class']> = new Set(['recipient', 'suppressed', 'content'])

/** Returns the failure of a response that a provider file has classified. */
function classifiedFailure({ summary, status, details }: Refused, verdict: Verdict): DeliveryFailure {
  const message = `${summary}: ${verdict.reason}`
  if (verdict.class === 'renew') return new RejectedToken(message, details)
  const { permanent, cause } = failureClasses[verdict.class]
  const said = verdict.class === 'unregistered' ? `The device is no longer registered (${message})` : message
  // A limit of the account may be one that ends soon.
  if (verdict.class === 'account' && temporary.has(status)) {
    return new DeliveryFailure(said, { ...details, permanent: false, failureCause: cause })
  }
  // With such a status, the body may say so in an incident too.
  if (aboutMessage.has(verdict.class) && !isPermanent(status) && !verdict.isCertain) {
    return new DeliveryFailure(said, { ...details, permanent: false, failureCause: 'unavailable' })
  }
  return new DeliveryFailure(said, { ...details, permanent, failureCause: cause })
}

/** Like `exchange`, but also returns the response. It may contain secrets: do not store or log it. */
export async function exchangeJson(message: Message, outbound: Outbound, given: Call): Promise<Exchanged> {
  const call = withOverrides(message, given)
  const { url, method = 'POST', body, alsoAccepted = [], classify, findMessageId, http2, sign } = call
  const { host } = new URL(url)
  const encoded = encode(message, body)
  const unsigned = { method, url, headers: headersOf(message, call, encoded), body: encoded.sent }
  const headers = sign === undefined ? unsigned.headers : await sign(unsigned)
  const { status, retryAfter, text, ...answered } = await outbound
    .request({ ...unsigned, headers, http2, environmentId: message.environmentId })
    .catch((error: unknown) => {
      throw unreachableFailure(error, given.messageField !== null)
    })
  const receipt = { status, answer: redactedAnswer(text, message, call.headers) }
  const answer = { json: jsonOf(text), text, headers: answered.headers }
  const isSuccess = (status >= 200 && status < 300) || alsoAccepted.includes(status)
  const summary = isSuccess ? `${host} rejected the message` : `${host} responded with ${status}`
  const verdict = classify?.({ status, ...answer })
  if (verdict !== undefined) {
    const reason = redact(verdict.reason, [message.credentials, secretsOf(message.target)], message.secrets)
    const details = { ...receipt, retryAfter: verdict.retryAfter ?? retryAfter }
    throw classifiedFailure({ summary, status, details }, { ...verdict, reason })
  }
  if (status >= 300 && status < 400) {
    throw new DeliveryFailure(`${summary}: redirects are not followed`, { ...receipt, permanent: true })
  }
  if (!isSuccess) {
    throw new DeliveryFailure(summary, { ...receipt, permanent: isPermanent(status), retryAfter })
  }
  const providerMessageId = findMessageId?.(answer)
  return { receipt: { ...receipt, ...present({ providerMessageId }) }, json: answer.json }
}

/**
 * Calls a provider. The message is accepted with a status from 200 to 299. 408, 425, 429 and 500 to 599 lead to another
 * attempt, any other status does not, unless the provider file classifies the response. Redirects are not followed.
 *
 * @throws DeliveryFailure if the message was not accepted.
 */
export async function exchange(message: Message, outbound: Outbound, call: Call): Promise<Receipt> {
  return (await exchangeJson(message, outbound, call)).receipt
}
