// Access tokens of providers that issue them for credentials (OAuth 2.0): requested once, and used until they expire.
import { z } from 'zod'
import type { Message } from '../../engine/message.ts'
import type { Outbound } from '../network/outbound.ts'
import { exchangeJson } from './exchange.ts'
import { DeliveryFailure, RejectedToken } from './provider.ts'

/** Seconds before its expiry after which a token is not used, because it could expire in transit. */
const MARGIN = 60

const granted = z.object({ access_token: z.string(), expires_in: z.number() })

interface Token {
  readonly value: string
  /** Seconds since 1970. */
  readonly until: number
}

/** Tokens by credentials, cached as long as the outbound. Providers limit how often tokens can be requested. */
const tokens = new WeakMap<Outbound, Map<string, Token>>()

export interface TokenRequest {
  /** The address that issues tokens. */
  readonly url: string
  /** Everything that determines the token. It may contain secrets, and stays in memory. */
  readonly credentials: string
  /** The form of the request. @param now seconds since 1970. */
  readonly form: (now: number) => URLSearchParams
}

/**
 * The failure of a request for a token, as a failure of the message. Another status than 401 is common for credentials
 * that are not accepted, but never the recipient's fault.
 */
function asFailureOfMessage(error: unknown): unknown {
  if (!(error instanceof DeliveryFailure)) return error
  const { message, permanent, status, answer, retryAfter, failureCause } = error
  const details = { permanent, status, answer, retryAfter }
  if (failureCause === 'rejected')
    return new DeliveryFailure(message, { ...details, failureCause: 'credentials_rejected' })
  return error
}

/** Returns a token that is valid for the time of a request. @throws DeliveryFailure if none is issued. */
async function accessToken(
  message: Message,
  outbound: Outbound,
  { url, credentials, form }: TokenRequest,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const known = tokens.get(outbound) ?? new Map<string, Token>()
  tokens.set(outbound, known)
  for (const [key, { until }] of known) if (until <= now + MARGIN) known.delete(key)
  const found = known.get(credentials)
  if (found !== undefined) return found.value
  const call = { url, body: form(now), messageField: null }
  const { json, receipt } = await exchangeJson(message, outbound, call).catch((error: unknown) => {
    throw asFailureOfMessage(error)
  })
  const { data } = granted.safeParse(json)
  if (data === undefined) {
    const { host } = new URL(url)
    throw new DeliveryFailure(`${host} returned no access token`, { permanent: false, status: receipt.status })
  }
  known.set(credentials, { value: data.access_token, until: now + data.expires_in })
  return data.access_token
}

/**
 * Sends with an access token. If the provider does not accept it, sends once more with a new one: the token may have
 * been revoked before it expired.
 *
 * @param send throws RejectedToken if the token was not accepted. Then it must not have sent anything.
 * @throws DeliveryFailure if no token is issued, or if the message was not accepted.
 */
export async function withAccessToken<Result>(
  message: Message,
  outbound: Outbound,
  request: TokenRequest,
  send: (token: string) => Promise<Result>,
): Promise<Result> {
  const token = await accessToken(message, outbound, request)
  try {
    return await send(token)
  } catch (error) {
    if (!(error instanceof RejectedToken)) throw error
  }
  const known = tokens.get(outbound)
  // Another message may have renewed it.
  if (known?.get(request.credentials)?.value === token) known.delete(request.credentials)
  return send(await accessToken(message, outbound, request))
}
