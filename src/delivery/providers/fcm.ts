// Firebase Cloud Messaging: push notifications by the HTTP v1 API, as a service account.
import { createPrivateKey, sign } from 'node:crypto'
import { z } from 'zod'
import type { Message } from '../../engine/message.ts'
import { httpUrl, text } from '../../lib/validation.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secretSetting } from '../provider-kit/credentials.ts'
import { bearer, exchange, exchangeJson, jsonOf } from '../provider-kit/exchange.ts'
import type { Outbound } from '../network/outbound.ts'
import { DeliveryFailure } from '../provider-kit/provider.ts'
import { deviceTarget } from '../provider-kit/target.ts'

const isPrivateKey = (pem: string): boolean => {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

/** The key file of a service account, with Google's field names. */
const serviceAccount = z.object({
  project_id: z.string().regex(/^[a-z\d.:-]+$/, 'must be a project id'),
  client_email: text(8192, 1),
  private_key: text(8192, 1).refine(isPrivateKey, 'must be an RSA key in PEM form'),
  token_uri: httpUrl.default('https://oauth2.googleapis.com/token'),
})
type ServiceAccount = z.output<typeof serviceAccount>

const settings = z.object({
  // The file, as an object or as text.
  serviceAccount: secretSetting(
    z.preprocess((given) => (typeof given === 'string' ? jsonOf(given) : given), serviceAccount),
    'Service account',
    "The service account's key file, as JSON.",
  ),
  baseUrl: baseUrl('https://fcm.googleapis.com'),
})

/** The requested lifetime of a token in seconds, which is Google's maximum. */
const LIFETIME = 3600
/** Seconds before its expiry after which a token is not used, because it could expire in transit. */
const MARGIN = 60

const granted = z.object({ access_token: z.string(), expires_in: z.number() })

interface Token {
  readonly value: string
  /** Seconds since 1970. */
  readonly until: number
}

/** Tokens by private key, cached as long as the outbound. Google limits how often tokens can be requested. */
const tokens = new WeakMap<Outbound, Map<string, Token>>()

/** The signed JWT that authenticates the token request (RFC 7523, section 2.1). */
function assertionOf({ client_email, private_key, token_uri }: ServiceAccount, now: number): string {
  const claims = {
    iss: client_email,
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    aud: token_uri,
    iat: now,
    exp: now + LIFETIME,
  }
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${sign('sha256', Buffer.from(signed), private_key).toString('base64url')}`
}

async function tokenOf(message: Message, outbound: Outbound, account: ServiceAccount): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const known = tokens.get(outbound) ?? new Map<string, Token>()
  tokens.set(outbound, known)
  for (const [key, { until }] of known) if (until <= now + MARGIN) known.delete(key)
  const found = known.get(account.private_key)
  if (found !== undefined) return found.value
  const { json, receipt } = await exchangeJson(message, outbound, {
    url: account.token_uri,
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertionOf(account, now),
    }),
  })
  const { data } = granted.safeParse(json)
  if (data === undefined) {
    const { host } = new URL(account.token_uri)
    throw new DeliveryFailure(`${host} returned no access token`, { permanent: false, status: receipt.status })
  }
  known.set(account.private_key, { value: data.access_token, until: now + data.expires_in })
  return data.access_token
}

export const fcm = createProvider({
  settings,
  target: deviceTarget,
  async send({ settings: { serviceAccount: account, baseUrl }, to: token, message, outbound }) {
    const { content, payload } = message
    return exchange(message, outbound, {
      url: `${baseUrl}/v1/projects/${account.project_id}/messages:send`,
      headers: bearer(await tokenOf(message, outbound, account)),
      body: {
        message: {
          token,
          notification: { title: content.subject ?? undefined, body: content.body },
          // Values must be strings and some names are reserved, so the payload is one JSON string.
          data: { payload: JSON.stringify(payload) },
        },
      },
    })
  },
})
