// OneSignal: push notifications by the API for messages.
import { z } from 'zod'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, optional, plain, secret, setting } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { deviceTarget } from '../provider-kit/target.ts'

const settings = z.object({
  applicationId: plain('App ID', 'The ID of the app at OneSignal.'),
  apiKey: secret('App API key', 'The API key of the app, which begins with `os_v2_app_`.'),
  apiVersion: optional(
    setting(
      z.enum(['playerModel', 'externalId']),
      'Device tokens',
      'What the device tokens of subscribers are at OneSignal: `playerModel` for the IDs of push subscriptions, which is the default, or `externalId` for the external IDs of users.',
    ),
  ),
  baseUrl: baseUrl('https://api.onesignal.com'),
})

/** The status is 200, too, if no message was created. The errors are texts, or lists of IDs by what is wrong with them. */
const answered = z.object({
  id: z.string().optional(),
  errors: z
    .union([
      z.array(z.string()),
      z.object({
        invalid_player_ids: z.array(z.string()).optional(),
        invalid_aliases: z.object({ external_id: z.array(z.string()).optional() }).optional(),
      }),
    ])
    .optional(),
})

const classify =
  (token: string) =>
  ({ status, json }: ProviderAnswer): Verdict | undefined => {
    const { data } = answered.safeParse(json)
    if (status >= 300 || data?.errors === undefined) return undefined
    const { id, errors } = data
    if (Array.isArray(errors)) return id ? undefined : { class: 'recipient', reason: errors.join('; ') }
    if (errors.invalid_player_ids?.includes(token)) return { class: 'unregistered', reason: 'invalid_player_ids' }
    const isUnknown = errors.invalid_aliases?.external_id?.includes(token)
    if (isUnknown || !id)
      return { class: 'recipient', reason: isUnknown ? 'invalid_aliases' : 'no message was created' }
    return undefined
  }

export const oneSignal = createProvider({
  settings,
  target: deviceTarget,
  send({ settings: { applicationId, apiKey, apiVersion, baseUrl }, to: token, message, outbound }) {
    const { content, payload, deliveryId } = message
    return exchange(message, outbound, {
      url: `${baseUrl}/notifications?c=push`,
      headers: { authorization: `Key ${apiKey}` },
      body: {
        app_id: applicationId,
        ...(apiVersion === 'externalId'
          ? { include_aliases: { external_id: [token] }, target_channel: 'push' }
          : { include_subscription_ids: [token] }),
        headings: content.subject ? { en: content.subject } : undefined,
        contents: { en: content.body },
        data: payload,
        idempotency_key: deliveryId,
      },
      classify: classify(token),
    })
  },
})
