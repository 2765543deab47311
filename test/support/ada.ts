// Ada, and every way to reach her.
import type { Client, World } from './world.ts'

/** Her integrations, each named after its channel. */
const providers = { chat: 'SLACK', sms: 'TWILIO', tool: 'TOOL_WEBHOOK', email: 'SENDGRID' } as const

/** An environment in which Ada can be reached by anything. */
export async function adasEnvironment(world: World): Promise<Client> {
  const client = await world.environment()
  await client.act('createSubscriber', { subscriberId: 'ada', firstName: 'Ada' })
  for (const [identifier, providerId] of Object.entries(providers)) {
    await client.act('createIntegration', { identifier, providerId })
  }
  return client
}

/** The input of `createChannelEndpoint` for one more way to reach her. */
export const adasEndpoint = (integrationIdentifier: keyof typeof providers, endpoint: object, more: object = {}) => ({
  subscriberId: 'ada',
  integrationIdentifier,
  endpoint,
  ...more,
})

/** What an endpoint is asked for, whatever its type. */
export const endpointFields = `endpoint {
  __typename
  ... on WorkspaceChatChannel { channelId }
  ... on WorkspaceChatUser { userId }
  ... on Webhook { url channel }
  ... on Phone { phoneNumber }
  ... on OfficeChatChannel { teamId channelId }
  ... on OfficeChatUser { userId }
  ... on MessengerChat { chatId }
  ... on MeetingRoom { roomId parentId }
  ... on MeetingPerson { personId personEmail }
  ... on MessagingAppUser { userId }
  ... on IncidentService { routingKey region }
  ... on AlertingIntegration { apiKey region }
  ... on OncallIntegration { url authToken }
  ... on ToolWebhook { url headers { name value } method }
}`
