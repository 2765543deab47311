// The types of webhook messages, each with an example of its data. The list is part of the API.
import type { JsonObject } from '../../lib/validation.ts'

/** Maximum characters of a text that may be long. */
export const MAX_DETAIL = 1_000

interface WebhookType {
  /** A sentence: when the message is sent. */
  readonly description: string
  readonly example: JsonObject
}

const message = {
  messageId: '01993f0e-7c5a-7d3e-8f4b-2a6c1e9d5b70',
  channel: 'email',
  subscriberId: 'ada',
  workflowIdentifier: 'order-shipped',
  eventId: '01993f0e-7b11-7a52-9c0d-6e8f3a1b2c4d',
  transactionId: 'order-1',
  contextKeys: ['tenant:acme'],
} as const satisfies JsonObject

const sent = { ...message, providerId: 'sendgrid', integrationIdentifier: 'mail' } as const
const entry = { ...message, channel: 'in_app' } as const
const event = {
  eventId: message.eventId,
  transactionId: message.transactionId,
  workflowIdentifier: message.workflowIdentifier,
  contextKeys: message.contextKeys,
} as const
const subscriber = { subscriberId: message.subscriberId } as const
const suspended = { workflowIdentifier: message.workflowIdentifier } as const
const workflow = { ...suspended, active: true } as const
const integration = { integrationIdentifier: 'mail', providerId: 'sendgrid', channel: 'email' } as const
const twilio = { providerId: 'twilio', channel: 'sms' } as const
const reported = { ...sent, detail: '550 5.1.1 The address does not exist.' } as const

export const webhookTypes = {
  'message.sent': { description: 'A provider accepted a message, or the feed has a new notification.', example: sent },
  'message.delivered': { description: 'The provider reports that a message was delivered.', example: sent },
  'message.failed': {
    description: 'A message was not sent, and is not attempted again.',
    example: { ...sent, cause: 'provider_rejected', detail: 'api.sendgrid.com responded with 400' },
  },
  'message.bounced': { description: 'The provider reports that a message bounced.', example: reported },
  'message.complained': { description: 'The recipient reported a message as spam.', example: reported },
  'message.seen': { description: 'A notification was marked as seen.', example: entry },
  'message.unseen': { description: 'A notification was marked as unseen, and therefore as unread.', example: entry },
  'message.read': { description: 'A notification was marked as read.', example: entry },
  'message.unread': { description: 'A notification was marked as unread.', example: entry },
  'message.archived': { description: 'A notification was archived.', example: entry },
  'message.unarchived': { description: 'A notification was taken out of the archive.', example: entry },
  'message.snoozed': {
    description: 'A notification was snoozed, until `snoozedUntil`.',
    example: { ...entry, snoozedUntil: '2027-03-01T09:00:00.000Z' },
  },
  'message.unsnoozed': {
    description: 'A snoozed notification returned to its feed, unread.',
    example: entry,
  },
  'message.action_completed': {
    description: 'The action of a button was completed: `action` is `primary` or `secondary`.',
    example: { ...entry, action: 'primary' },
  },
  'event.completed': {
    description: 'Every run of an event and every message of these runs has ended.',
    example: { ...event, recipients: { delivered: 2, failed: 1, nothing: 0 } },
  },
  'event.failed': {
    description: 'The fan-out of an event failed.',
    example: { ...event, reason: 'workflow_suspended', detail: 'The workflow is suspended.' },
  },
  'preference.updated': {
    description: 'A choice of a subscriber was changed, for one workflow, for a category or for all workflows.',
    example: {
      ...subscriber,
      contextKeys: ['tenant:acme'],
      scope: 'workflow',
      workflowIdentifier: 'order-shipped',
      categoryKey: null,
      channel: 'email',
      enabled: false,
      source: 'one_click',
    },
  },
  'suppression.created': {
    description: 'An address was suppressed.',
    example: {
      suppressionId: '01993f0e-9a40-7c1d-a2b3-4c5d6e7f8a9b',
      ...{ channel: 'email', reason: 'hard_bounce', messageId: message.messageId, contextKeys: [] },
    },
  },
  'text.received': {
    description: 'A person sent a text message that is not a keyword.',
    example: { inboundTextId: '01993f0e-9b52-7e4a-8c3d-1f2e3d4c5b6a', integrationIdentifier: 'text', ...twilio },
  },
  'subscriber.created': { description: 'A subscriber was created.', example: subscriber },
  'subscriber.updated': { description: 'The profile of a subscriber was changed.', example: subscriber },
  'subscriber.deleted': { description: 'A subscriber was deleted.', example: subscriber },
  'workflow.created': { description: 'A workflow was created.', example: workflow },
  'workflow.updated': { description: 'A workflow was changed.', example: workflow },
  'workflow.deleted': { description: 'A workflow was deleted.', example: workflow },
  'workflow.suspended': {
    description: 'A workflow was suspended, because its code was stopped too often.',
    example: { ...suspended, reason: 'The template of the step "email" took longer than 100 ms.' },
  },
  'integration.failing': {
    description: 'The circuit of an integration opened, because its provider or account fails repeatedly.',
    example: integration,
  },
  'integration.recovered': { description: 'The circuit of an integration closed.', example: integration },
} as const satisfies Record<string, WebhookType>

export type WebhookMessageType = keyof typeof webhookTypes

const isType = (name: string): name is WebhookMessageType => Object.hasOwn(webhookTypes, name)

export const webhookEventTypes = Object.keys(webhookTypes).filter(isType)

/** The types of messages about subscribers that a write creates or changes. */
export const subscriberTypes = [
  'subscriber.created',
  'subscriber.updated',
] as const satisfies readonly WebhookMessageType[]

/** The types among stored names. A newer version may have stored others. */
export const typesAmong = (names: readonly string[]): WebhookMessageType[] => names.filter(isType)
