// The 14 types of channel endpoints: their labels, their fields, and the input of mutations.
import type { graphql } from '../../graph/graphql.ts'
import type { EndpointValues } from './endpoint-values.ts'

export type EndpointType = ReturnType<typeof graphql.scalar<'EndpointType'>>
type EndpointInput = ReturnType<typeof graphql.scalar<'EndpointInput'>>

export interface EndpointField {
  readonly name: keyof EndpointValues
  readonly kind: 'text' | 'secret' | 'choice' | 'headers'
  readonly label: string
  readonly help?: string
  readonly required: boolean
  /** The options of a choice. */
  readonly options?: readonly { readonly value: string; readonly label: string }[]
}

interface EndpointForm {
  readonly label: string
  readonly help: string
  readonly fields: readonly EndpointField[]
  readonly toInput: (values: EndpointValues) => EndpointInput
}

type Name = keyof EndpointValues

const text = (name: Name, label: string, help?: string): EndpointField => ({
  name,
  kind: 'text',
  label,
  required: true,
  ...(help !== undefined && { help }),
})
const secret = (name: Name, label: string, help?: string): EndpointField => ({
  ...text(name, label, help),
  kind: 'secret',
})
const optional = (field: EndpointField): EndpointField => ({ ...field, required: false })

const region: EndpointField = {
  name: 'region',
  kind: 'choice',
  label: 'Region',
  help: 'Where the account is hosted.',
  required: true,
  options: [
    { value: 'US', label: 'United States' },
    { value: 'EU', label: 'European Union' },
  ],
}

const method: EndpointField = {
  name: 'method',
  kind: 'choice',
  label: 'Method',
  required: false,
  options: [
    { value: '', label: "The integration's method" },
    { value: 'POST', label: 'POST' },
    { value: 'PUT', label: 'PUT' },
    { value: 'PATCH', label: 'PATCH' },
  ],
}

const headers: EndpointField = {
  name: 'headers',
  kind: 'headers',
  label: 'Headers',
  help: 'Added to each request.',
  required: false,
}

const orNull = (value: string) => (value === '' ? null : value)

export const endpointTypes = {
  ALERTING_INTEGRATION: {
    label: 'Alerting integration',
    help: 'An API integration of an alerting tool such as Opsgenie.',
    fields: [secret('apiKey', 'API key', 'The key of the integration, a UUID.'), region],
    toInput: ({ apiKey, region }) => ({ alertingIntegration: { apiKey, region } }),
  },
  INCIDENT_SERVICE: {
    label: 'Incident service',
    help: 'A service of an incident management tool such as PagerDuty.',
    fields: [secret('routingKey', 'Routing key', 'The integration key of the service: 32 letters and digits.'), region],
    toInput: ({ routingKey, region }) => ({ incidentService: { routingKey, region } }),
  },
  MEETING_PERSON: {
    label: 'Person in a meeting service',
    help: 'A person in a service such as Webex, by id or by email address.',
    fields: [
      optional(text('personId', 'Person id', 'Leave it empty if you enter the email address.')),
      optional(text('personEmail', 'Email address', 'Leave it empty if you enter the person id.')),
    ],
    toInput: ({ personId, personEmail }) => ({
      meetingPerson: { personId: orNull(personId), personEmail: orNull(personEmail) },
    }),
  },
  MEETING_ROOM: {
    label: 'Room of a meeting service',
    help: 'A room of a service such as Webex.',
    fields: [
      text('roomId', 'Room id'),
      optional(text('parentId', 'Parent message id', 'The message to reply to. Empty starts a new thread.')),
    ],
    toInput: ({ roomId, parentId }) => ({ meetingRoom: { roomId, parentId: orNull(parentId) } }),
  },
  MESSAGING_APP_USER: {
    label: 'User of a messaging app',
    help: 'A user of an app such as LINE.',
    fields: [text('userId', 'User id')],
    toInput: ({ userId }) => ({ messagingAppUser: { userId } }),
  },
  MESSENGER_CHAT: {
    label: 'Chat of a messenger',
    help: 'A chat of a messenger such as Telegram.',
    fields: [text('chatId', 'Chat id')],
    toInput: ({ chatId }) => ({ messengerChat: { chatId } }),
  },
  OFFICE_CHAT_CHANNEL: {
    label: 'Channel of an office chat',
    help: 'A channel of a team in an office chat such as Microsoft Teams.',
    fields: [text('teamId', 'Team id'), text('channelId', 'Channel id')],
    toInput: ({ teamId, channelId }) => ({ officeChatChannel: { teamId, channelId } }),
  },
  OFFICE_CHAT_USER: {
    label: 'User of an office chat',
    help: 'A user of an office chat such as Microsoft Teams.',
    fields: [text('userId', 'User id')],
    toInput: ({ userId }) => ({ officeChatUser: { userId } }),
  },
  ONCALL_INTEGRATION: {
    label: 'On-call integration',
    help: 'An incoming webhook of an on-call tool such as Grafana OnCall.',
    fields: [
      secret('url', 'Webhook URL', 'Messages are posted to it.'),
      optional(secret('authToken', 'Bearer token', 'Leave it empty if the tool requires none.')),
    ],
    toInput: ({ url, authToken }) => ({ oncallIntegration: { url, authToken: orNull(authToken) } }),
  },
  PHONE: {
    label: 'Phone number',
    help: 'A phone number for SMS or a messenger.',
    fields: [text('phoneNumber', 'Phone number', 'With country code, such as +4915123456789.')],
    toInput: ({ phoneNumber }) => ({ phone: { phoneNumber } }),
  },
  TOOL_WEBHOOK: {
    label: 'Tool webhook',
    help: 'A webhook of any tool. A subscriber can have several on one integration.',
    fields: [secret('url', 'Webhook URL', 'Requests are sent to it.'), method, headers],
    toInput: ({ url, method, headers }) => ({
      toolWebhook: { url, method: method === '' ? null : method, headers: headers.length === 0 ? null : headers },
    }),
  },
  WEBHOOK: {
    label: 'Incoming webhook',
    help: 'An incoming webhook of a service such as Slack or Discord.',
    fields: [
      secret('url', 'Webhook URL', 'Messages are posted to it.'),
      optional(text('channel', 'Channel', "The channel at the destination. Empty uses the webhook's default.")),
    ],
    toInput: ({ url, channel }) => ({ webhook: { url, channel: orNull(channel) } }),
  },
  WORKSPACE_CHAT_CHANNEL: {
    label: 'Channel of a workspace chat',
    help: 'A channel of a workspace chat such as Slack.',
    fields: [text('channelId', 'Channel id')],
    toInput: ({ channelId }) => ({ workspaceChatChannel: { channelId } }),
  },
  WORKSPACE_CHAT_USER: {
    label: 'User of a workspace chat',
    help: 'A user of a workspace chat such as Slack, in a direct message.',
    fields: [text('userId', 'User id')],
    toInput: ({ userId }) => ({ workspaceChatUser: { userId } }),
  },
} satisfies Record<EndpointType, EndpointForm>
