// Access tokens of providers that issue them for credentials (OAuth 2.0): requested once, and used until they expire.
import { z } from 'zod'
import type { Message } from '../../engine/message.ts'
import type { Outbound } from '../network/outbound.ts'
import { exchangeJson } from './exchange.ts'
import { DeliveryFailure } from './provider.ts'

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

/** Another status than 401 is common for credentials that are not accepted, but never the recipient's fault. */
function asRejectedCredentials(error: unknown): unknown {
  if (!(error instanceof DeliveryFailure) || error.failureCause !== 'rejected') return error
  const { message, permanent, status, answer } = error
  return new DeliveryFailure(message, { permanent, status, answer, failureCause: 'credentials_rejected' })
}

/** Returns a token that is valid for the time of a request. @throws DeliveryFailure if none is issued. */
export async function accessToken(
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
  const { json, receipt } = await exchangeJson(message, outbound, { url, body: form(now) }).catch((error: unknown) => {
    throw asRejectedCredentials(error)
  })
  const { data } = granted.safeParse(json)
  if (data === undefined) {
    const { host } = new URL(url)
    throw new DeliveryFailure(`${host} returned no access token`, { permanent: false, status: receipt.status })
  }
  known.set(credentials, { value: data.access_token, until: now + data.expires_in })
  return data.access_token
}
