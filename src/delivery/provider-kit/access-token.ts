// Access tokens: those that a provider issues for credentials (OAuth 2.0), and those that the gateway signs. Used until they
// expire.
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
  readonly from: number
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

/** A token that the gateway signs, for a provider that limits how often it changes. */
export interface SignedToken {
  /** Everything that determines the token. It may contain secrets, and stays in memory. */
  readonly credentials: string
  /** Seconds for which a token is used. All processes change it at the same times. */
  readonly period: number
  /** Seconds after which a token is renewed if the provider does not accept it. */
  readonly minimumAge: number
  /** @param issuedAt seconds since 1970. */
  readonly sign: (issuedAt: number) => string
}

type TokenSource = TokenRequest | SignedToken

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

/** Requests a token. @throws DeliveryFailure if none is issued. */
async function requestToken(
  message: Message,
  outbound: Outbound,
  { url, form }: TokenRequest,
  now: number,
): Promise<Token> {
  const call = { url, body: form(now), messageField: null }
  const { json, receipt } = await exchangeJson(message, outbound, call).catch((error: unknown) => {
    throw asFailureOfMessage(error)
  })
  const { data } = granted.safeParse(json)
  if (data === undefined) {
    const { host } = new URL(url)
    throw new DeliveryFailure(`${host} returned no access token`, { permanent: false, status: receipt.status })
  }
  return { value: data.access_token, from: now, until: now + data.expires_in }
}

/** @param isRenewal true if the token of this period was not accepted. */
function signToken({ period, sign }: SignedToken, now: number, isRenewal: boolean): Token {
  const from = isRenewal ? now : now - (now % period)
  return { value: sign(from), from, until: from + period + MARGIN }
}

const secondsNow = () => Math.floor(Date.now() / 1000)

/** Returns a token that is valid for the time of a request. @throws DeliveryFailure if none is issued. */
async function accessToken(
  message: Message,
  outbound: Outbound,
  source: TokenSource,
  isRenewal = false,
): Promise<Token> {
  const now = secondsNow()
  const known = tokens.get(outbound) ?? new Map<string, Token>()
  tokens.set(outbound, known)
  for (const [key, { until }] of known) if (until <= now + MARGIN) known.delete(key)
  const found = known.get(source.credentials)
  if (found !== undefined) return found
  const token =
    'sign' in source ? signToken(source, now, isRenewal) : await requestToken(message, outbound, source, now)
  known.set(source.credentials, token)
  return token
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
  source: TokenSource,
  send: (token: string) => Promise<Result>,
): Promise<Result> {
  const { value, from } = await accessToken(message, outbound, source)
  try {
    return await send(value)
  } catch (error) {
    if (!(error instanceof RejectedToken)) throw error
    if ('sign' in source && secondsNow() < from + source.minimumAge) throw error
  }
  const known = tokens.get(outbound)
  // Another message may have renewed it.
  if (known?.get(source.credentials)?.value === value) known.delete(source.credentials)
  return send((await accessToken(message, outbound, source, true)).value)
}
