// A message without an event, for testing an integration or finding its provider's host.
import type { StandaloneMessage } from '../../domain/channel/provider-directory.ts'
import type { Message } from '../../engine/message.ts'

const subscriber = {
  ...{ subscriberId: 'test', firstName: null, lastName: null, email: null, phone: null, avatar: null },
  ...{ locale: null, timezone: null, data: {} },
} satisfies Message['subscriber']

/** The message has ids of its own. The subscriber and the workflow are named `test`. */
export function messageOf(given: StandaloneMessage): Message {
  const { id, integration, content, target, credentials, traceparent, overrides = [] } = given
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
    isCritical: false,
    subscriber,
    contextKeys: [],
    payload: {},
    secrets: [],
    linkToken: null,
    overrides,
    dueSince: new Date(0),
  }
}
