// One HTTP request to a provider: adds the common headers and interprets the response.
import { createHmac } from 'node:crypto'
import type { ResolvedTarget } from '../../domain/channel/provider-directory.ts'
import { isReserved } from '../../domain/channel/webhook-headers.ts'
import type { Message } from '../../engine/message.ts'
import { type Outbound, type OutboundRequest, Unreachable } from '../network/outbound.ts'
import { DeliveryFailure, type Receipt } from './provider.ts'
import { redact } from './redact.ts'

/** Client error statuses after which another attempt is worthwhile. */
const temporary: ReadonlySet<number> = new Set([408, 425, 429])

/** An error that a provider reports in a response with a success status. */
export interface Rejection {
  readonly reason: string
  readonly permanent: boolean
}

export interface Call {
  readonly url: string
  readonly method?: OutboundRequest['method'] | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as a form if it is URLSearchParams, otherwise as JSON. */
  readonly body: URLSearchParams | object
  /** Adds `X-Signature-256`: `sha256=` and the hexadecimal HMAC-SHA256 of the body with this key. */
  readonly hmacKey?: string | undefined
  /** Statuses that mean success in addition to 200 to 299. */
  readonly alsoAccepted?: readonly number[]
  /** Client error statuses after which another attempt is worthwhile, in addition to 408, 425 and 429. */
  readonly alsoTemporary?: readonly number[]
  /** Finds an error in the JSON of a successful response, which is undefined if the body was not JSON. */
  readonly rejection?: (json: unknown) => Rejection | undefined
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

/** Returns the failure for an Unreachable. Rethrows any other error. */
export function unreachableFailure(error: unknown): DeliveryFailure {
  if (!(error instanceof Unreachable)) throw error
  const { permanent, isBlocked } = error
  return new DeliveryFailure(error.message, { permanent, failureCause: isBlocked ? 'address_blocked' : undefined })
}

/** Email addresses and phone numbers are not secrets, and responses often quote them. */
function secretsOf(target: ResolvedTarget): unknown {
  if (target.kind === 'webhook') return target.url
  if (target.kind === 'device') return target.token
  if (target.kind !== 'endpoint') return undefined
  const { type, ...fields } = target.endpoint
  return type === 'phone' ? undefined : fields
}

/** The beginning of a response, without secrets. Null if it is empty. */
export function redactedAnswer(
  text: string,
  { credentials, target, secrets }: Message,
  headers: object = {},
): string | null {
  return redact(text, [credentials, secretsOf(target), headers], secrets) || null
}

/**
 * The call's headers override the common ones. Case-insensitive.
 *
 * @throws DeliveryFailure for a reserved header: an endpoint may have been stored before the header was reserved.
 */
function headersOf({ deliveryId, traceparent }: Message, { headers = {}, body, hmacKey }: Call, text: string) {
  const all = new Headers({
    'content-type': body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json',
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
    all.set('x-signature-256', `sha256=${createHmac('sha256', hmacKey).update(text).digest('hex')}`)
  }
  return Object.fromEntries(all)
}

/** The receipt, and the parsed response, which is undefined if it was not JSON. */
export interface Exchanged {
  readonly receipt: Receipt
  readonly json: unknown
}

/** Like `exchange`, but also returns the response. It may contain secrets: do not store or log it. */
export async function exchangeJson(message: Message, outbound: Outbound, call: Call): Promise<Exchanged> {
  const { url, method = 'POST', body, alsoAccepted = [], alsoTemporary = [], rejection } = call
  const { host } = new URL(url)
  const text = body instanceof URLSearchParams ? body.toString() : JSON.stringify(body)
  const headers = headersOf(message, call, text)
  const { status, retryAfter, ...answered } = await outbound
    .request({ method, url, headers, body: text, environmentId: message.environmentId })
    .catch((error: unknown) => {
      throw unreachableFailure(error)
    })
  const receipt = { status, answer: redactedAnswer(answered.text, message, call.headers) }
  if (status >= 300 && status < 400) {
    const reason = `${host} responded with ${status}: redirects are not followed`
    throw new DeliveryFailure(reason, { ...receipt, permanent: true })
  }
  if ((status < 200 || status >= 300) && !alsoAccepted.includes(status)) {
    const permanent = status < 500 && !temporary.has(status) && !alsoTemporary.includes(status)
    throw new DeliveryFailure(`${host} responded with ${status}`, { ...receipt, permanent, retryAfter })
  }
  const json = jsonOf(answered.text)
  const found = rejection?.(json)
  if (found !== undefined) {
    const reason = redact(found.reason, [message.credentials], message.secrets)
    throw new DeliveryFailure(`${host} rejected the message: ${reason}`, { ...receipt, permanent: found.permanent })
  }
  return { receipt, json }
}

/**
 * Calls a provider. The message is accepted with a status from 200 to 299. 408, 425, 429 and 500 to 599 lead to another
 * attempt, any other status does not. Redirects are not followed.
 *
 * @throws DeliveryFailure if the message was not accepted.
 */
export async function exchange(message: Message, outbound: Outbound, call: Call): Promise<Receipt> {
  return (await exchangeJson(message, outbound, call)).receipt
}
