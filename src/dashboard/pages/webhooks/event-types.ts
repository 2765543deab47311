// The types of webhook messages, as requests name them, in groups.
import type { graphql } from '../../graph/graphql.ts'
import { optionsOf } from '../../parts/options.ts'

export type WebhookEventType = ReturnType<typeof graphql.scalar<'WebhookEventType'>>

const labels = {
  MESSAGE_SENT: 'message.sent',
  MESSAGE_DELIVERED: 'message.delivered',
  MESSAGE_FAILED: 'message.failed',
  MESSAGE_BOUNCED: 'message.bounced',
  MESSAGE_COMPLAINED: 'message.complained',
  MESSAGE_SEEN: 'message.seen',
  MESSAGE_UNSEEN: 'message.unseen',
  MESSAGE_READ: 'message.read',
  MESSAGE_UNREAD: 'message.unread',
  MESSAGE_ARCHIVED: 'message.archived',
  MESSAGE_UNARCHIVED: 'message.unarchived',
  MESSAGE_SNOOZED: 'message.snoozed',
  MESSAGE_UNSNOOZED: 'message.unsnoozed',
  MESSAGE_ACTION_COMPLETED: 'message.action_completed',
  TEXT_RECEIVED: 'text.received',
  EVENT_COMPLETED: 'event.completed',
  EVENT_FAILED: 'event.failed',
  PREFERENCE_UPDATED: 'preference.updated',
  SUPPRESSION_CREATED: 'suppression.created',
  SUBSCRIBER_CREATED: 'subscriber.created',
  SUBSCRIBER_UPDATED: 'subscriber.updated',
  SUBSCRIBER_DELETED: 'subscriber.deleted',
  WORKFLOW_CREATED: 'workflow.created',
  WORKFLOW_UPDATED: 'workflow.updated',
  WORKFLOW_DELETED: 'workflow.deleted',
  WORKFLOW_SUSPENDED: 'workflow.suspended',
  INTEGRATION_FAILING: 'integration.failing',
  INTEGRATION_RECOVERED: 'integration.recovered',
} as const satisfies Record<WebhookEventType, string>

export const eventTypeOptions = optionsOf<WebhookEventType>(labels)

const groups = [
  { group: 'Messages', prefixes: ['message', 'text'] },
  { group: 'Events', prefixes: ['event'] },
  { group: 'Subscribers', prefixes: ['subscriber', 'preference', 'suppression'] },
  { group: 'Workflows and integrations', prefixes: ['workflow', 'integration'] },
] as const

/** The options of a select, in groups. */
export const groupedEventTypes = groups.map(({ group, prefixes }) => ({
  group,
  items: eventTypeOptions.filter(({ label }) => prefixes.some((prefix) => label.startsWith(`${prefix}.`))),
}))

export const eventTypeLabel = (type: WebhookEventType): string => labels[type]

/** Returns the types in words, in the order of the options. */
export const eventTypesInWords = (types: readonly WebhookEventType[]): string =>
  eventTypeOptions
    .filter(({ value }) => types.includes(value))
    .map(({ label }) => label)
    .join(', ')
