// Microsoft Teams: messages by an incoming webhook, or by a bot to a channel or a user.
import { z } from 'zod'
import { httpUrl } from '../../lib/validation.ts'
import { type TokenRequest, withAccessToken } from '../provider-kit/access-token.ts'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import {
  baseUrl,
  invalidCredentials,
  optional,
  plain,
  redirectUrl,
  secret,
  setting,
} from '../provider-kit/credentials.ts'
import { bearer, exchangeJson } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { DeliveryFailure, type Receipt } from '../provider-kit/provider.ts'
import { connectionOfTarget, eitherTarget, endpointTarget, webhookTarget } from '../provider-kit/target.ts'
import { postToWebhook } from './incoming-webhooks.ts'

const unless = 'the destination is a webhook'

const settings = z.object({
  clientId: optional(plain('Application ID', `The application ID of the bot. Required unless ${unless}.`)),
  secretKey: optional(secret('Client secret', `A client secret of the bot. Required unless ${unless}.`)),
  tenantId: optional(
    plain('Tenant ID', `The ID of the Microsoft Entra tenant whose teams use the bot. Required unless ${unless}.`),
  ),
  redirectUrl,
  loginUrl: optional(
    setting(
      httpUrl,
      'Login URL',
      'The address that issues access tokens. By default that of the tenant. A multi-tenant bot needs `https://login.microsoftonline.com/botframework.com/oauth2/v2.0/token`.',
    ),
  ),
  baseUrl: baseUrl('https://smba.trafficmanager.net/teams', 'The service URL of the bot, for a region or a proxy.'),
})
type Settings = z.output<typeof settings>

const botSettings = ['clientId', 'secretKey', 'tenantId'] as const
type Bot = Readonly<Record<(typeof botSettings)[number], string>> & Pick<Settings, 'loginUrl' | 'baseUrl'>

/** @throws DeliveryFailure that names the missing settings. */
function botOf({ clientId, secretKey, tenantId, loginUrl, baseUrl }: Settings): Bot {
  const given = { clientId, secretKey, tenantId }
  if (clientId === undefined || secretKey === undefined || tenantId === undefined) {
    const missing = botSettings.filter((name) => given[name] === undefined)
    throw invalidCredentials(missing.map((name) => `${name} is required`).join('; '))
  }
  return { clientId, secretKey, tenantId, loginUrl, baseUrl }
}

function tokenRequestOf({ clientId, secretKey, tenantId, loginUrl }: Bot): TokenRequest {
  const url = loginUrl ?? `https://login.microsoftonline.com/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`
  return {
    url,
    credentials: JSON.stringify([url, clientId, secretKey]),
    form: () =>
      new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: secretKey,
        scope: 'https://api.botframework.com/.default',
      }),
  }
}

function classify({ status }: ProviderAnswer): Verdict | undefined {
  if (status === 401) return { class: 'renew', reason: 'the access token was not accepted' }
  if (status === 412) return { class: 'unavailable', reason: 'another request changes the conversation' }
  return undefined
}

const conversation = z.object({ id: z.string().min(1) })

/** Both the webhooks of workflows and the older connectors accept an adaptive card. */
const cardOf = (text: string) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [{ type: 'TextBlock', text, wrap: true }],
      },
    },
  ],
})

export const msteams = createProvider({
  settings,
  target: eitherTarget(webhookTarget, endpointTarget('office_chat_channel', 'office_chat_user')),
  sometimes: botSettings.map((name) => ({ setting: name, unless })),
  async send({ settings, to, message, outbound }): Promise<Receipt> {
    if ('url' in to) return postToWebhook(to, message, outbound, cardOf)
    const bot = botOf(settings)
    return withAccessToken(message, outbound, tokenRequestOf(bot), async (token) => {
      const headers = bearer(token)
      const post = (path: string, body: object, messageField?: string | null) =>
        exchangeJson(message, outbound, { url: `${bot.baseUrl}${path}`, headers, body, classify, messageField })
      // A connection is for one tenant. Its token is not one of the bot.
      const tenantId = connectionOfTarget(message.target)?.workspaceId ?? bot.tenantId
      const activity = { type: 'message', text: textContent(message) }
      if (to.type === 'office_chat_channel') {
        const channelData = { channel: { id: to.channelId } }
        const body = { isGroup: true, channelData, tenantId, activity }
        return (await post('/v3/conversations', body, 'activity')).receipt
      }
      // Returns the conversation of the bot and the user if there already is one.
      const opening = { isGroup: false, members: [{ id: to.userId }], tenantId }
      const { json, receipt } = await post('/v3/conversations', opening, null)
      const { data } = conversation.safeParse(json)
      if (data === undefined) {
        throw new DeliveryFailure('The service of the bot returned no conversation', { permanent: false, ...receipt })
      }
      return (await post(`/v3/conversations/${encodeURIComponent(data.id)}/activities`, activity)).receipt
    })
  },
})
