// Ada, a subscriber for tests of channel endpoints, and her integrations.
import type { Client, World } from './world.ts'

/** Ada's integrations, each named after its channel. */
const providers = { chat: 'SLACK', sms: 'TWILIO', tool: 'TOOL_WEBHOOK', email: 'SENDGRID' } as const

/** An environment with Ada and all of these integrations. */
export async function adasEnvironment(world: World): Promise<Client> {
  const client = await world.environment()
  await client.act('createSubscriber', { subscriberId: 'ada', firstName: 'Ada' })
  for (const [identifier, providerId] of Object.entries(providers)) {
    await client.act('createIntegration', { identifier, providerId })
  }
  return client
}

/** Input of `createChannelEndpoint` for another endpoint of Ada's. */
export const adasEndpoint = (integrationIdentifier: keyof typeof providers, endpoint: object, more: object = {}) => ({
  subscriberId: 'ada',
  integrationIdentifier,
  endpoint,
  ...more,
})

/** A selection of all fields of an endpoint, for every type. */
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
