// Firebase Cloud Messaging: a push notification to a device by the HTTP v1 API, as a service account.
import { createPrivateKey, sign } from 'node:crypto'
import { z } from 'zod'
import { httpUrl } from '../../lib/validation.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { ask, bearer, exchange, jsonOf } from '../exchange.ts'
import type { Outbound } from '../outbound.ts'
import { DeliveryFailure, type Envelope, type Provider } from '../provider.ts'
import { deviceOf } from '../target.ts'

const isPrivateKey = (pem: string): boolean => {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

/** The key file that Google hands out, in the names that it has there. */
const serviceAccount = z.object({
  project_id: z.string().regex(/^[a-z\d.:-]+$/, 'must be the id of a project'),
  client_email: secret,
  private_key: secret.refine(isPrivateKey, 'must be an RSA key in PEM form'),
  token_uri: httpUrl.default('https://oauth2.googleapis.com/token'),
})
type ServiceAccount = z.output<typeof serviceAccount>

const settings = z.object({
  // A file that was pasted into a form is text.
  serviceAccount: z.preprocess((given) => (typeof given === 'string' ? jsonOf(given) : given), serviceAccount),
  baseUrl: baseUrl('https://fcm.googleapis.com'),
})

/** In seconds: for how long we ask, which is the longest that is given. */
const LIFETIME = 3600
/** In seconds: a token that ends within this time might be over when it arrives. */
const MARGIN = 60

const granted = z.object({ access_token: z.string(), expires_in: z.number() })

interface Token {
  readonly value: string
  /** In seconds since 1970. */
  readonly until: number
}

/** By the private key, for as long as this process has an outbound: Google limits how often a token may be asked for. */
const tokens = new WeakMap<Outbound, Map<string, Token>>()

/** What says to Google who asks (RFC 7523, section 2.1). */
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

async function tokenOf(envelope: Envelope, outbound: Outbound, account: ServiceAccount): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const known = tokens.get(outbound) ?? new Map<string, Token>()
  tokens.set(outbound, known)
  for (const [key, { until }] of known) if (until <= now + MARGIN) known.delete(key)
  const found = known.get(account.private_key)
  if (found !== undefined) return found.value
  const { json, receipt } = await ask(envelope, outbound, {
    url: account.token_uri,
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertionOf(account, now),
    }),
  })
  const { data } = granted.safeParse(json)
  if (data === undefined) {
    const { host } = new URL(account.token_uri)
    throw new DeliveryFailure(`${host} gave no token`, { permanent: false, status: receipt.status })
  }
  known.set(account.private_key, { value: data.access_token, until: now + data.expires_in })
  return data.access_token
}

export const fcm: Provider = async (envelope, outbound) => {
  const { serviceAccount: account, baseUrl } = parseCredentials(envelope, settings)
  const token = deviceOf(envelope)
  const { content, payload } = envelope
  return exchange(envelope, outbound, {
    url: `${baseUrl}/v1/projects/${account.project_id}/messages:send`,
    headers: bearer(await tokenOf(envelope, outbound, account)),
    body: {
      message: {
        token,
        notification: { title: content.subject ?? undefined, body: content.body },
        // It holds nothing but text, and some names are not allowed.
        data: { payload: JSON.stringify(payload) },
      },
    },
  })
}
