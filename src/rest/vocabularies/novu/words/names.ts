// The words of the client that differ from those of SPEC.md: endpoint types and provider ids.
import { z } from 'zod'
import { EndpointType } from '../../../../data/prisma/enums.ts'
import { providerId, type ProviderId } from '../../../../domain/channel/provider-id.ts'
import { channelCredential } from '../../../../domain/credential.ts'

const wordsOfTypes = {
  workspace_chat_channel: 'slack_channel',
  workspace_chat_user: 'slack_user',
  webhook: 'webhook',
  phone: 'phone',
  office_chat_channel: 'ms_teams_channel',
  office_chat_user: 'ms_teams_user',
  messenger_chat: 'telegram_chat',
  meeting_room: 'webex_room',
  meeting_person: 'webex_person',
  messaging_app_user: 'line_user',
  incident_service: 'pagerduty_service',
  alerting_integration: 'opsgenie_integration',
  oncall_integration: 'grafana_oncall_integration',
  tool_webhook: 'tool_webhook',
} as const satisfies Record<EndpointType, string>

function typeCalled(word: string): EndpointType {
  const found = Object.values(EndpointType).find((type) => wordsOfTypes[type] === word)
  if (found === undefined) throw new Error(`no endpoint type is called ${word}`)
  return found
}

/** The client's word for an endpoint type. */
export const wordOfType = (type: EndpointType): string => wordsOfTypes[type]

/** An endpoint type in the client's words. */
export const typeInWords = z.enum(Object.values(wordsOfTypes)).transform(typeCalled)

/** The client's word for a provider: ours are called `service`, and theirs `novu`. */
export const wordOfProvider = (provider: ProviderId): string => provider.replace(/^service(?=-|$)/, 'novu')

const ourProvider = (word: unknown) => (typeof word === 'string' ? word.replace(/^novu(?=-|$)/, 'service') : word)

/** A provider in the client's words. */
export const providerInWords = z.preprocess(ourProvider, providerId)

/** A chat or push provider in the client's words. */
export const credentialProviderInWords = z.preprocess(ourProvider, channelCredential.shape.providerId)
