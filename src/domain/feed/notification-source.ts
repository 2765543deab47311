// What a notification belongs to, as its own browser session may read it too.
import { z } from 'zod'
import { transactionIdsOfEvents } from '../../data/event.ts'
import { workflowsByIdentifier } from '../../data/workflow.ts'
import { storableText } from '../../lib/validation.ts'
import { feedOf, feedRate } from '../notification.ts'
import { query } from '../resolver/resolver.ts'
import { loadSubscriber, type Subscriber } from '../subscriber.ts'
import type { Workflow } from '../workflow.ts'

interface NotificationSource {
  readonly subscriber: Subscriber
  /** The transaction id of the event. Null if the event was deleted. */
  readonly transactionId: string | null
  /** The current version of the workflow. Null if it was deleted. */
  readonly workflow: Workflow | null
}

/**
 * Reads what the client of a feed shows with each notification. Batched: one statement for each field.
 *
 * @throws Refusal `NOT_FOUND` if the subscriber was just deleted.
 */
export const notificationSource = query({
  name: 'notification.getSource',
  permission: 'notification:read',
  rate: feedRate,
  input: feedOf.extend({ eventId: z.uuid(), workflowIdentifier: storableText }),
  owner: (notification) => notification,
  async run(scope, { subscriberId, eventId, workflowIdentifier }): Promise<NotificationSource> {
    const [subscriber, event, workflow] = await Promise.all([
      loadSubscriber(scope, { subscriberId }),
      scope.load(transactionIdsOfEvents, eventId),
      scope.load(workflowsByIdentifier, workflowIdentifier),
    ])
    return { subscriber, transactionId: event?.transactionId ?? null, workflow }
  },
})
