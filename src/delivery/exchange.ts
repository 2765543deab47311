// One HTTP exchange with a provider: what every request carries, and what its answer means.
import { createHmac } from 'node:crypto'
import type { Target } from '../engine/attempt.ts'
import { type Outbound, type OutboundRequest, Unreachable } from './outbound.ts'
import { DeliveryFailure, type Envelope, type Receipt } from './provider.ts'
import { redact } from './redact.ts'

/** Refusals that are about the moment, and not about the request. */
const passing: ReadonlySet<number> = new Set([408, 425, 429])

/** What a provider holds against a message although its status was a success. */
export interface Objection {
  readonly reason: string
  readonly permanent: boolean
}

export interface Call {
  readonly url: string
  readonly method?: OutboundRequest['method'] | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as a form when it is URLSearchParams, and as JSON otherwise. */
  readonly body: URLSearchParams | object
  /** The receiver gets `X-Signature-256`: `sha256=` and the hexadecimal HMAC-SHA256 of the body under this key. */
  readonly hmacKey?: string | undefined
  /** Statuses that mean success beside those from 200 to 299. */
  readonly alsoTaken?: readonly number[]
  /** Reads the JSON of a success, or undefined when it was none. */
  readonly objection?: (answer: unknown) => Objection | undefined
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** Undefined when the text is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The failure of a delivery whose other side was not reached. Anything else than Unreachable is thrown on. */
export function notReached(error: unknown): DeliveryFailure {
  if (error instanceof Unreachable) return new DeliveryFailure(error.message, { permanent: error.permanent })
  throw error
}

/** Where an e-mail or a text message goes is no secret, and an answer is often about just that. */
function secretsOf(target: Target): unknown {
  if (target.kind === 'webhook') return target.url
  if (target.kind === 'device') return target.token
  if (target.kind !== 'endpoint') return undefined
  const { type, ...fields } = target.endpoint
  return type === 'phone' ? undefined : fields
}

/** What may be told of an answer. */
export function shownAnswer(text: string, { credentials, target }: Envelope, headers: object = {}): string | null {
  return redact(text, [credentials, secretsOf(target), headers]) || null
}

/** The call's own headers win over the ones that every request has, in whichever case they are written. */
function headersOf({ deliveryId }: Envelope, { headers = {}, body, hmacKey }: Call, text: string) {
  const all = new Headers({
    'content-type': body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json',
    'user-agent': 'notification-gateway',
  })
  for (const [name, value] of Object.entries(headers)) {
    try {
      all.set(name, value)
    } catch {
      // The error shows the value, which is a secret.
      throw new DeliveryFailure(`The header ${JSON.stringify(name)} cannot be sent`, { permanent: true })
    }
  }
  all.set('idempotency-key', deliveryId)
  if (hmacKey !== undefined) {
    all.set('x-signature-256', `sha256=${createHmac('sha256', hmacKey).update(text).digest('hex')}`)
  }
  return Object.fromEntries(all)
}

/** A receipt, and what it is of: the whole answer, read as JSON. Undefined when it was none. */
export interface Exchanged {
  readonly receipt: Receipt
  readonly json: unknown
}

/** As `exchange`, for answers that are needed for what comes next. They are not for telling: they may be secret. */
export async function ask(envelope: Envelope, outbound: Outbound, call: Call): Promise<Exchanged> {
  const { url, method = 'POST', body, alsoTaken = [], objection } = call
  const { host } = new URL(url)
  const text = body instanceof URLSearchParams ? body.toString() : JSON.stringify(body)
  const headers = headersOf(envelope, call, text)
  const { status, retryAfter, ...answered } = await outbound
    .request({ method, url, headers, body: text })
    .catch((error: unknown) => {
      throw notReached(error)
    })
  const receipt = { status, answer: shownAnswer(answered.text, envelope, call.headers) }
  if (status >= 300 && status < 400) {
    const message = `${host} answered ${status}: this gateway does not follow redirects`
    throw new DeliveryFailure(message, { ...receipt, permanent: true })
  }
  if ((status < 200 || status >= 300) && !alsoTaken.includes(status)) {
    const permanent = status < 500 && !passing.has(status)
    throw new DeliveryFailure(`${host} answered ${status}`, { ...receipt, permanent, retryAfter })
  }
  const json = jsonOf(answered.text)
  const found = objection?.(json)
  if (found !== undefined) {
    const reason = redact(found.reason, [envelope.credentials])
    throw new DeliveryFailure(`${host} refused it: ${reason}`, { ...receipt, permanent: found.permanent })
  }
  return { receipt, json }
}

/**
 * Calls a provider, and reads its status: 200 to 299 is taken. Of the others, 408, 425, 429 and 500 to 599 may be tried
 * again; redirects are not followed.
 *
 * @throws DeliveryFailure when the message was not taken.
 */
export async function exchange(envelope: Envelope, outbound: Outbound, call: Call): Promise<Receipt> {
  return (await ask(envelope, outbound, call)).receipt
}
