// Where a channel endpoint leads: a union with one member for each type.
import type { ObjectRef } from '@pothos/core'
import type { Endpoint as EndpointValue } from '../domain/endpoint-type.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'

type EndpointType = EndpointValue['type']

/** What each type is, in the words of everything that the graph says of it. */
export const typeDescriptions = {
  workspace_chat_channel: 'A channel of a workspace chat.',
  workspace_chat_user: 'A user of a workspace chat.',
  webhook: 'An incoming webhook.',
  phone: 'A phone number.',
  office_chat_channel: 'A channel of a team in an office chat.',
  office_chat_user: 'A user of an office chat.',
  messenger_chat: 'A chat of a messenger.',
  meeting_room: 'A room of a meeting service.',
  meeting_person: 'A person in a meeting service, named by id or by e-mail address.',
  messaging_app_user: 'A user of a messaging app.',
  incident_service: 'A service of an incident tool.',
  alerting_integration: 'An integration of an alerting tool.',
  oncall_integration: 'An incoming-webhook integration of an on-call tool.',
  tool_webhook: 'A webhook of any tool. A subscriber may have several on one integration, one for each URL.',
} as const satisfies Record<EndpointType, string>

export const EndpointType = builder.enumType('EndpointType', {
  description: 'What kind of destination a channel endpoint is. Each has its own member of `Endpoint`.',
  values: {
    WORKSPACE_CHAT_CHANNEL: { value: 'workspace_chat_channel', description: typeDescriptions.workspace_chat_channel },
    WORKSPACE_CHAT_USER: { value: 'workspace_chat_user', description: typeDescriptions.workspace_chat_user },
    WEBHOOK: { value: 'webhook', description: typeDescriptions.webhook },
    PHONE: { value: 'phone', description: typeDescriptions.phone },
    OFFICE_CHAT_CHANNEL: { value: 'office_chat_channel', description: typeDescriptions.office_chat_channel },
    OFFICE_CHAT_USER: { value: 'office_chat_user', description: typeDescriptions.office_chat_user },
    MESSENGER_CHAT: { value: 'messenger_chat', description: typeDescriptions.messenger_chat },
    MEETING_ROOM: { value: 'meeting_room', description: typeDescriptions.meeting_room },
    MEETING_PERSON: { value: 'meeting_person', description: typeDescriptions.meeting_person },
    MESSAGING_APP_USER: { value: 'messaging_app_user', description: typeDescriptions.messaging_app_user },
    INCIDENT_SERVICE: { value: 'incident_service', description: typeDescriptions.incident_service },
    ALERTING_INTEGRATION: { value: 'alerting_integration', description: typeDescriptions.alerting_integration },
    ONCALL_INTEGRATION: { value: 'oncall_integration', description: typeDescriptions.oncall_integration },
    TOOL_WEBHOOK: { value: 'tool_webhook', description: typeDescriptions.tool_webhook },
  } as const satisfies { [Type in EndpointType as Uppercase<Type>]: { value: Type; description: string } },
})

export const EndpointRegion = builder.enumType('EndpointRegion', {
  description: 'Where the account of an incident or alerting tool is hosted.',
  values: {
    US: { value: 'us', description: 'In the United States.' },
    EU: { value: 'eu', description: 'In the European Union.' },
  } as const,
})

export const WebhookMethod = builder.enumType('WebhookMethod', {
  description: 'The HTTP method by which a webhook is called.',
  values: {
    POST: { description: 'POST.' },
    PUT: { description: 'PUT.' },
    PATCH: { description: 'PATCH.' },
  } as const,
})

export interface HttpHeaderValue {
  readonly name: string
  readonly value: string
}

const HttpHeader = builder.objectRef<HttpHeaderValue>('HttpHeader').implement({
  description: 'An HTTP header.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    value: t.exposeString('value', { description: 'Its value, decrypted.' }),
  }),
})

type Member<Type extends EndpointType> = Extract<EndpointValue, { type: Type }>

const members = {
  workspace_chat_channel: builder.objectRef<Member<'workspace_chat_channel'>>('WorkspaceChatChannel').implement({
    description: typeDescriptions.workspace_chat_channel,
    fields: (t) => ({
      channelId: t.exposeString('channelId', { description: 'The id of the channel.' }),
    }),
  }),
  workspace_chat_user: builder.objectRef<Member<'workspace_chat_user'>>('WorkspaceChatUser').implement({
    description: typeDescriptions.workspace_chat_user,
    fields: (t) => ({
      userId: t.exposeString('userId', { description: 'The id of the user.' }),
    }),
  }),
  webhook: builder.objectRef<Member<'webhook'>>('Webhook').implement({
    description: typeDescriptions.webhook,
    fields: (t) => ({
      url: t.exposeString('url', { description: 'Where to post to.' }),
      channel: t.exposeString('channel', {
        nullable: true,
        description: 'The channel at the destination. Null when the webhook decides.',
      }),
    }),
  }),
  phone: builder.objectRef<Member<'phone'>>('Phone').implement({
    description: typeDescriptions.phone,
    fields: (t) => ({
      phoneNumber: t.exposeString('phoneNumber', { description: 'Its number in E.164 form.' }),
    }),
  }),
  office_chat_channel: builder.objectRef<Member<'office_chat_channel'>>('OfficeChatChannel').implement({
    description: typeDescriptions.office_chat_channel,
    fields: (t) => ({
      teamId: t.exposeString('teamId', { description: 'The id of the team.' }),
      channelId: t.exposeString('channelId', { description: 'The id of the channel in the team.' }),
    }),
  }),
  office_chat_user: builder.objectRef<Member<'office_chat_user'>>('OfficeChatUser').implement({
    description: typeDescriptions.office_chat_user,
    fields: (t) => ({
      userId: t.exposeString('userId', { description: 'The id of the user.' }),
    }),
  }),
  messenger_chat: builder.objectRef<Member<'messenger_chat'>>('MessengerChat').implement({
    description: typeDescriptions.messenger_chat,
    fields: (t) => ({
      chatId: t.exposeString('chatId', { description: 'The id of the chat.' }),
    }),
  }),
  meeting_room: builder.objectRef<Member<'meeting_room'>>('MeetingRoom').implement({
    description: typeDescriptions.meeting_room,
    fields: (t) => ({
      roomId: t.exposeString('roomId', { description: 'The id of the room.' }),
      parentId: t.exposeString('parentId', {
        nullable: true,
        description: 'The id of the message to reply to in its thread. Null when messages start threads of their own.',
      }),
    }),
  }),
  meeting_person: builder.objectRef<Member<'meeting_person'>>('MeetingPerson').implement({
    description: typeDescriptions.meeting_person,
    fields: (t) => ({
      personId: t.exposeString('personId', {
        nullable: true,
        description: 'The id of the person. Null when there is an e-mail address.',
      }),
      personEmail: t.exposeString('personEmail', {
        nullable: true,
        description: 'The e-mail address of the person. Null when there is an id.',
      }),
    }),
  }),
  messaging_app_user: builder.objectRef<Member<'messaging_app_user'>>('MessagingAppUser').implement({
    description: typeDescriptions.messaging_app_user,
    fields: (t) => ({
      userId: t.exposeString('userId', { description: 'The id of the user.' }),
    }),
  }),
  incident_service: builder.objectRef<Member<'incident_service'>>('IncidentService').implement({
    description: typeDescriptions.incident_service,
    fields: (t) => ({
      routingKey: t.exposeString('routingKey', { description: 'Its routing key, decrypted.' }),
      region: t.expose('region', { type: EndpointRegion, description: 'Where the account is hosted.' }),
    }),
  }),
  alerting_integration: builder.objectRef<Member<'alerting_integration'>>('AlertingIntegration').implement({
    description: typeDescriptions.alerting_integration,
    fields: (t) => ({
      apiKey: t.exposeString('apiKey', { description: 'Its integration key, decrypted.' }),
      region: t.expose('region', { type: EndpointRegion, description: 'Where the account is hosted.' }),
    }),
  }),
  oncall_integration: builder.objectRef<Member<'oncall_integration'>>('OncallIntegration').implement({
    description: typeDescriptions.oncall_integration,
    fields: (t) => ({
      url: t.exposeString('url', { description: 'Where to post to, decrypted.' }),
      authToken: t.exposeString('authToken', {
        nullable: true,
        description: 'The bearer token that it asks for, decrypted. Null when it asks for none.',
      }),
    }),
  }),
  tool_webhook: builder.objectRef<Member<'tool_webhook'>>('ToolWebhook').implement({
    description: typeDescriptions.tool_webhook,
    fields: (t) => ({
      url: t.exposeString('url', { description: 'Where to send to, decrypted.' }),
      headers: t.field({
        type: [HttpHeader],
        nullable: true,
        description: 'Headers of every request. Null when none were given.',
        resolve: ({ headers }) => headers && Object.entries(headers).map(([name, value]) => ({ name, value })),
      }),
      method: t.expose('method', {
        type: WebhookMethod,
        nullable: true,
        description: 'How to send. Null means as the integration says.',
      }),
    }),
  }),
} satisfies { [Type in EndpointType]: ObjectRef<SchemaTypes, Member<Type>> }

export const Endpoint = builder.unionType('Endpoint', {
  description: 'Where a channel endpoint leads.',
  types: Object.values(members),
  resolveType: ({ type }) => members[type],
})
