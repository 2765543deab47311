// Apple Push Notification service: push notifications over HTTP/2, with a provider token.
import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { text } from '../../lib/validation.ts'
import { type SignedToken, withAccessToken } from '../provider-kit/access-token.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { optional, plain, regionalBaseUrl, secret, secretSetting, setting } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import type { FailureClass, ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { signedJwt } from '../provider-kit/jwt.ts'
import { deviceTarget } from '../provider-kit/target.ts'

const isSigningKey = (pem: string): boolean => {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

const settings = z.object({
  secretKey: secretSetting(
    text(8192, 1).refine(isSigningKey, 'must be a P-256 key in PEM form'),
    'Signing key',
    'The content of the key file, which ends with `.p8`.',
  ),
  apiKey: secret('Key ID', 'The ID of the signing key.'),
  projectName: plain('Team ID', 'The ID of the team at Apple.'),
  applicationId: plain('Bundle ID', 'The bundle ID of the app.'),
  secure: optional(
    setting(
      z.boolean(),
      'Production',
      'True for apps from the App Store and TestFlight, which is the default. False for development builds, whose tokens belong to the sandbox.',
    ),
  ),
  baseUrl: regionalBaseUrl('production or the sandbox'),
})

const MINUTE = 60

/** Apple accepts a token for an hour, and another one every 20 minutes. */
const tokenOf = ({
  secretKey,
  apiKey,
  projectName,
}: Pick<z.output<typeof settings>, 'secretKey' | 'apiKey' | 'projectName'>): SignedToken => ({
  credentials: JSON.stringify([projectName, apiKey, secretKey]),
  period: 30 * MINUTE,
  minimumAge: 20 * MINUTE,
  sign: (iat) => signedJwt({ alg: 'ES256', kid: apiKey }, { iss: projectName, iat }, secretKey),
})

const failed = z.object({ reason: z.string() })

/**
 * The classes of reasons. The status decides about the others. A token that is wrong, and not one of a removed app, stays:
 * with a wrong `secure` or `applicationId`, all tokens are wrong.
 */
const classes: Readonly<Record<string, Verdict['class'] | undefined>> = {
  Unregistered: 'unregistered',
  ExpiredToken: 'unregistered',
  BadDeviceToken: 'recipient',
  DeviceTokenNotForTopic: 'recipient',
  ExpiredProviderToken: 'renew',
  InvalidProviderToken: 'credentials',
  MissingProviderToken: 'credentials',
  BadTopic: 'account',
  TopicDisallowed: 'account',
  PayloadTooLarge: 'content',
}

/** Apple asks for this pause, in seconds, after an error of its own. */
const PAUSE = 15 * MINUTE

function classify({ status, json }: ProviderAnswer): Verdict | undefined {
  const reason = failed.safeParse(json).data?.reason ?? `status ${status}`
  if (status >= 500) return { class: 'unavailable' satisfies FailureClass, reason, retryAfter: PAUSE }
  const found = classes[reason]
  return found && { class: found, reason }
}

export const apns = createProvider({
  settings,
  target: deviceTarget,
  send({ settings: { secure = true, applicationId, baseUrl, ...key }, to: token, message, outbound }) {
    const { content, payload, deliveryId } = message
    const host = secure ? 'https://api.push.apple.com' : 'https://api.sandbox.push.apple.com'
    return withAccessToken(message, outbound, tokenOf(key), (providerToken) =>
      exchange(message, outbound, {
        url: `${baseUrl ?? host}/3/device/${encodeURIComponent(token)}`,
        http2: true,
        headers: {
          ...bearer(providerToken),
          'apns-id': deliveryId,
          'apns-priority': '10',
          'apns-push-type': 'alert',
          'apns-topic': applicationId,
        },
        body: { ...payload, aps: { alert: { title: content.subject ?? undefined, body: content.body } } },
        classify,
      }),
    )
  },
})
