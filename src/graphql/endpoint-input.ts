// Where a channel endpoint is to lead: an input with one field for each type, of which one is given.
import { EndpointType } from '../data/prisma/enums.ts'
import { MAX_HEADERS, MAX_HEADERS_SIZE } from '../domain/endpoint-type.ts'
import { type Issue, refuse } from '../lib/errors.ts'
import { EndpointRegion, type HttpHeaderValue, typeDescriptions, WebhookMethod } from './endpoint.ts'
import { builder } from './schema/builder.ts'

const anId = 'as the provider gave it: 1 to 255 characters.'
const aUrl = 'an absolute http or https URL of at most 2048 characters'

const HttpHeaderInput = builder.inputType('HttpHeaderInput', {
  description: 'An HTTP header.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: "Its name, which is none of the connection's own such as `Host` or `Content-Length`.",
    }),
    value: t.string({
      required: true,
      description: 'Its value, of visible ASCII characters and spaces. Kept encrypted.',
    }),
  }),
})

const members = {
  workspace_chat_channel: builder.inputType('WorkspaceChatChannelInput', {
    description: typeDescriptions.workspace_chat_channel,
    fields: (t) => ({
      channelId: t.string({ required: true, description: `The id of the channel, ${anId}` }),
    }),
  }),
  workspace_chat_user: builder.inputType('WorkspaceChatUserInput', {
    description: typeDescriptions.workspace_chat_user,
    fields: (t) => ({
      userId: t.string({ required: true, description: `The id of the user, ${anId}` }),
    }),
  }),
  webhook: builder.inputType('WebhookInput', {
    description: typeDescriptions.webhook,
    fields: (t) => ({
      url: t.string({ required: true, description: `Where to post to: ${aUrl}.` }),
      channel: t.string({ description: `The channel at the destination, ${anId} Absent lets the webhook decide.` }),
    }),
  }),
  phone: builder.inputType('PhoneInput', {
    description: typeDescriptions.phone,
    fields: (t) => ({
      phoneNumber: t.string({ required: true, description: 'Its number in E.164 form, such as `+4915123456789`.' }),
    }),
  }),
  office_chat_channel: builder.inputType('OfficeChatChannelInput', {
    description: typeDescriptions.office_chat_channel,
    fields: (t) => ({
      teamId: t.string({ required: true, description: `The id of the team, ${anId}` }),
      channelId: t.string({ required: true, description: `The id of the channel in the team, ${anId}` }),
    }),
  }),
  office_chat_user: builder.inputType('OfficeChatUserInput', {
    description: typeDescriptions.office_chat_user,
    fields: (t) => ({
      userId: t.string({ required: true, description: `The id of the user, ${anId}` }),
    }),
  }),
  messenger_chat: builder.inputType('MessengerChatInput', {
    description: typeDescriptions.messenger_chat,
    fields: (t) => ({
      chatId: t.string({ required: true, description: `The id of the chat, ${anId}` }),
    }),
  }),
  meeting_room: builder.inputType('MeetingRoomInput', {
    description: typeDescriptions.meeting_room,
    fields: (t) => ({
      roomId: t.string({ required: true, description: `The id of the room, ${anId}` }),
      parentId: t.string({
        description: `The id of the message to reply to in its thread, ${anId} Absent means none.`,
      }),
    }),
  }),
  meeting_person: builder.inputType('MeetingPersonInput', {
    description: typeDescriptions.meeting_person,
    fields: (t) => ({
      personId: t.string({ description: `The id of the person, ${anId} Exactly one of the two is given.` }),
      personEmail: t.string({ description: 'The e-mail address of the person. Exactly one of the two is given.' }),
    }),
  }),
  messaging_app_user: builder.inputType('MessagingAppUserInput', {
    description: typeDescriptions.messaging_app_user,
    fields: (t) => ({
      userId: t.string({ required: true, description: `The id of the user, ${anId}` }),
    }),
  }),
  incident_service: builder.inputType('IncidentServiceInput', {
    description: typeDescriptions.incident_service,
    fields: (t) => ({
      routingKey: t.string({
        required: true,
        description: 'Its routing key: exactly 32 letters and digits. Kept encrypted.',
      }),
      region: t.field({ type: EndpointRegion, required: true, description: 'Where the account is hosted.' }),
    }),
  }),
  alerting_integration: builder.inputType('AlertingIntegrationInput', {
    description: typeDescriptions.alerting_integration,
    fields: (t) => ({
      apiKey: t.string({ required: true, description: 'Its integration key: a UUID. Kept encrypted.' }),
      region: t.field({ type: EndpointRegion, required: true, description: 'Where the account is hosted.' }),
    }),
  }),
  oncall_integration: builder.inputType('OncallIntegrationInput', {
    description: typeDescriptions.oncall_integration,
    fields: (t) => ({
      url: t.string({ required: true, description: `Where to post to: ${aUrl}. Kept encrypted.` }),
      authToken: t.string({
        description:
          'The bearer token that it asks for: 1 to 4096 visible ASCII characters without spaces. Kept encrypted. Absent means none.',
      }),
    }),
  }),
  tool_webhook: builder.inputType('ToolWebhookInput', {
    description: typeDescriptions.tool_webhook,
    fields: (t) => ({
      url: t.string({ required: true, description: `Where to send to: ${aUrl}. Kept encrypted.` }),
      headers: t.field({
        type: [HttpHeaderInput],
        description: `Headers of every request: at most ${MAX_HEADERS}, each once, of ${MAX_HEADERS_SIZE} bytes together. Absent means none.`,
      }),
      method: t.field({ type: WebhookMethod, description: 'How to send. Absent means as the integration says.' }),
    }),
  }),
} satisfies Record<EndpointType, unknown>

export const EndpointInput = builder.inputType('EndpointInput', {
  description: 'Where a channel endpoint is to lead: exactly one of these, which is its type.',
  isOneOf: true,
  fields: (t) => ({
    workspaceChatChannel: t.field({
      type: members.workspace_chat_channel,
      description: typeDescriptions.workspace_chat_channel,
    }),
    workspaceChatUser: t.field({
      type: members.workspace_chat_user,
      description: typeDescriptions.workspace_chat_user,
    }),
    webhook: t.field({ type: members.webhook, description: typeDescriptions.webhook }),
    phone: t.field({ type: members.phone, description: typeDescriptions.phone }),
    officeChatChannel: t.field({
      type: members.office_chat_channel,
      description: typeDescriptions.office_chat_channel,
    }),
    officeChatUser: t.field({ type: members.office_chat_user, description: typeDescriptions.office_chat_user }),
    messengerChat: t.field({ type: members.messenger_chat, description: typeDescriptions.messenger_chat }),
    meetingRoom: t.field({ type: members.meeting_room, description: typeDescriptions.meeting_room }),
    meetingPerson: t.field({ type: members.meeting_person, description: typeDescriptions.meeting_person }),
    messagingAppUser: t.field({ type: members.messaging_app_user, description: typeDescriptions.messaging_app_user }),
    incidentService: t.field({ type: members.incident_service, description: typeDescriptions.incident_service }),
    alertingIntegration: t.field({
      type: members.alerting_integration,
      description: typeDescriptions.alerting_integration,
    }),
    oncallIntegration: t.field({ type: members.oncall_integration, description: typeDescriptions.oncall_integration }),
    toolWebhook: t.field({ type: members.tool_webhook, description: typeDescriptions.tool_webhook }),
  }),
})

type Given = typeof EndpointInput.$inferInput

/** The type that each field of the input gives. */
const types = new Map(
  Object.values(EndpointType).map((type) => [
    type.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    type,
  ]),
)

/** Headers as the domain takes them. @throws Refusal `INVALID` when one is there twice. */
function readHeaders(list: readonly HttpHeaderValue[]): Record<string, string> {
  const headers = Object.fromEntries(list.map(({ name, value }) => [name, value]))
  if (Object.keys(headers).length < list.length) {
    throw refuse('INVALID', 'endpoint.headers must have each header once', 'endpoint.headers')
  }
  return headers
}

const memberOf = (input: Given) => Object.entries<Record<string, unknown> | undefined>(input)[0] ?? []

/** A destination as the domain takes it: its type, and the fields of that type. */
export function readEndpoint(input: Given): { type: EndpointType; endpoint: Record<string, unknown> } {
  const [member = '', fields] = memberOf(input)
  const type = types.get(member)
  if (type === undefined || fields === undefined) throw new Error(`EndpointInput.${member} gives no type`)
  const headers = input.toolWebhook?.headers
  return { type, endpoint: headers ? { ...fields, headers: readHeaders(headers) } : fields }
}

/** Where the domain's own `type` and `endpoint` are in an input with this field. */
export function locateEndpoint(path: Issue['path'], { endpoint }: { readonly endpoint: Given }): Issue['path'] {
  const [member = ''] = memberOf(endpoint)
  return path[0] === 'endpoint' || path[0] === 'type' ? ['endpoint', member, ...path.slice(1)] : path
}
