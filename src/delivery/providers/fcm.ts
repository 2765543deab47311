// Firebase Cloud Messaging: push notifications by the HTTP v1 API, as a service account.
import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { httpUrl, text } from '../../lib/validation.ts'
import { type TokenRequest, withAccessToken } from '../provider-kit/access-token.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secretSetting } from '../provider-kit/credentials.ts'
import { bearer, exchange, jsonOf } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { signedJwt } from '../provider-kit/jwt.ts'
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

/** The signed JWT that authenticates the token request (RFC 7523, section 2.1). */
function assertionOf({ client_email, private_key, token_uri }: ServiceAccount, now: number): string {
  const claims = {
    iss: client_email,
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    aud: token_uri,
    iat: now,
    exp: now + LIFETIME,
  }
  return signedJwt({ alg: 'RS256', typ: 'JWT' }, claims, private_key)
}

const tokenRequestOf = (account: ServiceAccount): TokenRequest => ({
  url: account.token_uri,
  credentials: account.private_key,
  form: (now) =>
    new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertionOf(account, now),
    }),
})

/** An error of FCM. Other errors of Google's API have no `errorCode`. */
const failed = z.object({
  error: z.object({ details: z.array(z.object({ errorCode: z.string().optional() })).optional() }),
})

function classify({ status, json }: ProviderAnswer): Verdict | undefined {
  const details = failed.safeParse(json).data?.error.details ?? []
  const [code] = details.flatMap(({ errorCode }) => errorCode ?? [])
  // Other responses with 404 concern the project.
  if (status === 404 && code === 'UNREGISTERED') return { class: 'unregistered', reason: code }
  // The access token is in order: Apple or a browser's push service did not accept the credentials of the project.
  if (code === 'THIRD_PARTY_AUTH_ERROR') return { class: 'account', reason: code }
  if (code === 'SENDER_ID_MISMATCH') return { class: 'recipient', reason: code }
  if (status === 401) return { class: 'renew', reason: 'the access token was not accepted' }
  return undefined
}

export const fcm = createProvider({
  settings,
  target: deviceTarget,
  send({ settings: { serviceAccount: account, baseUrl }, to: token, message, outbound }) {
    const { content, payload } = message
    return withAccessToken(message, outbound, tokenRequestOf(account), (accessToken) =>
      exchange(message, outbound, {
        url: `${baseUrl}/v1/projects/${account.project_id}/messages:send`,
        headers: bearer(accessToken),
        body: {
          message: {
            token,
            notification: { title: content.subject ?? undefined, body: content.body },
            // Values must be strings and some names are reserved, so the payload is one JSON string.
            data: { payload: JSON.stringify(payload) },
          },
        },
        classify,
      }),
    )
  },
})
