// A message without an event, as providers send it: to test an integration, or to find out where its provider is.
import type { LoneMessage } from '../../domain/channel/provider-directory.ts'
import type { Message } from '../../engine/message.ts'

const subscriber = {
  ...{ subscriberId: 'test', firstName: null, lastName: null, email: null, phone: null, avatar: null },
  ...{ locale: null, timezone: null, data: {} },
} satisfies Message['subscriber']

/** Ids are the message's own. The subscriber and the workflow are named `test`. */
export function messageOf({ id, integration, content, target, credentials, traceparent }: LoneMessage): Message {
  return {
    deliveryId: id,
    environmentId: integration.environmentId,
    channel: integration.channel,
    providerId: integration.providerId,
    integration: { id: integration.id, identifier: integration.identifier },
    content,
    target,
    credentials,
    eventId: id,
    transactionId: id,
    traceparent,
    workflow: { identifier: 'test', name: 'Test message', severity: 'none', tags: [] },
    subscriber,
    contextKeys: [],
    payload: {},
    overrides: {},
    dueSince: new Date(0),
  }
}
